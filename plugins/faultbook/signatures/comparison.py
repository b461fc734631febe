"""Comparisons of ``only_if``: a capture or a constant on each side, as in ``port != 0`` or ``reserved > 2 GiB``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from faultbook.signatures.template import Fault

_FORM = re.compile(r"\s*(?P<left>'[^'\n]*'|\"[^\"\n]*\"|.+?)\s*(?P<operator>==|!=|<=|>=|<|>)\s*(?P<right>.+?)\s*")
_NAME = re.compile(r"[A-Za-z_]{1,40}")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:\s*(?:[KMGTP]i?B|bytes|B))?")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){1,6}")
_TEXT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")


@dataclass(frozen=True)
class Operand:
    """One side of a comparison: the name of a capture, or a constant number, size, version or quoted text."""

    kind: str
    value: str


@dataclass(frozen=True)
class Comparison:
    """A comparison that must hold for a match."""

    left: Operand
    operator: str
    right: Operand

    @property
    def names(self) -> frozenset[str]:
        """The captures that it uses."""
        return frozenset(side.value for side in (self.left, self.right) if side.kind == "capture")


def parse_comparison(text: str) -> Comparison | Fault:
    """The comparison that a text stands for, or what is wrong with it."""
    found = _FORM.fullmatch(text)
    if not found:
        return Fault("comparison", f"'{text}' is no comparison; write it as 'port != 0' with one of == != < <= > >=")
    left, right = _operand(found["left"]), _operand(found["right"])
    if left is None or right is None:
        shown = found["left"] if left is None else found["right"]
        message = f"'{shown}' is neither the name of a placeholder nor a number, size, version or quoted text"
        return Fault("comparison", message)
    if left.kind != "capture" and right.kind != "capture":
        return Fault("comparison", f"'{text}' compares two constants; name a placeholder on one side")
    return Comparison(left, found["operator"], right)


def _operand(text: str) -> Operand | None:
    if quoted := _TEXT.fullmatch(text):
        return Operand("text", quoted[1] if quoted[1] is not None else quoted[2])
    for kind, form in (("capture", _NAME), ("version", _VERSION), ("number", _NUMBER)):
        if form.fullmatch(text):
            return Operand("number" if kind == "version" and text.count(".") == 1 else kind, text)
    return None
