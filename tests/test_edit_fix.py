"""`check --fix`: what is certain is mended, everything else stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import check_written, write_corpus, write_example
from click.testing import Result
from commands import faultbook
from faultbook.checks import CHECKS
from faultbook.edit.fix import MENDERS
from faultbook.violations import format_violation

GONE = 'status: withdrawn\nwithdrawn: {date: "2026-11-30", reason: It is another.}\n'
CERTAIN = {
    "alias-taken": "aliases: [shm-exhausted, dev-shm-full, dev-shm-full] # names\n",
    "superfluous-key": "search_keys: [one more key, Unexpected bus error, docker shm-size]\n",
    "superseded-by": f"{GONE}superseded_by: too-many-open-files\n",
}
"""What is certain, where the example of the check shows something that is not."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mkdocs.yml").write_text("site_name: Ours\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str) -> Result:
    return faultbook("check", *arguments)


@pytest.mark.parametrize("code", sorted(MENDERS))
def test_what_a_check_finds_is_mended(project: Path, code: str) -> None:
    example = next(rule.failing for rule in CHECKS if rule.code == code)
    if code in CERTAIN:
        others = {"host/open-files-limit.yaml": "aliases: [too-many-open-files]\n"}
        entries = write_corpus(project, {"data/shm-exhausted.yaml": CERTAIN[code], **others})
    else:
        entries = write_example(project, example)
    before = [violation for violation in check_written(entries) if violation.code == code]
    assert before
    result = check("--fix")
    assert result.stderr.count(f"[{code}]") == len(before)
    assert [format_violation(violation) for violation in check_written(entries)] == []
    assert result.exit_code == 0


UNCERTAIN = "tags: [dataloader, shared-memry]\nreviewed: null\nrelated:\n  - {entry: shm-exausted, relation: causes}\n"


def test_what_asks_for_a_decision_is_left(project: Path) -> None:
    entries = write_corpus(project, {"data/shm-exhausted.yaml": UNCERTAIN})
    file = entries / "data" / "shm-exhausted.yaml"
    before = file.read_bytes()
    result = check("--fix")
    assert result.exit_code == 1
    assert "mended" not in result.stderr
    assert file.read_bytes() == before


def test_a_remedy_that_would_bring_another_violation_is_not_taken(project: Path) -> None:
    keys = "search_keys: [Unexpected bus error, docker shm-size]\n"
    entries = write_corpus(project, {"data/shm-exhausted.yaml": keys})
    file = entries / "data" / "shm-exhausted.yaml"
    before = file.read_bytes()
    result = check("--fix")
    assert (result.exit_code, file.read_bytes()) == (1, before)
    assert "[superfluous-key]" in result.stdout


def test_comments_and_other_links_stay(project: Path) -> None:
    text = (
        "# About the entry.\nsearch_keys: [one more key, Unexpected bus error, docker shm-size] # keys\n"
        "perspectives:\n  lead: See [[too-many-open-files|that]], [[too-many-open-files]] and "
        "`[[too-many-open-files]]`.\n"
    )
    files = {"data/shm-exhausted.yaml": text, "host/open-files-limit.yaml": "aliases: [too-many-open-files]\n"}
    entries = write_corpus(project, files)
    assert check("--fix").exit_code == 0
    after = (entries / "data" / "shm-exhausted.yaml").read_text("utf-8")
    assert after.startswith("# About the entry.\n")
    assert "search_keys: [one more key, docker shm-size] # keys\n" in after
    assert "See [[open-files-limit|that]], [[open-files-limit]] and `[[too-many-open-files]]`." in " ".join(
        after.split()
    )


def test_only_the_named_files_are_mended(project: Path) -> None:
    text = "search_keys: [one more key, Unexpected bus error, docker shm-size]\n"
    entries = write_corpus(project, {"data/shm-exhausted.yaml": text, "host/open-files-limit.yaml": ""})
    assert check("--fix", str(entries / "host")).exit_code == 0
    assert text in (entries / "data" / "shm-exhausted.yaml").read_text("utf-8")
