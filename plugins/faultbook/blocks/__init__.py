"""What a report or a page is made of, before it becomes text for a terminal or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from faultbook.marks import Mark, parse_marks
from faultbook.words import AFFECTED, WHERE


class Prose(str):
    """Text in the Markdown of entries, its marks resolved; any other text is shown as it stands."""

    __slots__ = ()


@dataclass(frozen=True)
class Heading:
    """The title of what follows; level 1 is the title of the whole."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Text, of one or several paragraphs if it is prose."""

    text: str
    label: str = ""
    """Words in front, set off from the text."""


@dataclass(frozen=True)
class Verdict:
    """The answer in one line, with its kind: ``match``, ``unknown`` or ``no-failure``."""

    kind: str
    text: str


@dataclass(frozen=True)
class Items:
    """A list; each item has a head, which may be empty, and a text."""

    rows: tuple[tuple[str, str], ...]
    numbered: bool = False


@dataclass(frozen=True)
class Shell:
    """A command, with all that the reader must know before and after it is typed."""

    run: str
    lang: str = "bash"
    facts: tuple[str, ...] = ()
    danger: str = ""
    affects: str = ""
    warning: str = ""
    output: str = ""
    expect: str = ""
    undo: str = ""


@dataclass(frozen=True)
class Row:
    """A line of a log with its number; spans are what matched in it."""

    line: int | None
    text: str
    hit: bool = False
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Lines:
    """Lines of a log."""

    caption: str
    rows: tuple[Row, ...]

    @property
    def width(self) -> int:
        """Digits of the longest line number."""
        return max((len(str(row.line)) for row in self.rows if row.line), default=1)


@dataclass(frozen=True)
class Figure:
    """Text that keeps its line breaks, such as a template or code."""

    text: str
    lang: str = "text"


Block = Heading | Paragraph | Verdict | Items | Shell | Lines | Figure
_UNWARNED = "This command can do harm. Be sure of its target."


def named(slug: str, words: str | None) -> str:
    """A link to an entry where nothing can be followed: its words and its slug."""
    return f"{words} (`{slug}`)" if words else f"`{slug}`"


Link = Callable[[str, str | None], str]
"""Writes a link to an entry, of which the words may be given."""


def prose(
    text: str,
    *,
    labels: Mapping[str, str] | None = None,
    fixes: Mapping[str, str] | None = None,
    link: Link = named,
) -> Prose:
    """A text of an entry with its marks resolved: citations to their labels, links to words and slugs.

    Without labels citations are left out.
    """
    if "[" not in text:
        return Prose(text.strip("\n"))
    parts: list[str] = []
    at = 0
    for mark in parse_marks(text):
        parts += [text[at : mark.start], _mark(mark, labels, fixes or {}, link)]
        if not parts[-1]:
            # The blank in front of a citation goes with it.
            parts[-2] = parts[-2].rstrip(" ")
        at = mark.end
    return Prose("".join([*parts, text[at:]]).strip("\n"))


def _mark(mark: Mark, labels: Mapping[str, str] | None, fixes: Mapping[str, str], link: Link) -> str:
    if mark.kind == "citation":
        return f"[{labels.get(mark.target, mark.target)}]" if labels is not None else ""
    if mark.kind == "fix":
        return mark.words or f"fix '{fixes.get(mark.target, mark.target)}'"
    return link(mark.target, mark.words)


@dataclass(frozen=True)
class Voice:
    """How the texts of one entry are written: what its citations and links become."""

    labels: Mapping[str, str] | None = None
    """The label of each source; without any, citations are left out."""
    fixes: Mapping[str, str] = field(default_factory=dict)
    """The title of each fix."""
    link: Link = named
    prepare: Callable[[str], str] = str
    """Changes a text before its marks are resolved."""

    def __call__(self, text: str) -> Prose:
        """A text with its citations."""
        return prose(self.prepare(text), labels=self.labels, fixes=self.fixes, link=self.link)

    def bare(self, text: str) -> Prose:
        """A text without citations."""
        return prose(self.prepare(text), fixes=self.fixes, link=self.link)


def shell(command: Mapping[str, Any], text: Callable[[str], Prose] = prose) -> Shell:
    """A command as the entry gives it."""
    danger = command.get("danger") or ""
    danger = getattr(danger, "value", danger)
    where, needs, tested = command.get("where"), command.get("needs"), command.get("tested")
    facts = [WHERE.get(where or "", ""), f"needs {'a GPU' if needs == 'gpu' else needs}" if needs else ""]
    facts.append({"run": "run by us", "parsed": "checked for syntax only"}.get(tested or "", ""))
    warned = danger in ("disruptive", "destructive")
    return Shell(
        run=command["run"].strip("\n"),
        lang=command.get("lang") or "bash",
        facts=tuple(fact for fact in facts if fact),
        danger=danger,
        affects=", ".join(AFFECTED.get(who, who) for who in command.get("affects") or ()),
        warning=text(command.get("warning") or (_UNWARNED if warned else "")),
        output=(command.get("output") or "").strip("\n"),
        expect=text(command.get("expect") or ""),
        undo=(command.get("undo") or "").strip("\n"),
    )


def headed(head: str, text: str) -> str:
    """A text after its head, with a colon between them unless the head is a sentence."""
    return f"{head} {text}" if head.rstrip("*").endswith((".", "?", "!")) else f"{head}: {text}"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def counted(count: int, one: str, several: str = "") -> str:
    """A number with its noun, such as ``1 file`` or ``1,200 lines``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
