"""A renamed entry: all that names it follows, nothing else changes, and nothing is half-done."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import check_written, entry_yaml, write_corpus
from click.testing import Result
from commands import faultbook
from faultbook.edit import apply as applying
from faultbook.edit.fmt import format_file
from faultbook.violations import format_violation

OLD, NEW = "shm-exhausted", "dev-shm-too-small"
OTHER = """\
# A comment that stays.
related:
  - {entry: "shm-exhausted", relation: looks-like} # and this one
tell_apart:
  - {entry: shm-exhausted, short: Names SIGBUS, how: "There the worker dies, see [[shm-exhausted|that page]]."}
perspectives:
  on_call: See [[shm-exhausted]], not [[shm-exhausted-elsewhere]].
samples:
  - {expect: match, origin: reproduced, log: "OSError: [Errno 24] Too many open files"}
  - expect: no-match
    origin: reproduced
    belongs_to: shm-exhausted
    log: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory
"""
OWN = """\
tell_apart:
  - {entry: open-files-limit, short: Counts files, how: "There the error says Too many open files."}
samples:
  - expect: match
    origin: reproduced
    file: logs/shm-exhausted-worker.log
  - {expect: no-match, origin: reproduced, log: Killed}
evidence:
  level: reproduced
  reproduction:
    path: reproductions/shm-exhausted/reproduce.py
    shows: A worker that fills a small tmpfs
mechanism: |
  The main process and its workers share batches through files in /dev/shm. A worker that writes to a page which the
  file system cannot supply gets SIGBUS, because a store to memory has no return value. Containers get 64 MB of it by
  default. [@docs] [@reproduction]
"""
RUN = """\
{slug}:
  ran: "2026-12-01"
  script: "7c085a7fac69082f"
  kernel: Linux 6.18
  python: 3.11.7
  packages: {{}}
  cases:
    full: {{failed: true, mended: true, diagnosed: true}}
"""
LOG = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory\n"


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which one entry names another one wherever it can."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Ours\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    wanted = "shm-exhausted-elsewhere:\n  title: Another of the same kind\n  category: host\n"
    files = {
        f"data/{OLD}.yaml": OWN,
        f"data/logs/{OLD}-worker.log": LOG,
        f"data/logs/{OLD}-elsewhere-worker.log": LOG,
        "host/open-files-limit.yaml": OTHER,
        "_wanted.yaml": wanted,
        "_featured.yaml": f"- open-files-limit\n- {OLD} # first of all\n",
        "_reproduced.yaml": RUN.format(slug=OLD),
        "_released.yaml": f"# For ever.\n- {OLD}\n- open-files-limit\n",
    }
    entries = write_corpus(tmp_path, files)
    script = tmp_path / "reproductions" / OLD / "reproduce.py"
    script.parent.mkdir(parents=True)
    script.write_text("raise SystemExit(77)\n", "utf-8")
    (tmp_path / "README.md").write_text(f"First\nSee {OLD}, not {OLD}-elsewhere.\n", "utf-8")
    assert [format_violation(violation) for violation in check_written(entries)] == []
    return entries


def rename(old: str = OLD, new: str = NEW) -> Result:
    return faultbook("rename", old, new)


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_all_that_names_an_entry_follows_it(entries: Path) -> None:
    before = (entries / "host" / "open-files-limit.yaml").read_text("utf-8")
    result = rename()
    assert (result.exit_code, result.stderr) == (0, "")
    assert [format_violation(violation) for violation in check_written(entries)] == []
    after = (entries / "host" / "open-files-limit.yaml").read_text("utf-8")
    expected = before.replace(OLD, NEW).replace(f"{NEW}-elsewhere", f"{OLD}-elsewhere")
    assert after == expected
    own = (entries / "data" / f"{NEW}.yaml").read_text("utf-8")
    assert f"aliases: [{OLD}]\ntags:" in own
    assert f"file: logs/{NEW}-worker.log" in own
    assert f"path: reproductions/{NEW}/reproduce.py" in own
    assert (entries / "_featured.yaml").read_text("utf-8") == f"- open-files-limit\n- {NEW} # first of all\n"
    assert (entries / "_reproduced.yaml").read_text("utf-8") == RUN.format(slug=NEW)
    assert (entries / "_released.yaml").read_text("utf-8") == f"# For ever.\n- {OLD}\n- {NEW}\n- open-files-limit\n"
    logs = sorted(path.name for path in (entries / "data" / "logs").iterdir())
    assert logs == [f"{NEW}-worker.log", f"{OLD}-elsewhere-worker.log"]
    assert [path.name for path in (entries.parent / "reproductions").iterdir()] == [NEW]
    assert f"README.md:2: still names '{OLD}'; see whether it should\n" in result.stdout


def test_a_formatted_entry_is_formatted_afterwards(entries: Path) -> None:
    for path in (entries / "data" / f"{OLD}.yaml", entries / "host" / "open-files-limit.yaml"):
        path.write_bytes(format_file(path, entries).new)
    assert rename(new="a-name-that-is-so-long-that-other-folds-are-needed-for-it").exit_code == 0
    for path in (*(entries / "data").glob("*.yaml"), *(entries / "host").glob("*.yaml")):
        assert not format_file(path, entries).changed


@pytest.mark.parametrize(
    ("aliases", "after"),
    [
        ("aliases: [one, two]\n", f"aliases: [one, two, {OLD}]\n"),
        ("aliases: [\n  one,\n]\n", f"aliases: [\n  one, {OLD}]\n"),
        ("aliases: []\n", f"aliases: [{OLD}]\n"),
        ("aliases:\n  - one # a\n  - two\n", f"aliases:\n  - one # a\n  - two\n  - {OLD}\n"),
    ],
)
def test_an_alias_joins_those_that_are_there(entries: Path, aliases: str, after: str) -> None:
    path = entries / "data" / f"{OLD}.yaml"
    path.write_text(aliases + path.read_text("utf-8").replace("aliases: []\n", ""), "utf-8")
    assert rename().exit_code == 0
    assert (entries / "data" / f"{NEW}.yaml").read_text("utf-8").startswith(after)


def test_the_place_of_a_withdrawn_entry_is_taken_by_the_new_name(entries: Path) -> None:
    gone = 'status: withdrawn\nwithdrawn: {date: "2026-11-30", reason: It was the same.}\n'
    path = entries / "host" / "gone.yaml"
    path.write_text(entry_yaml(f"{gone}superseded_by: '{OLD}'\n", path="host/gone.yaml"), "utf-8")
    assert rename().exit_code == 0
    assert f"superseded_by: '{NEW}'\n" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shm-exausted", NEW, "there is no entry 'shm-exausted' (did you mean 'shm-exhausted'?)"),
        (OLD, "open-files-limit", "the entry 'open-files-limit' exists; edit entries/host/open-files-limit.yaml"),
        (OLD, "Shm", "'Shm' is no slug; use 2 to 60 small letters, digits and single hyphens"),
        (OLD, "shm-exhausted-elsewhere", "'shm-exhausted-elsewhere' is wanted in the category 'host'"),
    ],
)
def test_what_is_unclear_is_refused(entries: Path, old: str, new: str, message: str) -> None:
    before = snapshot(entries.parent)
    result = rename(old, new)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(message)
    assert snapshot(entries.parent) == before


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (
            "host/open-files-limit.yaml",
            "monitoring: [{name: '[[shm-exhausted]]', expr: up, severity: info}]\n",
            "where it is not clear whether",
        ),
        ("host/broken.yaml", "title: a: b\n", "some files cannot be read, and could name the entry"),
        (f"data/logs/{NEW}-worker.log", "x\n", "exists already; move it away"),
        (f"data/{NEW}.yml", "", "some files cannot be read, and could name the entry"),
    ],
)
def test_nothing_is_changed_where_a_file_stands_in_the_way(entries: Path, file: str, line: str, message: str) -> None:
    path = entries / file
    kept = path.read_text("utf-8") if path.exists() else ""
    path.write_text(line + kept, "utf-8")
    before = snapshot(entries.parent)
    result = rename()
    assert result.exit_code == 1
    assert message in result.stderr
    assert snapshot(entries.parent) == before


def test_a_slug_that_would_bring_violations_changes_nothing(entries: Path) -> None:
    path = entries / "data" / f"{OLD}.yaml"
    names = ", ".join(f"name-{number}" for number in range(20))
    path.write_text(f"aliases: [{names}]\n" + path.read_text("utf-8"), "utf-8")
    before = snapshot(entries.parent)
    result = rename()
    assert result.exit_code == 1
    assert "aliases" in result.stdout
    assert "nothing was changed" in result.stderr
    assert snapshot(entries.parent) == before


def test_a_write_that_fails_is_taken_back(entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {entries / "_featured.yaml": "- a\n", entries / "_released.yaml": "- b\n"}
    moves = {entries / "data": entries / "moved", entries / "missing": entries / "nowhere"}
    before = snapshot(entries.parent)
    with pytest.raises(FileNotFoundError):
        applying.apply(texts, moves)
    assert snapshot(entries.parent) == before


def test_packaged_entries_are_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = rename()
    assert result.exit_code == 64
    assert "the packaged entries are not changed" in result.stderr
