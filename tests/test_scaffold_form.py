"""Issue forms that become drafts and samples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from builders import CORPUS as WORDS
from builders import write_corpus
from click.testing import CliRunner, Result
from faultbook.checks import run_checks
from faultbook.cli import main
from faultbook.corpus import load_corpus
from faultbook.engine.compiler import index_data, load_rules
from faultbook.engine.diagnose import diagnose
from faultbook.engine.index import Index
from faultbook.engine.read import Input
from faultbook.engine.rules import Rules
from faultbook.links import build_links
from faultbook.scaffold.form import FALSE_MATCH, LABELS, NEW_FAILURE, WRONG_ENTRY, parse_form
from faultbook.scaffold.from_form import Maker
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sites import ROOT, read_yaml

LINE = "RuntimeError: the tokenizer of shard 17 returned 0 tokens for document 4711"
VALUES = {
    "Cause": "Documents of blanks alone give no tokens",
    "Category": "data",
    "Quick answer": "A document that holds only blanks gives no tokens, and the packer refuses an empty sequence.",
    "Impact": "crash, hang",
    "Scope": "rank",
    "What is seen": "One rank stops in the first epoch, see open-files-limit for others.",
    "What it means": "The packer met an empty document.",
    "Log": f"```text\nTraceback (most recent call last):\n{LINE}\n```",
    "Log that looks alike": "```text\nRuntimeError: the tokenizer was not found\n```",
    "How to make sure": "Is document 4711 empty?",
    "Fix": "Drop them: `--drop-empty`\nand start again",
    "Systems and versions": "Tokenizers 0.21",
    "Sources": "https://docs.example.org/packer\nhttps://docs.example.org/packer, http://plain.example.org",
    "Terms": "- [X] The log holds no names.",
}


def filled(form: str = NEW_FAILURE, /, **values: str) -> str:
    """The text of an issue as GitHub makes it of a form."""
    given_ = {**VALUES, **{name.replace("_", " "): value for name, value in values.items()}}
    return "\n\n".join(f"### {label}\n\n{given_.get(label, '_No response_')}" for label in LABELS[form])


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(
        tmp_path_factory.mktemp("form"), {"data/shm-exhausted.yaml": "", "host/open-files-limit.yaml": ""}
    )


def drafted(entries: Path, text: str) -> tuple[str, list[str]]:
    """The draft of a form, and the codes of the violations that it brings into the corpus."""
    corpus, violations = load_corpus([entries], entries.parent)
    assert violations == []
    form = parse_form(text)
    assert form
    log = "\n".join(form.log("Log"))
    answer = diagnose([Input("", [log.encode("utf-8", "replace")])], Index.load(index_data(corpus))).answer
    draft = Maker(corpus, Rules(load_rules())).draft(form, answer)
    path = entries / "data/from-the-form.yaml"
    path.write_text(draft, "utf-8")
    try:
        corpus, violations = load_corpus([entries], entries.parent)
        violations += run_checks(corpus, build_links(corpus), root=entries.parent, exemptions=())
    finally:
        path.unlink()
    return draft, [violation.code for violation in violations]


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_those_of_the_issue_form(name: str) -> None:
    forms = [read_yaml(path) for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    (form,) = [form for form in forms if form["name"] == name]
    assert [part["attributes"]["label"] for part in form["body"] if "id" in part] == list(LABELS[name])
    assert {form["name"] for form in forms} == set(LABELS)


def test_fields_that_are_empty_have_no_value() -> None:
    form = parse_form(filled(What_it_means="_No response_"))
    assert form
    assert (form.name, form.value("What it means"), form.value("Scope")) == (NEW_FAILURE, "", "rank")
    assert form.log("Log") == ["Traceback (most recent call last):", LINE]


@pytest.mark.parametrize("text", ["", "Words.", "### Cause of it\n\nx", "## Cause\n\nx", "### Log\n\nx"])
def test_other_texts_are_no_form(text: str) -> None:
    assert parse_form(text) is None


def test_lines_may_end_as_a_browser_sends_them() -> None:
    assert parse_form(filled().replace("\n", "\r\n")) == parse_form(filled())


def test_headings_of_fields_before_take_no_place_again() -> None:
    form = parse_form(filled(Fix="### Cause\n\nanother\n\n### Words\n\nmore"))
    assert form
    assert form.value("Cause") == VALUES["Cause"]
    assert form.value("Fix") == "### Cause\n\nanother\n\n### Words\n\nmore"


def test_form_becomes_a_clean_draft(entries: Path) -> None:
    draft, codes = drafted(entries, filled())
    assert codes == []
    data = yaml.safe_load(draft)
    assert data["title"] == VALUES["Cause"]
    assert data["summary"] == VALUES["Quick answer"]
    assert (data["status"], data["impact"], data["scope"]) == ("draft", ["crash", "hang"], "rank")
    (symptom,) = data["symptoms"]
    assert symptom["observed"] == "One rank stops in the first epoch, see `open-files-limit` for others."
    assert symptom["means"] == "The packer met an empty document. [@source-1]"
    assert symptom["signatures"][0]["text"] == (
        "RuntimeError: the tokenizer of shard <int> returned <int> tokens for document <int>"
    )
    assert [reference["url"] for reference in data["references"]] == ["https://docs.example.org/packer"]
    assert [(sample["expect"], sample["log"]) for sample in data["samples"]] == [
        ("match", f"{LINE}\n"),
        ("no-match", "RuntimeError: the tokenizer was not found\n"),
    ]
    assert "# Save it" not in draft
    assert "entries/data/SLUG.yaml" in draft
    assert "# Fix, as the form says:\n#   Drop them: `--drop-empty`\n#   and start again\n" in draft


def test_names_of_entries_beside_code_become_code(entries: Path) -> None:
    draft, codes = drafted(entries, filled(What_it_means="open-files-limit`0`"))
    assert codes == []
    assert yaml.safe_load(draft)["symptoms"][0]["means"] == "`open-files-limit`'0' [@source-1]"


def test_secrets_of_the_log_are_masked(entries: Path) -> None:
    secret = "hf_" + "Ab3dEf6h" * 4
    draft, _ = drafted(entries, filled(Log=f"```text\n{LINE} with token={secret}\n```"))
    assert secret not in draft


def test_log_that_the_signature_matches_is_no_counter_example(entries: Path) -> None:
    draft, codes = drafted(entries, filled(Log_that_looks_alike=f"```text\n{LINE.replace('17', '3')}\n```"))
    assert codes == []
    assert [sample["expect"] for sample in yaml.safe_load(draft)["samples"]] == ["match"]
    assert "# The signature matches the log that looks alike, too, as the form says:\n" in draft


def test_log_without_error_lines_leaves_the_signature_open(entries: Path) -> None:
    draft, codes = drafted(entries, filled(Log="```text\nall went well\n```"))
    assert codes == []
    assert "signatures" not in yaml.safe_load(draft)["symptoms"][0]
    assert "samples" not in yaml.safe_load(draft)


def test_values_that_are_too_long_are_cut(entries: Path) -> None:
    long = {label.replace(" ", "_"): "word " * 2000 for label in VALUES if label not in ("Log", "Terms")}
    draft, codes = drafted(entries, filled(**long, Log="```text\n" + f"{LINE} {'x' * 4000}\n" * 500 + "```"))
    assert codes == []
    assert len(draft) < 60_000


NASTY = st.text(
    st.one_of(
        st.sampled_from("`<>[]()@#:&!-*_'\"\\{}|%\n\t \x00\x1b\u2028\u202e\ufeff"),
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("abcdefghij"),
    ),
    max_size=120,
)
PIECES = st.sampled_from(
    ["<b>", "[[x]]", "[@y]", "[[#fix]]", "](http://x)", "&amp;", "```", "``", "`", "open-files-limit", "- a: b", "]: x"]
)
HOSTILE = st.lists(st.one_of(NASTY, PIECES), max_size=6).map("".join)
OPEN = [label for label in LABELS[NEW_FAILURE] if label not in ("Log", "Terms")]


@given(st.fixed_dictionaries(dict.fromkeys((*OPEN, "Log"), HOSTILE)))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_that_somebody_types_becomes_more_than_text(entries: Path, values: dict[str, str]) -> None:
    text = filled(**{label.replace(" ", "_"): value for label, value in values.items()}, Terms="- [X] yes")
    draft, codes = drafted(entries, text)
    assert set(codes) <= {"filler"}, draft
    data = yaml.safe_load(draft)
    assert data["status"] == "draft"
    allowed = {"title", "summary", "status", "tags", "impact", "scope", "symptoms", "references", "samples"}
    assert set(data) <= allowed


def run(entries: Path, tmp_path: Path, text: str) -> Result:
    (tmp_path / "form.md").write_text(text, "utf-8")
    arguments = ["from-form", str(tmp_path / "form.md"), "--entries", str(entries)]
    return CliRunner().invoke(main, arguments, prog_name="faultbook")


def test_command_prints_the_draft(entries: Path, tmp_path: Path) -> None:
    result = run(entries, tmp_path, filled())
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == drafted(entries, filled())[0]


def test_command_says_that_there_is_an_entry_already(entries: Path, tmp_path: Path) -> None:
    line = read_yaml(WORDS / "host/open-files-limit.yaml")["samples"][0]["log"]
    result = run(entries, tmp_path, filled(Log=f"```text\n{line}\n```"))
    assert result.stderr == "the log is diagnosed as 'open-files-limit'; read that entry first\n"


@pytest.mark.parametrize(
    "named", ["open-files-limit", "entries/host/open-files-limit.yaml", "https://example.org/entries/open-files-limit/"]
)
def test_false_match_becomes_a_sample(entries: Path, tmp_path: Path, named: str) -> None:
    values = {
        "Entry_that_was_named": named,
        "Entry_that_is_right": "shm-exhausted",
        "What_it_was": "Not\nfiles: # at all",
    }
    result = run(entries, tmp_path, filled(FALSE_MATCH, **values))
    assert result.exit_code == 0
    (sample,) = yaml.safe_load(result.stdout)
    assert sample["log"] == f"Traceback (most recent call last):\n{LINE}\n"
    assert (sample["expect"], sample["belongs_to"]) == ("no-match", "shm-exhausted")
    head = [line for line in result.stdout.splitlines() if line.startswith("#")]
    assert head[0].endswith("host/open-files-limit.yaml, below 'samples:'.")
    assert head[1:] == ["# What it was, as the form says:", "#   Not", "#   files: # at all"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Words.", "this is no filled form; give the text of the issue as GitHub shows it for editing"),
        (filled(WRONG_ENTRY), f"the form '{WRONG_ENTRY}' changes an entry that is there; edit its file by hand"),
        (filled(FALSE_MATCH), "the form names no entry that exists, or holds no log; ask for it"),
        (
            filled(FALSE_MATCH, Entry_that_was_named="open-files-limit", Log="_No response_"),
            "the form names no entry that exists, or holds no log; ask for it",
        ),
    ],
)
def test_command_says_why_there_is_no_draft(entries: Path, tmp_path: Path, text: str, message: str) -> None:
    result = run(entries, tmp_path, text)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"{message}\n")


def test_forms_are_found_whatever_stands_before_them() -> None:
    form = parse_form("Words of a bot.\n\n" + filled())
    assert form
    assert form.name == NEW_FAILURE
    assert re.fullmatch(r"[a-z-]+", form.value("Category"))
