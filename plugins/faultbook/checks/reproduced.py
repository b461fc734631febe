"""Checks that a reproduction was run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.references import EVIDENCE
from faultbook.corpus import Record
from faultbook.schema import Reproduced
from faultbook.violations import Violation

_SCRIPT = "print('Bus error')\n"
_LIES = ("../reproductions/shm-exhausted/reproduce.py", _SCRIPT)
DIGEST = 16
"""Characters of the digest of a script that a record keeps."""


def digest(script: bytes) -> str:
    """A short digest of a script, which tells whether it was changed since a run."""
    return hashlib.sha256(script).hexdigest()[:DIGEST]


_RECORD = f"""\
shm-exhausted:
  ran: "2026-12-01"
  script: "{digest(_SCRIPT.encode())}"
  kernel: "Linux 6.18.44"
  python: "3.11.7"
  packages: {{"torch": "2.13.0"}}
  cases:
    small-tmpfs: {{failed: true, mended: true, diagnosed: true}}
"""


class ReproductionUnrecorded(Check):
    """A published entry says that it was reproduced, and there is no good record of a run of its script.

    The page shows when, and on which versions, the failure was made to happen and its fix was seen to remove it.
    `faultbook reproduce SLUG` runs the script and writes `_reproduced.yaml` beside the entries: commit that file. After
    a change of the script it must be run again.
    """

    code = "reproduction-unrecorded"
    failing = Example(EVIDENCE, beside=(_LIES,))
    passing = Example(EVIDENCE, beside=(_LIES, ("_reproduced.yaml", _RECORD)))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the path of the script."""
        evidence = record.entry.evidence
        if not record.published or not evidence or evidence.level != "reproduced":
            return
        script = record.script(context.root)
        if script is None:
            return
        if lacking := lack(record.reproduced, script.read_bytes()):
            message = f"{lacking}; run 'faultbook reproduce {record.slug}' and commit the record"
            yield self.at(record, ("evidence", "reproduction", "path"), message)


def lack(run: Reproduced | None, script: bytes) -> str:
    """What is missing of a good record of this script, in words; nothing if all is there."""
    if run is None:
        return "there is no record of a run of this script"
    if run.script != digest(script):
        return f"the script was changed after its last run on {run.ran}"
    if not run.good:
        names = ", ".join(f"'{name}'" for name, case in run.cases.items() if not case.good)
        return f"in its last run on {run.ran} not all was as claimed in {names}"
    return ""


CHECKS: tuple[Check, ...] = (ReproductionUnrecorded(),)
