"""Drafts: templates from lines, drafts from answers, and the skeleton of a new entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import write_corpus
from click.testing import CliRunner, Result
from faultbook.checks import run_checks
from faultbook.cli import main
from faultbook.corpus import Corpus, load_corpus
from faultbook.edit.fmt import format_file
from faultbook.engine.compiler import compile_index, load_rules
from faultbook.engine.diagnose import diagnose
from faultbook.engine.index import Index
from faultbook.engine.read import Input
from faultbook.engine.rules import Rules
from faultbook.links import build_links
from faultbook.scaffold.draft import Vocabulary, draft_text
from faultbook.scaffold.templating import fits, template_of
from faultbook.schema import Entry
from faultbook.signatures import form_faults, parse_template
from faultbook.violations import format_violation
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
VECTORS = json.loads((ROOT / "tests" / "vectors" / "draft.json").read_text("utf-8"))
RULES = Rules(load_rules())
SKELETON = set(re.findall("^# ([a-z_]+):", (ROOT / "templates/new-entry.yaml").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("vector", VECTORS["templates"], ids=lambda vector: str(vector["line"])[:40])
def test_what_varies_in_a_line_becomes_a_placeholder(vector: dict[str, str | None]) -> None:
    line, template = str(vector["line"]), vector["template"]
    assert template_of(line, RULES) == template
    assert template is None or fits(template, line)


@pytest.mark.parametrize("vector", VECTORS["drafts"], ids=lambda vector: str(vector["name"]))
def test_an_answer_becomes_a_draft(vector: dict[str, Any]) -> None:
    text = draft_text(vector["answer"], VECTORS["titles"], RULES, Vocabulary(VECTORS["tags"]))
    assert (text.split("\n") if text else None) == vector["text"]


@given(st.text(st.one_of(st.sampled_from("<>\\ .:/'\"[](){}=0123456789abcdefx-•"), st.characters()), max_size=400))
@settings(max_examples=300, deadline=None)
def test_a_template_of_any_line_keeps_the_rules_of_form(line: str) -> None:
    template = template_of(line, RULES)
    assert template is None or (list(form_faults(parse_template(template))) == [] and len(template) <= 400)


def logs() -> Iterator[str]:
    """The logs of failures that the tests and the entries of this repository hold."""
    for name in ("attribute", "diagnose"):
        for vector in json.loads((ROOT / "tests" / "vectors" / f"{name}.json").read_text("utf-8"))["vectors"]:
            given_as = vector.get("input")
            if isinstance(given_as, list):
                yield "".join(f"{line}\n" for line in given_as)
            elif isinstance(given_as, str):
                yield given_as
    corpus, _ = load_corpus([ROOT / "entries"])
    for record in corpus.records.values():
        yield from (sample.log for sample in record.entry.samples if sample.log)


def test_drafts_of_many_logs_are_clean_as_drafts(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {"data/shm-exhausted.yaml": "", "host/open-files-limit.yaml": ""})
    corpus, _ = load_corpus([entries])
    index = Index.load(compile_index(corpus)["index"], compile_index(corpus)["search"])
    known = Vocabulary({name: tag.group for name, tag in corpus.tags.items()})
    made = 0
    for number, log in enumerate(logs()):
        answer = diagnose([Input("log", [log.encode("utf-8", "replace")])], index).answer
        if text := draft_text(answer, {}, RULES, known):
            made += 1
            file = entries / "host" / f"draft-{number}.yaml"
            file.write_text(text, "utf-8")
            assert not format_file(file, tmp_path).changed
    assert made > 60
    assert [format_violation(violation) for violation in checked(entries)] == []


def checked(entries: Path) -> list[Any]:
    corpus, violations = load_corpus([entries], entries.parent)
    return [*violations, *run_checks(corpus, build_links(corpus), root=entries.parent)]


def faultbook(*arguments: object, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin, prog_name="faultbook")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two entries, and the working directory in it."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Ours\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    wanted = "_wanted.yaml", "# Most wanted first.\nswap-full:\n  title: 'Swap: it is full'\n  category: host\n"
    files = {"data/shm-exhausted.yaml": "aliases: [dev-shm-full]\n", "host/open-files-limit.yaml": ""}
    return write_corpus(tmp_path, {**files, wanted[0]: wanted[1], "_released.yaml": "- shm-exhausted\n"})


def loaded(entries: Path) -> Corpus:
    return load_corpus([entries])[0]


def test_a_new_entry_is_clean_as_a_draft(entries: Path) -> None:
    result = faultbook("new", "host/inodes-used-up")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("wrote entries/host/inodes-used-up.yaml\nnext: ")
    assert [format_violation(violation) for violation in checked(entries)] == []
    text = (entries / "host" / "inodes-used-up.yaml").read_text("utf-8")
    assert not format_file(entries / "host" / "inodes-used-up.yaml", entries).changed
    assert text.count("\n# ") > 40, "the skeleton explains the other fields"


def test_a_wanted_entry_gets_its_title_and_leaves_the_list(entries: Path) -> None:
    result = faultbook("new", "host/swap-full")
    assert "removed 'swap-full' from entries/_wanted.yaml\n" in result.stdout
    assert loaded(entries).records["swap-full"].entry.title == "Swap: it is full"
    assert "swap-full" not in loaded(entries).wanted
    assert (entries / "_wanted.yaml").read_text("utf-8").startswith("# Most wanted first.\n")
    assert checked(entries) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hots/swap", "'hots' is no category (did you mean 'host'?); a new one is added to _categories.yaml first"),
        ("host/Swap", "'Swap' is no slug; use 2 to 60 small letters, digits and single hyphens"),
        ("host/open-files-limit", "the entry 'open-files-limit' exists; edit entries/host/open-files-limit.yaml"),
        (
            "host/dev-shm-full",
            "'dev-shm-full' is an alias of 'shm-exhausted', and slugs are never used again; choose another name",
        ),
        ("data/swap-full", "'swap-full' is wanted in the category 'host'; write 'host/swap-full'"),
    ],
)
def test_a_name_that_may_not_be_taken_is_refused(entries: Path, name: str, message: str) -> None:
    before = sorted(entries.rglob("*"))
    result = faultbook("new", name)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{message}\n")
    assert sorted(entries.rglob("*")) == before


def test_a_released_slug_is_never_used_again(entries: Path) -> None:
    (entries / "_released.yaml").write_text("- shm-exhausted\n- gone-entry\n", "utf-8")
    assert "'gone-entry' was public before" in faultbook("new", "host/gone-entry").stderr


@pytest.mark.parametrize("name", ["host", "host/a/b"])
def test_a_name_of_another_form_is_a_wrong_call(entries: Path, name: str) -> None:
    assert faultbook("new", name).exit_code == 64


LOG = (
    "step 1\nTraceback (most recent call last):\nRuntimeError: swap file /mnt/a/swap is full, token=abcdef0123456789\n"
)


def test_a_log_becomes_a_draft(entries: Path) -> None:
    result = faultbook("from-log", "-", stdin=LOG)
    assert result.exit_code == 0
    assert '- text: "RuntimeError: swap file <path> is full, token=<tok>"' in result.stdout
    assert "abcdef0123456789" not in result.stdout
    (entries / "host" / "swap-file-full.yaml").write_text(result.stdout, "utf-8")
    assert checked(entries) == []


def test_a_draft_is_written_as_the_wanted_entry_that_it_is(entries: Path) -> None:
    hint = "wanted, perhaps this one: host/swap-full, Swap: it is full\n"
    assert faultbook("from-log", "-", stdin=LOG).stderr == hint
    result = faultbook("from-log", "-", "--as", "host/swap-full", stdin=LOG)
    assert (result.exit_code, result.stderr) == (0, "")
    record = loaded(entries).records["swap-full"]
    assert record.entry.title == "Swap: it is full"
    assert [sample.expect for sample in record.entry.samples] == ["match"]
    assert checked(entries) == []
    text = (entries / "host/swap-full.yaml").read_text("utf-8")
    assert set(re.findall("^# ([a-z_]+):", text, re.MULTILINE)) == set(Entry.model_fields) & SKELETON - {"samples"}
    assert not format_file(entries / "host/swap-full.yaml", entries).violations
    again = faultbook("from-log", "-", "--as", "host/swap-full", stdin=LOG)
    assert (again.exit_code, again.stderr) == (1, "the entry 'swap-full' exists; edit entries/host/swap-full.yaml\n")


def test_a_category_that_is_known_gives_its_tags() -> None:
    answer = {"error_lines": [{"text": "ValueError: the swap is exhausted"}], "findings": [], "similar": []}
    tags = {"bits": "data", "limits": "host", "swap": "host", "signals": "host"}
    text = draft_text(answer, {}, RULES, Vocabulary(tags, "host"))
    assert text
    assert "tags: [swap, limits] # REPLACE" in text
    assert "Save it as" not in text


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("all is well\n", "no failure was found in the log"),
        ("Traceback (most recent call last):\nKilled\n", "no error line has words enough for a template"),
        ("OSError: [Errno 24] Too many open files\n", "every error line is described already, by 'open-files-limit'"),
    ],
)
def test_a_log_that_gives_nothing_to_describe_says_why(entries: Path, log: str, message: str) -> None:
    result = faultbook("from-log", "-", stdin=log)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(message)


def test_a_log_that_cannot_be_read_has_its_own_exit_code(entries: Path) -> None:
    assert faultbook("from-log", "none.log").exit_code == 66


def test_the_samples_of_an_entry_are_tried(entries: Path) -> None:
    result = faultbook("test", "shm-exhausted")
    assert result.exit_code == 0
    assert re.search(r"^  1  match     ok      1 of 1 \(match\): ", result.stdout, re.MULTILINE)
    assert result.stdout.endswith("shm-exhausted: 2 samples, none failed\n")


def test_a_sample_that_fails_says_where_and_why(entries: Path) -> None:
    text = faultbook("from-log", "-", stdin=LOG).stdout.replace("swap file /mnt", "swap space /mnt")
    (entries / "host" / "swap-file-full.yaml").write_text(text, "utf-8")
    result = faultbook("test", "swap-file-full")
    assert result.exit_code == 1
    assert "  1  match     FAILED  not found (unknown): RuntimeError: swap space" in result.stdout
    assert "error[sample-unmatched]: no signature of this entry matches" in result.stdout
    assert result.stdout.endswith("swap-file-full: 1 sample, 1 failed\n")


def test_an_unknown_entry_is_not_tried(entries: Path) -> None:
    for command in ("test", "doctor"):
        result = faultbook(command, "shm-exausted")
        assert (result.exit_code, result.stderr) == (
            1,
            "there is no entry 'shm-exausted' (did you mean 'shm-exhausted'?)\n",
        )


def test_what_a_draft_lacks_is_listed_in_the_order_of_its_fields(entries: Path) -> None:
    faultbook("new", "host/swap-full")
    result = faultbook("doctor")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[-1] == f"swap-full: lacks {len(lines) - 1} things to be published"
    lacking = [line for line in lines if "has 0 of at least" in line]
    assert "'search_keys'" in lacking[0]
    assert "'authors'" in lacking[-1]
    assert any("still says 'What the reader sees.', as the skeleton does" in line for line in lines)
    assert not any("Swap: it is full" in line for line in lines)


def test_a_complete_entry_lacks_nothing(entries: Path) -> None:
    result = faultbook("doctor", "dev-shm-full")
    assert (result.exit_code, result.stdout) == (0, "shm-exhausted: is complete\n")
    path = entries / "data" / "shm-exhausted.yaml"
    path.write_text(path.read_text("utf-8").replace("status: published", "status: draft"), "utf-8")
    assert faultbook("doctor").stdout == "shm-exhausted: is complete; set 'status: published'\n"
