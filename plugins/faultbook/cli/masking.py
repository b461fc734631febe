"""The answer and its details without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faultbook.engine.mask import mask, mask_with_spans

_OURS = frozenset(("entry", "title", "url", "role", "verdict", "notices", "similar", "missing"))
"""Parts of the answer that hold nothing of a log."""


def masked(value: Any) -> Any:
    """A copy of a part of an answer in which every text that may come from a log is masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [masked(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = {key: item if key in _OURS else masked(item) for key, item in value.items()}
    if "spans" in value:
        found["text"], found["spans"] = mask_with_spans(value["text"], value["spans"])
    return found
