"""Reproductions: what the frame isolates and bounds, what a run is held against, and what is kept of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import MAIN, OTHER, check_written, load_written, write_corpus
from commands import faultbook
from faultbook.checks.reproduced import digest
from faultbook.lab.record import FILE, keep_records
from faultbook.lab.run import Runner
from faultbook.schema import Reproduced, ReproducedCase
from sites import ROOT

SLUG = "shm-exhausted"
SCRIPT = f"reproductions/{SLUG}/reproduce.py"
EVIDENCE = (
    f"evidence:\n  level: reproduced\n  reproduction:\n    path: {SCRIPT}\n    shows: A small tmpfs\n"
    "perspectives:\n  lead: The worker ends within a second. [@reproduction]\n"
)
ERROR = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm)"

HEAD = """\
import os, pathlib, resource, subprocess, sys, time
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lab import cases, machine

"""
FOOT = """
if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
"""
PLAIN = f"""
def full(fixed):
    print("all is well" if fixed else "RuntimeError: DataLoader worker (pid 7) died, bus error. " + {ERROR!r})

CASES = {{"full": cases.Case(full, "bus error", "all is well")}}
"""


def isolation_lacks() -> str:
    """Why cases cannot be isolated here; nothing if they can."""
    for program in ("unshare", "setpriv", "ip"):
        if not shutil.which(program):
            return f"{program} is missing"
    wanted = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--mount-proc", "true"]
    run = subprocess.run(wanted, capture_output=True, text=True, check=False)
    return f"namespaces of a user are off: {run.stderr.strip()}" if run.returncode else ""


LACKS = isolation_lacks()
pytestmark = pytest.mark.skipif(bool(LACKS), reason=LACKS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes a project whose one entry has this script; the working directory is in it."""

    def make(body: str) -> Path:
        root = tmp_path / "project"
        write_corpus(root, {MAIN: EVIDENCE})
        (root / "mkdocs.yml").write_text("site_name: Test\nplugins: [faultbook]\n")
        shutil.copytree(ROOT / "reproductions/lab", root / "reproductions/lab", dirs_exist_ok=True)
        script = root / SCRIPT
        script.parent.mkdir(exist_ok=True)
        script.write_text(HEAD + body + FOOT)
        monkeypatch.chdir(root)
        return root

    return make


def frame(root: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script by itself, as a reader runs it."""
    command = [sys.executable, str(root / SCRIPT)]
    environment = {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)


def test_a_failure_that_its_fix_removes_is_recorded(project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    before = [violation.code for violation in check_written(root / "entries")]
    result = faultbook("reproduce", SLUG)
    assert re.sub(r"\d+\.\d s", "N s", result.output) == (
        f"{SLUG}: full: it failed and was diagnosed (N s)\n{SLUG}: full --fixed: the failure stayed away (N s)\n"
        "1 entry reproduced (1 case), 0 failed, 0 skipped\n"
    )
    assert result.exit_code == 0
    run = load_written(root / "entries").records[SLUG].reproduced
    assert run is not None
    assert run.good
    assert run.script == digest((root / SCRIPT).read_bytes())
    assert list(run.cases) == ["full"]
    assert (before, check_written(root / "entries")) == (["reproduction-unrecorded"], [])


def test_a_script_that_was_changed_must_be_run_again(project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    assert faultbook("reproduce", "--stale").exit_code == 0
    assert faultbook("reproduce", "--stale").output == "0 entries reproduced (0 cases), 0 failed, 0 skipped\n"
    (root / SCRIPT).write_text((root / SCRIPT).read_text() + "# other\n")
    (found,) = check_written(root / "entries")
    assert "the script was changed after its last run on" in found.message
    assert f"run 'faultbook reproduce {SLUG}' and commit the record" in found.message


FAULTS = {
    "no failure": ("print('all is well')", "the failure did not come about (exit code 1)"),
    "another failure": ("print('all is well' if fixed else 'bus error of another kind')", "its log is diagnosed as"),
    "a fix that does not help": (f"print({ERROR!r} + ': bus error, all is well')", "the failure did not stay away"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_does_not_show_what_the_entry_claims_fails(name: str, project: Callable[[str], Path]) -> None:
    line, fault = FAULTS[name]
    root = project(f"def full(fixed):\n    {line}\nCASES = {{'full': cases.Case(full, 'bus error', 'all is well')}}\n")
    result = faultbook("reproduce", SLUG)
    assert result.exit_code == 1
    assert fault in result.output
    assert result.output.endswith(f"1 failed, 0 skipped\nfailed: {SLUG}\n")
    (found,) = check_written(root / "entries")
    assert found.code == "reproduction-unrecorded"
    assert "not all was as claimed in 'full'" in found.message


def test_a_fix_must_also_remove_the_message(project: Callable[[str], Path]) -> None:
    project(
        f"def full(fixed):\n    print({ERROR!r}, 'all is well' if fixed else 'broken')\n"
        "CASES = {'full': cases.Case(full, 'broken', 'all is well')}\n"
    )
    result = faultbook("reproduce", SLUG)
    assert result.exit_code == 1
    assert "full --fixed: FAILED: its log is still diagnosed as this entry (" in result.output


def test_a_case_that_is_no_error_line_need_not_be_diagnosed(project: Callable[[str], Path]) -> None:
    root = project(
        "def slow(fixed):\n    print('fast' if fixed else 'slow')\n"
        "CASES = {'slow': cases.Case(slow, 'slow', 'fast', diagnosed=False)}\n"
    )
    assert faultbook("reproduce", SLUG).output.startswith(f"{SLUG}: slow: it failed as claimed (")
    assert check_written(root / "entries") == []


def test_what_cannot_run_here_is_skipped_with_its_reason_and_keeps_its_record(project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    faultbook("reproduce", SLUG)
    before = (root / "entries" / FILE).read_text()
    script = (root / SCRIPT).read_text()
    (root / SCRIPT).write_text(script.replace("def full", "cases.needs('a_gpu_of_its_own')\ndef full"))
    result = faultbook("reproduce", "--all")
    assert result.exit_code == 77
    assert f"{SLUG}: skipped: No module named 'a_gpu_of_its_own'" in result.output
    assert (root / "entries" / FILE).read_text() == before


def test_one_half_of_one_case_prints_its_log_and_records_nothing(project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    result = faultbook("reproduce", SLUG, "--case", "full", "--fixed")
    assert "all is well\n" in result.output
    assert "full: it failed" not in result.output
    assert not (root / "entries" / FILE).exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one or more entries, or give --all or --stale"),
        ([SLUG, "--all"], "name one or more entries, or give --all or --stale"),
        (["open-files-limit"], "'open-files-limit' names no script that exists under 'evidence.reproduction'"),
        ([SLUG, "--python", "nowhere"], "File 'nowhere' does not exist"),
    ],
)
def test_calls_that_make_no_sense(arguments: list[str], message: str, project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    write_corpus(root, {MAIN: EVIDENCE, "host/open-files-limit.yaml": ""})
    result = faultbook("reproduce", *arguments)
    assert result.exit_code == 64
    assert message in result.output


def test_an_unknown_case_names_the_nearest(project: Callable[[str], Path]) -> None:
    project(PLAIN)
    result = faultbook("reproduce", SLUG, "--case", "fulls")
    assert result.exit_code == 1
    assert f"{SLUG}: has no case 'fulls' (did you mean 'full'?)\n" in result.output


def test_a_script_without_the_frame_is_refused(project: Callable[[str], Path]) -> None:
    root = project(PLAIN)
    (root / SCRIPT).write_text("print('bus error')\n")
    result = faultbook("reproduce", SLUG)
    assert result.exit_code == 1
    assert f"{SLUG}: '--list' ended with 0 and no list of cases\n" in result.output


def test_results_for_programs(project: Callable[[str], Path]) -> None:
    project(PLAIN)
    data = json.loads(faultbook("reproduce", SLUG, "--format", "json").output)
    (row,) = data["results"]
    assert (row["entry"], row["skipped"], row["faults"]) == (SLUG, None, [])
    assert [(run["case"], run["fixed"], run["exit"], run["found"]) for run in row["runs"]] == [
        ("full", False, 0, [SLUG]),
        ("full", True, 0, []),
    ]


def test_runs_at_the_same_time_keep_each_others_records(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: "", OTHER: ""})
    run = Reproduced(
        ran="2026-12-01",
        script="0" * 16,
        kernel="Linux 6.18",
        python="3.11.7",
        packages={"torch": "2.13.0"},
        cases={"full": ReproducedCase(failed=True, mended=True, diagnosed=True)},
    )
    keep_records(entries, {"shm-exhausted": run})
    keep_records(entries, {"open-files-limit": run})
    kept = load_written(entries).reproduced
    assert set(kept) == {"shm-exhausted", "open-files-limit"}
    assert kept["shm-exhausted"] == run
    (entries / OTHER).unlink()
    keep_records(entries, {})
    assert set(load_written(entries).reproduced) == {"shm-exhausted"}
    assert [path.name for path in entries.iterdir() if path.name.startswith(".")] == []


def test_a_script_that_goes_on_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, time\nsignal.signal(15, lambda *_: print('not yet'))\nwhile True: time.sleep(1)\n"
    )
    assert Runner(Path(sys.executable), seconds=2).run(script).code == 124


# Everything that a case could leave behind. The marks stand in command lines and names, where they can be found.
MESS = """
def mess(fixed):
    subprocess.Popen(["sleep", "MARK"], start_new_session=True)
    subprocess.Popen(["unshare", "--net", "--mount", "sleep", "MARK"])
    pathlib.Path("file-MARK").write_text("x")
    pathlib.Path("/dev/shm/shm-MARK").write_text("x")
    machine.tmpfs("mount-MARK")
    cases.sh("sysctl -qw net.ipv4.ip_local_port_range='40000 40100'")
    cases.sh("hostname host-MARK")
    cases.cover("/etc/hostname", "host-MARK")
    cases.sh("ip link add name veth9 type veth peer name veth8")
    print("in full mess", flush=True)
    pathlib.Path(os.environ["READY"]).touch() if "READY" in os.environ else None
    time.sleep(float(os.environ.get("LINGER", "0")))
    print("all is well")

CASES = {"mess": cases.Case(mess, "in full mess", "all is well", diagnosed=False)}
"""


def processes(mark: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


def inhabitants(mark: str) -> set[tuple[str, str]]:
    """The processes in the namespaces of those with this mark, each by number and start.

    Not the namespaces, whose numbers are given anew as soon as they are free.
    """
    here = {os.readlink(space) for space in Path("/proc/self/ns").iterdir()}
    found: dict[tuple[str, str], set[str]] = {}
    marked: set[str] = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            spaces = {os.readlink(space) for space in (path / "ns").iterdir()} - here
            found[path.name, (path / "stat").read_text().rpartition(")")[2].split()[19]] = spaces
            if mark.encode() in (path / "cmdline").read_bytes():
                marked |= spaces
        except OSError:
            continue
    return {process for process, spaces in found.items() if spaces & marked}


def alive(process: tuple[str, str]) -> bool:
    try:
        return Path("/proc", process[0], "stat").read_text().rpartition(")")[2].split()[19] == process[1]
    except OSError:
        return False


def machine_state(mark: str) -> dict[str, object]:
    """What a run must leave as it was, beside processes."""
    return {
        "mounts": [
            line for line in Path("/proc/self/mountinfo").read_text().splitlines() if mark in line or "nsfs" in line
        ],
        "ports": Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(),
        "host": os.uname().nodename,
        "links": sorted(os.listdir("/sys/class/net")),
        "shm": [name for name in os.listdir("/dev/shm") if mark in name],
        "named": subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False).stdout,
    }


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return held


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A number that stands in the command line of each process of the test."""
    found = f"7{os.getpid()}{time.time_ns() % 10**6:06}"
    yield found
    for line in processes(found):
        subprocess.run(["pkill", "-KILL", "-f", f"^{re.escape(line.strip())}"], check=False)


def test_nothing_stays_behind(project: Callable[[str], Path], tmp_path: Path, mark: str) -> None:
    root = project(MESS.replace("MARK", mark))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    state = machine_state(mark)
    run = frame(root, TMPDIR=str(temporary))
    assert (run.returncode, "in full mess" in run.stdout) == (0, True), run.stdout + run.stderr
    assert (processes(mark), machine_state(mark), list(temporary.iterdir())) == ([], state, [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
@pytest.mark.parametrize("whole", [False, True], ids=["script", "command"])
def test_nothing_stays_behind_when_it_is_interrupted(
    whole: bool, number: signal.Signals, project: Callable[[str], Path], tmp_path: Path, mark: str
) -> None:
    root = project(MESS.replace("MARK", mark))
    temporary, ready = tmp_path / "temporary", tmp_path / "ready"
    temporary.mkdir()
    state = machine_state(mark)
    program = ["-m", "faultbook", "reproduce", SLUG] if whole else [str(root / SCRIPT)]
    # A run in the background of a shell inherits that SIGINT is ignored.
    python = ["env", "--default-signal=INT", sys.executable]
    run = subprocess.Popen(
        [*python, *program],
        env={**os.environ, "TMPDIR": str(temporary), "READY": str(ready), "LINGER": "60"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert wait_until(ready.exists, 60)
    assert len(processes(mark)) == 2
    inside = inhabitants(mark)
    assert len(inside) >= 3
    run.send_signal(number)
    output, _ = run.communicate(timeout=60)
    assert "Traceback" not in output
    assert run.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert wait_until(lambda: not processes(mark))
    assert wait_until(lambda: not any(map(alive, inside)))
    assert machine_state(mark) == state
    # Nobody is left to remove the directory itself after SIGKILL; what lay in it was in memory.
    left = [path for path in temporary.rglob("*") if not path.is_dir() and path.name != "output"]
    assert left == []
    if number != signal.SIGKILL:
        assert list(temporary.iterdir()) == []
    assert not (root / "entries" / FILE).exists()


def test_a_case_is_bounded(project: Callable[[str], Path]) -> None:
    root = project(
        """
def bounds(fixed):
    print("cpu", resource.getrlimit(resource.RLIMIT_CPU)[0] <= 600, "core", resource.getrlimit(resource.RLIMIT_CORE)[0])
    try:
        with open("large", "wb") as file:
            for _ in range(1100):
                file.write(bytes(2**20))
    except OSError as error:
        print("large file:", error.errno)
    print("outside:", subprocess.run(["ip", "route"], capture_output=True, text=True).stdout)
    print("secret" in os.environ.get("TORCH_SECRET", ""), os.getcwd() == os.environ["TMPDIR"])
    print("done")

CASES = {"bounds": cases.Case(bounds, "done", "-", diagnosed=False)}
"""
    )
    run = frame(root, TORCH_SECRET="secret")
    assert run.stdout == "cpu True core 0\nlarge file: 27\noutside: \nFalse True\ndone\n\n"
    assert run.returncode == 0


def test_limits_are_lowered_and_never_raised(project: Callable[[str], Path]) -> None:
    root = project(
        """
def limits(fixed):
    machine.limit(resource.RLIMIT_NOFILE, 100)
    machine.limit(resource.RLIMIT_NOFILE, 5000)
    print(resource.getrlimit(resource.RLIMIT_NOFILE))
    machine.tmpfs("small", "1m", inodes=3)
    made = 0
    try:
        for made in range(9):
            pathlib.Path(f"small/{made}").touch()
    except OSError as error:
        print("files:", made, error.strerror)

CASES = {"limits": cases.Case(limits, "(100, 100)", "-", diagnosed=False)}
"""
    )
    assert frame(root).stdout == "(100, 100)\nfiles: 2 No space left on device\n\n"


def test_without_namespaces_a_script_says_that_it_cannot_run(project: Callable[[str], Path], tmp_path: Path) -> None:
    root = project(PLAIN)
    (tmp_path / "bin").mkdir()
    run = frame(root, PATH=str(tmp_path / "bin"))
    assert (run.returncode, run.stdout) == (77, "cannot run here: unshare of util-linux is missing\n")


def test_scripts_can_be_started_by_their_name() -> None:
    scripts = sorted((ROOT / "reproductions").glob("*/reproduce.py"))
    assert scripts
    assert [path.parent.name for path in scripts if not os.access(path, os.X_OK)] == []
    assert {path.read_text("utf-8").split("\n", 1)[0] for path in scripts} == {"#!/usr/bin/env python3"}
