"""The script of an entry, and what it can show."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from faultbook.lab.run import CANNOT_RUN, Runner


class UnusableScript(Exception):
    """The script does not say what its cases are; the text says why."""


class CannotRun(Exception):
    """The script cannot run on this machine; the text says why."""


@dataclass(frozen=True)
class ScriptCase:
    """A failure that a script brings about."""

    name: str
    about: str
    diagnosed: bool
    """Whether its log must be diagnosed as the entry of the script."""


def cases_of(script: Path, runner: Runner) -> list[ScriptCase]:
    """The cases of a script, which it prints with ``--list`` as the frame in ``reproductions/lab`` does.

    Raises:
        CannotRun: the machine lacks what it needs.
        UnusableScript: it prints something else.
    """
    outcome = runner.run(script, "--list")
    if outcome.code == CANNOT_RUN:
        raise CannotRun(reason(outcome.log))
    try:
        rows = json.loads(outcome.log.rstrip().rpartition("\n")[2])
        return [ScriptCase(str(row["name"]), str(row["about"]), bool(row["diagnosed"])) for row in rows]
    except (ValueError, KeyError, TypeError):
        raise UnusableScript(f"'--list' ended with {outcome.code} and no list of cases") from None


def reason(log: str) -> str:
    """Why a script cannot run, from the last line that it printed."""
    return log.rstrip().rpartition("\n")[2].removeprefix("cannot run here: ") or "it does not say why"
