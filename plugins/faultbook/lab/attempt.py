"""Run the cases of one entry and put together what came of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faultbook.checks.trial import Trial
from faultbook.corpus import Record
from faultbook.lab.judge import Half, judge_run
from faultbook.lab.record import make_record
from faultbook.lab.run import CANNOT_RUN, Runner
from faultbook.lab.scripts import CannotRun, ScriptCase, UnusableScript, cases_of, reason
from faultbook.schema import Reproduced
from faultbook.violations import did_you_mean


@dataclass(frozen=True)
class Wanted:
    """Which cases are run, and which halves of them."""

    case: str | None
    halves: tuple[bool, ...]
    """Whether each run has the fix."""

    @property
    def whole(self) -> bool:
        """Whether everything that a record speaks of is run."""
        return self.case is None and self.halves == (False, True)


@dataclass
class Result:
    """What came of one script."""

    slug: str
    runs: dict[ScriptCase, tuple[Half, ...]] = field(default_factory=dict)
    skipped: str = ""
    faults: list[str] = field(default_factory=list)
    record: Reproduced | None = None

    @property
    def failed(self) -> bool:
        """Whether it did not show what the entry claims."""
        return bool(self.faults) or any(half.faults for halves in self.runs.values() for half in halves)


@dataclass(frozen=True)
class Bench:
    """What all attempts share."""

    root: Path
    runner: Runner
    trial: Trial
    tell: Callable[[str, ScriptCase, Half], None]
    """Is told of each run when it ends, with the slug."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while the engine works, whose caches are not made for threads, and while one is told."""


def attempt(record: Record, bench: Bench, wanted: Wanted) -> Result:
    """Run the cases of one entry.

    Raises:
        InterruptedError: the runner was stopped.
    """
    script = record.script(bench.root)
    result = Result(record.slug)
    if script is None:
        result.faults.append("its script is gone")
        return result
    try:
        for case in _named(cases_of(script, bench.runner), wanted.case):
            result.runs[case] = tuple(_half(record, script, case, fixed, bench) for fixed in wanted.halves)
    except CannotRun as error:
        return Result(record.slug, skipped=str(error))
    except UnusableScript as error:
        result.faults.append(str(error))
    if wanted.whole and result.runs and not result.faults:
        pairs = {case: (halves[0], halves[1]) for case, halves in result.runs.items()}
        result.record = make_record(script, pairs, bench.runner)
    return result


def _half(record: Record, script: Path, case: ScriptCase, fixed: bool, bench: Bench) -> Half:
    outcome = bench.runner.run(script, "--case", case.name, *["--fixed"] * fixed)
    if outcome.code == CANNOT_RUN:
        raise CannotRun(reason(outcome.log))
    with bench.lock:
        half = judge_run(record, case, outcome, fixed, bench.trial)
        bench.tell(record.slug, case, half)
    return half


def _named(cases: Sequence[ScriptCase], name: str | None) -> Sequence[ScriptCase]:
    found = [case for case in cases if name in (None, case.name)]
    if not found:
        raise UnusableScript(f"has no case '{name}'{did_you_mean(name or '', [case.name for case in cases])}")
    return found
