"""How a text is spelled in YAML: between quotes, or as it stands in a block of lines."""

from __future__ import annotations

import json
import re

# What stands in YAML as it is; everything else is an escape within double quotes.
STANDS = re.compile(r"[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")


def quoted(value: str) -> str:
    """A text between double quotes, or between single ones if that saves escapes."""
    if re.search(r"[\"\\]", value) and re.fullmatch(r"[^'\n\t]*", value) and STANDS.fullmatch(value):
        return f"'{value}'"
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if STANDS.fullmatch(char) else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def literal(value: str, indent: int) -> list[str] | None:
    """A text of several lines as it stands, the sign that begins it first; nothing if it cannot be so."""
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    if not body.strip(" \t\n") or ends > 1 or not STANDS.fullmatch(value):
        return None
    lines = body.split("\n")
    # Where the text does not show how far the block is indented, a digit says it.
    digit = "2" if not lines[0].strip() or lines[0][0] == " " else ""
    return [f"|{digit}{'' if ends else '-'}", *(f"{' ' * indent}{line}" if line else "" for line in lines)]
