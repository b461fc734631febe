"""Checks of samples by the engine: what must match does, what must not does not, and the right entry comes first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.engine.compiler import usable_signatures
from faultbook.schema import Sample, Status
from faultbook.violations import Violation, shorten


class Fault(NamedTuple):
    """What is wrong with a sample, at one of its fields."""

    code: str
    sample: int
    field: str
    message: str


@lru_cache(maxsize=1)
def sample_faults(record: Record, context: Context) -> tuple[Fault, ...]:
    """Every fault of the samples of an entry; kept while one check after the other asks for its own."""
    if record.entry.status is Status.WITHDRAWN:
        return ()
    return tuple(
        fault
        for number, sample in enumerate(record.entry.samples)
        for log in [record.log(sample)]
        if log is not None
        for fault in (_matching if sample.expect == "match" else _other)(number, sample, log, record, context)
    )


def _matching(number: int, sample: Sample, log: str, record: Record, context: Context) -> Iterator[Fault]:
    trial = context.trial
    events = trial.events(log)
    if sample.first is not False:
        verdict, first = trial.first(record, events)
        if first == record.slug and verdict == "match":
            return
    hits = trial.hits(record, events)
    if len(usable_signatures(record)) < len(record.entry.signatures()):
        # What is wrong with the form of a template is reported at its place; the sample may be right.
        return
    if not hits:
        message = "no signature of this entry matches; correct a template, or the sample"
        yield Fault("sample-unmatched", number, "expect", message)
        return
    roles = {trial.index.signatures[hit.signature].role for hit in hits}
    cause = record.entry.kind == "cause" and "cause" in roles
    if sample.first is False or (sample.first is None and not cause):
        return
    if first != record.slug:
        found = f"'{first}' comes first" if first else f"no entry is found, the verdict is '{verdict}'"
        message = f"{found}; narrow one of the templates, or say 'first: false' if that is right"
        yield Fault("sample-not-first", number, "expect", message)
    elif cause:
        message = f"a cause is named, and the verdict is '{verdict}'; give lines that show that the run failed"
        yield Fault("sample-not-first", number, "expect", message)


def _other(number: int, sample: Sample, log: str, record: Record, context: Context) -> Iterator[Fault]:
    trial = context.trial
    events = trial.events(log)
    if hits := trial.hits(record, events):
        line = shorten(events[hits[0].at].text, 50)
        message = f"a signature of this entry matches '{line}'; narrow its template, or add 'unless' or 'only_if'"
        yield Fault("sample-matched", number, "expect", message)
    other = context.corpus.records.get(sample.belongs_to or "")
    if other is None or not other.published:
        return
    verdict, first = trial.first(record, events)
    if first != other.slug:
        found = f"'{first}' comes first" if first else f"no entry is found, the verdict is '{verdict}'"
        message = f"{found}; add a signature to '{other.slug}', or name the entry that the log belongs to"
        yield Fault("sample-elsewhere", number, "belongs_to", message)


class _Judged(Check):
    """Base of the checks of samples, which all read the same list of faults."""

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each sample that has this fault."""
        for fault in sample_faults(record, context):
            if fault.code == self.code:
                yield self.at(record, ("samples", fault.sample, fault.field), fault.message)


_BUS = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"
_FILES = "OSError: [Errno 24] Too many open files"


def _samples(*rows: str) -> str:
    first = f"  - {{expect: match, origin: reproduced, log: {_BUS}}}\n"
    return "samples:\n" + first + "".join(f"  - {{origin: reproduced, {row}}}\n" for row in rows)


class SampleUnmatched(_Judged):
    """No signature of an entry matches a sample that must match.

    The samples of an entry are its tests. Correct the template, which may have kept a part that varies, or remove what
    is no sample of this failure.
    """

    code = "sample-unmatched"
    failing = Example(_samples("expect: match, log: Killed", "expect: no-match, log: Terminated"))
    passing = Example(_samples(f"expect: match, log: 'ERROR: {_BUS} (shm).'", "expect: no-match, log: Terminated"))


class SampleNotFirst(_Judged):
    """Another entry comes first for a sample of this one.

    A sample that a `cause` signature matches must have this entry as its answer, so that the reader of such a log comes
    here. Narrow the template of the other entry, or give the two signatures of different strength. Say `first: false`
    where the other entry is the better answer.
    """

    code = "sample-not-first"
    _both = f'"RuntimeError: worker: {_FILES}, then {_BUS}"'
    failing = Example(
        _samples(f"expect: match, log: {_both}", "expect: no-match, log: Killed"),
        beside=(
            (
                "host/open-files-limit.yaml",
                "symptoms:\n  - observed: An open call fails.\n    means: The limit is reached.\n    signatures:\n"
                f"      - {{text: 'worker: {_FILES}, then {_BUS}'}}\n"
                f"      - {{text: '{_FILES}'}}\n",
            ),
        ),
    )
    passing = Example(
        _samples(f"expect: match, first: false, log: {_both}", "expect: no-match, log: Killed"),
        beside=failing.beside,
    )


class SampleMatched(_Judged):
    """A signature of an entry matches a sample that must not match.

    Such a sample shows a failure that looks alike, and its reader would be led to the wrong page. Narrow the template,
    or add `unless` or `only_if`.
    """

    code = "sample-matched"
    failing = Example(_samples(f"expect: no-match, log: '{_BUS} of another kind'"))
    passing = Example(_samples("expect: no-match, log: Unexpected bus error in the driver"))


class SampleElsewhere(_Judged):
    """The entry that a sample belongs to does not come first for it.

    `belongs_to` names the entry that the reader of this log must be led to. Add a signature there, or correct the name.
    A draft or a wanted entry is not judged.
    """

    code = "sample-elsewhere"
    failing = Example(
        _samples("expect: no-match, belongs_to: open-files-limit, log: Killed"),
        beside=(("host/open-files-limit.yaml", ""),),
    )
    passing = Example(
        _samples(f"expect: no-match, belongs_to: open-files-limit, log: '{_FILES}'"),
        beside=(("host/open-files-limit.yaml", ""),),
    )


CHECKS: tuple[Check, ...] = (SampleUnmatched(), SampleNotFirst(), SampleMatched(), SampleElsewhere())
