"""Find out which entries and templates are meant: of the project around the working directory, or the packaged ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).parent


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
