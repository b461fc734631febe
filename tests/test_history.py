"""What git knows of the entries, in repositories of every kind, and nothing where there is none."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date
from pathlib import Path

import pytest
from faultbook import history
from faultbook.corpus import Corpus, load_corpus
from faultbook.export.past import Past
from faultbook.history import build_day, parse_log, read_history
from sites import CORPUS, copy_corpus, new_project, snapshot

PORT = "launch/rendezvous-port-taken.yaml"
GPU = "gpu/gpu-fell-off-the-bus.yaml"


class Repository:
    """A repository with the small corpus, in which each commit has a given day and author."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entries = copy_corpus(root / "entries")
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, day: int = 1, author: str = "Ada") -> None:
        stamp = f"2026-10-{day:02d}T12:00:00+02:00"
        names = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", author), ("EMAIL", f"{author.lower()}@example.org"), ("DATE", stamp))
        }
        environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *arguments], cwd=self.root, env=environment, check=True, capture_output=True)

    def commit(self, day: int, author: str = "Ada") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Change", day=day, author=author)

    def touch(self, path: str) -> None:
        with (self.entries / path).open("a", encoding="utf-8") as file:
            file.write("# A remark.\n")

    def history(self) -> dict[str, Past]:
        return dict(read_history([self.entries], corpus_of(self.entries)))


def corpus_of(entries: Path) -> Corpus:
    corpus, _ = load_corpus([entries], entries.parent)
    return corpus


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def day(number: int) -> str:
    return f"2026-10-{number:02d}T10:00:00Z"


def test_an_entry_has_its_first_and_last_day_and_its_contributors(repository: Repository) -> None:
    repository.commit(1)
    for number, author in ((2, "Grace"), (3, "Linus"), (4, "Grace")):
        repository.touch(PORT)
        repository.commit(number, author)
    found = repository.history()
    assert found["rendezvous-port-taken"] == Past(day(1), day(4), ("Grace", "Ada", "Linus"))
    assert found["gpu-fell-off-the-bus"] == Past(day(1), day(1), ("Ada",))
    assert list(found) == sorted(corpus_of(CORPUS).records)


def test_one_call_reads_all_entries(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1)
    calls: list[list[str]] = []
    run = subprocess.run

    def counted(command: list[str], **options: object) -> object:
        calls.append(command)
        return run(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(history.subprocess, "run", counted)
    assert repository.history()
    assert [command[command.index("log") :][0] for command in calls if "log" in command] == ["log"]
    assert len(calls) == 2
    assert not [option for command in calls for option in command if "shell" in option]


def test_a_renamed_file_keeps_its_past(repository: Repository) -> None:
    repository.commit(1)
    repository.touch(PORT)
    repository.commit(2, "Grace")
    (repository.entries / PORT).rename(repository.entries / "launch/port-of-rendezvous-taken.yaml")
    repository.commit(3, "Linus")
    assert repository.history()["port-of-rendezvous-taken"] == Past(day(1), day(3), ("Ada", "Grace", "Linus"))
    assert "rendezvous-port-taken" not in repository.history()


def test_names_are_those_of_the_mailmap(repository: Repository) -> None:
    repository.commit(1)
    (repository.root / ".mailmap").write_text("Ada Lovelace <ada@example.org>\n", "utf-8")
    assert repository.history()["gpu-fell-off-the-bus"].contributors == ("Ada Lovelace",)


def test_a_file_that_git_does_not_know_has_no_past(repository: Repository) -> None:
    untracked = (repository.entries / GPU).read_bytes()
    (repository.entries / GPU).unlink()
    repository.commit(1)
    (repository.entries / GPU).write_bytes(untracked)
    assert "gpu-fell-off-the-bus" not in repository.history()
    assert "rendezvous-port-taken" in repository.history()


def test_a_shallow_clone_says_only_what_it_saw(repository: Repository, tmp_path: Path) -> None:
    repository.commit(1)
    repository.touch(PORT)
    repository.commit(2, "Grace")
    repository.touch(PORT)
    repository.commit(3, "Linus")
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(shallow))
    found = read_history([shallow / "entries"], corpus_of(shallow / "entries"))
    assert dict(found) == {"rendezvous-port-taken": Past(None, day(3), ("Linus",))}


def test_without_a_repository_there_is_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = copy_corpus(tmp_path / "entries")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert read_history([entries], corpus_of(entries)) == {}


def test_a_repository_without_commits_has_no_history(repository: Repository) -> None:
    assert repository.history() == {}


def test_without_git_there_is_no_history(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1)
    monkeypatch.setenv("PATH", str(repository.root))
    assert repository.history() == {}


def test_a_history_that_takes_too_long_counts_as_none(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(1)
    slow = repository.root / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec /bin/sleep 60\n", "utf-8")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(slow))
    monkeypatch.setattr(history, "SECONDS", 0.2)
    assert repository.history() == {}


def test_entries_below_a_folder_of_a_larger_repository_are_found(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    repository = Repository(tmp_path / "sub")
    (tmp_path / "sub/.git").rename(tmp_path / ".git")
    repository.git("-C", str(tmp_path), "add", "-A")
    repository.git("-C", str(tmp_path), "commit", "-q", "-m", "All", day=5)
    assert repository.history()["rendezvous-port-taken"].changed == day(5)


def test_odd_output_is_passed_over() -> None:
    slugs = {"a/b.yaml": "b"}
    assert parse_log("", slugs) == {}
    assert parse_log("\x1enonsense\n\x1e12\x1f\x1f\nM\ta/b.yaml\nwhat\n\tR\t\n", slugs) == {
        "b": Past("1970-01-01T00:00:12Z", "1970-01-01T00:00:12Z")
    }
    assert parse_log("\x1e12\x1fp\x1fA\x1eB\nM\ta/b.yaml\n", slugs) == {}


def test_the_day_of_the_build_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert build_day() == date(2026, 1, 1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert build_day() >= date(2026, 11, 1)


def test_a_site_shows_its_history_and_one_commit_gives_one_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new_project(tmp_path / "project")
    repository = Repository.__new__(Repository)
    repository.root, repository.entries = project.root, project.entries
    repository.git("init", "-q", "-b", "main")
    repository.commit(1)
    repository.touch(GPU)
    repository.commit(9, "Grace")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")
    result = project.build()
    assert (result.code, result.output) == (0, "")
    page = project.page("entries/gpu-fell-off-the-bus/")
    history = {row.one("dt").text: row.one("dd").text for row in page.section("history").one("dl", "fb-rel").all("div")}
    assert (history["added"], history["changed"]) == ("2026-10-01", "2026-10-09")
    assert history["contributors"] == "Ada, Grace"
    rows = json.loads((project.site / "api/v1/changes.json").read_text("utf-8"))["changes"]
    assert (rows[0]["id"], rows[0]["added"], rows[0]["changed"]) == (
        "gpu-fell-off-the-bus",
        "2026-10-01",
        "2026-10-09",
    )
    assert project.page("changes/").one("h1").text == "Recently changed"
    first = snapshot(project.site)
    assert project.build().code == 0
    assert snapshot(project.site) == first
