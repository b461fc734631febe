"""Colours of example code: the short way through Python gives what Pygments gives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from faultbook.corpus import load_corpus
from faultbook.render.python_lexer import QuickPythonLexer
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexers.python import PythonLexer
from sites import ROOT

PIECES = (
    *("def", "class", "import", "from", "as", "lazy", "match", "case", "_", "self", "cls", "yield from", "async for"),
    *("return", "await", "True", "print", "Exception", "__init__", "__name__", "name", "größe", "x1", "r", "b", "rb"),
    *("f", "u", "Rf", '"', "'", '"""', "'''", "\\", "\\\n", "{", "}", "[", "]", "(", ")", ",", ":", ":=", "=", "=="),
    *("!=", "@", ".", "->", " ", "    ", "\t", "\n", "\n\n", "#", "0", "0x1f", "1_000", "1.5e-3", ".5", "%", "*", "**"),
    *("<<", "~", "é", "\u00a0"),
)


def tokens(lexer: PythonLexer, code: str) -> list[tuple[object, str]]:
    """The tokens with neighbours of one kind joined, as they are shown."""
    joined: list[tuple[object, str]] = []
    for kind, text in lexer.get_tokens(code):
        if joined and joined[-1][0] is kind:
            joined[-1] = (kind, joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return joined


def python_files() -> Iterator[str]:
    """The sources of the package, and the Python of the entries."""
    yield from (path.read_text("utf-8") for path in sorted((ROOT / "plugins").rglob("*.py")))
    corpus, _ = load_corpus([ROOT / "entries"], ROOT)
    for record in corpus.records.values():
        yield from (command.run for command in record.entry.commands().values() if command.lang == "python")
        yield from (example.code for example in record.entry.examples if example.lang == "python")


def test_all_our_python_is_coloured_as_pygments_does() -> None:
    quick, whole = QuickPythonLexer(stripnl=False), PythonLexer(stripnl=False)
    for code in python_files():
        assert tokens(quick, code) == tokens(whole, code)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_text_is_coloured_as_pygments_does(pieces: list[str]) -> None:
    code = "".join(pieces)
    assert tokens(QuickPythonLexer(stripnl=False), code) == tokens(PythonLexer(stripnl=False), code)


@pytest.mark.parametrize("name", ["define", "classes", "imports", "selfish", "printer", "matches", "r1", "f_"])
def test_names_that_begin_like_another_word_are_names(name: str) -> None:
    assert tokens(QuickPythonLexer(), f"{name} = 1") == tokens(PythonLexer(), f"{name} = 1")
