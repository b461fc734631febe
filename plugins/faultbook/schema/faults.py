"""Turns what pydantic finds wrong into violations that name the place and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from faultbook.reader import KeyPath, Source
from faultbook.violations import Violation, did_you_mean, shorten

_TYPES = {str: "text", bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "a mapping"}


def _wrong_type(wanted: str) -> Callable[[ErrorDetails], str]:
    def message(error: ErrorDetails) -> str:
        value = error["input"]
        kind = "nothing" if value is None else _TYPES.get(type(value), "something else")
        message = f"{_field(error)} must be {wanted}, not {kind}"
        if not isinstance(value, bool | int | float):
            return message
        written = shorten(error.get("ctx", {}).get("written", value), 30)
        return f"{message} ({written})" + (f'; quote it: "{written}"' if wanted == "text" else "")

    return message


def _field(error: ErrorDetails) -> str:
    path = _path(error)
    name = next((f"'{shorten(step, 40)}'" for step in reversed(path) if isinstance(step, str)), "the file")
    return f"item {path[-1] + 1} of {name}" if path and isinstance(path[-1], int) else name


def _path(error: ErrorDetails) -> KeyPath:
    return tuple(step for step in error["loc"] if step != "[key]")


def _missing(error: ErrorDetails) -> str:
    return f"{_field(error)} is missing; {'every entry needs it' if len(error['loc']) == 1 else 'add it'}"


def _choice(error: ErrorDetails) -> str:
    expected = str(error.get("ctx", {}).get("expected", ""))
    known = expected.replace("'", "").replace(" or ", ", ").split(", ")
    near = did_you_mean(str(error["input"]), known)
    return f"{_field(error)} is '{shorten(error['input'])}'; use one of {', '.join(known)}{near}"


def _length(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    value = error["input"]
    actual, unit = (len(value.strip()), "character") if isinstance(value, str) else (context["actual_length"], "item")
    has = f"{_field(error)} has {actual} {unit}{'' if actual == 1 else 's'}"
    if "max_length" in context:
        return f"{has}; at most {context['max_length']} are allowed"
    return f"{has}; at least {context['min_length']} {'is' if context['min_length'] == 1 else 'are'} needed"


def _number(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    bound = f"at least {context['ge']}" if "ge" in context else f"at most {context.get('le')}"
    return f"{_field(error)} is {shorten(error['input'])}; it must be {bound}"


def _own(error: ErrorDetails) -> str:
    return error["msg"]


_MESSAGES: dict[str, tuple[str, Callable[[ErrorDetails], str]]] = {
    "missing": ("missing-field", _missing),
    "string_type": ("wrong-type", _wrong_type("text")),
    "bool_type": ("wrong-type", _wrong_type("true or false")),
    "int_type": ("wrong-type", _wrong_type("a whole number")),
    "tuple_type": ("wrong-type", _wrong_type("a list")),
    "dict_type": ("wrong-type", _wrong_type("a mapping")),
    "model_type": ("wrong-type", _wrong_type("a mapping")),
    "literal_error": ("unknown-value", _choice),
    "enum": ("unknown-value", _choice),
    "string_too_long": ("length", _length),
    "string_too_short": ("length", _length),
    "too_long": ("length", _length),
    "too_short": ("length", _length),
    "greater_than_equal": ("number", _number),
    "less_than_equal": ("number", _number),
    "control_character": ("wrong-form", lambda error: f"{_field(error)} {error['msg']}"),
    "string_pattern_mismatch": (
        "wrong-form",
        lambda error: f"{_field(error)} is '{shorten(error['input'])}'; it must look like {error['ctx']['pattern']}",
    ),
}


def schema_violations(
    error: ValidationError, source: Source, model: type[BaseModel] | None = None, *, depth: int = 0
) -> list[Violation]:
    """One violation for each thing that pydantic found, at its place in the source.

    The model, which lies ``depth`` steps below the top of the document, gives the names for unknown fields.
    """
    return [
        _violation(details, source, model, depth)
        for details in error.errors(include_url=False)
        if not _follows(details)
    ]


def _follows(details: ErrorDetails) -> bool:
    """Whether a list counts as too short only because items of it are wrong, which is reported at the items."""
    value = details["input"]
    return details["type"] == "too_short" and len(value) >= details.get("ctx", {}).get("min_length", 0)


def _violation(details: ErrorDetails, source: Source, model: type[BaseModel] | None, depth: int) -> Violation:
    path = _path(details)
    kind = details["type"]
    if kind == "extra_forbidden":
        known = _fields_at(model, path[depth:-1]) if model else []
        message = f"the field {_field(details)} is not known{did_you_mean(str(path[-1]), known)}"
        if not known or "did you mean" not in message:
            message += f"; known here: {', '.join(known)}" if known else ""
        if " " in str(path[-1]).strip():
            # YAML ends a plain text between braces at a comma, and takes the rest for a field.
            message = f"{_field(details)} is read as a field; put a text that holds a comma into quotes"
        return Violation(source.locate(path, key=True), "unknown-field", message)
    place = source.locate(path, key=path != details["loc"])
    if isinstance(details["input"], bool | int | float):
        # The value does not tell how it was spelled: 1.10 is 1.1.
        details["ctx"] = {**details.get("ctx", {}), "written": source.word_at(place)}
    if kind == "control_character":
        place = source.find(chr(int(details["ctx"]["code"], 16)), place)
    code, message_of = _MESSAGES.get(kind, ("wrong-form", _own))
    return Violation(place, code, message_of(details))


def _fields_at(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The names of the fields that the model at the end of the path has."""
    for step in path:
        if isinstance(step, str):
            model = _model_in(model.model_fields[step].annotation) or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, getattr(annotation, "__args__", ()))), None)
