"""The compiled corpus, as the engine reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from faultbook.engine.rules import Rules
from faultbook.engine.walker import Segment, segments

GRAM = 6
"""Letters of the text by which the templates are found that may match a line; no literal part is shorter."""


@dataclass(frozen=True)
class Signature:
    """What makes a match, by positions of templates."""

    entry: int
    templates: tuple[int, ...]
    all: bool = False
    within: int = 5
    unless: tuple[int, ...] = ()
    comparisons: tuple[Any, ...] = ()
    role: str = "cause"


@dataclass(frozen=True)
class Index:
    """The compiled corpus: entries, templates and signatures by position, the rules, and the words if there."""

    entries: Sequence[Mapping[str, Any]]
    templates: Sequence[Sequence[Any]]
    signatures: Sequence[Signature]
    patterns: Sequence[str]
    rules: Rules
    search: Mapping[str, Any] | None = None
    by_template: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The signatures whose match a template starts: each variant, or the first of `all`."""
    by_gram: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    _segments: dict[int, tuple[Segment, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, index: Mapping[str, Any], search: Mapping[str, Any] | None = None) -> Index:
        """Read what `compile_index` made."""
        signatures = tuple(_signature(row) for row in index["signatures"])
        by_template: dict[int, list[int]] = {}
        for position, signature in enumerate(signatures):
            for template in signature.templates[:1] if signature.all else signature.templates:
                by_template.setdefault(template, []).append(position)
        return cls(
            index["entries"],
            index["templates"],
            signatures,
            [pattern for _, pattern in index["types"]],
            Rules(index["rules"]),
            search,
            {template: tuple(positions) for template, positions in by_template.items()},
            _by_gram(index["templates"]),
        )

    def anchors(self) -> list[str]:
        """All anchors of templates and of the rules, each once."""
        found = [anchor for _, anchors, _ in self.templates for anchor in anchors]
        return list(dict.fromkeys([*found, *self.rules.alarms]))

    def segments(self, template: int) -> tuple[Segment, ...]:
        """The segments of a template, compiled when they are first wanted."""
        if template not in self._segments:
            self._segments[template] = segments(self.templates[template][0], self.patterns)
        return self._segments[template]

    def grams(self, line: str) -> set[str]:
        """The grams of templates that a line contains."""
        return self.by_gram.keys() & map(line.__getitem__, _windows(len(line)))

    def candidates(self, line: str, grams: Iterable[str]) -> list[int]:
        """The templates that may match a line with these grams: those of which no literal is missing."""
        found = {template for gram in grams for template in self.by_gram[gram]}
        # To compile a pattern takes a thousand times as long as this.
        return [template for template in found if all(part in line for part in self._literals(template))]

    def _literals(self, template: int) -> list[str]:
        return [part for part in self.templates[template][0] if isinstance(part, str)]


_WINDOWS: list[slice] = []


def _windows(length: int) -> list[slice]:
    """The place of every gram in a line of so many letters."""
    while len(_WINDOWS) < length:
        _WINDOWS.append(slice(len(_WINDOWS), len(_WINDOWS) + GRAM))
    return _WINDOWS[: max(0, length - GRAM + 1)]


def _signature(row: Mapping[str, Any]) -> Signature:
    return Signature(
        row["e"],
        tuple(row["t"]),
        row.get("all", False),
        row.get("within", 5),
        tuple(row.get("unless", ())),
        tuple(row.get("if", ())),
        row.get("role", "cause"),
    )


def _by_gram(templates: Sequence[Sequence[Any]]) -> dict[str, tuple[int, ...]]:
    """Each template under the gram of its first anchor that the fewest templates share."""
    grams = [_grams(anchors[0]) if anchors else () for _, anchors, _ in templates]
    counts = Counter(gram for found in grams for gram in set(found))
    by_gram: dict[str, list[int]] = {}
    for template, found in enumerate(grams):
        if not found:
            continue
        by_gram.setdefault(min(found, key=lambda gram: counts[gram]), []).append(template)
    return {gram: tuple(found) for gram, found in by_gram.items()}


def _grams(text: str) -> tuple[str, ...]:
    """Some grams to choose from; all of them would take as long to count as a short log takes to diagnose."""
    return (text[:GRAM], text[-GRAM:], text[(len(text) - GRAM) // 2 :][:GRAM])
