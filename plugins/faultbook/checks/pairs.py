"""Checks of what two entries say of each other."""

from __future__ import annotations

from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.links import INVERSE
from faultbook.violations import Violation

_APART = (
    "tell_apart:\n  - entry: open-files-limit\n    short: The message counts open files\n"
    "    how: There the error says Too many open files.\n"
)
_ANSWER = (
    "tell_apart:\n  - entry: shm-exhausted\n    short: The message names a bus error\n"
    "    how: There the worker dies of SIGBUS and no limit is named.\n"
)


class TellApartUnanswered(Check):
    """An entry is told apart from another one that does not answer.

    Whoever stands on the other page has the same doubt. List this entry in `tell_apart` of the other one, with the
    difference seen from there. Drafts need no answer, nor do wanted entries.
    """

    code = "tell-apart-unanswered"
    failing = Example(_APART, beside=(("host/open-files-limit.yaml", ""),))
    passing = Example(_APART, beside=(("host/open-files-limit.yaml", _ANSWER),))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each item that the other published entry does not answer."""
        if not record.published:
            return
        for i, item in enumerate(record.entry.tell_apart):
            other = context.corpus.records.get(item.entry)
            if other is None or not other.published or other.slug == record.slug:
                continue
            if all(answer.entry != record.slug for answer in other.entry.tell_apart):
                message = f"'{item.entry}' does not list '{record.slug}' in its 'tell_apart'; add it there"
                yield self.at(record, ("tell_apart", i, "entry"), message)


class InverseWrittenTwice(Check):
    """Two entries state the same relation, each from its side.

    The inverse of a relation is computed: what `a` causes is shown on the page of the other as caused by `a`. A second
    copy can only come to contradict the first. Remove one of the two; two different relations may stand.
    """

    code = "inverse-written-twice"
    failing = Example(
        "related:\n  - {entry: open-files-limit, relation: causes}\n",
        beside=(("host/open-files-limit.yaml", "related:\n  - {entry: shm-exhausted, relation: caused-by}\n"),),
    )
    passing = Example(
        "related:\n  - {entry: open-files-limit, relation: causes}\n",
        beside=(("host/open-files-limit.yaml", ""),),
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation in the later of the two entries."""
        for i, item in enumerate(record.entry.related):
            other = context.corpus.records.get(item.entry)
            if other is None or other.slug >= record.slug:
                continue
            inverse = INVERSE[item.relation]
            if any(back.entry == record.slug and back.relation == inverse for back in other.entry.related):
                message = f"'{other.slug}' states '{inverse}' towards this entry already; remove one of the two"
                yield self.at(record, ("related", i), message)


CHECKS: tuple[Check, ...] = (TellApartUnanswered(), InverseWrittenTwice())
