"""The templates of all entries, by the letter with which they begin."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from faultbook.corpus import Corpus
from faultbook.export import entry_url
from faultbook.render.page import plain_title
from faultbook.signatures import parse_template


@dataclass(frozen=True)
class Line:
    """A template in the list of signatures, with the entry that it belongs to."""

    text: str
    role: str
    url: str
    title: str


@dataclass(frozen=True)
class Letter:
    """The templates that begin with one letter."""

    id: str
    name: str
    lines: list[Line]


def signature_lines(corpus: Corpus) -> list[Line]:
    """Every template of a published entry."""
    return [
        Line(
            text,
            "wrapper" if record.entry.kind == "wrapper" else signature.role,
            entry_url(record.slug),
            plain_title(record.entry.title),
        )
        for record in corpus.published()
        for signature in record.entry.signatures().values()
        for text in signature.templates
    ]


def by_letter(lines: Iterable[Line]) -> list[Letter]:
    """The templates by the first letter of their literal text."""
    words = [(_first_word(line.text), line) for line in lines]
    letters: dict[str, list[Line]] = {}
    for word, line in sorted(words, key=lambda item: (item[0].lower(), item[1].text, item[1].url)):
        letters.setdefault(word[:1].upper() or "#", []).append(line)
    return [Letter(name.lower() if name != "#" else "other", name, found) for name, found in sorted(letters.items())]


def _first_word(text: str) -> str:
    """What a template is sorted by: its literal text from the first letter on."""
    literal = " ".join(parse_template(text).literals)
    found = re.search(r"[A-Za-z].*", literal)
    return found[0] if found else ""
