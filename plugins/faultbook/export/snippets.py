"""Snippets for editors: the parts of an entry, made from the format, so that they cannot fall behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from faultbook.export import entry_schema

Schema = Mapping[str, Any]


class Part(NamedTuple):
    """A part of an entry that is inserted at once."""

    model: str
    field: str
    """The field that holds it, as a list unless it is a single one."""
    more: tuple[str, ...] = ()
    """Fields beside the required ones, of it and of the parts in it."""
    fixed: tuple[tuple[str, str], ...] = ()
    """Fields whose value is settled."""
    name: str = ""
    """A name of its own where there are several of a model."""


PARTS = (
    Part("Symptom", "symptoms", ("signatures", "text")),
    Part("Signature", "signatures", ("text", "role", "printed_by")),
    Part("Signature", "signatures", ("all", "within"), name="signature-of-several-lines"),
    Part("TellApart", "tell_apart"),
    Part("AffectedSystem", "affected_systems"),
    Part("Check", "checklist", ("command", "where", "expect")),
    Part("Command", "command", ("where", "danger", "affects", "warning"), (("danger", "disruptive"),), "danger"),
    Part("QuickFix", "quick_fix", ("commands", "where")),
    Part("Fix", "fix", ("when", "verify", "text")),
    Part("Step", "steps", ("command", "where")),
    Part("Scenario", "scenarios"),
    Part("Example", "examples", ("lang",)),
    Part("Pitfall", "pitfalls"),
    Part("Question", "faq"),
    Part("Monitor", "monitoring"),
    Part("Related", "related"),
    Part("Reference", "references", ("accessed",)),
    Part("Reproduction", "reproduction"),
    Part("Sample", "samples", ("ref", "log"), (("expect", "match"),), "sample"),
    Part("Sample", "samples", ("ref", "belongs_to", "log"), (("expect", "no-match"),), "no-match"),
)


def snippets() -> dict[str, dict[str, Any]]:
    """The snippets in the form of Visual Studio Code, by name."""
    schema = entry_schema()
    found = {}
    for part in PARTS:
        name = part.name or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", part.model).lower()
        single = schema["properties"].get(part.field, {}).get("type") != "array" and part.field not in _LISTS
        body = list(_Writer(schema["$defs"], part).rows(part.model))
        rows = [f"{part.field}:", *(f"  {row}" for row in body)] if single else _item(body)
        found[f"Faultbook: {name}"] = {
            "scope": "yaml",
            "prefix": f"fb-{name}",
            "body": rows,
            "description": f"{part.field}: {schema['$defs'][part.model]['description']}",
        }
    return found


_LISTS = ("signatures", "steps")


def _item(rows: list[str]) -> list[str]:
    return [f"{'- ' if at == 0 else '  '}{row}" for at, row in enumerate(rows)]


class _Writer:
    """Writes the fields of one part; its places to fill in are numbered through."""

    def __init__(self, models: Schema, part: Part) -> None:
        self._models, self._part, self._number = models, part, 0

    def rows(self, model: str) -> Iterator[str]:
        """The rows of a model."""
        schema = self._models[model]
        for name, field in schema["properties"].items():
            if name in schema.get("required", ()) or name in self._part.more:
                yield from self._field(name, field)

    def _field(self, name: str, field: Schema) -> Iterator[str]:
        fixed = dict(self._part.fixed).get(name)
        kind = next((row for row in field.get("anyOf", (field,)) if "$ref" in row or row.get("type") != "null"), field)
        description = str(field.get("description", ""))
        if fixed:
            yield f"{name}: {fixed}"
        elif kind.get("type") == "array":
            yield from self._list(name, kind, description)
        elif reference := kind.get("$ref"):
            yield from self._inner(name, str(reference).rpartition("/")[2], description)
        elif name == "log":
            yield from ("log: |", f"  {self._place('the lines as they were printed')}")
        else:
            yield f"{name}: {self._value({**kind, **_known(field)}, description)}"

    def _list(self, name: str, field: Schema, description: str) -> Iterator[str]:
        items = field["items"]
        model = next((str(row["$ref"]) for row in items.get("anyOf", (items,)) if "$ref" in row), "")
        if model:
            yield f"{name}:"
            yield from (f"  {row}" for row in _item(list(self.rows(model.rpartition("/")[2]))))
            return
        least = max(1, field.get("minItems", 1))
        values = [self._value(items, description) for _ in range(least)]
        yield f"{name}: [{', '.join(values)}]"

    def _inner(self, name: str, model: str, description: str) -> Iterator[str]:
        schema = self._models[model]
        if "enum" in schema:
            yield f"{name}: {self._choice(schema['enum'])}"
        else:
            yield f"{name}:"
            yield from (f"  {row}" for row in self.rows(model))

    def _value(self, field: Schema, description: str) -> str:
        if "enum" in field:
            return self._choice(field["enum"])
        if field.get("type") == "integer":
            return self._place(str(field.get("default", field.get("minimum", 1))))
        example = next(iter(field.get("examples", ())), "") or description.rstrip(".")
        return f'"{self._place(str(example)[: field.get("maxLength", 200)].replace(chr(34), chr(39)))}"'

    def _choice(self, values: list[str]) -> str:
        self._number += 1
        return f"${{{self._number}|{','.join(values)}|}}"

    def _place(self, text: str) -> str:
        self._number += 1
        shown = re.sub(r"([$}])", r"\\\1", text.replace("\\", ""))
        return f"${{{self._number}:{shown}}}"


def _known(field: Schema) -> Schema:
    return {name: field[name] for name in ("examples", "default") if field.get(name) is not None}
