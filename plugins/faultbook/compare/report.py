"""A comparison as Markdown for reviewers, where nothing that a contributor wrote becomes markup."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from faultbook.blocks.markdown import code
from faultbook.violations import shorten

Row = Mapping[str, Any]
_MOST = 40
_VERDICTS = {"unknown": "no cause", "no-failure": "no failure found"}


def comparison_text(found: Mapping[str, Any]) -> str:
    """The report on a comparison; a section that would be empty is left out."""
    counts = found["entries"]
    lines = [
        "# What this change does to the corpus",
        "",
        f"Entries: {counts['before']} before, {counts['after']} after.",
    ]
    for title, name, shown in _SECTIONS:
        lines += _section(title, found[name], shown)
    for name, words in found["vocabulary"].items():
        rows = [f"{verb} {code(word)}" for verb in ("added", "removed") for word in words[verb]]
        lines += _section(f"Changed in _{name}.yaml".replace("_", "\\_", 1), rows, str)
    if len(lines) == 3:
        lines += ["", "Nothing that the pages, the search or a diagnosis rest on changes."]
    return "\n".join(lines) + "\n"


def _section(title: str, rows: Sequence[Any], shown: Callable[[Any], str]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", f"## {title}: {len(rows)}", "")
    yield from (f"- {shown(row)}" for row in rows[:_MOST])
    if len(rows) > _MOST:
        yield f"- and {len(rows) - _MOST} more"


def _entry(row: Row) -> str:
    return f"{code(row['category'] + '/' + row['id'])} ({row['status']}): {code(shorten(row['title'], 80))}"


def _removed(row: Row) -> str:
    return f"{_entry(row)}; " + (f"its slug leads to {code(row['now'])}" if row["now"] else "**its address is dead**")


def _changed(row: Row) -> str:
    was = row["was"]
    parts = [f"**{name} was {code(was[name])}**" for name in ("category", "status") if was[name] != row[name]]
    if fields := [name for name in row["fields"] if name != "status"]:
        parts.append("changed " + ", ".join(map(code, fields)))
    return f"{_entry(row)}; " + "; ".join(parts)


def _sample(row: Row) -> str:
    before, after = (_answer(row[side]) for side in ("before", "after"))
    return f"of {code(row['entry'])}: {before} before, {after} now: {code(shorten(row['line'], 120))}"


def _answer(answer: Row) -> str:
    first = code(answer["entry"]) if answer["entry"] else ""
    words = _VERDICTS.get(answer["verdict"], "")
    return f"{words}, {first} first" if words and first else words or first


def _violation(row: Row) -> str:
    return f"{code(row['path'] + ':' + str(row['line']))} {code(row['code'])}: {code(shorten(row['message'], 300))}"


_SECTIONS: tuple[tuple[str, str, Callable[[Row], str]], ...] = (
    ("Files that cannot be read", "unreadable", _violation),
    ("Entries added", "added", _entry),
    ("Entries removed", "removed", _removed),
    ("Entries changed", "changed", _changed),
    ("Samples of published entries that are answered otherwise", "samples", _sample),
    ("New links that lead nowhere", "dead_links", _violation),
)
