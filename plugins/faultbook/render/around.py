"""What stands around the text of an entry: its category, its history, and where else it can be had or edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from faultbook.corpus import Corpus, Record
from faultbook.export.api import api_url
from faultbook.export.past import Facts, review_due
from faultbook.export.twin import twin_url


@dataclass(frozen=True)
class Repository:
    """Where the sources of a site can be seen and changed; empty texts if nowhere."""

    edit: str = ""
    """Address before the path of a file that opens it for editing."""
    view: str = ""
    """Address before the path of a file that shows it."""
    issues: str = ""
    """Address of the form for a new issue."""


def around(record: Record, corpus: Corpus, repository: Repository, facts: Facts, root: str) -> Mapping[str, object]:
    """What the template of an entry shows beside its text."""
    category = corpus.categories.get(record.category)
    return {
        "category": record.category,
        "category_title": category.title if category else record.category,
        "systems": corpus.systems,
        "past": facts.past.get(record.slug),
        "run": record.reproduced,
        "due": review_due(record, facts.today),
        "markdown_url": root + twin_url(record.slug),
        "json_url": root + api_url(record.slug),
        **_addresses(record, repository),
    }


def _addresses(record: Record, repository: Repository) -> dict[str, str]:
    """Where the entry and its script can be edited, seen and reported; empty for entries from elsewhere."""
    path = record.source.shown
    here = bool(repository.edit) and not path.startswith(("/", ".."))
    reproduction = record.entry.evidence.reproduction if record.entry.evidence else None
    return {
        "edit_url": repository.edit + quote(path) if here else "",
        "report_url": f"{repository.issues}?title={quote(record.slug + ': ')}" if here and repository.issues else "",
        "script_url": repository.view + quote(reproduction.path) if here and reproduction else "",
    }
