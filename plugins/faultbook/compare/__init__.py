"""What a change does to the corpus: entries, answers for the samples, vocabulary, and links that lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultbook.checks import CHECKS, run_checks
from faultbook.checks.trial import Trial
from faultbook.corpus import Corpus, Record, load_corpus
from faultbook.links import build_links
from faultbook.marks import plain_text
from faultbook.violations import Violation, printable

Row = dict[str, Any]
_DEAD = frozenset(
    ("alias-link", "featured-unpublished", "link-to-withdrawn", "released-vanished", "unknown-entry", "unknown-fix")
)
"""Codes of checks that find links and addresses which lead nowhere."""
_WORDS = ("categories", "tags", "systems", "wanted")


@dataclass(frozen=True)
class Side:
    """The corpus before or after a change, with the violations of reading it."""

    corpus: Corpus
    violations: tuple[Violation, ...]
    root: Path

    @classmethod
    def load(cls, directory: Path) -> Side:
        """The side of a directory of entries; paths are named relative to the folder that holds it."""
        root = directory.absolute().parent
        corpus, violations = load_corpus([directory], root)
        return cls(corpus, tuple(violations), root)

    def dead(self) -> list[Violation]:
        """Links and addresses that lead nowhere."""
        ignore = {check.code for check in CHECKS} - _DEAD
        return run_checks(self.corpus, build_links(self.corpus), root=self.root, ignore=ignore, exemptions=())


def compare(base: Path, head: Path) -> dict[str, Any]:
    """What differs between two directories of entries, as plain data."""
    old, new = Side.load(base), Side.load(head)
    return {
        "schema": 1,
        "entries": {"before": len(old.corpus.records), "after": len(new.corpus.records)},
        "added": [_row(record) for slug, record in new.corpus.records.items() if slug not in old.corpus.records],
        "removed": _removed(old.corpus, new.corpus),
        "changed": _changed(old.corpus.records, new.corpus.records),
        "samples": _moved_samples(old.corpus, new.corpus),
        "vocabulary": {name: _words(getattr(old.corpus, name), getattr(new.corpus, name)) for name in _WORDS},
        "dead_links": _new_violations(old.dead(), new.dead()),
        "unreadable": _new_violations(old.violations, new.violations),
    }


def _row(record: Record) -> Row:
    return {
        "id": record.slug,
        "title": plain_text(record.entry.title),
        "category": record.category,
        "status": record.entry.status.value,
    }


def _removed(old: Corpus, new: Corpus) -> list[Row]:
    """Entries that are gone, with the entry that goes on under their slug, if there is one."""
    owners = new.aliases()
    gone = [slug for slug in old.records if slug not in new.records and slug not in new.unreadable]
    return [{**_row(old.records[slug]), "now": owners.get(slug)} for slug in gone]


def _changed(old: Mapping[str, Record], new: Mapping[str, Record]) -> list[Row]:
    rows = []
    for slug, record in new.items():
        before = old.get(slug)
        if before is None:
            continue
        fields = [name for name in type(record.entry).model_fields if _differs(before, record, name)]
        if fields or before.category != record.category:
            was = {"category": before.category, "status": before.entry.status.value}
            rows.append({**_row(record), "was": was, "fields": fields})
    return rows


def _differs(old: Record, new: Record, name: str) -> bool:
    if name == "samples" and old.logs != new.logs:
        return True
    return bool(getattr(old.entry, name) != getattr(new.entry, name))


def _moved_samples(old: Corpus, new: Corpus) -> list[Row]:
    """Samples of published entries for which the reader is told something else than before."""
    before, after = Trial(old), Trial(new)
    rows = []
    for record in old.published():
        for sample in record.entry.samples:
            log = record.log(sample)
            if log is None:
                continue
            was, now = (_answer(trial, record, log) for trial in (before, after))
            if was != now:
                rows.append({"entry": record.slug, "line": _line(log), "before": was, "after": now})
    return rows


def _answer(trial: Trial, record: Record, log: str) -> Row:
    verdict, first = trial.first(record, trial.events(log))
    return {"verdict": verdict, "entry": first}


def _line(log: str) -> str:
    """The last line of a log that says something, which is that of the error more often than the first."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return printable(lines[-1][:200]) if lines else ""


def _words(old: Collection[str], new: Collection[str]) -> dict[str, list[str]]:
    return {
        "added": [name for name in new if name not in old],
        "removed": [name for name in old if name not in new],
    }


def _new_violations(old: Collection[Violation], new: Collection[Violation]) -> list[Row]:
    """Violations that were not there before, whatever line they stood in."""
    known = {(violation.location.path, violation.code, violation.message) for violation in old}
    return [
        {
            "path": printable(violation.location.path),
            "line": violation.location.line,
            "code": violation.code,
            "message": printable(violation.message),
        }
        for violation in new
        if (violation.location.path, violation.code, violation.message) not in known
    ]
