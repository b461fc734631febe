"""The kinds of field that entries are made of: what a text is, and how long it may be."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
TEMPLATE_LIMIT = 400
# Control characters, marks of writing direction, characters without width, and tags, which spell out hidden text.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]"
)


class Model(BaseModel):
    """Base of all models: unknown fields are refused, values are frozen, docstrings under fields describe them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Kind(str, Enum):
    """What a text is, which decides how it is read and shown."""

    PROSE = "prose"
    """A Markdown subset, on one or more lines."""
    PLAIN = "plain"
    """Words that are shown as they stand."""


@dataclass(frozen=True)
class Limit:
    """Marks a text field with its kind and, for published entries, its smallest length in characters."""

    kind: Kind = Kind.PLAIN
    published: int = 0


def _visible(text: str) -> str:
    if found := _INVISIBLE.search(text):
        raise PydanticCustomError(
            "control_character",
            "holds the invisible character U+{code}, which can hide text; remove it",
            {"code": f"{ord(found[0]):04X}"},
        )
    return text


def _text(least: int, most: int, kind: Kind, published: int = 0) -> Any:
    limits = StringConstraints(strip_whitespace=True, min_length=least, max_length=most)
    return Annotated[str, limits, AfterValidator(_visible), Limit(kind, published)]


def _slug(text: str) -> str:
    if not SLUG.fullmatch(text) or not 2 <= len(text) <= 60:
        raise PydanticCustomError(
            "slug", "'{text}' is not a slug; use 2 to 60 small letters, digits and single hyphens", {"text": text[:60]}
        )
    return text


def _date(text: str) -> str:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) and datetime.date.fromisoformat(text):
            return text
    except ValueError:
        pass
    raise PydanticCustomError("date", "'{text}' is not a date; write it as \"2026-11-30\"", {"text": text[:40]})


def _versions(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise PydanticCustomError(
            "versions", "'{text}' is not a version range; write it as \">=2.4,<2.12\" (PEP 440)", {"text": text[:60]}
        ) from None
    return text


def _https(text: str) -> str:
    if not re.fullmatch(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#-;=?-\[\]_a-z~]*)?", text):
        raise PydanticCustomError(
            "https", "'{text}' is not an https address; other links are not followed by this site", {"text": text[:80]}
        )
    return text


def listed(value: Any) -> Any:
    """One text where a list of texts is meant."""
    return [value] if isinstance(value, str) else value


Slug = Annotated[str, AfterValidator(_slug)]
Date = Annotated[str, AfterValidator(_date)]
Versions = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=80),
    AfterValidator(_visible),
    AfterValidator(_versions),
]
Https = Annotated[str, StringConstraints(max_length=500), AfterValidator(_https)]
Title = _text(8, 80, Kind.PROSE)
Summary = _text(1, 240, Kind.PROSE, 60)
Sentence = _text(1, 400, Kind.PROSE)
Paragraph = _text(1, 1200, Kind.PROSE)
Mechanism = _text(1, 5000, Kind.PROSE, 200)
Words = _text(1, 120, Kind.PLAIN)
Short = _text(1, 60, Kind.PROSE)
Phrase = _text(2, 80, Kind.PLAIN)
Code = Annotated[str, StringConstraints(min_length=1, max_length=6000), AfterValidator(_visible)]
Output = Annotated[str, StringConstraints(min_length=1, max_length=2000), AfterValidator(_visible)]
Log = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
Template = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEMPLATE_LIMIT), AfterValidator(_visible)
]
Templates = Annotated[tuple[Template, ...], BeforeValidator(listed), Field(min_length=1, max_length=12)]
Comparison = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=3, max_length=120), AfterValidator(_visible)
]


class TextField(NamedTuple):
    """A text of an entry, with the way to it."""

    path: tuple[str | int, ...]
    text: str
    kind: Kind
    published: int


def text_fields(model: Model, kind: Kind | None = None) -> list[TextField]:
    """Every text of a kind, or of any kind, in a model and in the models within it, in the order of the fields."""
    found: list[TextField] = []
    _gather(model, (), kind, found)
    return found


# Runs over every field of every entry several times a build, so it appends to one list and asks for exact types.
def _gather(model: Model, path: tuple[str | int, ...], kind: Kind | None, found: list[TextField]) -> None:
    values = model.__dict__
    for name, limit in _plan(type(model), kind):
        value = values[name]
        if type(value) is tuple:
            for position, item in enumerate(value):
                if type(item) is not str:
                    _gather(item, (*path, name, position), kind, found)
                elif limit is not None:
                    found.append(TextField((*path, name, position), item, limit.kind, limit.published))
        elif type(value) is str:
            if limit is not None:
                found.append(TextField((*path, name), value, limit.kind, limit.published))
        elif value is not None:
            _gather(value, (*path, name), kind, found)


@cache
def _plan(model: type[Model], kind: Kind | None) -> list[tuple[str, Limit | None]]:
    """The fields of a model that hold texts of a kind, or models that do; the limit is that of the texts."""
    plan: list[tuple[str, Limit | None]] = []
    for name, field in model.model_fields.items():
        limits = [item for item in field.metadata if isinstance(item, Limit)] + _limits(field.annotation)
        if limits and kind in (None, limits[0].kind):
            plan.append((name, limits[0]))
        elif not limits and any(_plan(inner, kind) for inner in _models(field.annotation)):
            plan.append((name, None))
    return plan


def _limits(annotation: Any) -> list[Limit]:
    found = [item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, Limit)]
    for argument in get_args(annotation):
        found += _limits(argument)
    return found


def _models(annotation: Any) -> list[type[Model]]:
    if get_origin(annotation) is None and isinstance(annotation, type):
        return [annotation] if issubclass(annotation, Model) else []
    return [model for argument in get_args(annotation) for model in _models(argument)]
