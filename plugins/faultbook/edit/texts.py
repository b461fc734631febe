"""How a text is written in YAML: plain, quoted, folded or as it stands."""

from __future__ import annotations

import re

from faultbook.edit.tree import Node
from faultbook.scaffold.spelling import STANDS, quoted

WIDTH = 120
"""No line is longer, unless it holds something that cannot be broken."""

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
        and STANDS.fullmatch(value) is not None
        and not _OTHER_TYPE.fullmatch(value)
        and not re.search(r": |:$| #|[ ]$", value)
        and not (flow and re.search(r"[\[\]{},]|:", value))
    )


def folded(node: Node, indent: int) -> list[str] | None:
    """A text folded at the width, the sign that begins it first; nothing if it cannot be so.

    Folds of the author stay if they need no more lines, so that a changed word does not move all others.
    """
    value = node.value
    body = value.removesuffix("\n")
    paragraphs = body.split("\n")
    if not body or not STANDS.fullmatch(value) or not paragraphs[0] or not paragraphs[-1]:
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
