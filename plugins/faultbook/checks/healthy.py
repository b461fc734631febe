"""Checks of templates against logs in which nothing failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.templates import entry_templates
from faultbook.corpus import Record
from faultbook.engine.anchors import healthy_lines
from faultbook.engine.compiler import usable_signatures
from faultbook.engine.rarity import load_rarity
from faultbook.signatures import parse_template
from faultbook.violations import Violation, shorten

_ALLOWED = 1000
"""An anchor may stand on one of so many healthy lines; a few more than wanted slow the search, and are no fault."""
_BUS = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"


def _signature(template: str) -> str:
    return (
        "symptoms:\n  - observed: A worker of the DataLoader dies.\n    means: It got SIGBUS.\n    signatures:\n"
        f"      - text: {_BUS}\n      - text: '{template}'\n"
    )


class TemplateCommon(Check):
    """The words of a template stand in many lines of logs in which nothing failed.

    A log is searched for the rarest 16 letters of each template, and lines without them are never looked at. Where even
    these are common, every log would be read line by line. Keep more of the line's own words.
    """

    code = "template-common"
    failing = Example(_signature("Requirement already satisfied"))
    passing = Example(_signature("Requirement already satisfied by a broken wheel"))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such template."""
        for path, template in entry_templates(record):
            if share := _share(template):
                message = f"'{shorten(template, 40)}' has no words that are rare: the rarest stand on one of {share} "
                yield self.at(record, path, f"{message}healthy lines; keep more of the line's own words")


@lru_cache(maxsize=8192)
def _share(template: str) -> int:
    """One of how many healthy lines holds the best anchor, if that is too many."""
    rarity = load_rarity()
    lines = healthy_lines(parse_template(template).literals, rarity)
    return rarity.lines // lines if lines * _ALLOWED > rarity.lines else 0


class TemplateHealthy(Check):
    """A signature matches a log in which nothing failed.

    Its line does not say that something failed, so that the entry would be named for runs that are well. Narrow the
    template, add `unless` or `only_if`, or give it the role `notice`. The logs lie in `tests/healthy/` of the project.
    """

    code = "template-healthy"
    failing = Example(
        _signature("worker processes took a long time to start"),
        beside=(("../tests/healthy/run.log", "step 1\nworker processes took a long time to start\nstep 2\n"),),
    )
    passing = Example(
        _signature("worker processes took a long time to start, giving up"),
        beside=failing.beside,
    )

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each such signature."""
        index = context.trial.index
        found: dict[int, str] = {}
        for log in sorted((context.root / "tests" / "healthy").glob("*.log")):
            events = context.trial.events(log.read_bytes().decode("utf-8", "replace"))
            for hit in context.trial.all_hits(events):
                if index.signatures[hit.signature].role != "notice":
                    found.setdefault(hit.signature, f"'{shorten(events[hit.at].text, 50)}' in '{log.name}'")
        if not found:
            return
        of_entry: dict[int, list[int]] = defaultdict(list)
        for position, signature in enumerate(index.signatures):
            of_entry[signature.entry].append(position)
        for entry, positions in of_entry.items():
            record = context.corpus.records[index.entries[entry]["id"]]
            for position, path in zip(positions, usable_signatures(record), strict=True):
                if position in found:
                    message = f"matches {found[position]}, where nothing failed; narrow it, or make it a 'notice'"
                    yield self.at(record, path, message)


CHECKS: tuple[Check, ...] = (TemplateCommon(), TemplateHealthy())
