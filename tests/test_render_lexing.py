"""The quick lexer of Python gives the tokens of Pygments."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from faultbook.render.lexing import QuickPythonLexer, can_be_combined
from pygments.lexers.python import PythonLexer

SLOW, QUICK = PythonLexer(stripnl=False), QuickPythonLexer(stripnl=False)
HARD = '''#!/usr/bin/env python
"""A docstring with \\x41, %s and {x}."""
from __future__ import annotations
import torch.nn as nn, os

@decorated.by(a=1)
async def f(self, *, x: int = 0x_ff, y=1_0.5e-3j) -> None:
    match x:
        case {"a": [1, *_]} if not y: print(f"{x!r:>{y}} {{}} {f'{x}'}", rb"\\d", R'\\n' "%(a)d")
    lambda: (yield from x); a @= b; c := 3; d: list[int] = [...]
class Ünder_score(Base, metaclass=Meta):
    \t__slots__ = ()
    def __init__(self): raise NotImplementedError from None
match = case = type = 1
$ ? ! \x0c é “ ` ´
"unclosed
\'\'\'never closed {
'''


def test_no_rule_of_pygments_counts_groups() -> None:
    assert can_be_combined()


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("test_render_*.py")), ids=lambda path: path.name)
def test_tokens_of_whole_files_are_the_same(path: Path) -> None:
    text = path.read_text("utf-8")
    assert list(QUICK.get_tokens_unprocessed(text)) == list(SLOW.get_tokens_unprocessed(text))


def test_tokens_of_broken_code_are_the_same() -> None:
    chance = random.Random(5)
    for _ in range(150):
        start = chance.randrange(len(HARD))
        text = HARD[start : start + chance.randrange(1, 200)] + chance.choice(["", "'", '"""', "{", "\\", "\n"])
        assert list(QUICK.get_tokens(text)) == list(SLOW.get_tokens(text)), text


def test_all_states_that_pygments_knows_can_be_entered() -> None:
    for name in SLOW._tokens:  # type: ignore[attr-defined]
        found = list(QUICK.get_tokens_unprocessed(HARD, ("root", name)))
        assert found == list(SLOW.get_tokens_unprocessed(HARD, ("root", name))), name
