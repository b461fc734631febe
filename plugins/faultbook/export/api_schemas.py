"""The JSON Schemas (2020-12) of the files under `/api/v1/`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultbook.export import entry_schema

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _slug(description: str) -> Schema:
    return {"description": description, "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}


def _text(description: str) -> Schema:
    return {"description": description, "type": "string", "minLength": 1}


def _maybe(schema: Schema) -> Schema:
    return {**schema, "type": ["string", "null"]}


def _day(description: str) -> Schema:
    return {"description": description, "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


def _list(description: str, items: Schema) -> Schema:
    return {"description": description, "type": "array", "items": items}


def _object(properties: Schema, **more: Any) -> Schema:
    """An object that has all of these properties; readers ignore others, which later versions of a file may add."""
    return {"type": "object", "required": list(properties), "properties": properties, **more}


ID = _slug("The slug of the entry, which never changes.")
TITLE = _text("The title without markup.")
CATEGORY = _slug("The category in which the cause lies.")
URL = _text("The page of the entry, relative to the root of the site.")
REVIEWED = _maybe(_day("When somebody last went through the entry with its sources."))
VERSION = {"description": "Version of this contract.", "const": 1}
TIME = {
    "description": "Date and time with zone, from git.",
    "type": "string",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T",
}


def _file(title: str, description: str, properties: Schema) -> Schema:
    whole = _object({"schema": VERSION, **properties}, description=description)
    return {"$schema": DIALECT, "title": title, **whole}


def _index() -> Schema:
    row = _object(
        {
            "id": ID,
            "title": TITLE,
            "category": CATEGORY,
            "kind": {
                "description": "'wrapper': a message that only reports another failure.",
                "enum": ["cause", "wrapper"],
            },
            "status": {
                "description": "Drafts and withdrawn entries match no log.",
                "enum": ["draft", "published", "withdrawn"],
            },
            "evidence": {
                "description": "What the entry rests on, if that is known.",
                "enum": ["reproduced", "documented", "reported", None],
            },
            "reviewed": REVIEWED,
            "url": URL,
            "api": _text("The whole entry as JSON, relative to the root of the site."),
        }
    )
    return _file("Faultbook index", "All entries.", {"entries": _list("One row an entry, by slug.", row)})


def _reproduced() -> Schema:
    case = _object(
        {
            "failed": {"description": "The failure came about as claimed.", "type": "boolean"},
            "mended": {"description": "The fix removed it.", "type": "boolean"},
            "diagnosed": {"description": "Its log must be diagnosed as this entry.", "type": "boolean"},
        }
    )
    return _object(
        {
            "ran": _day("The day."),
            "script": {"description": "Start of the SHA-256 digest of the script.", "type": "string"},
            "kernel": _text("The kernel."),
            "python": _text("Version of Python."),
            "packages": {
                "description": "Version of each package that the script imports.",
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
            "cases": {"description": "The cases by name.", "type": "object", "additionalProperties": case},
        },
        description="The last run of the script that makes the failure happen; null where none is recorded.",
    )


def _known() -> Schema:
    """What the file of an entry has beyond the fields of the format."""
    back = _object(
        {
            "entry": _slug("The entry that leads to this one."),
            "relation": {
                "description": "What the other failure is to this one.",
                "enum": ["causes", "caused-by", "looks-like", "occurs-with", "see-also"],
            },
            "note": {"description": "What connects them, in the words of the other entry.", "type": ["string", "null"]},
        }
    )
    past = _object(
        {
            "added": {**_maybe(TIME), "description": "When the entry was first there; null if history is cut off."},
            "changed": {**TIME, "description": "When it was last changed."},
            "contributors": _list("Names from git, most changes first.", _text("A name.")),
        },
        description="The history of the file in git; null where there is none.",
    )
    return {
        "schema": VERSION,
        "id": ID,
        "category": CATEGORY,
        "url": URL,
        "markdown": _text("The entry as Markdown, relative to the root of the site."),
        "reproduced": {**_reproduced(), "type": ["object", "null"]},
        "history": {**past, "type": ["object", "null"]},
        "backlinks": _object(
            {
                "related": _list("Entries that state a relation to this one, turned round.", back),
                "mentions": _list("Other entries whose prose links here.", _slug("An entry.")),
            },
            description="What other published entries say of this one.",
        ),
    }


def _entry() -> Schema:
    """The schema of an entry as it is written, with what is known of it; texts hold citations and links as marks."""
    written = entry_schema()
    known = _known()
    return {
        **{key: value for key, value in written.items() if key != "additionalProperties"},
        "title": "Faultbook entry with what is known of it",
        "description": "An entry. Its texts hold citations as [@id], links as [[slug]], [[slug|words]] and [[#fix]].",
        "properties": {**known, **written["properties"]},
        "required": [*known, *written["required"]],
    }


def _signatures() -> Schema:
    version = _object({"range": _text("Versions in the notation of PEP 440.")})
    row = _object(
        {
            "entry": ID,
            "url": _text("The signature on the page of its entry, relative to the root of the site."),
            "role": {
                "description": "Whether a match names one failure, several, what follows from one, or nothing bad.",
                "enum": ["cause", "ambiguous", "downstream", "notice", "wrapper"],
            },
            "all": {
                "description": "Whether all templates must match near each other.",
                "type": "boolean",
            },
            "templates": _list("Lines as software prints them, with placeholders.", _text("A template.")),
        }
    )
    row["properties"] |= {
        "within": {"description": "How many lines count as near.", "type": "integer", "minimum": 1},
        "unless": _list("Templates that take the match back.", _text("A template.")),
        "only_if": _list("Comparisons that must hold.", _text("A comparison.")),
        "versions": {**version, "description": "The versions that print it.", "type": ["object", "null"]},
        "printed_by": {"description": "What prints it.", "type": ["string", "null"]},
    }
    return _file(
        "Faultbook signatures",
        "The signatures of all published entries.",
        {"signatures": _list("One row a signature, by entry.", row)},
    )


def _aliases() -> Schema:
    names = {
        "description": "For each former slug and other name the entry that it stands for.",
        "type": "object",
        "propertyNames": {"pattern": ID["pattern"]},
        "additionalProperties": ID,
    }
    return _file("Faultbook aliases", "Names that lead to entries.", {"aliases": names})


def _changes() -> Schema:
    row = _object(
        {
            "id": ID,
            "title": TITLE,
            "url": URL,
            "added": _maybe(_day("When the entry was first there, from git; null where there is no history.")),
            "changed": _maybe(_day("When it was last changed, from git; without a history when it was reviewed.")),
            "reviewed": REVIEWED,
        }
    )
    return _file(
        "Faultbook changes",
        "The published entries by the day of their last change.",
        {"changes": _list("One row an entry, newest first.", row)},
    )


def _corpus() -> Schema:
    words = {
        name: {"description": text, "type": "object", "additionalProperties": {"type": "object"}}
        for name, text in (
            ("categories", "The categories by name."),
            ("tags", "The tags by name."),
            ("systems", "The systems by id."),
            ("wanted", "Failures that nobody has described yet, by slug."),
        )
    }
    entries = _list("All entries, of every status, by slug.", {"$ref": "entry.json"})
    return _file("Faultbook corpus", "The whole corpus, gzipped.", {**words, "entries": entries})


def api_schemas() -> Mapping[str, Schema]:
    """The schema of each kind of file by its name, such as ``entry``."""
    return {
        "index": _index(),
        "entry": _entry(),
        "signatures": _signatures(),
        "aliases": _aliases(),
        "changes": _changes(),
        "corpus": _corpus(),
    }
