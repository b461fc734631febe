"""How a text is written in YAML: plain, quoted, folded or as it stands."""

from __future__ import annotations

import json
import re

from faultbook.edit.tree import Node

WIDTH = 120
"""No line is longer, unless it holds something that cannot be broken."""

# What stands in YAML as it is; everything else is an escape within double quotes.
_STANDS = re.compile(r"[\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_PLAIN = re.compile(r"[0-9A-Za-z/][^\n\t]*")
# Readers of YAML 1.1 take these for a truth, a number, a date or a time, so that quotes help everybody.
_OTHER_TYPE = re.compile(
    r"(?i:true|false|yes|no|on|off|null|y|n)|[0-9][0-9_.,:eExXoOa-fA-F+-]*|\.[0-9]+|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
)


def spelled(node: Node, *, flow: bool) -> str:
    """A text on one line, in the style in which its author wrote it as far as that goes."""
    if node.style in ("|", ">") or "\n" in node.raw:
        return node.value if may_be_plain(node.value, flow=flow) else quoted(node.value)
    if node.style == "'" and not re.search(r"[\"\\]", node.value):
        return quoted(node.value)
    return node.raw


def may_be_plain(value: str, *, flow: bool = False) -> bool:
    """Whether a text needs no quotes, for whatever reader of YAML."""
    return (
        _PLAIN.fullmatch(value) is not None
        and _STANDS.fullmatch(value) is not None
        and not _OTHER_TYPE.fullmatch(value)
        and not re.search(r": |:$| #|[ ]$", value)
        and not (flow and re.search(r"[\[\]{},]|:", value))
    )


def quoted(value: str) -> str:
    """A text between double quotes, or between single ones if that saves escapes."""
    if re.search(r"[\"\\]", value) and re.fullmatch(r"[^'\n\t]*", value) and _STANDS.fullmatch(value):
        return f"'{value}'"
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if _STANDS.fullmatch(char) else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def literal(value: str, indent: int) -> list[str] | None:
    """A text of several lines as it stands, the sign that begins it first; nothing if it cannot be so."""
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    if not body.strip(" \t\n") or ends > 1 or not _STANDS.fullmatch(value):
        return None
    lines = body.split("\n")
    # Where the text does not show how far the block is indented, a digit says it.
    digit = "2" if not lines[0].strip() or lines[0][0] == " " else ""
    return [f"|{digit}{'' if ends else '-'}", *(f"{' ' * indent}{line}" if line else "" for line in lines)]


def folded(node: Node, indent: int) -> list[str] | None:
    """A text folded at the width, the sign that begins it first; nothing if it cannot be so.

    Folds of the author stay if they need no more lines, so that a changed word does not move all others.
    """
    value = node.value
    body = value.removesuffix("\n")
    paragraphs = body.split("\n")
    if not body or not _STANDS.fullmatch(value) or not paragraphs[0] or not paragraphs[-1]:
        return None
    if any(text != text.strip(" ") or "\t" in text for text in paragraphs):
        return None
    lines = [">" if body != value else ">-"]
    for number, text in enumerate(paragraphs):
        if number:
            lines.append("")
        if text:
            lines += [" " * indent + line for line in _wrapped(text, WIDTH - indent)]
    own = [line.strip() for line in node.raw.rstrip().split("\n")[1:]] if node.style == ">" else []
    kept = [" " * indent + line for line in own]
    fit = len(own) < len(lines) and all(len(line) <= WIDTH for line in kept)
    return [lines[0], *kept] if fit and " ".join(own) == body else lines


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines; a line ends only at a single blank, which is what a fold stands for."""
    lines: list[str] = []
    line = ""
    for word in re.split(r"(?<! ) (?! )", text):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
