"""The types of the YAML 1.2 core schema, in which ``no`` and ``2026-11-30`` are text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from yaml.composer import Composer
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.nodes import ScalarNode, SequenceNode
from yaml.resolver import BaseResolver

_PREFIX = "tag:yaml.org,2002:"
STR = f"{_PREFIX}str"
"""The tag of text."""


class CoreLoader(CParser, Composer, BaseResolver):
    """Composes nodes with the types of the core schema."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        BaseResolver.__init__(self)

    # The parser calls these three for each node. The types of this schema follow from the text alone, not from the way
    # to it, and those of the base class look for that as well.
    def resolve(self, kind: type, value: str | None, implicit: Any) -> Any:
        """The tag of a node that has none."""
        if kind is ScalarNode and value is not None:
            for tag, form in self.yaml_implicit_resolvers.get(value[:1], ()) if implicit[0] else ():
                if form.match(value):
                    return tag
            return STR
        return f"{_PREFIX}seq" if kind is SequenceNode else f"{_PREFIX}map"

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """Nothing to note on the way down."""

    def ascend_resolver(self) -> None:
        """Nor on the way up."""


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
