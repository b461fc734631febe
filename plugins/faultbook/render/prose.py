"""Prose of entries to HTML: a CommonMark subset without HTML, with citations and links to entries.

Most texts hold nothing but words, code spans and our own marks; they take a short way that gives the same HTML as the
CommonMark library (a test compares the two), in a tenth of its time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markupsafe import Markup

from faultbook.links import Mark, parse_marks

MarkRenderer = Callable[[Mark], str]
"""Gives the HTML of a citation or link."""

_EMPHASIS = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_CODE_SPAN = re.compile(r"(?P<ticks>`+)(?!`)(?P<code>.*?)(?<!`)(?P=ticks)(?!`)")
# What could begin a list or a fence, break a line, or be stripped by one way and kept by the other.
_BLOCKS = re.compile(r"^ *(?:[-+*](?: |$)|[0-9]{1,9}[.)](?: |$)|```|~~~| {4})|  \n|[^\S \n]", re.MULTILINE)
_OFF = (
    "image",
    "html_inline",
    "html_block",
    "heading",
    "lheading",
    "hr",
    "blockquote",
    "reference",
    "code",
    "autolink",
)
"""Parts of CommonMark that entries do not use; entities are off as well, so that an ampersand is one."""


def escape_text(text: str) -> str:
    """Text for HTML, within and outside of attributes."""
    # Four searches that find nothing take a quarter of the time of one translation.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _mark_rule(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "[":
        return False
    for mark in parse_marks(state.src):
        if mark.start == state.pos:
            if not silent:
                state.push("faultbook_mark", "", 0).meta = {"mark": mark}
            state.pos = mark.end
            return True
    return False


def _render_mark(renderer: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    return str(env["marks"](tokens[at].meta["mark"]))


def _allowed_link(url: str) -> bool:
    return url.startswith("https://")


def _commonmark() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).disable([*_OFF, "entity"])
    parser.validateLink = _allowed_link  # type: ignore[method-assign]
    parser.inline.ruler.before("link", "faultbook_mark", _mark_rule)
    parser.add_render_rule("faultbook_mark", _render_mark)
    return parser


_PARSER = _commonmark()


def render_inline(text: str, marks: MarkRenderer) -> Markup:
    """One line of prose, without a paragraph around it; line breaks count as blanks."""
    text = " ".join(text.splitlines()).strip()
    pieces = _short_way(text)
    return Markup(_html(pieces, marks) if pieces else _PARSER.renderInline(text, {"marks": marks}))


def render_blocks(text: str, marks: MarkRenderer) -> Markup:
    """Prose with its paragraphs and lists."""
    if not _BLOCKS.search(text):
        paragraphs = [_joined(paragraph) for paragraph in re.split(r"\n[ \t]*\n", text) if paragraph.strip()]
        # All are looked at before any is rendered, since rendering a citation counts it.
        short = [_short_way(paragraph) for paragraph in paragraphs]
        if all(short):
            return Markup("\n".join(f"<p>{_html(pieces, marks)}</p>" for pieces in short))
    return Markup(_PARSER.render(text, {"marks": marks}).rstrip("\n"))


def render_commonmark(text: str, marks: MarkRenderer) -> str:
    """The same by the library alone; the short way must give what this gives."""
    return str(_PARSER.render(text, {"marks": marks})).rstrip("\n")


def _joined(paragraph: str) -> str:
    return "\n".join(line.strip() for line in paragraph.strip().split("\n"))


def _short_way(text: str) -> list[Mark | str]:
    """HTML and marks in turn; empty if the text has any Markdown beyond code spans and our marks."""
    if not _may_be_markdown(text):
        return [escape_text(text)]
    if "`" not in text and "[" not in text:
        return []
    pieces = _pieces(text)
    edges = [0, *(edge for start, end, _ in pieces for edge in (start, end)), len(text)]
    plain = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if any(_may_be_markdown(part) for part in plain):
        return []
    out: list[Mark | str] = [escape_text(plain[0])]
    for (_, _, piece), after in zip(pieces, plain[1:], strict=True):
        out.append(piece if isinstance(piece, Mark) else f"<code>{escape_text(_code(piece))}</code>")
        out.append(escape_text(after))
    return out


def _may_be_markdown(text: str) -> bool:
    """Whether text outside of code spans and marks could be more than itself."""
    # One after the other, since an expression for all five takes six times as long.
    special = "`" in text or "[" in text or "]" in text or "*" in text or "\\" in text
    return special or ("_" in text and _EMPHASIS.search(text) is not None)


def _html(pieces: list[Mark | str], marks: MarkRenderer) -> str:
    return "".join([piece if isinstance(piece, str) else marks(piece) for piece in pieces])


def _pieces(text: str) -> list[tuple[int, int, Mark | str]]:
    """Code spans and marks in order."""
    pieces: list[tuple[int, int, Mark | str]] = [(mark.start, mark.end, mark) for mark in parse_marks(text)]
    if "`" in text:
        pieces += [(found.start(), found.end(), found["code"]) for found in _CODE_SPAN.finditer(text)]
        pieces.sort(key=lambda piece: piece[0])
    return pieces


def _code(text: str) -> str:
    return text[1:-1] if text[:1] == text[-1:] == " " and text.strip() else text
