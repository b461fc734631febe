"""Plain data of the corpus for other programs: the listing of entries, the list for mistyped addresses, the schema."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from faultbook.corpus import Corpus, Record
from faultbook.schema import Entry


def entry_url(slug: str) -> str:
    """The address of an entry's page, relative to the root of the site."""
    return f"entries/{slug}/"


def entries_payload(corpus: Corpus) -> list[dict[str, str | None]]:
    """One row an entry, of every status: ``{id, title, category, kind, status, evidence, path, url}``."""
    return [_row(record) for record in corpus.records.values()]


def _row(record: Record) -> dict[str, str | None]:
    entry = record.entry
    return {
        "id": record.slug,
        "title": entry.title,
        "category": record.category,
        "kind": entry.kind,
        "status": entry.status.value,
        "evidence": entry.evidence.level if entry.evidence else None,
        "path": record.source.shown,
        "url": entry_url(record.slug),
    }


def entry_payload(record: Record) -> dict[str, Any]:
    """An entry as data: ``id``, ``category`` and ``url``, then the fields that it states."""
    stated = record.entry.model_dump(mode="json", exclude_unset=True)
    return {"id": record.slug, "category": record.category, "url": entry_url(record.slug), **stated}


def slugs_payload(corpus: Corpus) -> list[dict[str, Any]]:
    """What the page for unknown addresses compares with: ``{slug, title, url, aliases}`` of published entries."""
    return [
        {
            "slug": record.slug,
            "title": record.entry.title,
            "url": entry_url(record.slug),
            "aliases": list(record.entry.aliases),
        }
        for record in corpus.published()
    ]


_TEXT_TOO = (("Signature", "text"), ("Check", "command"), ("Step", "command"), ("Verify", "command"))
"""Fields in which one text stands for a list or for a command."""


class _Draft202012(GenerateJsonSchema):
    """Names the dialect, and allows what the models take before validation: a text for a list or a command."""

    def generate(self, schema: Any, mode: Any = "validation") -> dict[str, Any]:
        generated = super().generate(schema, mode)
        models = generated["$defs"]
        for model, name in _TEXT_TOO:
            models[model]["properties"][name]["anyOf"].insert(0, {"type": "string", "minLength": 1})
        commands = models["QuickFix"]["properties"]["commands"]
        commands["items"] = {"anyOf": [{"type": "string", "minLength": 1}, commands["items"]]}
        return {"$schema": self.schema_dialect, **generated}


def entry_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of an entry, with the descriptions of its fields."""
    schema = Entry.model_json_schema(schema_generator=_Draft202012)
    return {**schema, "title": "Faultbook entry, format version 1"}
