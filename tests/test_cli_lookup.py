"""`faultbook search`, `show` and `schema --answer`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import faultbook
from faultbook.cli.output import echo_blocks
from faultbook.cli.schema import answer_schema
from faultbook.corpus import load_corpus
from faultbook.export.page import page
from faultbook.schema import Entry
from jsonschema import Draft202012Validator
from sites import CORPUS, ROOT, copy_corpus, edited

LINE = (
    "[rank7]: DistNetworkError: The server socket has failed to listen on any local network address. "
    "port: 61234, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use"
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of no project, in which the packaged entries are meant, and a cache away from the user's."""
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("query", "first", "why"),
    [
        ([LINE], "master-port-in-use", "a line of it fits"),
        (["master-port-in-use"], "master-port-in-use", "this is its name"),
        (["address-already-in-use-29500"], "master-port-in-use", "this is its name"),
        (["ephemeral", "ports", "exhausted"], "ephemeral-ports-exhausted", "this is its name"),
        (["unused parameters"], "ddp-unused-parameters", "by words"),
        (["--master-port"], "static-rendezvous-port-zero", "by words"),
    ],
)
def test_search_by_line_name_and_words(query: list[str], first: str, why: str) -> None:
    result = faultbook("search", *query)
    assert (result.exit_code, result.stderr) == (0, "")
    found = re.search(rf"(\d+)\. `{first}`: [^`]* \(([a-z ]+)\) (?:\d|what|Read)", " ".join(result.stdout.split()))
    assert found
    assert found[2] == why
    assert found[1] == "1" or why == "by words"


def test_search_shows_what_fits_of_a_line() -> None:
    text = faultbook("search", LINE).stdout
    assert f"  >    {LINE}" in text
    assert text.endswith("Read one with `faultbook show master-port-in-use`.\n")


def test_search_shows_the_lines_of_a_paste_that_fit() -> None:
    text = faultbook("search", f"step 1\n{LINE} password=hunter2\n\x1b[31mstep 2").stdout
    assert text.split("what fits of it:\n")[1].splitlines()[0] == f"  >    {LINE} password=••••"
    assert "step" not in text


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["-bash: torchrun: command not found", "--limit", "3"], 3),
        (["--limit=2", "--nproc-per-node", "port"], 2),
        (["--limit", "1", "--", "--limit", "port"], 1),
        (["-h", "port"], None),
    ],
)
def test_words_may_begin_with_hyphens(arguments: list[str], count: int | None) -> None:
    result = faultbook("search", *arguments)
    assert result.exit_code == 0
    assert len(re.findall(r"^\d+\. `", result.stdout, re.MULTILINE)) == (count or 0)
    assert result.stdout.startswith("Usage:") == (count is None)


def test_search_for_programs() -> None:
    rows = json.loads(faultbook("search", "--format", "json", "--limit", "2", LINE).stdout)
    assert len(rows) == 2
    assert rows[0]["entry"] == "master-port-in-use"
    assert rows[0]["url"] == "entries/master-port-in-use/"
    assert rows[0]["kind"] == "line"
    assert LINE[slice(*rows[0]["spans"][0])].startswith("The server socket has failed")


def test_search_that_finds_nothing() -> None:
    result = faultbook("search", "zzyzx\x1b[31m")
    message = "nothing found for 'zzyzx\\x1b[31m'; other words may help\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)
    result = faultbook("search", "zzyzx", "--format", "json")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "[]\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit"],
        ["search", "--"],
        ["show"],
        ["show", "a", "b"],
    ],
)
def test_calls_that_make_no_sense_exit_with_64(arguments: list[str]) -> None:
    result = faultbook(*arguments)
    assert (result.exit_code, result.stdout) == (64, "")


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("slug", ["rendezvous-port-taken", "port-in-time-wait", "worker-failed", "open-files-limit"])
def test_entry_as_it_is_shown(slug: str, form: str, golden: Callable[[str, str], None]) -> None:
    result = faultbook("show", slug, "--format", form, "--entries", CORPUS)
    assert (result.exit_code, result.stderr) == (0, "")
    golden(f"cli/{slug}.{'txt' if form == 'text' else 'md'}", result.stdout)


def test_every_entry_can_be_shown_with_all_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    # What the command prints, without reading all entries for each.
    corpus, _ = load_corpus([ROOT / "entries"], ROOT)
    for record in corpus.records.values():
        echo_blocks(page(record, corpus), "text")
        text = capsys.readouterr().out
        entry = record.entry
        assert (
            len(max((line for line in text.splitlines() if not re.match(r"    |\d+\. http| +https:", line)), key=len))
            <= 120
        )
        assert "[[" not in re.sub(r"`[^`]*`|    .*", "", text)
        assert "[@" not in text
        for command in entry.commands().values():
            assert command.run.strip().splitlines()[0] in text
            assert not command.danger or f"! {command.danger.value.upper()}" in text
        for reference in entry.references:
            assert reference.url in text
        for signature in entry.signatures().values():
            assert all(template in text for template in signature.templates)


def test_former_names_lead_to_the_entry() -> None:
    assert faultbook("show", "ddp-port-conflict").stdout == faultbook("show", "master-port-in-use").stdout


def test_nearest_name_is_suggested() -> None:
    result = faultbook("show", "master-port-inuse")
    message = (
        "there is no entry 'master-port-inuse' (did you mean 'master-port-in-use'?); 'faultbook search' finds some\n"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", message)
    assert "'\\x1b[31m'; " in faultbook("show", "\x1b[31m").stderr


def test_entry_for_programs() -> None:
    data = json.loads(faultbook("show", "ddp-port-conflict", "--format", "json").stdout)
    assert (data.pop("id"), data.pop("category")) == ("master-port-in-use", "launch")
    assert data.pop("url") == "entries/master-port-in-use/"
    corpus, _ = load_corpus([ROOT / "entries"], ROOT)
    assert Entry.model_validate(data) == corpus.records["master-port-in-use"].entry


def test_nothing_of_an_entry_acts_on_a_terminal(place: Path) -> None:
    entries = copy_corpus(place / "entries")
    with edited(entries / "launch/rendezvous-port-taken.yaml") as data:
        data["samples"][0]["log"] += "\x1b[31m"
        data["quick_fix"]["commands"][0] = {"run": "echo 1\t2", "output": "a\tb"}
    for form in ("text", "markdown", "json"):
        text = faultbook("show", "rendezvous-port-taken", "--entries", entries, "--format", form).stdout
        assert not [char for char in text if not char.isprintable() and char != "\n"]


def test_entries_that_cannot_be_read_are_named(place: Path) -> None:
    entries = copy_corpus(place / "entries")
    (entries / "launch/broken.yaml").write_text("title: [\n")
    result = faultbook("show", "worker-failed", "--entries", entries)
    assert result.exit_code == 0
    assert "entries/launch/broken.yaml:" in result.stderr


def test_schema_of_the_answer_is_sound_and_described() -> None:
    schema = json.loads(faultbook("schema", "--answer").stdout)
    assert schema == answer_schema()
    Draft202012Validator.check_schema(schema)
    parts = [
        *schema["properties"].values(),
        *schema["$defs"].values(),
        *schema["$defs"]["finding"]["properties"].values(),
    ]
    assert all(part.get("description") or part.get("$ref") for part in parts)


@pytest.mark.parametrize(
    ("change", "sound"),
    [
        ({}, True),
        ({"verdict": "maybe"}, False),
        ({"schema": 2}, False),
        ({"verdict": "match"}, False),
        ({"notices": ["Not A Slug"]}, False),
        ({"missing": "what?"}, False),
        ({"verdict": "unknown", "missing": "The log of rank 3."}, True),
        ({"stats": {"lines": -1, "bytes": 0, "seconds": 0}}, False),
        ({"error_lines": [{"file": "x", "line": 1, "text": "y", "rank": None}]}, False),
        ({"verdict": "unknown", "error_lines": [{"file": "x", "line": 1, "text": "y", "rank": None}]}, True),
        ({"verdict": "unknown", "error_lines": [{"file": "x", "line": 0, "text": "y", "rank": None}]}, False),
        ({"later": 1}, True),
    ],
)
def test_schema_of_the_answer_tells_sound_from_broken(change: dict[str, object], sound: bool) -> None:
    lists = {name: [] for name in ("findings", "notices", "error_lines", "similar", "episodes", "remarks")}
    stats = {"lines": 0, "bytes": 0, "seconds": 0.0}
    data = {"schema": 1, "verdict": "no-failure", "missing": None, "stats": stats, **lists, **change}
    assert Draft202012Validator(answer_schema()).is_valid(data) == sound
