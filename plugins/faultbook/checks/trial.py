"""Try the compiled entries on logs, for the checks that judge what signatures match."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from faultbook.corpus import Corpus, Record
from faultbook.engine.compiler import index_data
from faultbook.engine.diagnose import judge
from faultbook.engine.gate import finder
from faultbook.engine.index import Index
from faultbook.engine.match import Hit, match
from faultbook.engine.normalise import Event, normalise
from faultbook.engine.read import Input
from faultbook.engine.rules import compiled_bytes
from faultbook.engine.scan import HEAD, Finder, scan
from faultbook.schema import Status

Signatures = Mapping[int, tuple[int, ...]]


def _nothing(block: bytes) -> tuple[int, ...]:
    return ()


class Trial:
    """The entries of a corpus, drafts included, compiled once; each draft is judged as if it alone were added."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.drafts = [slug for slug, record in corpus.records.items() if record.entry.status is Status.DRAFT]

    @cached_property
    def index(self) -> Index:
        """Everything, drafts included."""
        return Index.load(index_data(self.corpus, self.drafts))

    def events(self, log: str) -> list[Event]:
        """What a log says."""
        # A short log is kept as a whole, so that nothing need be looked for.
        find = self._finder if log.count("\n") + log.count("\r") >= HEAD else _nothing
        scanned = scan(Input("", [log.encode("utf-8", "replace")]), find, self._ansi)
        return normalise(scanned.pieces, self.index.rules)

    def all_hits(self, events: Sequence[Event]) -> list[Hit]:
        """The matches of all entries."""
        return match(events, self.index)

    def hits(self, record: Record, events: Sequence[Event]) -> list[Hit]:
        """The matches of the signatures of one entry alone."""
        own = self._by_entry.get(record.slug, {})
        return match(events, replace(self.index, by_template=own)) if own else []

    def first(self, record: Record, events: Sequence[Event]) -> tuple[str, str | None]:
        """The verdict on a log, and the entry that comes first, as if this entry were published."""
        verdict, ranking = self.ranking(record, events)
        return verdict, ranking[0] if ranking else None

    def ranking(self, record: Record, events: Sequence[Event]) -> tuple[str, list[str]]:
        """The verdict on a log, and all entries that are found, the most probable first."""
        answer = judge(events, [""], self._published_with(record)).answer
        return answer["verdict"], [finding["entry"] for finding in answer["findings"]]

    def _published_with(self, record: Record) -> Index:
        if not self.drafts:
            return self.index
        if record.published:
            return self._published
        by_template = dict(self._published.by_template)
        for template, positions in self._by_entry.get(record.slug, {}).items():
            by_template[template] = tuple(sorted((*by_template.get(template, ()), *positions)))
        return replace(self.index, by_template=by_template)

    @cached_property
    def _published(self) -> Index:
        drafts = {number for number, entry in enumerate(self.index.entries) if entry["id"] in self.drafts}
        kept = {
            template: tuple(at for at in positions if self.index.signatures[at].entry not in drafts)
            for template, positions in self.index.by_template.items()
        }
        return replace(self.index, by_template={template: found for template, found in kept.items() if found})

    @cached_property
    def _by_entry(self) -> Mapping[str, Signatures]:
        """The signatures of each entry by the templates that start them."""
        found: dict[str, dict[int, tuple[int, ...]]] = {}
        for template, positions in self.index.by_template.items():
            for position in positions:
                slug = self.index.entries[self.index.signatures[position].entry]["id"]
                own = found.setdefault(slug, {})
                own[template] = (*own.get(template, ()), position)
        return found

    @cached_property
    def _finder(self) -> Finder:
        return finder(self.index.anchors())

    @cached_property
    def _ansi(self) -> re.Pattern[bytes]:
        return compiled_bytes(self.index.rules.data["ansi"])
