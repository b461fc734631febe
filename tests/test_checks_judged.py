"""Checks of samples and templates by the engine, beyond their examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import MAIN, OTHER, check_written, reported, reported_codes, write_corpus
from faultbook.checks.trial import Trial
from faultbook.corpus import load_corpus
from faultbook.engine.diagnose import diagnose
from faultbook.engine.index import Index
from faultbook.engine.read import open_input

HEALTHY = Path(__file__).parent / "healthy"
BUS = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"
FILES = "OSError: [Errno 24] Too many open files"


def entry(*signatures: str, samples: str = "", more: str = "") -> str:
    """Fields of an entry with signatures and samples."""
    rows = "".join(f"      - {{{signature}}}\n" for signature in signatures)
    symptoms = f"symptoms:\n  - observed: It fails.\n    means: It is full.\n    signatures:\n{rows}" if rows else ""
    return f"{more}{symptoms}" + (f"samples:\n{samples}" if samples else "")


def sample(expect: str, log: str, more: str = "") -> str:
    return f"  - {{expect: {expect}, origin: reproduced, {more}log: {json.dumps(log)}}}\n"


def codes(folder: Path, files: dict[str, str]) -> list[str]:
    return [line.split()[1] for line in reported_codes(folder, files)]


NEVER = sample("no-match", "Killed")


@pytest.mark.parametrize(
    ("role", "first", "found"),
    [
        ("cause", "", []),
        ("ambiguous", "", []),
        ("downstream", "", []),
        ("notice", "", []),
        ("cause", "first: true, ", []),
        ("ambiguous", "first: true, ", []),
        ("notice", "first: true, ", ["sample-not-first"]),
    ],
)
def test_sample_that_matches(role: str, first: str, found: list[str], tmp_path: Path) -> None:
    samples = sample("match", f"RuntimeError: {BUS}", first) + NEVER
    assert codes(tmp_path, {MAIN: entry(f"text: {BUS}, role: {role}", samples=samples)}) == found


def test_cause_must_rank_first_unless_the_sample_says_otherwise(tmp_path: Path) -> None:
    other = entry(f"text: '{FILES}'", f"text: 'worker {BUS}'")
    for number, (first, found) in enumerate([("", ["sample-not-first"]), ("first: false, ", [])]):
        samples = sample("match", f"RuntimeError: worker {BUS}", first) + NEVER
        assert codes(tmp_path / str(number), {MAIN: entry(samples=samples), OTHER: other}) == found


def test_message_names_the_entry_that_comes_first(tmp_path: Path) -> None:
    samples = sample("match", f"RuntimeError: worker {BUS}") + NEVER
    files = {MAIN: entry(samples=samples), OTHER: entry(f"text: '{FILES}'", f"text: 'worker {BUS}'")}
    assert reported(tmp_path, files) == [
        "shm-exhausted.yaml:2:14 sample-not-first: 'open-files-limit' comes first; narrow one of the templates, "
        "or say 'first: false' if that is right"
    ]


def test_wrapper_need_not_rank_first(tmp_path: Path) -> None:
    samples = sample("match", BUS) + NEVER
    assert codes(tmp_path, {MAIN: entry(samples=samples, more="kind: wrapper\n")}) == []


def test_unless_and_comparisons_are_judged(tmp_path: Path) -> None:
    signature = "text: 'worker <int:rank> was lost', only_if: [rank != 0], unless: [worker comes back]"
    samples = (
        sample("match", "RuntimeError: worker 3 was lost")
        + sample("no-match", "RuntimeError: worker 0 was lost")
        + sample("no-match", "RuntimeError: worker 3 was lost\nworker comes back")
    )
    assert codes(tmp_path, {MAIN: entry(signature, samples=samples)}) == []


def test_match_within_that_of_another_entry_is_still_a_match(tmp_path: Path) -> None:
    samples = sample("match", f"RuntimeError: {BUS}") + sample("no-match", f"RuntimeError: worker {BUS} of the loader")
    files = {MAIN: entry(samples=samples), OTHER: entry(f"text: '{FILES}'", f"text: 'worker {BUS} of the loader'")}
    assert codes(tmp_path, files) == ["sample-matched"]


@pytest.mark.parametrize("status", ["draft", "published"])
def test_belongs_to_is_judged_if_that_entry_is_published(status: str, tmp_path: Path) -> None:
    samples = sample("match", BUS) + sample("no-match", "RuntimeError: Killed", "belongs_to: open-files-limit, ")
    files = {MAIN: entry(samples=samples), OTHER: f"status: {status}\n"}
    assert codes(tmp_path, files) == (["sample-elsewhere"] if status == "published" else [])


def test_draft_is_judged_as_if_it_alone_were_published(tmp_path: Path) -> None:
    samples = sample("match", "RuntimeError: the tape is full") + NEVER
    draft = entry("text: the tape is full", samples=samples, more="status: draft\n")
    files = {MAIN: "", OTHER: "", "host/tape-full.yaml": draft, "host/tape-jammed.yaml": draft}
    assert codes(tmp_path, files) == []


def test_drafts_do_not_change_what_is_said_of_published_entries(tmp_path: Path) -> None:
    draft = entry(f"text: 'worker. {BUS}'", samples=NEVER, more="status: draft\n")
    samples = sample("match", f"RuntimeError: worker. {BUS}") + NEVER
    assert codes(tmp_path, {MAIN: entry(samples=samples), OTHER: draft}) == []


def test_draft_that_takes_the_sample_of_another_is_not_blamed_on_the_other(tmp_path: Path) -> None:
    own = sample("match", "RuntimeError: the tape is full, says the worker") + NEVER
    files = {
        MAIN: entry(f"text: {BUS}", "text: 'the tape is full, says'", samples=sample("match", BUS) + NEVER),
        OTHER: entry("text: the tape is full", samples=own, more="status: draft\n"),
    }
    assert reported_codes(tmp_path, files)[0].split()[1] == "sample-not-first"


def test_withdrawn_entry_is_not_judged(tmp_path: Path) -> None:
    withdrawn = 'status: withdrawn\nwithdrawn: {date: "2026-01-01", reason: It was wrong.}\n'
    samples = sample("match", "nothing of this") + sample("no-match", BUS)
    assert codes(tmp_path, {MAIN: entry(samples=samples, more=withdrawn), OTHER: ""}) == []


def test_sample_in_a_file_is_judged(tmp_path: Path) -> None:
    samples = "  - {expect: match, origin: reproduced, file: logs/shm-exhausted-long.log}\n" + NEVER
    for number, (text, found) in enumerate([(f"step 1\r\n{BUS}\r\n", []), ("step 1\n", ["sample-unmatched"])]):
        files = {MAIN: entry(samples=samples), "data/logs/shm-exhausted-long.log": text}
        assert codes(tmp_path / str(number), files) == found


def test_fault_of_form_is_not_reported_once_more_for_the_samples(tmp_path: Path) -> None:
    samples = sample("match", BUS) + NEVER
    files = {MAIN: entry("text: 'failed <int:n> of <int:n> loads'", samples=samples)}
    assert codes(tmp_path, files) == ["template-name"]


def healthy(folder: Path, log: str, name: str = "run.log") -> None:
    (folder / "tests/healthy").mkdir(parents=True, exist_ok=True)
    (folder / "tests/healthy" / name).write_text(log, "utf-8")


@pytest.mark.parametrize(
    ("signature", "found"),
    [
        ("text: worker starts slowly", ["template-healthy"]),
        ("text: worker starts slowly, role: downstream", ["template-healthy"]),
        ("text: worker starts slowly, role: notice", []),
        ("text: worker starts slowly, unless: [all is well]", []),
        ("text: 'worker starts slowly <int:n>', only_if: [n > 9]", []),
        ("all: [worker starts slowly, it never comes back]", []),
    ],
)
def test_healthy_logs_must_not_match(signature: str, found: list[str], tmp_path: Path) -> None:
    healthy(tmp_path, "worker starts slowly 3\nall is well\n")
    files = {MAIN: entry(f"text: {BUS}", signature), OTHER: ""}
    assert codes(tmp_path, files) == found


def test_each_signature_is_named_once_at_its_place(tmp_path: Path) -> None:
    healthy(tmp_path, "worker starts slowly\n" * 3 + "loader starts slowly\n")
    files = {MAIN: entry(f"text: {BUS}", "text: worker starts slowly", "text: loader starts slowly"), OTHER: ""}
    assert reported(tmp_path, files) == [
        f"shm-exhausted.yaml:{line}:9 template-healthy: matches '{word} starts slowly' in 'run.log', where nothing "
        "failed; narrow it, or make it a 'notice'"
        for line, word in ((6, "worker"), (7, "loader"))
    ]


def test_logs_are_those_of_the_project(tmp_path: Path) -> None:
    healthy(tmp_path, f"{BUS}\n", "quoting.txt")
    assert check_written(write_corpus(tmp_path, {MAIN: ""})) == []


@pytest.mark.parametrize("path", sorted(HEALTHY.rglob("*.log")), ids=lambda path: path.name)
def test_no_failure_is_named_where_nothing_failed(path: Path, shipped: Index) -> None:
    answer = diagnose([open_input(path)], shipped).answer
    assert answer["verdict"] != "match"
    if path.parent == HEALTHY:
        assert (answer["verdict"], answer["findings"], answer["error_lines"]) == ("no-failure", [], [])


def test_healthy_logs_are_small() -> None:
    sizes = [path.stat().st_size for path in HEALTHY.rglob("*.log")]
    assert len(sizes) >= 25
    assert max(sizes) <= 60_000
    assert sum(sizes) <= 600_000


def test_entries_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []
    load = Index.load.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Index, "load", classmethod(lambda kind, *data: loads.append(data) or load(kind, *data)))
    check_written(write_corpus(tmp_path, {MAIN: "", OTHER: "", "host/tape-full.yaml": "status: draft\n"}))
    assert len(loads) == 1


def test_trial_leaves_other_drafts_out(tmp_path: Path) -> None:
    files = {MAIN: "", OTHER: entry(f"text: '{FILES}'", more="status: draft\n")}
    corpus, _ = load_corpus([write_corpus(tmp_path, files)])
    trial = Trial(corpus)
    events = trial.events(f"RuntimeError: {FILES}")
    own, other = corpus.records["open-files-limit"], corpus.records["shm-exhausted"]
    assert trial.first(own, events) == ("match", "open-files-limit")
    assert trial.first(other, events) == ("unknown", None)
    assert (len(trial.hits(own, events)), len(trial.hits(other, events))) == (1, 0)
