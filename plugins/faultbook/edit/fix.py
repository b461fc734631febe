"""Mend the violations that a machine can mend for certain: what is superfluous goes, and an alias becomes its slug.

Everything else asks for a decision, also where a message names the likely remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from faultbook.corpus import Corpus
from faultbook.edit.emit import emit
from faultbook.edit.places import replaced_at
from faultbook.edit.tree import Node, UnreadableTree, read_tree
from faultbook.reader import KeyPath, Source, parse_source
from faultbook.scaffold.skeleton import without_key
from faultbook.schema import Entry, Kind, text_fields
from faultbook.violations import Location, Violation

_ALIAS = re.compile(r"'(?P<old>[a-z0-9-]+)' is an alias; write '(?P<new>[a-z0-9-]+)'$")


def _superfluous(source: Source, paths: Sequence[KeyPath], violation: Violation) -> str | None:
    return without_parts(source, [paths[0]]) if paths else None


def _alias_of_itself(source: Source, paths: Sequence[KeyPath], violation: Violation) -> str | None:
    own = violation.message.endswith(("is the slug of this entry; remove the alias", "stands here twice; remove one"))
    return _superfluous(source, paths, violation) if own else None


def _alias_for_slug(source: Source, paths: Sequence[KeyPath], violation: Violation) -> str | None:
    found = _ALIAS.search(violation.message)
    if not found:
        return None
    old, new = found["old"], found["new"]
    if text := _replaced_link(source, violation.location, old, new):
        return text
    return replaced_at(source, paths, old, new)


def _replaced_link(source: Source, place: Location, old: str, new: str) -> str | None:
    """The text with the link that stands at a place leading to another entry."""
    lines = source.text.splitlines(keepends=True)
    line, start = lines[place.line - 1], place.column - 1
    if not line.startswith(f"[[{old}", start):
        return None
    lines[place.line - 1] = f"{line[:start]}[[{new}{line[start + 2 + len(old) :]}"
    return "".join(lines)


def _written(source: Source, paths: Sequence[KeyPath], violation: Violation) -> str | None:
    return without_key(source, str(paths[0][0])) if paths else None


Mender = Callable[[Source, Sequence[KeyPath], Violation], str | None]
MENDERS: Mapping[str, Mender] = {
    "alias-link": _alias_for_slug,
    "alias-taken": _alias_of_itself,
    "duplicate-value": _superfluous,
    "superfluous-key": _superfluous,
    "superseded-by": _alias_for_slug,
    "wanted-exists": _written,
    "within-unused": _superfluous,
    "wrapper-role": _superfluous,
}
"""How to mend a violation, by its code; some of a code may be none that can be mended for certain."""


def mended(corpus: Corpus, violations: Sequence[Violation]) -> Iterator[tuple[Violation, Path, str]]:
    """Each violation that can be mended, with the file and its new text if this one alone is mended."""
    sources = {record.source.shown: record.source for record in corpus.records.values()}
    sources |= {source.shown: source for source in corpus.vocabulary.values()}
    for violation in violations:
        mender, source = MENDERS.get(violation.code), sources.get(violation.location.path)
        if mender is None or source is None:
            continue
        again, _ = parse_source(source.text, source.path, source.shown)
        if again is None:
            continue
        try:
            text = mender(again, _paths_at(again, violation.location), violation)
        except UnreadableTree:
            continue
        if text is not None and text != source.text:
            yield violation, source.path, text


def _paths_at(source: Source, place: Location) -> list[KeyPath]:
    """The ways to what stands at a place, the outermost first."""
    return [
        path for path in _all_paths(source.data, ()) if place in (source.locate(path), source.locate(path, key=True))
    ]


def _all_paths(data: object, path: KeyPath) -> Iterator[KeyPath]:
    if path:
        yield path
    items: Sequence[tuple[str | int, object]] = ()
    if isinstance(data, dict):
        items = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data))
    for name, value in items:
        yield from _all_paths(value, (*path, name))


def without_parts(source: Source, paths: Sequence[KeyPath]) -> str:
    """The canonical text of an entry without these parts; their comments go with them."""
    tree = read_tree(re.sub(r"\r\n?", "\n", source.text))
    entry = Entry.model_validate(source.data)
    prose = {found.path for found in text_fields(entry, Kind.PROSE)}
    for path in paths:
        _remove(tree.root, path)
    return emit(tree, prose)


def _remove(node: Node, path: KeyPath) -> None:
    for step in path[:-1]:
        node = next(item.value for item in node.items if item.name == step)
    node.items[:] = [item for item in node.items if item.name != path[-1]]
