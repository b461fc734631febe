"""The order of keys: that of the fields of the models."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from faultbook.schema import Entry, Model

KeyOrder = tuple[str, ...]


@cache
def model_of(parent: type[Model] | None, name: str) -> type[Model] | None:
    """The model of the mappings that a field holds, alone or in a list."""
    field = parent.model_fields.get(name) if parent else None
    return _within(field.annotation) if field else None


def _within(annotation: Any) -> type[Model] | None:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next((found for argument in get_args(annotation) if (found := _within(argument))), None)


def key_order(model: type[Model] | None) -> KeyOrder:
    """The keys of a mapping of this model in their order."""
    return tuple(model.model_fields) if model else ()


ROOT = Entry
"""The model of a whole entry."""
HEADER = frozenset(key_order(Entry)[: key_order(Entry).index("symptoms")]) | {"authors"}
"""The fields that follow each other without a blank line."""
