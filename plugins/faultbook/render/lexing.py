"""The lexer of Pygments for Python, which is the language of most examples, in a third of its time.

Pygments tries some fifty expressions, one call after the other, for each token. Here the rules of a state are the
alternatives of one expression; which of them matched is told by the empty group behind it. The tokens are the same (a
test compares them), and the rules are those of the Pygments that is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from pygments.lexers.python import PythonLexer
from pygments.token import Error, Whitespace, _TokenType

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
_FLAGS_IN_FRONT = re.compile(r"\(\?[aiLmsux]+\)")
_REFERENCE = re.compile(r"\\[1-9]|\(\?P[=<]|\(\?\(")
# An escape, a set of characters, or the bracket of a group that has a number.
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?)", re.DOTALL)

Rule = tuple[Callable[..., "re.Match[str] | None"], Any, Any]
"""The match method of an expression, what becomes of the text, and the states that follow."""


class _State(NamedTuple):
    """All rules of a state, and the expression of which each is one alternative."""

    match: Callable[..., re.Match[str] | None]
    rules: list[Rule]


class _States(dict[str, _State]):
    """The states of the lexer, each made when it is first met."""

    def __missing__(self, name: str) -> _State:
        rules = _tokens()[name]
        alternatives = "|".join(f"{_uncounted(_pattern(rule))}()" for rule in rules)
        self[name] = _State(re.compile(alternatives).match, rules)
        return self[name]


def _tokens() -> dict[str, list[Rule]]:
    tokens: dict[str, list[Rule]] = PythonLexer()._tokens  # type: ignore[attr-defined]
    return tokens


def _pattern(rule: Rule) -> re.Pattern[str]:
    pattern: re.Pattern[str] = rule[0].__self__  # type: ignore[attr-defined]
    return pattern


def _uncounted(pattern: re.Pattern[str]) -> str:
    """The expression with its flags and without numbered groups, which would take most of the time."""
    flags = "".join(name for name, flag in _FLAGS.items() if pattern.flags & flag)
    text = _PART.sub(lambda part: "(?:" if part[0] == "(" else part[0], _FLAGS_IN_FRONT.sub("", pattern.pattern))
    return f"(?{flags}:{text})"


class QuickPythonLexer(PythonLexer):
    """The lexer of Python with one expression for each state."""

    _states = _States()

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Iterator[tuple[int, Any, str]]:
        """The position, kind and text of each token."""
        open_states = list(stack)
        match, rules = self._states[open_states[-1]]
        at = 0
        while True:
            found = match(text, at)
            if found is not None:
                rematch, action, next_states = rules[(found.lastindex or 0) - 1]
                if type(action) is _TokenType:
                    yield at, action, found[0]
                elif action is not None:
                    yield from action(self, rematch(text, at))
                at = found.end()
                if next_states is None:
                    continue
                _enter(open_states, next_states)
            elif at < len(text):
                if text[at] == "\n":
                    open_states = ["root"]
                yield at, Whitespace if text[at] == "\n" else Error, text[at]
                at += 1
            else:
                return
            match, rules = self._states[open_states[-1]]


def _enter(states: list[str], following: Any) -> None:
    """Change the open states as a rule says: names to open, `#push` for the last one again, numbers to close."""
    if isinstance(following, int):
        del states[max(len(states) + following, 1) :]
        return
    for name in following if isinstance(following, tuple) else (following,):
        if name == "#push":
            states.append(states[-1])
        elif name != "#pop":
            states.append(name)
        elif len(states) > 1:
            states.pop()


def can_be_combined() -> bool:
    """Whether no rule refers to a group or has comments, which would not mean the same in a larger expression."""
    patterns = [_pattern(rule) for rules in _tokens().values() for rule in rules]
    return not any(pattern.flags & re.VERBOSE or _REFERENCE.search(pattern.pattern) for pattern in patterns)
