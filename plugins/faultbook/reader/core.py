"""The types of the YAML 1.2 core schema, in which ``no`` and ``2026-11-30`` are text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from yaml.composer import Composer
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.resolver import BaseResolver

_PREFIX = "tag:yaml.org,2002:"


class CoreLoader(CParser, Composer, BaseResolver):
    """Composes nodes with the types of the core schema."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        BaseResolver.__init__(self)


def _core_type(name: str, pattern: str, first: str) -> None:
    CoreLoader.add_implicit_resolver(_PREFIX + name, re.compile(pattern), list(first))


# The expressions of section 10.3.2 of the YAML 1.2.2 specification.
_core_type("null", r"^(?:null|Null|NULL|~)$", "nN~")
CoreLoader.add_implicit_resolver(f"{_PREFIX}null", re.compile(r"^$"), [""])
_core_type("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF")
_core_type("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789")
_core_type("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")
_core_type("float", r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", "-+.")


def _int(text: str) -> int:
    # Python refuses to convert very long numbers from and to text, and no field takes one.
    return int(text[:400], 0 if text[:2] in ("0x", "0o") else 10)


_VALUES: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": _int,
    "float": lambda text: float(re.sub(r"\.(?=[inIN])", "", text)),
    "str": lambda text: text,
}


def scalar_value(tag: str, text: str) -> Any:
    """The value of a scalar whose tag was resolved from its text."""
    return _VALUES[tag.removeprefix(_PREFIX)](text)
