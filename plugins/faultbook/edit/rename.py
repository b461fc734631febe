"""Rename an entry: its file, its logs, its script, and every place that names it; the old slug stays as an alias."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.edit.fmt import format_source
from faultbook.edit.places import replaced_at, with_alias
from faultbook.edit.tree import UnreadableTree
from faultbook.project import Project
from faultbook.reader import MAX_BYTES, KeyPath, Source, parse_source
from faultbook.scaffold.skeleton import refusal
from faultbook.schema import Entry, Kind, text_fields
from faultbook.violations import did_you_mean


class Refused(ValueError):
    """The entry is not renamed; the message says why."""


@dataclass(frozen=True)
class Renaming:
    """What is to be done, all of it worked out before anything is written."""

    texts: Mapping[Path, str]
    """The new text of each file that changes, by the path that it has now."""
    moves: Mapping[Path, Path]
    """Where files and directories go."""


def plan_rename(corpus: Corpus, project: Project, old: str, new: str) -> Renaming:
    """Work out what a new slug changes; nothing is written.

    Raises:
        Refused: it cannot be done, or it is not clear what would be right.
    """
    record = corpus.records.get(old)
    if record is None:
        owner = corpus.aliases().get(old)
        hint = f"; it is an alias of '{owner}'" if owner else did_you_mean(old, corpus.records)
        raise Refused(f"there is no entry '{old}'{hint}")
    if corpus.unreadable or corpus.incomplete:
        raise Refused("some files cannot be read, and could name the entry; mend what 'faultbook check' says first")
    if reason := refusal(corpus, record.category, new):
        raise Refused(reason)
    if new in corpus.wanted:
        raise Refused(f"'{new}' is on the list of wanted entries; remove it from _wanted.yaml if this is that entry")
    moves = dict(_moves(record, project, old, new))
    for target in moves.values():
        if target.exists() or target.is_symlink():
            raise Refused(f"'{target}' exists already; move it away")
    texts = {path: text for path, text in _texts(corpus, record, old, new) if text is not None}
    return Renaming(texts, moves)


def _moves(record: Record, project: Project, old: str, new: str) -> Iterator[tuple[Path, Path]]:
    path = record.source.path
    yield path, path.with_name(f"{new}.yaml")
    for name in sorted({sample.file for sample in record.entry.samples if sample.file}):
        if name.startswith(f"logs/{old}-"):
            yield path.parent / name, path.parent / _new_log(name, old, new)
    script = project.root / "reproductions" / old
    if script.is_dir():
        yield script, script.with_name(new)


def _new_log(name: str, old: str, new: str) -> str:
    return f"logs/{new}-{name.removeprefix(f'logs/{old}-')}" if name.startswith(f"logs/{old}-") else name


def _texts(corpus: Corpus, record: Record, old: str, new: str) -> Iterator[tuple[Path, str | None]]:
    for other in corpus.records.values():
        source = _read_again(other.source)
        yield source.path, _entry_text(other, source, old, new, own=other is record)
    for name, slugs in (("_featured.yaml", corpus.featured), ("_released.yaml", corpus.released)):
        source_of_list = corpus.vocabulary.get(name)
        if source_of_list is not None and old in slugs:
            yield source_of_list.path, _list_text(_read_again(source_of_list), old, new, keep=name == "_released.yaml")
    runs = corpus.vocabulary.get("_reproduced.yaml")
    if runs is not None and old in corpus.reproduced:
        yield runs.path, re.sub(rf"^{re.escape(old)}:$", f"{new}:", runs.text, flags=re.MULTILINE)


def _read_again(source: Source) -> Source:
    """The source with its data, which a corpus does not keep."""
    again, _ = parse_source(source.text, source.path, source.shown)
    if again is None:
        raise Refused(f"'{source.shown}' changed while it was read; try again")
    return again


def _entry_text(record: Record, source: Source, old: str, new: str, *, own: bool) -> str | None:
    """The new text of an entry; nothing if it stays."""
    paths = [path for path, slug in _fields(record.entry) if slug == old]
    text = replaced_at(source, paths, old, new)
    text = re.sub(rf"\[\[{re.escape(old)}(?=\]\]|\|)", f"[[{new}", text)
    wanted = _renamed(source.data, record.entry, old, new)
    if own:
        text = with_alias(source, text, old)
        text = text.replace(f"logs/{old}-", f"logs/{new}-").replace(f"reproductions/{old}/", f"reproductions/{new}/")
        wanted = _own(wanted, old, new)
    if text == source.text:
        return None
    again, violations = parse_source(text, source.path, source.shown)
    if again is None or violations or json.dumps(again.data, sort_keys=True) != json.dumps(wanted, sort_keys=True):
        raise Refused(
            f"'{source.shown}' names '{old}' where it is not clear whether the entry is meant; edit it by hand"
        )
    return _formatted(source, again)


def _formatted(before: Source, after: Source) -> str:
    """The text in the canonical form if it was in it before; a longer slug may need another fold."""
    try:
        return format_source(after) if format_source(before) == before.text else after.text
    except UnreadableTree:
        return after.text


def _fields(entry: Entry) -> Iterator[tuple[KeyPath, str | None]]:
    """Every field that names another entry."""
    yield ("superseded_by",), entry.superseded_by
    for name in ("tell_apart", "related"):
        for i, item in enumerate(getattr(entry, name)):
            yield (name, i, "entry"), item.entry
    for i, sample in enumerate(entry.samples):
        yield ("samples", i, "belongs_to"), sample.belongs_to


def _renamed(data: Any, entry: Entry, old: str, new: str) -> Any:
    """The data with the new slug in the fields that name entries, and in the links of prose."""
    data = json.loads(json.dumps(data))
    for path, slug in _fields(entry):
        if slug == old:
            _set(data, path, new)
    link = re.compile(rf"\[\[{re.escape(old)}(?=\]\]|\|)")
    for path, text, _, _ in text_fields(entry, Kind.PROSE):
        if link.search(text):
            _set(data, path, link.sub(f"[[{new}", _get(data, path)))
    return data


def _own(data: Any, old: str, new: str) -> Any:
    """The data of the entry itself with its alias, and with its logs and its script in their new places."""
    data["aliases"] = [*(data.get("aliases") or []), old]
    for sample in data.get("samples") or []:
        if "file" in sample:
            sample["file"] = _new_log(sample["file"], old, new)
    reproduction = (data.get("evidence") or {}).get("reproduction")
    if reproduction:
        reproduction["path"] = reproduction["path"].replace(f"reproductions/{old}/", f"reproductions/{new}/")
    return data


def _get(data: Any, path: KeyPath) -> Any:
    for step in path:
        data = data[step]
    return data


def _set(data: Any, path: KeyPath, value: str) -> None:
    _get(data, path[:-1])[path[-1]] = value


def _list_text(source: Source, old: str, new: str, *, keep: bool) -> str:
    """A list with the new slug in place of the old one, or behind it."""
    position = source.data.index(old)
    if not keep:
        return replaced_at(source, [(position,)], old, new)
    lines = source.text.splitlines(keepends=True)
    line = source.locate((position,)).line - 1
    return "".join([*lines[: line + 1], lines[line].rstrip("\r\n").replace(old, new) + "\n", *lines[line + 1 :]])


_MENTIONING = (".md", ".py", ".js", ".yaml", ".yml", ".html", ".toml", ".txt")
_MOST_MENTIONS = 20


def mentions(project: Project, old: str) -> list[str]:
    """Places of the project outside of its entries that name a slug, as ``path:line``."""
    word = re.compile(rf"(?<![0-9a-z-]){re.escape(old)}(?![0-9a-z-])")
    entries = [folder.resolve() for folder in project.entries]
    found: list[str] = []
    for folder, folders, names in os.walk(project.root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _NOT_OURS and (here / name).resolve() not in entries
        )
        for path in (here / name for name in sorted(names) if name.endswith(_MENTIONING)):
            lines = path.read_text("utf-8", "replace").split("\n") if path.stat().st_size < MAX_BYTES else []
            shown = path.relative_to(project.root)
            found += [f"{shown}:{number}" for number, line in enumerate(lines, 1) if word.search(line)]
            if len(found) >= _MOST_MENTIONS:
                return found[:_MOST_MENTIONS]
    return found


_NOT_OURS = frozenset(("node_modules", "site", "__pycache__"))
