"""The corpus as JSON files of the site, under an address that stays: `/api/v1/`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.export.past import Facts
from faultbook.export.twin import twin_url
from faultbook.links import Links
from faultbook.marks import plain_text

API = "api/v1/"
VERSION = 1


def api_url(slug: str) -> str:
    """The address of an entry as JSON, relative to the root of the site."""
    return f"{API}entries/{slug}.json"


def index_payload(corpus: Corpus) -> dict[str, Any]:
    """Every entry, of every status, in one row."""
    return {"schema": VERSION, "entries": [_row(record) for record in corpus.records.values()]}


def _row(record: Record) -> dict[str, Any]:
    entry = record.entry
    return {
        "id": record.slug,
        "title": plain_text(entry.title),
        "category": record.category,
        "kind": entry.kind,
        "status": entry.status.value,
        "evidence": entry.evidence.level if entry.evidence else None,
        "reviewed": entry.reviewed,
        "url": entry_url(record.slug),
        "api": api_url(record.slug),
    }


def entry_json(record: Record, links: Links, facts: Facts) -> str:
    """An entry as JSON: what is known of it, then the fields that it states, citations and links as marks."""
    past = facts.past.get(record.slug)
    known = {
        "schema": VERSION,
        "id": record.slug,
        "category": record.category,
        "url": entry_url(record.slug),
        "markdown": twin_url(record.slug),
        "reproduced": record.reproduced.model_dump(mode="json") if record.reproduced else None,
        "history": {"added": past.added, "changed": past.changed, "contributors": past.contributors} if past else None,
        "backlinks": {
            "related": [
                {"entry": back.slug, "relation": back.relation, "note": back.note}
                for back in links.related.get(record.slug, ())
            ],
            "mentions": links.mentions.get(record.slug, ()),
        },
    }
    # Joined as text, since that takes a third of the time of one dictionary, and an entry always states something.
    return compact(known)[:-1] + "," + record.entry.model_dump_json(exclude_unset=True)[1:]


def compact(data: object) -> str:
    """JSON without blanks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def signatures_payload(corpus: Corpus) -> dict[str, Any]:
    """Every signature of a published entry."""
    return {"schema": VERSION, "signatures": [row for record in corpus.published() for row in _signatures(record)]}


def _signatures(record: Record) -> Iterator[dict[str, Any]]:
    for number, signature in enumerate(record.entry.signatures().values(), 1):
        stated = signature.model_dump(mode="json", exclude_unset=True, exclude={"id", "text", "all", "role"})
        yield {
            "entry": record.slug,
            "url": f"{entry_url(record.slug)}#signature-{signature.id or number}",
            "role": "wrapper" if record.entry.kind == "wrapper" else signature.role,
            "all": bool(signature.all),
            "templates": signature.templates,
            **stated,
        }


def aliases_payload(corpus: Corpus) -> dict[str, Any]:
    """Each former slug and other name with the entry that it stands for."""
    return {"schema": VERSION, "aliases": dict(sorted(corpus.aliases().items()))}


def changes_payload(corpus: Corpus, facts: Facts) -> dict[str, Any]:
    """The published entries by the day of their last change, newest first."""
    rows = [_change(record, facts) for record in corpus.published()]
    return {"schema": VERSION, "changes": sorted(rows, key=lambda row: row["changed"] or "", reverse=True)}


def _change(record: Record, facts: Facts) -> dict[str, Any]:
    past = facts.past.get(record.slug)
    return {
        "id": record.slug,
        "title": plain_text(record.entry.title),
        "url": entry_url(record.slug),
        "added": past.added[:10] if past and past.added else None,
        "changed": facts.changed(record) or None,
        "reviewed": record.entry.reviewed,
    }


def corpus_gz(corpus: Corpus, links: Links, facts: Facts) -> bytes:
    """The whole corpus as one gzipped JSON; the same corpus gives the same bytes."""
    words = {
        name: {key: item.model_dump(mode="json") for key, item in getattr(corpus, name).items()}
        for name in ("categories", "tags", "systems", "wanted")
    }
    # This head of gzip holds no time. Level 6 takes four times as long for a fifth less.
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [packer.compress((compact({"schema": VERSION, **words})[:-1] + ',"entries":[').encode())]
    for number, record in enumerate(corpus.records.values()):
        parts.append(packer.compress(("," * bool(number) + entry_json(record, links, facts)).encode()))
    return b"".join([*parts, packer.compress(b"]}"), packer.flush()])


def api_files(corpus: Corpus, links: Links, facts: Facts) -> Mapping[str, Callable[[], str | bytes]]:
    """How to make each file under `/api/v1/` but those of single entries, by its address."""
    payloads: dict[str, Callable[[], Mapping[str, Any]]] = {
        "index": lambda: index_payload(corpus),
        "signatures": lambda: signatures_payload(corpus),
        "aliases": lambda: aliases_payload(corpus),
        "changes": lambda: changes_payload(corpus, facts),
    }
    files: dict[str, Callable[[], str | bytes]] = {
        f"{API}{name}.json": lambda make=make: compact(make())  # type: ignore[misc]
        for name, make in payloads.items()
    }
    files[f"{API}corpus.json.gz"] = lambda: corpus_gz(corpus, links, facts)
    return files
