"""Blocks as text for a terminal: wrapped, with colours where it has any, and without anything that it could act on."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from faultbook.blocks import Block, Figure, Heading, Items, Lines, Paragraph, Prose, Row, Shell, Verdict, headed
from faultbook.violations import printable

_CODES = {"strong": "1", "dim": "2", "hit": "1;31", "code": "36", "warn": "1;33", "harm": "1;31", "good": "1;32"}
_VERDICTS = {"match": "warn", "unknown": "warn", "no-failure": "good"}
_DANGERS = {"reversible": "code", "disruptive": "warn", "destructive": "harm"}
_WIDEST, _LONGEST = 100, 600
_ITEM = re.compile(r" *(?P<mark>[-+*]|[0-9]{1,9}[.)]) +")
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+)[^\n]*\n(?P<code>.*?)(?:^ {0,3}(?P=fence)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_KEPT = "\u2800"
"""Stands for a blank within code, at which no line breaks; a sign that `textwrap` takes for a letter."""


@dataclass(frozen=True)
class Style:
    """How wide the text may be, and whether it is coloured."""

    width: int = 80
    colour: bool = False

    def paint(self, text: str, name: str) -> str:
        """The text in a colour, if there are any."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self.colour and text else text


def style_of(stream: TextIO) -> Style:
    """The style for a stream: colours for terminals only, and not if ``NO_COLOR`` is set."""
    terminal = stream.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(min(shutil.get_terminal_size((80, 24)).columns, _WIDEST) if terminal else _WIDEST, colour)


def terminal_text(blocks: Iterable[Block], style: Style) -> str:
    """The blocks as text that ends with a line break."""
    lines: list[str] = []
    for block in blocks:
        lines += ["", *_SHOWN[type(block)](block, style)]
    return "\n".join(line.rstrip() for line in lines).lstrip("\n") + "\n"


def _heading(block: Heading, style: Style) -> Iterator[str]:
    text = _safe(block.text.replace("`", ""))
    for line in textwrap.wrap(text, style.width, break_long_words=False):
        yield style.paint(line, "strong")
    if block.level == 1 or (block.level == 2 and not style.colour):
        yield style.paint("=-"[block.level - 1] * min(len(text), style.width), "strong")


def _verdict(block: Verdict, style: Style) -> Iterator[str]:
    for line in textwrap.wrap(_safe(block.text), style.width, break_long_words=False):
        yield style.paint(line, _VERDICTS.get(block.kind, "strong"))


def _paragraph(block: Paragraph, style: Style) -> Iterator[str]:
    label = f"{block.label} " if block.label else ""
    lines = list(_wrapped(label + block.text, style, prose=isinstance(block.text, Prose)))
    if label and lines:
        lines[0] = lines[0].replace(block.label, style.paint(block.label, "strong"), 1)
    yield from lines


def _items(block: Items, style: Style) -> Iterator[str]:
    for number, (head, text) in enumerate(block.rows, 1):
        mark = f"{number}. " if block.numbered else "- "
        both = Prose if isinstance(head, Prose) or isinstance(text, Prose) else str
        whole = both(headed(head, text) if head and text else head or text)
        inner = Style(style.width - len(mark), style.colour)
        lines = list(_wrapped(whole, inner, prose=isinstance(whole, Prose)))
        for line, prefix in zip(lines, [mark, *[" " * len(mark)] * len(lines)], strict=False):
            yield prefix + line


def _shell(block: Shell, style: Style) -> Iterator[str]:
    if block.danger:
        harm = f"! {block.danger.upper()}" + (f", affects {block.affects}" if block.affects else "")
        yield f"    {style.paint(harm, _DANGERS.get(block.danger, 'warn'))}"
    if block.warning:
        yield from _wrapped(block.warning, style, "    ! ", prose=True)
    prompts = ("$ ", "  ") if block.lang == "bash" else ("", "")
    for number, line in enumerate(block.run.split("\n")):
        yield "    " + style.paint(prompts[min(number, 1)] + _safe(line), "strong")
    facts = [*block.facts, *([block.lang] if block.lang != "bash" else [])]
    if facts:
        yield "      " + style.paint(f"({', '.join(facts)})", "dim")
    if block.output:
        yield "      prints:"
        yield from ("        " + _safe(line) for line in block.output.split("\n"))
    if block.expect:
        yield from _wrapped(block.expect, style, "      look for: ", prose=True)
    if block.undo:
        yield "      undo: " + _safe(block.undo)


def _lines(block: Lines, style: Style) -> Iterator[str]:
    if block.caption:
        yield "  " + style.paint(_safe(block.caption), "dim")
    width, last = block.width, None
    for row in block.rows:
        if last is not None and row.line is not None and row.line > last + 1:
            yield "  " + style.paint("  " + " " * (width - 1) + "⋮", "dim")
        mark = style.paint(">", "hit") if row.hit else " "
        yield f"  {mark} {row.line or '':>{width}}  {_marked(row, style)}"
        last = row.line if row.line is not None else last


def _marked(row: Row, style: Style) -> str:
    """The text of a row with what matched in colour; a long one is cut around the first match."""
    start, end = row.spans[0] if row.spans else (0, 0)
    first = max(0, min(start - 80, len(row.text) - _LONGEST)) if len(row.text) > _LONGEST else 0
    last = first + _LONGEST if len(row.text) > first + _LONGEST else len(row.text)
    parts = ["…" if first else ""]
    at = first
    for start, end in row.spans:
        start, end = max(start, at), min(end, last)
        if start < end:
            parts += [_safe(row.text[at:start]), style.paint(_safe(row.text[start:end]), "hit")]
            at = end
    return "".join([*parts, _safe(row.text[at:last]), "…" if last < len(row.text) else ""])


def _figure(block: Figure, style: Style) -> Iterator[str]:
    yield from ("    " + _safe(line) for line in block.text.split("\n"))


_SHOWN: dict[type, Callable[..., Iterable[str]]] = {
    Heading: _heading,
    Verdict: _verdict,
    Paragraph: _paragraph,
    Items: _items,
    Shell: _shell,
    Lines: _lines,
    Figure: _figure,
}


def _safe(text: str) -> str:
    """The text on one line; a tab is a blank, and what a terminal could act on is written as an escape."""
    return printable(text.replace("\t", " "))


def _wrapped(text: str, style: Style, prefix: str = "", *, prose: bool = False) -> Iterator[str]:
    """Paragraphs and lists within a width; the lines after the first are indented as far as the prefix."""
    indent = " " * len(prefix)
    for number, (first, rest, part) in enumerate(_parts(text)):
        before = (prefix if number == 0 else indent) + first
        if rest is None:
            yield before + _safe(part)
            continue
        wrapper = textwrap.TextWrapper(
            max(style.width, 10),
            initial_indent=before,
            subsequent_indent=indent + rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        if prose:
            part = _CODE.sub(lambda code: code[0].replace(" ", _KEPT), part)
        for line in wrapper.wrap(_safe(part)) or [""]:
            line = _CODE.sub(lambda code: style.paint(code[0], "code"), line) if prose else line
            yield line.replace(_KEPT, " ")


def _parts(text: str) -> Iterator[tuple[str, str | None, str]]:
    """Paragraphs and items of lists, each with its mark and its indentation, and empty ones for blank lines.

    Lines of code have no indentation, since they are not wrapped.
    """
    at = 0
    for fence in _FENCE.finditer(text):
        yield from _paragraphs(text[at : fence.start()].strip() + "\n\n")
        yield from (("    ", None, line) for line in fence["code"].rstrip("\n").split("\n"))
        at = fence.end()
    yield from _paragraphs(text[at:].strip("\n") if not at else "\n\n" + text[at:].strip())


def _paragraphs(text: str) -> Iterator[tuple[str, str, str]]:
    for number, paragraph in enumerate(re.split(r"\n[ \t]*\n", text.rstrip(" "))):
        if number:
            yield "", "", ""
        for part in _joined(paragraph.split("\n")) if paragraph else ():
            item = _ITEM.match(part)
            mark = item[0] if item else ""
            yield mark, " " * len(mark), part[len(mark) :]


def _joined(lines: Sequence[str]) -> list[str]:
    """The lines of a paragraph as one, but for items of a list, which begin anew."""
    parts: list[str] = []
    for line in lines:
        if parts and not _ITEM.match(line):
            parts[-1] += " " + line.strip()
        else:
            parts.append(line.rstrip())
    return parts
