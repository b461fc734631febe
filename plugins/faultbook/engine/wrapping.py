"""Lines that a collector wrapped in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from faultbook.engine.rules import Rules

_SURROGATES = re.compile("[\ud800-\udfff]")
_MOST_BRACKETS = 200


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
