"""An encyclopedia of one's own, before it leaves the checkout; from the wheel it is tested in `test_packaging`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import faultbook
from faultbook import __version__
from faultbook.cli import main
from faultbook.edit.fmt import format_file
from faultbook.export import entry_schema
from sites import Project, mkdocs_build, read_yaml

REFUSED = "sbatch: error: queue gpu takes no job without --time, at most 24 hours\n"


def test_every_file_is_written_and_named(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "ours"
    result = faultbook("init", target)
    assert result.exit_code == 0
    written = {str(path) for path in target.rglob("*") if path.is_file()}
    *lines, last = result.stdout.splitlines()
    assert {line.removeprefix("wrote ") for line in lines} == written
    assert last == f"next: 'cd {target}', then 'faultbook check' and 'mkdocs serve'"
    names = {Path(path).relative_to(target).as_posix() for path in written}
    assert names >= {"mkdocs.yml", ".gitignore", ".github/workflows/site.yml", "README.md", "entries/_tags.yaml"}
    assert (target / "requirements.txt").read_text("utf-8") == f"faultbook=={__version__}\n"
    assert json.loads((target / "entries/_schema.json").read_text("utf-8")) == entry_schema()
    texts = [Path(path).read_text("utf-8") for path in written]
    assert not [text for text in texts if "@ENTRIES@" in text or "@VERSION@" in text]


@pytest.mark.parametrize("options", [(), ("--with-public",)], ids=["alone", "with public"])
def test_what_is_begun_is_sound_and_becomes_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    target = tmp_path / "ours"
    assert faultbook("init", target, *options).exit_code == 0
    monkeypatch.chdir(target)
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path / "cache"))
    assert faultbook("check").stderr == ""
    Path("train.log").write_text(REFUSED)
    answer = json.loads(faultbook("diagnose", "train.log", "--format", "json").stdout)
    assert [found["entry"] for found in answer["findings"]] == ["submit-without-time-limit"]
    assert (faultbook("show", "master-port-in-use").exit_code == 0) == bool(options)
    for path in Path("entries").glob("*/*.yaml"):
        assert not format_file(path, Path.cwd()).changed
    result = mkdocs_build(target / "mkdocs.yml", strict=True)
    assert (result.code, result.output) == (0, "")
    assert Project(target).page("entries/submit-without-time-limit/").one("h1").text
    assert (target / "site/entries/master-port-in-use/index.html").is_file() == bool(options)


def test_commands_of_its_readme_exist(tmp_path: Path) -> None:
    faultbook("init", tmp_path / "ours")
    text = (tmp_path / "ours/README.md").read_text("utf-8")
    commands = {line.split()[1] for line in text.splitlines() if line.startswith(".venv/bin/faultbook ")}
    assert {"check", "diagnose", "new"} <= commands <= set(main.commands)
    assert read_yaml(tmp_path / "ours/mkdocs.yml")["plugins"] == [{"faultbook": {"entries": ["entries"]}}]


def test_a_directory_that_holds_something_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    result = faultbook("init", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"'{tmp_path}' is not empty; name a new directory\n"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    assert faultbook("init", tmp_path).exit_code == 0


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert faultbook("init", tmp_path / "file").exit_code == 64
