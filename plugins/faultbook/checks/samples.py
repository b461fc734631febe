"""Checks of the fields of samples; whether the logs match is judged by the engine."""

from __future__ import annotations

from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.violations import Violation

_BUS = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"


def _samples(fields: str) -> str:
    return (
        f"samples:\n  - {{expect: match, origin: reproduced, log: {_BUS}}}\n"
        f"  - {{expect: no-match, origin: reproduced, {fields}}}\n"
    )


class SampleLogName(Check):
    """The file of a sample is not named after its entry.

    The logs of all entries of a category lie in one folder. Name the file `logs/<slug>-<name>.log`, so that it is
    found with its entry and moves with it.
    """

    code = "sample-log-name"
    failing = Example(_samples("file: logs/killed.log"), beside=(("data/logs/killed.log", "Killed\n"),))
    passing = Example(
        _samples("file: logs/shm-exhausted-killed.log"), beside=(("data/logs/shm-exhausted-killed.log", "Killed\n"),)
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the name."""
        start = f"logs/{record.slug}-"
        for i, sample in enumerate(record.entry.samples):
            if sample.file is not None and (not sample.file.startswith(start) or sample.file == f"{start}.log"):
                message = f"'{sample.file}' is not named after the entry; rename it to '{start}<name>.log'"
                yield self.at(record, ("samples", i, "file"), message)


class SampleField(Check):
    """A field of a sample does not go with what the sample expects.

    `belongs_to` names the entry that ranks first where this one does not match; `first` says whether this one ranks
    first where it does. Remove the field, or change `expect`.
    """

    code = "sample-field"
    failing = Example(_samples("log: Killed, first: false"))
    passing = Example(_samples("log: Killed, belongs_to: worker-killed"))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the field."""
        for i, sample in enumerate(record.entry.samples):
            if sample.expect == "match" and sample.belongs_to is not None:
                message = "'belongs_to' goes with 'expect: no-match' only; remove it, or change 'expect'"
                yield self.at(record, ("samples", i, "belongs_to"), message, key=True)
            if sample.expect == "no-match" and sample.first is not None:
                message = "'first' goes with 'expect: match' only; remove it, or change 'expect'"
                yield self.at(record, ("samples", i, "first"), message, key=True)


CHECKS: tuple[Check, ...] = (SampleLogName(), SampleField())
