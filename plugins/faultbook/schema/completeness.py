"""What an entry still lacks to be published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from faultbook.schema.entry import Entry
from faultbook.schema.fields import short_fields

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Lack:
    """Something that a published entry must have, the place where it belongs, and how to mend it."""

    path: Path
    message: str


_COUNTS = {
    "search_keys": (2, "what people type to find it"),
    "affected_systems": (1, "where it happens"),
    "checklist": (1, "a question that decides"),
    "fix": (1, "a way to remove it"),
    "related": (1, "another entry, with the relation"),
    "references": (1, "a source that was read"),
    "authors": (1, "who wrote it"),
}

_PRESENT = ("mechanism", "evidence", "reviewed")
NEEDED = frozenset((*_COUNTS, *_PRESENT, "samples"))
"""The fields that an entry needs to be published, beyond those that every entry has."""


def lacks(entry: Entry) -> Iterator[Lack]:
    """Everything that the entry lacks to be published, in the order of the fields."""
    for field in short_fields(entry):
        yield Lack(field.path, f"has {len(field.text)} characters; to be published it needs {field.published}")
    for name, (least, what) in _COUNTS.items():
        if (count := len(getattr(entry, name))) < least:
            yield Lack((name,), f"'{name}' has {count} of at least {least}: {what}")
    for name in _PRESENT:
        if getattr(entry, name) is None:
            yield Lack((name,), f"'{name}' is missing")
    yield from _signature_lacks(entry)
    yield from _fix_lacks(entry)
    yield from _evidence_lacks(entry)


def _signature_lacks(entry: Entry) -> Iterator[Lack]:
    if not entry.silent and not entry.signatures():
        yield Lack(("symptoms",), "no symptom has a signature; add one, or 'silent: true' if nothing is printed")
    expected = {sample.expect for sample in entry.samples}
    if "match" not in expected and not entry.silent:
        yield Lack(("samples",), "no sample has 'expect: match'; add a log that this failure prints")
    if "no-match" not in expected:
        yield Lack(("samples",), "no sample has 'expect: no-match'; add a log that looks alike")


def _fix_lacks(entry: Entry) -> Iterator[Lack]:
    for i, fix in enumerate(entry.fix):
        if fix.when is None and len(entry.fix) > 1:
            yield Lack(("fix", i), "has no 'when'; with several fixes each says for which situation it is")
        if fix.verify is None:
            yield Lack(("fix", i), "has no 'verify'; say how to see that it worked")


def _evidence_lacks(entry: Entry) -> Iterator[Lack]:
    evidence = entry.evidence
    if evidence and evidence.level == "reproduced" and evidence.reproduction is None:
        yield Lack(("evidence",), "is 'reproduced' without 'reproduction'; name the script, or use another level")
    for i, sample in enumerate(entry.samples):
        if sample.origin != "reproduced" and sample.ref is None:
            yield Lack(("samples", i), f"is '{sample.origin}' without 'ref'; name the reference that shows the log")
