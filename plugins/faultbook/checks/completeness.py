"""The check that published entries are complete."""

from __future__ import annotations

from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.schema import lacks
from faultbook.violations import Violation


class Unfinished(Check):
    """A published entry lacks something that a published entry must have.

    Readers rely on every published entry to explain, to decide and to mend. Add what is missing, or set
    `status: draft`: a draft may lack anything that is not required of all entries.
    """

    code = "unfinished"
    failing = Example("reviewed: null\n")
    passing = Example("status: draft\nreviewed: null\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation for each thing that is lacking, where it belongs."""
        if record.published:
            for lack in lacks(record.entry):
                yield self.at(record, lack.path, _message(lack.path, lack.message))


def _message(path: KeyPath, message: str) -> str:
    """The message with the name of the field in front, if it does not say it itself."""
    if not message.startswith(("has ", "is ")):
        return message
    last = path[-1]
    name = last if isinstance(last, str) else f"{path[-2]} {last + 1}"
    return f"'{name}' {message}"


CHECKS: tuple[Check, ...] = (Unfinished(),)
