"""Lines that a collector wrapped in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faultbook.engine.rules import Rules

_SURROGATES = re.compile("[\ud800-\udfff]")
_MOST_BRACKETS = 200
_MOST_LINES, _MOST_IN_FILE = 200, 20_000
LONGEST_PREFIX = 1_000
"""Characters of prefixes behind which a record is read, since each of its lines repeats them."""


@dataclass
class Room:
    """How many lines the records of a file may still give: three bytes may be one, and each becomes an event."""

    left: int = _MOST_IN_FILE

    def lines(self, message: str) -> list[str]:
        """The lines of a message, without the middle where they are too many."""
        lines = message.rstrip("\n").split("\n")
        ends = (_MOST_LINES if self.left > 0 else 2) // 2
        kept = lines if len(lines) <= 2 * ends else [*lines[:ends], *lines[-ends:]]
        self.left -= len(kept) - 1
        return kept


def unwrap_json(text: str, rules: Rules) -> tuple[str, Mapping[str, Any]] | None:
    """The message in a line that is one JSON object, and ``rank``, ``node``, ``stamp``, ``level``, ``kernel`` of it.

    A traceback that stands beside the message is put behind it.
    """
    stripped = text.strip()
    if not stripped.startswith("{") or not stripped.endswith("}"):
        return None
    if stripped.count("{") + stripped.count("[") > _MOST_BRACKETS:
        return None
    try:
        data = json.loads(stripped, parse_constant=_refuse)
    except ValueError:
        return None
    message = _text(data, rules.data["json_text"])
    if message is None:
        return None
    trace = _text(data, rules.data["json_trace"])
    if trace and trace not in message:
        message = message.rstrip("\n") + "\n" + trace
    known = {
        "rank": _rank(data, rules.data["json_rank"]),
        "node": _text(data, rules.data["json_node"]) or _pod(data),
        "stamp": _text(data, rules.data["json_date"]),
        "level": rules.data["levels"].get((_text(data, rules.data["json_level"]) or "").upper()),
        "kernel": _text(data, rules.data["json_unit"]) == "kernel" or None,
    }
    return _SURROGATES.sub("\ufffd", message), {key: value for key, value in known.items() if value is not None}


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _text(data: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The value of the first key that holds a text."""
    return next((data[key] for key in keys if isinstance(data.get(key), str)), None)


def _rank(data: Mapping[str, Any], keys: Sequence[str]) -> int | None:
    """The value of the first key that holds a whole number; JavaScript cannot tell ``3.0`` from ``3``."""
    for key in keys:
        value = data.get(key)
        if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
            return int(value) if not isinstance(value, bool) and 0 <= value < 1_000_000 else None
    return None


def _pod(data: Mapping[str, Any]) -> str | None:
    kubernetes = data.get("kubernetes")
    name = kubernetes.get("pod_name") if isinstance(kubernetes, dict) else None
    return name if isinstance(name, str) else None
