"""The compiled corpus for the command line, from a file if nothing changed, since compiling takes longest of all.

Nothing here imports what reads entries unless they have to be compiled.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faultbook import __version__
from faultbook.project import Project

_KEPT = 8
"""Files that are kept, one for each corpus that was used of late."""
_PACKAGE = Path(__file__).parents[1]
_ENTRIES = (".yaml", ".yml")
_SOURCES = (".py", ".json", ".bin")


def load_compiled(project: Project) -> dict[str, Any]:
    """What `compile_index` makes of a project, with ``violations``: a line for each entry that cannot be read."""
    folder = cache_folder()
    if folder is None:
        return _compile(project)
    state = _state(project)
    file = folder / f"{zlib.crc32(os.fsencode(os.pathsep.join(map(os.path.abspath, project.entries)))):08x}.json"
    if found := _read(file, state):
        return found
    compiled = _compile(project)
    # Messages name files relative to the working directory, so they hold for this call only.
    if not compiled["violations"]:
        _write(file, state, compiled)
    return compiled


def cache_folder() -> Path | None:
    """Where files are kept: ``FAULTBOOK_CACHE``, else a folder in the user's cache; none if there is no home."""
    if (given := os.environ.get("FAULTBOOK_CACHE")) is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "faultbook"
    except RuntimeError:
        return None


def _compile(project: Project) -> dict[str, Any]:
    from faultbook.corpus import load_corpus
    from faultbook.engine.compiler import compile_index
    from faultbook.violations import format_violation

    corpus, violations = load_corpus(project.entries, Path.cwd())
    return {**compile_index(corpus), "violations": [format_violation(violation) for violation in violations]}


def _state(project: Project) -> bytes:
    """What the compiled corpus depends on: the package, and each file that an entry may lie in."""
    folders = [(str(_PACKAGE), _SOURCES), *((os.path.abspath(path), _ENTRIES) for path in project.entries)]
    rows = [[folder, sorted(_files(folder, suffixes))] for folder, suffixes in folders]
    return json.dumps([__version__, rows], separators=(",", ":")).encode()


def _files(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """The path, size and time of the last change of files; what cannot be looked at counts as absent."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for item in found:
            if item.is_dir(follow_symlinks=False):
                yield from _files(item.path, suffixes)
            elif item.name.endswith(suffixes):
                status = item.stat()
                yield item.path, status.st_size, status.st_mtime_ns


def _read(file: Path, state: bytes) -> dict[str, Any] | None:
    """The content of a file of the cache, if it is whole and was made from the same state."""
    try:
        head, _, rest = file.read_bytes().partition(b"\n")
        if head != _head(rest) or not rest.startswith(state + b"\n"):
            return None
        compiled: dict[str, Any] = json.loads(rest[len(state) :])
    except (OSError, ValueError):
        return None
    return compiled


def _head(rest: bytes) -> bytes:
    return b"faultbook %08x" % zlib.crc32(rest)


def _write(file: Path, state: bytes, compiled: dict[str, Any]) -> None:
    """Put the file in its place in one step, and remove old ones; where that is not allowed, there is no cache."""
    rest = state + b"\n" + json.dumps(compiled, separators=(",", ":")).encode()
    beside = file.with_name(f".{file.name}-{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            beside.write_bytes(_head(rest) + b"\n" + rest)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
        old = sorted(file.parent.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)[_KEPT:]
        for path in old:
            path.unlink(missing_ok=True)
