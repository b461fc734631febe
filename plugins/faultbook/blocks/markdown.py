"""Blocks as Markdown for an issue or a chat, where nothing of a log becomes markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from faultbook.blocks import Block, Figure, Heading, Items, Lines, Paragraph, Prose, Row, Shell, Verdict, headed
from faultbook.violations import printable

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~$&!@]")
_ENTITY = {"<": "&lt;", "&": "&amp;"}
"""Written as entities, since not every Markdown takes a backslash before them for an escape."""
_SPAN = re.compile(r"(`[^`\n]*`)")
_ACTS = re.compile(r"<|&(?=#|[A-Za-z])|(?<=\])\((?!https://)|!(?=\[)|(?<=\]):")


def markdown_text(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown that ends with a line break."""
    return "\n\n".join("\n".join(_SHOWN[type(block)](block)) for block in blocks) + "\n"


def inline(text: str) -> str:
    """Text within a line: prose as it is, anything else with what could be markup escaped."""
    if isinstance(text, Prose):
        # Most texts have neither line breaks nor anything else that has to be shown in another way.
        return text if text.isprintable() else "\n".join(map(_safe, text.split("\n")))
    return _MARKUP.sub(lambda found: _ENTITY.get(found[0], "\\" + found[0]), _safe(text))


def harmless(text: str) -> str:
    """Prose of an entry for Markdown that lets HTML through: tags, entities and links to other schemes become text.

    Within code spans nothing acts, unless the spans of a text depend on who reads them; then nothing counts as one.
    """
    if "<" not in text and "&" not in text and "](" not in text and "![" not in text and "]:" not in text:
        return text
    doubtful = "``" in text or "\\`" in text or any(line.count("`") % 2 for line in text.split("\n"))
    parts = [text] if doubtful else _SPAN.split(text)
    return "".join(part if at % 2 else _ACTS.sub(_inert, part) for at, part in enumerate(parts))


def _inert(found: re.Match[str]) -> str:
    # A backslash could be taken back by one that stands before it; an entity cannot.
    return _ENTITY.get(found[0], f"&#{ord(found[0])};")


def web_link(title: str, url: str) -> Prose:
    """A link to a page, with a title that is no Markdown."""
    for char, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E")):
        url = url.replace(char, code)
    return Prose(f"[{inline(title)}]({url})")


def code(text: str) -> str:
    """Text as a code span."""
    text = _safe(text)
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(lines: Iterable[str], lang: str = "text") -> Iterator[str]:
    """Lines in a fence that none of them can close."""
    safe = [_safe(line) for line in lines]
    fence = "`" * max(3, max(map(_longest_run, safe), default=0) + 1)
    yield from (f"{fence}{lang}", *safe, fence)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0) if "`" in text else 0


def _safe(text: str) -> str:
    return text if text.isprintable() else printable(text.replace("\t", "    "))


def _heading(block: Heading) -> Iterator[str]:
    yield f"{'#' * block.level} {inline(block.text)}"


def _verdict(block: Verdict) -> Iterator[str]:
    yield f"**{inline(block.text)}**"


def _paragraph(block: Paragraph) -> Iterator[str]:
    yield f"**{inline(block.label)}** {inline(block.text)}" if block.label else inline(block.text)


def _items(block: Items) -> Iterator[str]:
    for number, (head, text) in enumerate(block.rows, 1):
        mark = f"{number}. " if block.numbered else "- "
        whole = headed(f"**{inline(head)}**", inline(text)) if head and text else inline(head or text)
        yield mark + whole.replace("\n", "\n" + " " * len(mark))


def _shell(block: Shell) -> Iterator[str]:
    if block.danger:
        affects = f", affects {inline(block.affects)}" if block.affects else ""
        yield f"⚠ **{block.danger.capitalize()}{affects}.** {inline(block.warning)}".rstrip()
        yield ""
    yield from fenced(block.run.split("\n"), block.lang)
    if block.facts:
        yield f"\n({', '.join(block.facts)})"
    if block.output:
        yield "\nPrints:\n"
        yield from fenced(block.output.split("\n"))
    if block.expect:
        yield f"\nLook for: {inline(block.expect)}"
    if block.undo:
        yield f"\nUndo: {code(block.undo)}"


def _lines(block: Lines) -> Iterator[str]:
    if block.caption:
        yield f"{code(block.caption)}:\n"
    width = block.width
    yield from fenced(_row(row, width) for row in block.rows)


def _row(row: Row, width: int) -> str:
    return f"{'>' if row.hit else ' '} {row.line or '':>{width}}  {row.text}"


def _figure(block: Figure) -> Iterator[str]:
    yield from fenced(block.text.split("\n"), block.lang)


_SHOWN: dict[type, Callable[..., Iterable[str]]] = {
    Heading: _heading,
    Verdict: _verdict,
    Paragraph: _paragraph,
    Items: _items,
    Shell: _shell,
    Lines: _lines,
    Figure: _figure,
}
