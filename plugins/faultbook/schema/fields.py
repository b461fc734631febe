"""The kinds of field that entries are made of: what a text is, and how long it may be."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
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
    # What Python calls printable holds none of them, and takes a tenth of the time to find out.
    if not text.isprintable() and (found := _INVISIBLE.search(text)):
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


@lru_cache(maxsize=1024)
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
OtherEntry = Annotated[Slug, Field(examples=["ephemeral-ports-exhausted"])]
FixId = Annotated[Slug, Field(examples=["let-kernel-pick"])]
ReferenceId = Annotated[Slug, Field(examples=["torchrun-docs"])]
Date = Annotated[str, AfterValidator(_date), Field(examples=["2026-11-30"])]
Versions = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=80),
    AfterValidator(_visible),
    AfterValidator(_versions),
    Field(examples=[">=2.4,<2.12"]),
]
_PAGE = "https://docs.pytorch.org/docs/stable/elastic/run.html"
Https = Annotated[str, StringConstraints(max_length=500), AfterValidator(_https), Field(examples=[_PAGE])]
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
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=TEMPLATE_LIMIT),
    AfterValidator(_visible),
    Field(examples=["failed to bind to <host>:<port:port> (errno: <int> - <*>)"]),
]
Templates = Annotated[tuple[Template, ...], BeforeValidator(listed), Field(min_length=1, max_length=12)]
Comparison = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=3, max_length=120),
    AfterValidator(_visible),
    Field(examples=["port != 0"]),
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
    _gather(model, (), _PLANS[kind], found)
    return found


def texts(model: Model, kind: Kind | None = None) -> list[str]:
    """The same texts without the ways to them, in half the time."""
    found: list[str] = []
    _gather_texts(model, _PLANS[kind], found)
    return found


def short_fields(model: Model) -> list[TextField]:
    """The texts that are too short to be published."""
    found: list[TextField] = []
    _gather(model, (), _BOUNDED, found)
    return [field for field in found if len(field.text) < field.published]


# These run over every field of every entry several times a build, so they append to one list and ask for exact types.
def _gather(model: Model, path: tuple[str | int, ...], plans: _Plans, found: list[TextField]) -> None:
    values = model.__dict__
    for name, limit in plans[type(model)]:
        value = values[name]
        if type(value) is tuple:
            for position, item in enumerate(value):
                if type(item) is not str:
                    _gather(item, (*path, name, position), plans, found)
                elif limit is not None:
                    found.append(TextField((*path, name, position), item, limit.kind, limit.published))
        elif type(value) is str:
            if limit is not None:
                found.append(TextField((*path, name), value, limit.kind, limit.published))
        elif value is not None:
            _gather(value, (*path, name), plans, found)


def _gather_texts(model: Model, plans: _Plans, found: list[str]) -> None:
    values = model.__dict__
    for name, limit in plans[type(model)]:
        value = values[name]
        if type(value) is tuple:
            if limit is not None:
                found += value
            else:
                for item in value:
                    _gather_texts(item, plans, found)
        elif type(value) is str:
            found.append(value)
        elif value is not None:
            _gather_texts(value, plans, found)


class _Plans(dict[type[Model], list[tuple[str, Limit | None]]]):
    """The fields of each model that hold wanted texts, or models that do; the limit is that of the texts."""

    def __init__(self, wanted: Callable[[Limit], bool]) -> None:
        self.wanted = wanted

    def __missing__(self, model: type[Model]) -> list[tuple[str, Limit | None]]:
        plan: list[tuple[str, Limit | None]] = []
        for name, field in model.model_fields.items():
            limits = [item for item in field.metadata if isinstance(item, Limit)] + _limits(field.annotation)
            if limits and self.wanted(limits[0]):
                plan.append((name, limits[0]))
            elif not limits and any(self[inner] for inner in _models(field.annotation)):
                plan.append((name, None))
        self[model] = plan
        return plan


_PLANS: dict[Kind | None, _Plans] = {
    None: _Plans(lambda limit: True),
    Kind.PROSE: _Plans(lambda limit: limit.kind is Kind.PROSE),
    Kind.PLAIN: _Plans(lambda limit: limit.kind is Kind.PLAIN),
}
_BOUNDED = _Plans(lambda limit: limit.published > 0)


def _limits(annotation: Any) -> list[Limit]:
    found = [item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, Limit)]
    for argument in get_args(annotation):
        found += _limits(argument)
    return found


def _models(annotation: Any) -> list[type[Model]]:
    if get_origin(annotation) is None and isinstance(annotation, type):
        return [annotation] if issubclass(annotation, Model) else []
    return [model for argument in get_args(annotation) for model in _models(argument)]
