"""`faultbook diagnose` as it is called: verdicts and exit codes, pipes and files, formats, masking, and its start."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from commands import faultbook
from faultbook.cli.schema import answer_schema
from faultbook.corpus import load_corpus
from jsonschema import Draft202012Validator
from sites import ROOT, write_private_entries

PORT = (
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. "
    "port: 45003, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use"
)
UNKNOWN = "Traceback (most recent call last):\nFrobnicationError: the flux capacitor is out of plutonium\n"
HEALTHY = "".join(f"step {step} loss {4 / (step + 1):.3f} lr 1e-4\n" for step in range(40))
HEAVY = ("pydantic", "yaml", "markdown_it", "jinja2", "mkdocs", "pygments", "tree_sitter")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cache for all tests, away from the user's."""
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: None) -> Path:
    """A directory of no project, in which the packaged entries are meant."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diagnose(*arguments: str | Path, data: bytes | str | None = None) -> Result:
    return faultbook("diagnose", *arguments, data=data)


def answered(*arguments: str | Path, data: bytes | str | None = None) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(diagnose(*arguments, "--format", "json", data=data).stdout)
    return answer


def process(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "faultbook", "diagnose", *arguments], **options)


@pytest.mark.parametrize(
    ("log", "verdict", "code"), [(PORT, "match", 0), (UNKNOWN, "unknown", 1), (HEALTHY, "no-failure", 2)]
)
def test_verdict_and_exit_code(log: str, verdict: str, code: int, place: Path) -> None:
    (place / "train.log").write_text(log)
    for form in ("text", "json", "markdown", "sarif"):
        result = diagnose("train.log", "--format", form)
        assert (result.exit_code, result.stderr) == (code, "")
    assert answered("train.log")["verdict"] == verdict


def test_text_has_all_that_somebody_with_a_dead_job_needs() -> None:
    text = diagnose("-", data=HEALTHY + f"[rank3]: {PORT}\n" + UNKNOWN).stdout
    parts = [
        "Initiating failure found on rank 3",
        "Rendezvous port already in use",
        "Why this one: ",
        "`faultbook show master-port-in-use`",
        "Evidence",
        "> 41  [rank3]: torch.distributed.DistNetworkError",
        "Is it this?",
        '$ sudo ss -Htlnp "sport = :{PORT}"',
        "needs root",
        "prints:",
        "- Yes: ",
        "Quick fix",
        "$ torchrun --standalone",
        "Looks alike",
        "`ephemeral-ports-exhausted`: `port: 0` instead of a number",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_several_files_are_one_incident(place: Path) -> None:
    (place / "rank0.log").write_text(HEALTHY)
    (place / "rank1.log").write_text(HEALTHY + PORT)
    answer = answered("rank0.log", "rank1.log")
    assert answer["findings"][0]["evidence"][0]["file"] == "rank1.log"
    assert answer["findings"][0]["evidence"][0]["line"] == 41
    assert answer["stats"]["lines"] == 81
    assert "2 files, 81 lines" in diagnose("rank0.log", "rank1.log").stdout


def test_a_pipe_is_read(place: Path) -> None:
    assert answered("-", data=PORT)["findings"][0]["evidence"][0]["file"] == "-"
    (place / "rank1.log").write_text(HEALTHY)
    assert answered("rank1.log", "-", data=PORT)["stats"]["lines"] == 41


def test_a_named_pipe_is_read_once(place: Path) -> None:
    os.mkfifo(place / "pipe")
    child = process("pipe", "--format", "json", stdout=subprocess.PIPE)
    (place / "pipe").write_text(PORT)
    assert json.loads(child.communicate(timeout=60)[0])["verdict"] == "match"


def test_compressed_files_are_known_by_their_content(place: Path) -> None:
    (place / "train.txt").write_bytes(gzip.compress(PORT.encode()))
    assert answered("train.txt")["verdict"] == "match"
    assert answered("-", data=gzip.compress(PORT.encode()))["verdict"] == "match"


def test_every_unreadable_file_is_named_before_any_is_read(place: Path) -> None:
    (place / "train.log").write_text(PORT)
    (place / "folder").mkdir()
    result = diagnose("train.log", "folder", "missing\x1b.log", "-", data=PORT)
    assert (result.exit_code, result.stdout) == (66, "")
    assert result.stderr.splitlines() == [
        "folder: cannot be read: it is a directory; name the files in it",
        "missing\\x1b.log: cannot be read: No such file or directory",
    ]


def test_a_file_of_another_is_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, name: str) -> Any:
        # Root may read every file, so that the permissions of one would tell nothing there.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("faultbook.cli.inputs.open_input", refuse)
    (place / "train.log").write_text(PORT)
    result = diagnose("train.log")
    assert (result.exit_code, result.stderr) == (66, "train.log: cannot be read: Permission denied\n")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_cannot_be_read_to_its_end_is_named(place: Path) -> None:
    (place / "train.log").write_text(PORT)
    result = diagnose("train.log", "/proc/self/mem", "train.log")
    assert (result.exit_code, result.stdout) == (66, "")
    assert result.stderr == "/proc/self/mem: cannot be read: Input/output error\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FILE...'"),
        (["-", "-"], "'-' is given twice; standard input can be read only once"),
        (["-", "--format", "xml"], "'xml' is not one of"),
        (["-", "--context", "-1"], "-1 is not in the range"),
        (["-", "--contxt", "1"], "No such option"),
        (
            ["-", "--entries", "nowhere"],
            "no published entry was found; name a directory that holds some with --entries",
        ),
    ],
)
def test_calls_that_make_no_sense_exit_with_64(arguments: list[str], message: str) -> None:
    result = diagnose(*arguments, data="")
    assert (result.exit_code, result.stdout) == (64, "")
    assert message in result.stderr


@pytest.mark.parametrize("count", [0, 1, 5])
def test_lines_around_the_evidence(count: int) -> None:
    log = (
        "".join(f"before {number}\n" for number in range(9))
        + PORT
        + "".join(f"\nafter {number}" for number in range(9))
    )
    text = diagnose("-", "--context", str(count), data=log).stdout
    assert text.count("  before ") == text.count("  after ") == count


def test_secrets_are_masked_unless_they_are_asked_for(place: Path) -> None:
    (place / "train.log").write_text(
        f"login password=hunter2\n{PORT} token=abc123def456\nmail bob@example.org\n{UNKNOWN}"
    )
    for form in ("text", "json", "markdown", "sarif"):
        masked = diagnose("train.log", "--format", form).stdout
        assert "••••" in masked
        assert not [secret for secret in ("hunter2", "abc123", "bob@") if secret in masked]
        assert "abc123def456" in diagnose("train.log", "--format", form, "--no-mask").stdout


def test_nothing_of_a_log_acts_on_a_terminal(place: Path) -> None:
    (place / "train.log").write_bytes(
        b"\x1b]0;owned\x07\xc2\x9b31m " + PORT.encode() + b"\x1b[2J\x00\xe2\x80\xae\xff\r\n" + UNKNOWN.encode()
    )
    for form in ("text", "json", "markdown", "sarif"):
        shown = diagnose("train.log", "--format", form, "--all").stdout
        assert not [char for char in shown if not char.isprintable() and char != "\n"]
    assert answered("train.log")["verdict"] == "match"


def test_private_entries_are_matched(place: Path) -> None:
    write_private_entries(place / "entries")
    log = "filer7: no space left in the quota of vision"
    assert answered("-", data=log)["verdict"] != "match"
    assert answered("-", "--entries", "entries", data=log)["findings"][0]["entry"] == "our-filer-is-full"
    both = ["--entries", "entries", "--entries", str(ROOT / "entries")]
    assert answered("-", *both, data=log)["findings"][0]["entry"] == "our-filer-is-full"
    assert answered("-", *both, data=PORT)["findings"][0]["entry"] == "master-port-in-use"


def test_the_page_of_an_entry_is_linked_if_the_project_has_a_site(place: Path) -> None:
    write_private_entries(place / "entries")
    log = "filer7: no space left in the quota of vision"
    plugins = "plugins:\n  - faultbook\n"
    for settings, page in (
        (f"site_url: https://example.org/f # ours\n{plugins}", "https://example.org/f/entries/our-filer-is-full/ or `"),
        (f"site_url: 'https://example.org/f/'\n{plugins}", "https://example.org/f/entries/our-filer-is-full/ or `"),
        (f"site_url: http://example.org/\n{plugins}", "Read more: `"),
        ("site_url: https://example.org/\n", "Read more: `"),
        (plugins, "Read more: `"),
    ):
        (place / "mkdocs.yml").write_text(settings)
        text = " ".join(diagnose("-", data=log).stdout.split())
        assert f"{page}faultbook show our-filer-is-full`" in text


def test_entries_with_errors_are_named_and_left_out(place: Path) -> None:
    write_private_entries(place / "entries")
    (place / "entries/storage/broken.yaml").write_text("title: [\n")
    result = diagnose("-", "--entries", "entries", data="filer7: no space left in the quota of vision")
    assert result.exit_code == 0
    assert "broken.yaml:" in result.stderr
    assert result.stderr.endswith("entries with errors are left out; 'faultbook check' lists all errors\n")


def samples() -> list[Any]:
    corpus, _ = load_corpus([ROOT / "entries"], ROOT)
    return [
        pytest.param(record.slug, sample, sample.log or record.logs[sample.file], id=f"{record.slug}-{number}")
        for record in corpus.published()
        for number, sample in enumerate(record.entry.samples, 1)
    ]


@pytest.mark.parametrize(("slug", "sample", "log"), samples())
def test_samples_of_entries_give_answers_of_the_contract(slug: str, sample: Any, log: str) -> None:
    result = diagnose("-", "--format", "json", data=log)
    answer = json.loads(result.stdout)
    Draft202012Validator(answer_schema()).validate(answer)
    assert result.exit_code == {"match": 0, "unknown": 1, "no-failure": 2}[answer["verdict"]]
    found = [finding["entry"] for finding in answer["findings"]] + answer["notices"]
    assert (slug in found) == (sample.expect == "match")


def test_heavy_libraries_stay_away_from_a_diagnosis(place: Path) -> None:
    (place / "train.log").write_text(PORT)
    command = [sys.executable, "-X", "importtime", "-m", "faultbook", "diagnose", "train.log"]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    second = subprocess.run(command, capture_output=True, check=True, timeout=60, text=True)
    imported = {line.split("|")[-1].strip().partition(".")[0] for line in second.stderr.splitlines() if "|" in line}
    assert {"faultbook", "click", "json"} <= imported
    assert not imported & set(HEAVY)


def test_ctrl_c_ends_with_130(place: Path) -> None:
    # A shell that starts the tests in the background lets them ignore the signal, and a child inherits that.
    child = process(
        "-",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert child.stdin is not None
    child.stdin.write(b"step 1\n" * 200_000)
    child.stdin.flush()
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, b"")
    assert err.strip() == b"stopped"


def on_a_terminal(arguments: list[str], **environment: str) -> tuple[bytes, int]:
    """What a command writes to a terminal that is its standard output and its standard error."""
    master, slave = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    child = process(
        *arguments, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env={**kept, "TERM": "xterm", **environment}
    )
    os.close(slave)
    shown = b""
    while select.select([master], [], [], 60)[0]:
        try:
            shown += os.read(master, 65_536)
        except OSError:
            break
    os.close(master)
    return shown, child.wait(timeout=60)


def test_colours_are_for_terminals_that_want_them(place: Path) -> None:
    (place / "train.log").write_text(PORT + "\x1b[2J")
    shown, code = on_a_terminal(["train.log"])
    assert code == 0
    assert b"\x1b[1;31mThe server socket has failed to listen" in shown
    assert b"\x1b[2J" not in shown
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b" not in on_a_terminal(["train.log"], **environment)[0]
    assert "\x1b" not in diagnose("train.log").stdout


def test_progress_is_shown_for_large_logs_on_a_terminal(place: Path) -> None:
    (place / "large.log").write_text("step 1 loss 2.0\n" * 1_500_000)
    (place / "small.log").write_text(HEALTHY)
    shown, code = on_a_terminal(["large.log"])
    assert code == 2
    assert b"\rread " in shown
    assert b" of 24 MB, " in shown
    assert shown.index(b"\r\x1b[K") < shown.index(b"No failure found")
    assert b"\rread " not in on_a_terminal(["small.log"])[0]
    quiet = process("large.log", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert quiet.communicate(timeout=60)[1] == b""
