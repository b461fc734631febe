"""Carry out a change of several files: tried on a copy first, and taken back if a write fails."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from faultbook.checks import run_checks
from faultbook.corpus import load_corpus
from faultbook.edit.files import replace_file
from faultbook.links import build_links
from faultbook.project import Project
from faultbook.violations import Violation


def new_violations(
    project: Project, texts: Mapping[Path, str], moves: Mapping[Path, Path], before: list[Violation]
) -> list[Violation]:
    """The violations that a change would bring, found on a copy of the entries; places are those of the copy."""
    with tempfile.TemporaryDirectory(prefix="faultbook-") as name:
        root = Path(name).resolve()
        copies = {folder.resolve(): root / f"entries{number or ''}" for number, folder in enumerate(project.entries)}
        for folder, copy in copies.items():
            shutil.copytree(folder, copy)
        scripts = project.root.resolve() / "reproductions"
        if scripts.is_dir():
            copies[scripts] = root / "reproductions"
            copies[scripts].mkdir()
            for script in scripts.iterdir():
                (copies[scripts] / script.name).symlink_to(script)
        inside = {path: _within(path, copies) for path in {*texts, *moves, *moves.values()}}
        apply({inside[path]: text for path, text in texts.items()}, {inside[a]: inside[b] for a, b in moves.items()})
        corpus, found = load_corpus([copies[folder.resolve()] for folder in project.entries], root)
        after = [*found, *run_checks(corpus, build_links(corpus), root=root)]
    known = Counter(violation.code for violation in before)
    seen: Counter[str] = Counter()
    added = []
    for violation in after:
        seen[violation.code] += 1
        if seen[violation.code] > known[violation.code]:
            added.append(violation)
    return added


def _within(path: Path, copies: Mapping[Path, Path]) -> Path:
    path = path.absolute()
    folder = next(folder for folder in copies if path.parent.resolve().is_relative_to(folder))
    return copies[folder] / (path.parent.resolve() / path.name).relative_to(folder)


def apply(texts: Mapping[Path, str], moves: Mapping[Path, Path]) -> None:
    """Write files and move them; ``texts`` names each by the path that it has before the moves.

    Raises:
        OSError: something could not be written; what was done before is taken back.
    """
    undo: list[Callable[[], object]] = []
    try:
        for path, text in texts.items():
            before = path.read_bytes()
            replace_file(path, text.encode("utf-8"))
            undo.append(lambda path=path, before=before: replace_file(path, before))  # type: ignore[misc]
        for source, target in moves.items():
            source.rename(target)
            undo.append(lambda source=source, target=target: target.rename(source))  # type: ignore[misc]
    except OSError:
        for step in reversed(undo):
            step()
        raise
