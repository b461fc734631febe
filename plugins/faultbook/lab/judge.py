"""Hold a run of a case against what the entry claims."""

from __future__ import annotations

from dataclasses import dataclass

from faultbook.checks.trial import Trial
from faultbook.corpus import Record
from faultbook.lab.run import Outcome
from faultbook.lab.scripts import ScriptCase


@dataclass(frozen=True)
class Half:
    """One run of a case, without or with the fix."""

    fixed: bool
    outcome: Outcome
    faults: tuple[str, ...]
    """What it did not show, in words; nothing if all is as claimed."""
    verdict: str
    found: tuple[str, ...]
    """The entries that its log is diagnosed as, the most probable first."""


def judge_run(record: Record, case: ScriptCase, outcome: Outcome, fixed: bool, trial: Trial) -> Half:
    """What a run shows: the exit code is the script's own judgement, the diagnosis is that of the engine."""
    verdict, found = trial.ranking(record, trial.events(outcome.log))
    faults: list[str] = []
    if outcome.code == 124:
        faults.append("it ran out of time")
    elif outcome.code:
        what = "the failure did not stay away" if fixed else "the failure did not come about"
        faults.append(f"{what} (exit code {outcome.code})")
    # What mends a wrapper makes its message say more; the message itself comes again.
    if fixed and record.slug in found and record.entry.kind != "wrapper":
        faults.append("its log is still diagnosed as this entry")
    if not fixed and case.diagnosed and found[:1] != [record.slug]:
        faults.append(f"its log is diagnosed as {found[0] if found else verdict}")
    return Half(fixed, outcome, tuple(faults), verdict, tuple(found))
