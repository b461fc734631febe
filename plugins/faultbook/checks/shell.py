"""Reads bash: which commands a text starts, to which files it writes, and whether it parses; nothing is ever run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

PLACEHOLDER = re.compile(r"(?<![${])\{([A-Z][A-Z0-9_]*)\}(?!\})")
"""A value that the reader must put in, such as ``{PID}``."""
SHOWN = re.compile(r"\b_([A-Z][A-Z0-9_]*)_\b")
"""What stands in a command for such a value."""

_PARSER = Parser(Language(tree_sitter_bash.language()))
_DEEPEST = 4
_SECONDS = 5


@dataclass(frozen=True)
class Started:
    """A command that a text starts: its name without directory, and its arguments without quotes."""

    name: str
    words: tuple[str, ...]

    @property
    def line(self) -> str:
        """The arguments with single blanks between."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Script:
    """What a text starts and where it writes."""

    commands: tuple[Started, ...]
    written: tuple[str, ...]


@lru_cache(maxsize=64)
def read_script(text: str) -> Script:
    """The commands of a text, also those that others start, such as ``sudo``, ``xargs``, ``ssh`` and ``bash -c``."""
    commands: list[Started] = []
    written: list[str] = []
    _read(_plain(text), commands, written, 0)
    return Script(tuple(commands), tuple(written))


def _plain(text: str) -> str:
    """The text with plain words of the same length in place of what the reader puts in."""
    return PLACEHOLDER.sub(r"_\1_", text) if "{" in text else text


def _read(text: str, commands: list[Started], written: list[str], depth: int) -> None:
    source = text.encode()
    nodes = [_PARSER.parse(source).root_node]
    while nodes:
        node = nodes.pop()
        if node.type == "command":
            words = [_word(child) for child in node.children_by_field_name("argument")]
            name = node.child_by_field_name("name")
            _start([_word(name) if name else "", *words], commands, written, depth)
        elif node.type == "file_redirect" and any(child.type in _WRITES for child in node.children):
            written += [_word(child) for child in node.children_by_field_name("destination")]
        nodes.extend(reversed(node.named_children))


_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})


def _word(node: Node) -> str:
    """A word as the command gets it, with expansions as they are written."""
    text = (node.text or b"").decode()
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "ansi_c_string":
        return text[2:-1]
    if node.type == "string":
        return text[1:-1]
    if node.type in ("concatenation", "command_name"):
        return "".join(_word(child) for child in node.named_children)
    return text.replace("\\", "") if node.type == "word" else text


def _start(words: list[str], commands: list[Started], written: list[str], depth: int) -> None:
    """Take down a command, then those that it starts itself."""
    while words:
        name = words[0].rsplit("/", 1)[-1]
        commands.append(Started(name, tuple(words[1:])))
        if depth < _DEEPEST and (script := _inner_script(name, words[1:])):
            _read(script, commands, written, depth + 1)
            return
        words = _inner_words(name, words[1:])


def _inner_script(name: str, words: list[str]) -> str:
    """The text that a command hands to a shell."""
    if name in ("bash", "sh", "zsh", "dash", "ksh", "su", "runuser"):
        flag = next((i for i, word in enumerate(words) if re.fullmatch(r"-[a-z]*c|--command", word)), None)
        return words[flag + 1] if flag is not None and flag + 1 < len(words) else ""
    if name == "eval":
        return " ".join(words)
    if name in _REMOTE:
        options, positions = _REMOTE[name]
        return " ".join(_rest(words, options, positions))
    return ""


def _inner_words(name: str, words: list[str]) -> list[str]:
    """The words of the command that a command starts."""
    if name == "find":
        flag = next((i for i, word in enumerate(words) if word in ("-exec", "-execdir", "-ok", "-okdir")), None)
        return words[flag + 1 :] if flag is not None else []
    if name in ("kubectl", "oc") and "exec" in words:
        return words[words.index("--") + 1 :] if "--" in words else []
    if name in ("docker", "podman", "nerdctl", "crictl"):
        return _rest(words[1:], _DOCKER_EXEC, 1) if words[:1] == ["exec"] else []
    if name == "ip" and words[:2] == ["netns", "exec"]:
        return words[3:]
    if name in _STARTERS:
        options, positions = _STARTERS[name]
        return _rest(words, options, positions)
    return []


def _rest(words: list[str], valued: frozenset[str], positions: int) -> list[str]:
    """The words after the options, their values and some further words."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 + positions :]
        if word.startswith("-") and word != "-":
            at += 2 if word in valued else 1
        elif re.match(r"[A-Za-z_]\w*=", word):
            at += 1
        elif positions:
            positions -= 1
            at += 1
        else:
            return words[at:]
    return []


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCKER_EXEC = _options("-e --env --env-file -u --user -w --workdir --detach-keys")
_SRUN = _options(
    "-N --nodes -n --ntasks -c --cpus-per-task -w --nodelist -x --exclude -p --partition -t --time -J --job-name "
    "-A --account -G --gpus -r --relative -o --output -e --error -i --input -D --chdir --jobid --mem --gres -q --qos"
)
# Per command: the options that take the next word as their value, and how many words stand before the inner command.
_STARTERS: dict[str, tuple[frozenset[str], int]] = {
    "sudo": (_options("-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D -R"), 0),
    "doas": (_options("-u -C"), 0),
    "env": (_options("-u --unset -C --chdir"), 0),
    "nice": (_options("-n --adjustment"), 0),
    "ionice": (_options("-c --class -n --classdata"), 0),
    "chrt": (frozenset(), 1),
    "taskset": (frozenset(), 1),
    "numactl": (_options("-N -m -C -i -p"), 0),
    "timeout": (_options("-s --signal -k --kill-after"), 1),
    "time": (_options("-f -o"), 0),
    "stdbuf": (_options("-i -o -e"), 0),
    "xargs": (_options("-I -n -P -d -a -L -s -E"), 0),
    "srun": (_SRUN, 0),
    "unshare": (_options("-S -G"), 0),
    "nsenter": (_options("-t --target -S -G"), 0),
    "strace": (_options("-e -o -p -s -u -E -P -a"), 0),
    "chroot": (frozenset(), 1),
    **{name: (frozenset(), 0) for name in ("nohup", "exec", "command", "builtin", "setsid", "coproc", "!")},
}
_REMOTE: dict[str, tuple[frozenset[str], int]] = {
    "ssh": (_options("-p -i -l -o -J -F -L -R -D -b -c -E -e -m -O -Q -S -W -w"), 1),
    "pdsh": (_options("-w -x -f -l -R -g -t -u"), 0),
    "clush": (_options("-w -x -g -f -l -t -u"), 0),
    "watch": (_options("-n --interval"), 0),
}


_RESERVED = r"(?!(?:case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)\b)"
_PLAIN_WORD = r"""(?:[\w./:=@%+,^-]|'[^'\n]*'|"(?:[^"`$\\\n]|\$\w)*"|\$\w)+"""
_PLAIN_PART = rf"{_RESERVED}{_PLAIN_WORD}(?: +(?:{_PLAIN_WORD}|[12]?> ?/dev/null|2>&1))*"
# Plain words and quoted text, joined by pipes and the like, cannot be wrong, and parsing costs twenty times as much.
_PLAIN = re.compile(rf"{_PLAIN_PART}(?: *(?:\|\|?|&&|;) *{_PLAIN_PART})*\n?")


def syntax_fault(text: str) -> str | None:
    """What is wrong with the syntax of a text, or nothing; a fault that the parser sees must be one for bash too."""
    plain = _plain(text)
    if _PLAIN.fullmatch(plain):
        return None
    tree = _PARSER.parse(plain.encode())
    if not tree.root_node.has_error:
        return None
    line = _first_error(tree.root_node)
    try:
        done = subprocess.run(
            ["bash", "--norc", "--noprofile", "-n"],
            input=plain.encode(),
            capture_output=True,
            timeout=_SECONDS,
            env={"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/local/bin"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"does not parse in line {line}"
    if done.returncode == 0:
        return None
    told = re.search(r"line (\d+): (.*)", done.stderr.decode("utf-8", "replace"))
    return f"does not parse in line {told[1]}: {told[2]}" if told else f"does not parse in line {line}"


def _first_error(node: Node) -> int:
    return min((found.start_point[0] + 1 for found in _errors(node)), default=1)


def _errors(root: Node) -> Iterator[Node]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            nodes.extend(node.children)
