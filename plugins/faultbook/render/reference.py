"""Reference pages that are made from the code: the checks, and the entry format."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from faultbook.checks import explanations
from faultbook.export import entry_schema
from faultbook.render.page import Document, Heading, Rendered
from faultbook.render.prose import render_inline
from faultbook.schema import Entry
from faultbook.schema.completeness import NEEDED
from faultbook.signatures import TYPES


def reference_documents(environment: Environment) -> Iterator[Document]:
    """The page of checks and the page of the format."""

    def checks() -> Rendered:
        codes = explanations()
        html = environment.get_template("checks.html").render(root="../", explanations=codes)
        return Rendered(html, tuple(Heading(code.code, code.code) for code in codes))

    def entry_format() -> Rendered:
        models = _models()
        html = environment.get_template("format.html").render(root="../", models=models, placeholders=TYPES.items())
        headings = [Heading(model["id"], model["name"]) for model in models]
        return Rendered(html, (*headings, Heading("placeholders", "Placeholders")))

    yield Document("checks/", "Checks", checks, "What the checks of entries report, why, and how to mend it.")
    yield Document("format/", "Entry format", entry_format, "Every field of an entry, from the models that check it.")


def _prose(text: str) -> Markup:
    return render_inline(text, lambda mark: "")


def _models() -> list[dict[str, Any]]:
    """The models of the schema, the entry first, each with its fields or values."""
    schema = entry_schema()
    definitions = {"Entry": {**schema, "description": inspect.getdoc(Entry)}, **schema["$defs"]}
    return [_model(name, definition) for name, definition in definitions.items()]


def _model(name: str, definition: dict[str, Any]) -> dict[str, Any]:
    required = set(definition.get("required", ()))
    fields = [
        {
            "name": field,
            "needed": _needed(name, field, field in required),
            "form": _form(value),
            "model": _reference(value),
            "text": _prose(value.get("description", "")),
        }
        for field, value in definition.get("properties", {}).items()
    ]
    return {
        "id": f"model-{name.lower()}",
        "name": re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name),
        "text": _prose(" ".join(str(definition.get("description", "")).split())),
        "fields": fields,
        "choices": definition.get("enum", ()),
    }


def _needed(model: str, field: str, required: bool) -> str:
    if required:
        return "R"
    return "P" if model == "Entry" and field in NEEDED else ""


def _reference(value: Any) -> str:
    """The anchor of the model that a field holds, if it holds one."""
    found = re.search(r"#/\$defs/(\w+)", str(value))
    return f"model-{found[1].lower()}" if found else ""


def _form(value: dict[str, Any]) -> str:
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "anyOf" in value:
        forms = [_form(option) for option in value["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(forms))
    if "enum" in value:
        return ", ".join(str(option) for option in value["enum"])
    if "const" in value:
        return str(value["const"])
    if value.get("type") == "array":
        return f"list of {_form(value.get('items', {}))}{_bounds(value, 'minItems', 'maxItems')}"
    names = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    return f"{names.get(str(value.get('type')), 'text')}{_bounds(value, 'minLength', 'maxLength')}"


def _bounds(value: dict[str, Any], least: str, most: str) -> str:
    low, high = value.get(least, 0), value.get(most)
    if high is None:
        return ""
    return f" ({low} to {high})" if low > 1 else f" (at most {high})"
