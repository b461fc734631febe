"""The cache of the compiled corpus: what it saves, and that it never shows what is no longer true."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, OTHER, write_corpus
from faultbook.engine import cache
from faultbook.engine.cache import cache_folder, load_compiled
from faultbook.project import Project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project((write_corpus(tmp_path, {MAIN: "", OTHER: ""}),), tmp_path)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Callable[[Project], tuple[dict[str, Any], bool]]:
    """Loads a project and says whether its entries were compiled for that."""
    calls: list[Project] = []
    compile_ = cache._compile
    monkeypatch.setattr(cache, "_compile", lambda project: calls.append(project) or compile_(project))

    def load(project: Project) -> tuple[dict[str, Any], bool]:
        calls.clear()
        return load_compiled(project), bool(calls)

    return load


def slugs(found: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in found["index"]["entries"]]


def test_second_time_comes_from_the_file(folder: Path, project: Project, compiled: Any) -> None:
    first, second = compiled(project), compiled(project)
    assert (first[1], second[1]) == (True, False)
    assert first[0] == second[0]
    assert sorted(first[0]) == ["cards", "index", "search", "violations"]


@pytest.mark.parametrize("change", ["edit", "touch", "add", "remove", "vocabulary"])
def test_any_change_of_the_entries_is_seen(folder: Path, project: Project, compiled: Any, change: str) -> None:
    compiled(project)
    entries = project.entries[0]
    if change == "edit":
        text = (entries / MAIN).read_text("utf-8")
        (entries / MAIN).write_text(text.replace("status: published", "status: draft    "), "utf-8")
    elif change == "touch":
        os.utime(entries / MAIN, ns=(1, 1))
    elif change == "add":
        (entries / "data/other-name.yaml").write_text((entries / MAIN).read_text("utf-8"), "utf-8")
    elif change == "remove":
        (entries / OTHER).unlink()
    else:
        (entries / "_tags.yaml").write_text((entries / "_tags.yaml").read_text("utf-8") + "\n", "utf-8")
    found, anew = compiled(project)
    assert anew
    assert ("shm-exhausted" in slugs(found)) == (change != "edit")
    assert ("open-files-limit" in slugs(found)) == (change != "remove")
    assert ("other-name" in slugs(found)) == (change == "add")


@pytest.mark.parametrize("damage", [b"", b"garbage", b"faultbook 00000000\n[]\n{}"])
def test_damaged_file_is_ignored_and_replaced(folder: Path, project: Project, compiled: Any, damage: bytes) -> None:
    whole, _ = compiled(project)
    (file,) = folder.glob("*.json")
    file.write_bytes(damage)
    assert compiled(project) == (whole, True)
    assert compiled(project) == (whole, False)


def test_file_with_one_changed_byte_is_ignored(folder: Path, project: Project, compiled: Any) -> None:
    whole, _ = compiled(project)
    (file,) = folder.glob("*.json")
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    assert compiled(project) == (whole, True)


def test_folder_that_cannot_be_made_means_no_cache(
    tmp_path: Path, project: Project, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path / "file" / "below"))
    assert compiled(project)[1]
    assert compiled(project)[1]


def test_full_disk_leaves_nothing_behind(
    folder: Path, project: Project, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert slugs(compiled(project)[0]) == ["open-files-limit", "shm-exhausted"]
    assert list(folder.iterdir()) == []


def test_empty_setting_means_no_cache(project: Project, compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTBOOK_CACHE", "")
    assert compiled(project)[1]
    assert compiled(project)[1]


def test_entries_that_cannot_be_read_are_told_each_time(folder: Path, project: Project, compiled: Any) -> None:
    (project.entries[0] / MAIN).write_text("title: [\n", "utf-8")
    for _ in range(2):
        found, anew = compiled(project)
        assert anew
        assert slugs(found) == ["open-files-limit"]
        assert [line.split(": ")[1] for line in found["violations"]] == ["error[yaml]"]


def test_two_projects_keep_their_own(folder: Path, tmp_path: Path, project: Project, compiled: Any) -> None:
    other = Project((write_corpus(tmp_path / "other", {MAIN: ""}),), tmp_path)
    both = Project((*project.entries, tmp_path / "none"), tmp_path)
    assert [slugs(compiled(each)[0]) for each in (project, other)] == [
        ["open-files-limit", "shm-exhausted"],
        ["shm-exhausted"],
    ]
    assert [compiled(each)[1] for each in (project, other)] == [False, False]
    assert compiled(both)[1]


def test_old_files_are_removed(folder: Path, project: Project, compiled: Any) -> None:
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:08x}.json").write_text("")
        os.utime(folder / f"{number:08x}.json", (number, number))
    compiled(project)
    assert len(list(folder.iterdir())) == 8
    assert not compiled(project)[1]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"FAULTBOOK_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/h"}, Path("/b/faultbook")),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, Path("/h/.cache/faultbook")),
        ({"HOME": "/h"}, Path("/h/.cache/faultbook")),
    ],
)
def test_place_of_the_files(variables: dict[str, str], expected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAULTBOOK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == expected


def test_nothing_that_reads_entries_is_imported_when_the_file_is_there(folder: Path, project: Project) -> None:
    load_compiled(project)
    code = (
        "import sys\nfrom pathlib import Path\nfrom faultbook.engine.cache import load_compiled\n"
        "from faultbook.project import Project\n"
        f"load_compiled(Project((Path({str(project.entries[0])!r}),), Path('.')))\n"
        "print(sorted({'pydantic', 'yaml', 'click', 'jinja2', 'markdown_it'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
