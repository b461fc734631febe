"""Find out which entries and templates are meant: of the project around the working directory, or the packaged ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_PACKAGE = Path(__file__).parent
# YAML is not read here, so that `diagnose` starts without its library.
_ENTRIES = re.compile(r"^[ \t]+entries:[ \t]*\[(?P<names>[^\]\n]*)\]", re.MULTILINE)


@dataclass(frozen=True)
class Project:
    """The directories of entries, and the directory to which paths in entries are relative."""

    entries: tuple[Path, ...]
    root: Path


def find_project(directories: Sequence[Path] = (), start: Path | None = None) -> Project:
    """The project of the given directories; without any, of the nearest ``mkdocs.yml`` upward, else the packaged."""
    start = start or Path.cwd()
    root = next((folder for folder in (start, *start.parents) if (folder / "mkdocs.yml").is_file()), None)
    if directories:
        return Project(tuple(directories), root or start)
    if root is not None and (root / "entries").is_dir():
        return Project((root / "entries",), root)
    return Project((default_entries(),), default_entries().parent)


def reading_project(directories: Sequence[Path] = (), start: Path | None = None) -> Project:
    """The same project with every directory that its ``mkdocs.yml`` names in ``entries: [...]``, to read from.

    What writes takes `find_project`, which never means the packaged entries beside others.
    """
    project = find_project(directories, start)
    settings = project.root / "mkdocs.yml"
    if directories or not settings.is_file():
        return project
    text = settings.read_text("utf-8", "replace")
    found = _ENTRIES.search(text) if "faultbook:" in text else None
    names = [name.strip(" \t\"'") for name in found["names"].split(",")] if found else []
    places = tuple(default_entries() if name == "packaged" else project.root / name for name in names if name)
    return replace(project, entries=places) if places else project


def default_entries() -> Path:
    """The entries that come with the package: beside it in a checkout, within it in a wheel."""
    return _default("entries")


def default_templates() -> Path:
    """The templates that come with the package: beside it in a checkout, within it in a wheel."""
    return _default("templates")


def _default(name: str) -> Path:
    # An editable install also leaves a stale copy in site-packages; the checkout's own folder is the true one there.
    packaged = _PACKAGE / name
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / name
