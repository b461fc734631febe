"""Change words at places of a file, and leave the rest to the letter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from faultbook.reader import KeyPath, Source


def replaced_at(source: Source, paths: Iterable[KeyPath], old: str, new: str) -> str:
    """The text with one word put for another at the values of these paths, quoted or not."""
    lines = source.text.splitlines(keepends=True)
    for place in sorted({source.locate(path) for path in paths}, reverse=True):
        line = lines[place.line - 1]
        start = place.column - 1 + (line[place.column - 1] in "\"'")
        if line.startswith(old, start):
            lines[place.line - 1] = line[:start] + new + line[start + len(old) :]
    return "".join(lines)


def with_alias(source: Source, text: str, alias: str) -> str:
    """The text of an entry with one alias more; ``source`` is the entry, ``text`` the same with its lines in place."""
    lines = text.splitlines(keepends=True)
    aliases = (source.data or {}).get("aliases")
    key = source.locate(("aliases",) if aliases is not None else ("tags",), key=True).line - 1
    if aliases is None:
        while key and lines[key - 1].startswith("#"):
            key -= 1
        return "".join([*lines[:key], f"aliases: [{alias}]\n", *lines[key:]])
    value = source.locate(("aliases",))
    if not aliases or lines[value.line - 1][value.column - 1] == "[":
        at = sum(map(len, lines[: value.line - 1])) + value.column - 1
        end = text.index("]", at)
        inner = text[at + 1 : end].rstrip().rstrip(",")
        return f"{text[: at + 1]}{inner}{', ' if inner.strip() else ''}{alias}{text[end:]}"
    last = source.locate(("aliases", len(aliases) - 1)).line
    indent = re.match(r"\s*", lines[last - 1])
    return "".join([*lines[:last], f"{indent[0] if indent else ''}- {alias}\n", *lines[last:]])
