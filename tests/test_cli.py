"""The command line: what it prints, to the letter, and with what it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from commands import faultbook
from faultbook import __version__
from faultbook.checks import explanations
from faultbook.cli import main
from faultbook.export import entry_schema
from sites import CORPUS, Project, copy_corpus, edited, new_project

PORT = "launch/rendezvous-port-taken.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with the small corpus, and the working directory in it."""
    project = new_project(tmp_path / "project")
    monkeypatch.chdir(project.root)
    return project


def break_two(project: Project) -> None:
    """Two violations in two files, one of them a warning."""
    text = (project.entries / PORT).read_text("utf-8")
    text = text.replace("tags: [rendezvous, tcp-port,", "tags: [rendezvous, tcp-prt,")
    text = text.replace("a: No. The store asks for the port before the first step.", "a: No.")
    project.write(f"entries/{PORT}", text)


TAG = "the tag 'tcp-prt' is not in _tags.yaml (did you mean 'tcp-port'?); use one that is"
FAQ = "the answer names nothing of this entry; say what holds for it, or remove the question"


def test_check_says_how_much_it_found_sound(project: Project) -> None:
    result = faultbook("check")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "7 entries: no violations\n", "")


def test_check_prints_a_line_for_each_violation_and_counts_them_apart(project: Project) -> None:
    break_two(project)
    result = faultbook("check")
    assert (result.exit_code, result.stdout, result.stderr) == (
        1,
        f"entries/{PORT}:5:20: error[unknown-tag]: {TAG}\nentries/{PORT}:172:8: warning[faq-generic]: {FAQ}\n",
        "7 entries: 1 error, 1 warning\n",
    )


def test_check_for_programs_prints_json(project: Project) -> None:
    break_two(project)
    result = faultbook("check", "--format", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    assert json.loads(result.stdout) == [
        {
            "path": f"entries/{PORT}",
            "line": 5,
            "column": 20,
            "level": "error",
            "code": "unknown-tag",
            "message": TAG,
        },
        {
            "path": f"entries/{PORT}",
            "line": 172,
            "column": 8,
            "level": "warning",
            "code": "faq-generic",
            "message": FAQ,
        },
    ]


def test_check_for_programs_prints_an_empty_list_if_all_is_sound(project: Project) -> None:
    result = faultbook("check", "--format", "json")
    assert (result.exit_code, result.stdout) == (0, "[]\n")


def test_check_for_github_prints_annotations(project: Project) -> None:
    break_two(project)
    result = faultbook("check", "--format", "github")
    assert (result.exit_code, result.stdout, result.stderr) == (
        1,
        f"::error file=entries/{PORT},line=5,col=20,title=faultbook unknown-tag::{TAG}\n"
        f"::warning file=entries/{PORT},line=172,col=8,title=faultbook faq-generic::{FAQ}\n",
        "7 entries: 1 error, 1 warning\n",
    )


def break_many(project: Project) -> None:
    """Twelve warnings, and one error that comes after them."""
    with edited(project.entries / PORT) as data:
        data["faq"] = [{"q": f"Question {number}?", "a": "No."} for number in range(10)]
    with edited(project.entries / "network/ephemeral-ports-used-up.yaml") as data:
        data["faq"] = [{"q": f"Question {number}?", "a": "No."} for number in range(2)]
        data["tags"] = [*data["tags"], "tcp-prt"]


def test_check_for_github_annotates_ten_lines_errors_first_and_prints_the_others(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Checks\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    break_many(project)
    lines = faultbook("check", "--format", "github").stdout.splitlines()
    text = faultbook("check").stdout.splitlines()
    assert len(lines) == len(text) > 12
    commands = [line for line in lines if line.startswith("::")]
    assert len(commands) == 10
    assert any(line.startswith("::error ") for line in commands)
    others = [line for line in lines if not line.startswith("::")]
    assert set(others) <= set(text)
    assert summary.read_text() == "# Checks\n## Violations: 1 error, {} warnings\n\n{}\n\n".format(
        len(text) - 1, "\n".join(f"    {line}" for line in text)
    )


def test_check_for_github_writes_no_summary_if_all_is_sound(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert faultbook("check", "--format", "github").exit_code == 0
    assert not (tmp_path / "summary.md").exists()


def test_check_of_paths_reports_only_what_lies_there(project: Project) -> None:
    break_two(project)
    with edited(project.entries / "gpu/gpu-fell-off-the-bus.yaml") as data:
        data["tags"] = ["xid", "bus"]
    lines = {
        path: [line.split(": ")[1] for line in faultbook("check", *path.split()).stdout.splitlines()]
        for path in ("entries", f"entries/{PORT}", "entries/gpu", "entries/gpu entries/launch", "entries/host")
    }
    assert lines == {
        "entries": ["error[unknown-tag]", "error[unknown-tag]", "warning[faq-generic]"],
        f"entries/{PORT}": ["error[unknown-tag]", "warning[faq-generic]"],
        "entries/gpu": ["error[unknown-tag]"],
        "entries/gpu entries/launch": ["error[unknown-tag]", "error[unknown-tag]", "warning[faq-generic]"],
        "entries/host": ["no violations"],
    }
    assert faultbook("check", "entries/host").exit_code == 0
    assert faultbook("check", "entries/gpu").exit_code == 1


def test_check_of_a_path_outside_of_the_entries_is_refused(project: Project) -> None:
    result = faultbook("check", "mkdocs.yml")
    assert result.exit_code == 64
    assert "Error: 'mkdocs.yml' lies outside of the entries; name their directory with --entries\n" in result.stderr


def test_names_of_files_are_relative_to_the_working_directory(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_two(project)
    monkeypatch.chdir(project.entries / "launch")
    assert faultbook("check").stdout.startswith("rendezvous-port-taken.yaml:5:20: error")
    monkeypatch.chdir(project.entries / "gpu")
    assert faultbook("check").stdout.startswith(f"{project.entries / PORT}:5:20: error")
    monkeypatch.chdir(project.root.parent)
    assert faultbook("check", "--entries", "project/entries").stdout.startswith(f"project/entries/{PORT}:5:20: error")


def test_several_directories_are_one_corpus(project: Project) -> None:
    copy_corpus(project.root / "more")
    result = faultbook("check", "--entries", "entries", "--entries", "more")
    assert result.exit_code == 1
    assert (
        "more/gpu/gpu-fell-off-the-bus.yaml:1:1: error[duplicate-slug]: the slug 'gpu-fell-off-the-bus' is taken by "
        "entries/gpu/gpu-fell-off-the-bus.yaml; rename one of the two\n"
    ) in result.stdout


def test_entries_are_listed_with_every_status(project: Project) -> None:
    result = faultbook("entries")
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "ephemeral-ports-used-up   No port left for outgoing connections\n"
        "gpu-fell-off-the-bus      GPU fell off the bus\n"
        "open-files-limit          Too many open files in data workers (draft)\n"
        "port-in-time-wait         Port is in TIME_WAIT after a run (withdrawn)\n"
        "rendezvous-port-taken     Rendezvous port is taken (`EADDRINUSE`)\n"
        "worker-failed             torchrun reports a failed worker\n"
        "worker-killed-for-memory  Kernel kills a worker for lack of memory\n",
        "",
    )


def test_entries_for_programs_keep_the_contract(project: Project) -> None:
    rows = json.loads(faultbook("entries", "--format", "json").stdout)
    assert len(rows) == 7
    assert rows[2:5] == [
        {
            "id": "open-files-limit",
            "title": "Too many open files in data workers",
            "category": "host",
            "kind": "cause",
            "status": "draft",
            "evidence": None,
            "path": "entries/host/open-files-limit.yaml",
            "url": "entries/open-files-limit/",
        },
        {
            "id": "port-in-time-wait",
            "title": "Port is in TIME_WAIT after a run",
            "category": "launch",
            "kind": "cause",
            "status": "withdrawn",
            "evidence": "reported",
            "path": "entries/launch/port-in-time-wait.yaml",
            "url": "entries/port-in-time-wait/",
        },
        {
            "id": "rendezvous-port-taken",
            "title": "Rendezvous port is taken (`EADDRINUSE`)",
            "category": "launch",
            "kind": "cause",
            "status": "published",
            "evidence": "reproduced",
            "path": "entries/launch/rendezvous-port-taken.yaml",
            "url": "entries/rendezvous-port-taken/",
        },
    ]
    assert rows[5]["kind"] == "wrapper"


def test_list_of_entries_says_what_it_lacks(project: Project) -> None:
    project.write(f"entries/{PORT}", "title: a: b\n")
    result = faultbook("entries", "--format", "json")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)) == 6
    assert result.stderr == (
        f"entries/{PORT}:1:9: error[yaml]: not YAML: mapping values are not allowed in this context; "
        "text that contains ': ' must be quoted or start with '>-'\n"
        "1 error; the list below lacks what could not be read\n"
    )


def test_without_a_project_the_packaged_entries_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ids = {row["id"] for row in json.loads(faultbook("entries", "--format", "json").stdout)}
    assert "master-port-in-use" in ids
    assert "rendezvous-port-taken" not in ids


def test_explain_says_what_why_and_how_with_an_example_of_each(project: Project) -> None:
    result = faultbook("explain", "duplicate-key")
    assert (result.exit_code, result.stderr) == (0, "")
    explanation = next(found for found in explanations() if found.code == "duplicate-key")
    failing, passing = (textwrap.indent(text.rstrip(), "    ") for text in (explanation.failing, explanation.passing))
    assert result.stdout == (
        f"duplicate-key (error)\n\n{explanation.what}\n\n{explanation.why}\n\n"
        f"Fails:\n\n{failing}\n\nPasses:\n\n{passing}\n"
    )


def test_explain_names_the_nearest_code_for_an_unknown_one() -> None:
    result = faultbook("explain", "unknown-tga")
    assert (result.exit_code, result.stdout, result.stderr) == (
        1,
        "",
        "'unknown-tga' is no code (did you mean 'unknown-tag'?); 'faultbook explain' lists them\n",
    )


def test_explain_lists_every_code_on_a_line_of_its_own() -> None:
    lines = faultbook("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [explanation.code for explanation in explanations()]
    assert len(lines) > 40


def test_schema_is_that_of_the_entries() -> None:
    result = faultbook("schema")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == entry_schema()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "Usage: faultbook [OPTIONS] COMMAND [ARGS]...", id="no command"),
        pytest.param(["chek"], "No such command 'chek'. (Did you mean", id="unknown command"),
        pytest.param(["check", "--frmat", "json"], "No such option", id="unknown option"),
        pytest.param(["check", "--format", "xml"], "'xml' is not one of 'text', 'json', 'github'", id="unknown format"),
        pytest.param(["check", "--entries"], "Option '--entries' requires an argument", id="no value"),
        pytest.param(["check", "nowhere\x1b[31m"], "there is no 'nowhere\\x1b[31m'; give files", id="no such path"),
        pytest.param(["entries", "extra"], "Got unexpected extra argument (extra)", id="extra argument"),
        pytest.param(["explain", "a", "b"], "Got unexpected extra argument (b)", id="two codes"),
        pytest.param(["schema", "x"], "Got unexpected extra argument (x)", id="argument of schema"),
    ],
)
def test_calls_that_make_no_sense_exit_with_64(project: Project, arguments: list[str], message: str) -> None:
    result = faultbook(*arguments)
    assert (result.exit_code, result.stdout, message in result.stderr) == (64, "", True), result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["check", "--help"], ["entries", "-h"], ["--version"]])
def test_help_and_version_exit_with_0(arguments: list[str]) -> None:
    result = faultbook(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert ("Usage: faultbook" if "--version" not in arguments else f"version {__version__}") in result.stdout


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_says_what_it_does(name: str) -> None:
    lines = faultbook(name, "--help").stdout.splitlines()
    assert lines[2].strip()
    assert lines[2].strip()[0].isupper()


BAD: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)),
    "nul": b"title: a\x00b\n",
    "utf-16": "title: x\n".encode("utf-16"),
    "tabs": b"title:\n\t- x\n",
    "scalar": b"words\n",
    "list": b"- a\n",
    "null": b"~\n",
    "number": b"404\n",
    "documents": b"title: x\n---\ntitle: y\n",
    "tag": b"!!python/object/apply:os.system ['true']\n",
    "bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
    "deep": b"[" * 5000,
    "deep mapping": b"".join(b" " * i + b"a:\n" for i in range(400)),
    "huge number": b"title: " + b"9" * 20_000 + b"\n",
    "long": b"title: " + b"x" * 300_000 + b"\n",
    "merge": b"<<: {title: x}\n",
    "complex key": b"? [a]\n: x\n",
    "wrong types": b"title: [x]\nsummary: {a: b}\nstatus: 3\ntags: x\nimpact: 1\nsymptoms: {}\nsamples: [1]\n",
    "colours": b'title: "\\e[31mred"\n"\\e]0;x\\a": 1\n',
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
@pytest.mark.parametrize("place", ["entries/host/bad.yaml", "entries/_tags.yaml", "entries/_featured.yaml"])
def test_bad_files_give_violations_and_never_a_traceback(project: Project, place: str, data: bytes) -> None:
    (project.root / place).write_bytes(data)
    for arguments in (["check"], ["check", "--format", "json"], ["check", "--format", "github"], ["entries"]):
        result = faultbook(*arguments)
        assert result.exit_code == 1
        assert not [char for char in result.output if not char.isprintable() and char != "\n"]
    assert f"{place}:" in faultbook("check").stdout


def test_odd_things_in_the_directory_give_violations(project: Project) -> None:
    (project.entries / "host/folder.yaml").mkdir()
    (project.entries / "host/link.yaml").symlink_to("/etc/passwd")
    (project.entries / "host/loop.yaml").symlink_to("loop.yaml")
    (project.entries / "host/Upper_Case.yaml").write_text("title: x\n")
    (project.entries / "host/deeper").mkdir()
    (project.entries / "host/deeper/entry.yaml").write_text("title: x\n")
    (project.entries / "_unknown.yaml").write_text("x: y\n")
    os.mkfifo(project.entries / "host/pipe.yaml")
    (Path(os.fsdecode(os.fsencode(project.entries / "host") + b"/\xff\x1b.yaml"))).write_text("title: x\n")
    result = faultbook("check")
    assert result.exit_code == 1
    for name in ("link", "loop", "Upper_Case", "deeper/entry", "pipe", "\\xff\\x1b"):
        assert f"entries/host/{name}.yaml:1:1: error[" in result.stdout
    assert "entries/_unknown.yaml:1:1: error[misplaced-file]" in result.stdout
    assert "passwd" not in result.stdout.replace("etc/passwd", "")


def process(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "faultbook", *arguments]
    return subprocess.run(command, cwd=cwd, stderr=subprocess.PIPE, check=False, timeout=60, **options)  # type: ignore[call-overload,no-any-return]


def test_a_reader_that_stops_early_gets_no_complaint(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = process("schema", cwd=tmp_path, stdout=writer)
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, b"")


def test_terminals_that_lack_a_character_still_get_the_rest(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / PORT) as data:
        data["title"] = "Port → déjà pris"

    def listing(form: str) -> bytes:
        command = ("entries", "--entries", "entries", "--format", form)
        latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
        result = process(*command, cwd=tmp_path, stdout=subprocess.PIPE, env=latin)
        assert (result.returncode, result.stderr) == (0, b"")
        return bytes(result.stdout)

    assert "Port \\u2192 déjà pris\n".encode("latin-1") in listing("text")
    assert json.loads(listing("json"))[4]["title"] == "Port → déjà pris"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full, which is always full, exists on Linux only")
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        result = process("schema", cwd=tmp_path, stdout=full)
    assert (result.returncode, result.stderr) == (1, b"Error: No space left on device\n")


def test_corpus_of_these_tests_is_sound() -> None:
    result = faultbook("check", "--entries", CORPUS, "--format", "json")
    # The script of its reproduction exists in the projects of the tests only.
    assert {row["code"] for row in json.loads(result.stdout)} <= {"reproduction-missing"}
