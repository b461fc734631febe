"""The grammar of templates: literal text and placeholders such as ``<int>`` or ``<int:rank>``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

TYPES = {
    "int": "a whole number, with or without a minus",
    "num": "a number with sign, point or exponent, or nan, inf",
    "hex": "hexadecimal digits, with or without 0x",
    "ip": "an IPv4 or IPv6 address, with or without brackets and zone",
    "port": "a port, 1 to 65535",
    "host": "a host name or address",
    "addr": "an address with brackets, colon and port in any form",
    "path": "a file path without blanks",
    "word": "a word of letters, digits and underscores",
    "name": "a name with dots, slashes, colons, hyphens, plus or at signs",
    "tok": "anything without blanks",
    "str": "anything up to the next quotation mark",
    "size": "a number with its unit, such as 20.00 MiB",
    "shape": "a shape such as [3, 4], (3, 4) or torch.Size([3, 4])",
    "ver": "a version such as 2.13.0",
    "*": "anything within the line",
}
"""The placeholders, with what each stands for."""

_PLACEHOLDER = re.compile(r"\\<|<(?P<type>[A-Za-z]{1,12}|\*)(?::(?P<name>[A-Za-z_]{1,40}))?>")


@dataclass(frozen=True)
class Placeholder:
    """A part of a template that varies."""

    type: str
    name: str | None = None

    def __str__(self) -> str:
        return f"<{self.type}:{self.name}>" if self.name else f"<{self.type}>"


Part = str | Placeholder


@dataclass(frozen=True)
class Template:
    """A parsed template: literal texts and placeholders in turn, runs of blanks folded, outer gaps dropped.

    Templates are equal if their parts are, however they were written.
    """

    text: str = field(compare=False)
    parts: tuple[Part, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names that its placeholders give to what they match."""
        return frozenset(part.name for part in self.parts if isinstance(part, Placeholder) and part.name)

    @property
    def literals(self) -> tuple[str, ...]:
        """The literal texts in order."""
        return tuple(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Fault:
    """Something wrong with a template or a comparison: the rule that it breaks, and how to mend it."""

    code: str
    message: str


# The checks, the index of signatures and several pages ask for the same ones, one entry or all of them after the other.
@lru_cache(maxsize=8192)
def parse_template(text: str) -> Template:
    """The template that a text stands for; any text is one, faults of form are found by `form_faults`.

    ``<type>`` and ``<type:name>`` are placeholders if the type is known, any other ``<…>`` is literal, and ``\\<`` is a
    literal ``<``.
    """
    parts: list[Part] = []
    at = 0
    for found in _PLACEHOLDER.finditer(text):
        if found[0] == "\\<":
            _add_literal(parts, text[at : found.start()] + "<")
        elif found["type"] in TYPES:
            _add_literal(parts, text[at : found.start()])
            parts.append(_placeholder(found["type"], found["name"]))
        else:
            continue
        at = found.end()
    _add_literal(parts, text[at:])
    return Template(text, _trimmed(parts))


_placeholder = lru_cache(maxsize=1024)(Placeholder)
_GAP = _placeholder("*", None)
_BLANKS = re.compile(r"[ \t\r\n]+")


def _add_literal(parts: list[Part], text: str) -> None:
    text = _BLANKS.sub(" ", text)
    if not text:
        return
    if parts and isinstance(last := parts[-1], str):
        parts[-1] = last + text
    else:
        parts.append(text)


def _trimmed(parts: list[Part]) -> tuple[Part, ...]:
    """The parts without gaps and blanks at either end, which match anywhere anyhow."""
    trimmed = list(parts)
    for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while trimmed:
            part = trimmed[end]
            rest = strip(part) if isinstance(part, str) else part
            if rest == "" or rest == _GAP:
                trimmed.pop(end)
                continue
            trimmed[end] = rest
            break
    return tuple(trimmed)


def format_template(template: Template) -> str:
    """The template as text again: parsing the result gives an equal template."""
    return "".join(_escape(part) if isinstance(part, str) else str(part) for part in template.parts)


def _escape(literal: str) -> str:
    """The literal with a backslash before each ``<`` that would start a placeholder, and before ``\\<``."""
    known = "|".join(re.escape(name) for name in TYPES)
    return re.sub(rf"\\<|<(?=(?:{known})(?::[A-Za-z_]{{1,40}})?>)", r"\\\g<0>", literal)
