"""Comparisons of ``only_if``: between what a template captured and constants."""

from __future__ import annotations

import re
from collections.abc import Mapping

Operand = tuple[str, str]
"""``["capture", name]`` or ``["constant", value]``."""
Comparison = tuple[Operand, str, Operand, str]
"""``[left, operator, right, reading]``; the reading says what both sides are: ``number``, ``version`` or ``text``."""

_SIZE = re.compile(r"([+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,4})?) ?([A-Za-z]{1,5})?")
_VERSION = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,6}")
_UNITS = {"": 1, "b": 1, "byte": 1, "bytes": 1}
for _power, _letter in enumerate("kmgtp", 1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power}


def holds(comparison: Comparison, captures: Mapping[str, str]) -> bool:
    """Whether a comparison holds; a value that is missing or cannot be read makes it fail."""
    left, operator, right, reading = comparison
    values = [_value(side, captures) for side in (left, right)]
    if values[0] is None or values[1] is None:
        return False
    if reading == "text":
        return {"==": values[0] == values[1], "!=": values[0] != values[1]}.get(str(operator), False)
    read = _number if reading == "number" else _version
    readings = read(values[0]), read(values[1])
    return None not in readings and _ordered(readings[0], str(operator), readings[1])


def _value(side: Operand, captures: Mapping[str, str]) -> str | None:
    kind, value = side
    return captures.get(value) if kind == "capture" else value


def _ordered(left: object, operator: str, right: object) -> bool:
    order: int = (left > right) - (left < right)  # type: ignore[operator]
    return {
        "==": order == 0,
        "!=": order != 0,
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
    }[operator]


def _number(text: str) -> float | None:
    """A number or a size in bytes."""
    found = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get((found[2] or "").lower()) if found else None
    return float(found[1]) * unit if found and unit else None


def _version(text: str) -> tuple[int, ...] | None:
    """The release numbers of a version without its local part and without trailing zeros, which PEP 440 ignores."""
    found = _VERSION.fullmatch(text.strip().split("+")[0])
    if not found:
        return None
    numbers = [int(number) for number in found[0].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
