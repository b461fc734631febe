"""What is known of an entry beyond its text: when it came, when it changed, and who wrote at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from faultbook.corpus import Record


@dataclass(frozen=True)
class Past:
    """The history of one entry."""

    added: str | None
    """When it was first there, as RFC 3339 in UTC; nothing where the history is cut off before that."""
    changed: str
    """When it was last changed."""
    contributors: tuple[str, ...] = ()
    """Who changed it, by the number of changes, most first."""


@dataclass(frozen=True)
class Facts:
    """What pages and files say beyond the corpus; nothing of it is needed."""

    site_url: str = ""
    """Address of the site, with a slash at its end; empty if it is not known."""
    today: date = date.min
    """The day of the build, from which the age of a review is counted."""
    past: Mapping[str, Past] = field(default_factory=dict)
    """The history of each entry by its slug."""

    def changed(self, record: Record) -> str:
        """The day of the last change of an entry; without a history that of its review, else nothing."""
        past = self.past.get(record.slug)
        return past.changed[:10] if past else record.entry.reviewed or ""


BARE = Facts()
"""Nothing is known beyond the text."""
REVIEW_DAYS = 365
"""How old a review may be."""


def review_due(record: Record, today: date) -> bool:
    """Whether the last review of a published entry is over twelve months old."""
    reviewed = record.entry.reviewed
    if not record.published or reviewed is None:
        return False
    return (today - date.fromisoformat(reviewed)).days > REVIEW_DAYS
