"""Compile the entries into the plain data that the engines interpret; `docs/engine.md` describes them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.engine.anchors import anchor_runs, choose_anchors
from faultbook.engine.cards import card, deciding_check
from faultbook.engine.mask import mask_rules
from faultbook.engine.rarity import load_rarity
from faultbook.engine.searchdata import search_data
from faultbook.reader import KeyPath
from faultbook.schema import Signature
from faultbook.signatures import PATTERNS, Comparison, Fault, Placeholder, Template, parse_comparison, parse_template

SCHEMA = 1
_TYPES = ["*", *PATTERNS]
_NUMBERS = frozenset(("int", "num", "port", "size"))


def compile_index(corpus: Corpus, also: Collection[str] = ()) -> dict[str, Any]:
    """``{"index", "search", "cards"}`` of the published entries, and of drafts that are tried out.

    Templates and comparisons that break the rules of form are left out, since nothing could match them.
    """
    records = _records(corpus, also)
    slugs = frozenset(record.slug for record in records)
    return {
        "index": index_data(corpus, also),
        "search": search_data(records),
        "cards": {record.slug: card(record, slugs, corpus) for record in records},
    }


def index_data(corpus: Corpus, also: Collection[str] = ()) -> dict[str, Any]:
    """The content of ``index.json``, which is all that a diagnosis needs."""
    return _index_data(corpus, frozenset(slug for slug in also if slug in corpus.records))


@lru_cache(maxsize=1)
def _index_data(corpus: Corpus, also: frozenset[str]) -> dict[str, Any]:
    """The same, kept since a build needs it twice: to judge the samples, and to publish it."""
    records = _records(corpus, also)
    slugs = frozenset(record.slug for record in records)
    signatures, templates = _signatures(records)
    return {
        "schema": SCHEMA,
        "types": [[name, PATTERNS.get(name, "")] for name in _TYPES],
        "entries": [_entry(record, slugs) for record in records],
        "templates": _compiled(tuple(templates)),
        "signatures": signatures,
        "rules": load_rules(),
        "mask": mask_rules(),
    }


def _records(corpus: Corpus, also: Collection[str]) -> list[Record]:
    return [record for slug, record in corpus.records.items() if record.published or slug in also]


@lru_cache(maxsize=1)
def load_rules() -> Mapping[str, Any]:
    """What the engine knows apart from entries."""
    rules: dict[str, Any] = json.loads((files("faultbook.engine") / "rules.json").read_text("utf-8"))
    return rules


def _entry(record: Record, slugs: Collection[str]) -> dict[str, Any]:
    entry = record.entry
    check = deciding_check(entry)
    return {
        "id": record.slug,
        "title": entry.title,
        "kind": entry.kind,
        "check": check.check if check else None,
        "alike": [[item.entry, item.short] for item in entry.tell_apart if item.entry in slugs],
    }


def _signatures(records: Sequence[Record]) -> tuple[list[dict[str, Any]], list[Template]]:
    """The signatures of all entries, and the templates to which they refer by position, each once."""
    positions: dict[Template, int] = {}

    def place(texts: Iterable[str]) -> list[int]:
        found = (parsed_template(text) for text in texts)
        return list(dict.fromkeys(positions.setdefault(template, len(positions)) for template in found if template))

    rows = []
    for number, record in enumerate(records):
        for signature in usable_signatures(record).values():
            templates, unless = place(signature.templates), place(signature.unless)
            rows.append(_signature(number, record, signature, templates, unless))
    return rows, list(positions)


def usable_signatures(record: Record) -> dict[KeyPath, Signature]:
    """The signatures of an entry that can match, in the order in which the index has them, by the way to each."""
    usable = {}
    for path, signature in record.entry.signatures().items():
        parsed = [parsed_template(text) for text in signature.templates]
        if (all(parsed) if signature.all else any(parsed)) and _comparisons(signature) is not None:
            usable[path] = signature
    return usable


def _signature(
    entry: int,
    record: Record,
    signature: Signature,
    templates: list[int],
    unless: list[int],
) -> dict[str, Any]:
    """One row; what has its default value is left out."""
    role = "cause" if record.entry.kind == "wrapper" else signature.role
    row = {
        "all": signature.all is not None or None,
        "within": signature.within if signature.within != 5 else None,
        "unless": unless,
        "if": _comparisons(signature),
        "role": role if role != "cause" else None,
    }
    return {"e": entry, "t": templates, **{key: value for key, value in row.items() if value}}


@lru_cache(maxsize=8192)
def parsed_template(text: str) -> Template | None:
    """A template that can match, without names for gaps; none if a name stands twice or no literal is long enough."""
    template = parse_template(text)
    names = [part.name for part in template.parts if isinstance(part, Placeholder) and part.name]
    if len(set(names)) < len(names) or not any(anchor_runs(literal) for literal in template.literals):
        return None
    return template


def _comparisons(signature: Signature) -> list[list[Any]] | None:
    """The comparisons as the engine reads them; none at all if one cannot be read."""
    types = {
        part.name: part.type
        for text in signature.templates
        for part in parse_template(text).parts
        if isinstance(part, Placeholder) and part.name
    }
    parsed = [parse_comparison(text) for text in signature.only_if]
    if any(isinstance(comparison, Fault) for comparison in parsed):
        return None
    return [_comparison(comparison, types) for comparison in parsed if isinstance(comparison, Comparison)]


def _comparison(comparison: Comparison, types: Mapping[str, str]) -> list[Any]:
    sides = (comparison.left, comparison.right)
    captured = {types.get(side.value, "") for side in sides if side.kind == "capture"}
    constants = {side.kind for side in sides if side.kind != "capture"}
    if "ver" in captured or "version" in constants:
        reading = "version"
    elif "number" in constants or (not constants and captured <= _NUMBERS):
        reading = "number"
    else:
        reading = "text"
    left, right = (["capture" if side.kind == "capture" else "constant", side.value] for side in sides)
    return [left, comparison.operator, right, reading]


# The site is compiled after its entries were checked, which compiles the same templates.
@lru_cache(maxsize=2)
def _compiled(templates: tuple[Template, ...]) -> list[list[Any]]:
    rarity = load_rarity()
    literals = [template.literals for template in templates]
    return [
        [[_part(part) for part in template.parts], list(anchors.texts), rarity.weight(template.literals)]
        for template, anchors in zip(templates, choose_anchors(literals, rarity), strict=True)
    ]


def _part(part: str | Placeholder) -> str | int | list[str | int]:
    if isinstance(part, str):
        return part
    number = _TYPES.index(part.type)
    # A gap captures nothing: what it skips is not what the template is about.
    return [number, part.name] if part.name and number else number
