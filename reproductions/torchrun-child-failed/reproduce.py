#!/usr/bin/env python3
"""Let a worker of torchrun end in several ways, and show what the launcher reports. One machine, no GPU.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is python-exception
exit:  0 the expected outcome was seen, 1 it was not, 77 this machine cannot run the case
"""

import argparse
import atexit
import ctypes
import mmap
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

if find_spec("torch") is None:
    sys.exit(77)

LONG = 60.0
ROOT = re.compile(r"Root Cause \(first observed failure\):\n(?:.*\n){3}  rank      : (\d+)")


@dataclass(frozen=True)
class Case:
    """How a worker ends, and the text that the log must hold without and with the fix."""

    work: Callable[[int, bool], None]
    broken: str
    mended: str
    options: tuple[str, ...] = ()
    mended_options: tuple[str, ...] = ()
    record: bool = False  # whether the fix is the decorator
    stop: bool = False  # whether the launcher itself is asked to stop


def python_exception(rank: int, _: bool) -> None:
    """Rank 1 raises while rank 0 is busy. Fix: @record puts the traceback into the report."""
    if rank == 1:
        raise ValueError("batch size 0")
    time.sleep(LONG)


def killed(rank: int, fixed: bool) -> None:
    """Rank 1 gets SIGKILL, as from the OOM killer; nothing in the process can report it. Fix: no signal."""
    if fixed:
        return
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(LONG)


def segfault(rank: int, _: bool) -> None:
    """Rank 1 reads address 0. Fix: @record turns on faulthandler, which prints the Python stack."""
    if rank == 1:
        ctypes.string_at(0)
    time.sleep(LONG)


def aborted(rank: int, _: bool) -> None:
    """Rank 1 aborts, as after an uncaught C++ exception. Fix: @record turns on faulthandler here too."""
    if rank == 1:
        os.abort()
    time.sleep(LONG)


def bus_error(rank: int, _: bool) -> None:
    """Rank 1 reads a page of a mapped file that was cut off, as in a full /dev/shm. Fix: @record, as above."""
    if rank == 1:
        with tempfile.TemporaryFile() as file:
            file.truncate(2 * mmap.PAGESIZE)
            view = mmap.mmap(file.fileno(), 0)
            file.truncate(mmap.PAGESIZE)
            print(view[mmap.PAGESIZE])
    time.sleep(LONG)


def slow_exit(rank: int, _: bool) -> None:
    """Rank 1 raises first and exits late, rank 0 fails after it and exits at once. Fix: @record keeps the time."""
    if rank == 1:
        Path("raised").touch()
        atexit.register(time.sleep, LONG)
        raise ValueError("the first failure")
    while not Path("raised").exists():
        time.sleep(0.1)
    time.sleep(2)
    raise ConnectionError("the second failure")


def usage(rank: int, fixed: bool) -> None:
    """The script refuses an option: exit code 2 by SystemExit, which @record leaves out. Fix: accept the option."""
    parser = argparse.ArgumentParser(prog="train.py")
    if fixed:
        parser.add_argument("--epochs")
    parser.parse_args([f"--epochs={rank}"])


def busy(_: int, fixed: bool) -> None:
    """The launcher itself gets SIGTERM. Fix: let it come to its end."""
    print("working", flush=True)
    if not fixed:
        time.sleep(LONG)


CASES = {
    "python-exception": Case(python_exception, "error_file: <N/A>", "  ValueError: batch size 0", record=True),
    "sigkill": Case(killed, "traceback : Signal 9 (SIGKILL) received by PID", "torchrun: exit code 0"),
    "segfault": Case(segfault, "exitcode  : -11 (pid:", "Fatal Python error: Segmentation fault", record=True),
    "abort": Case(aborted, "exitcode  : -6 (pid:", "Fatal Python error: Aborted", record=True),
    "bus-error": Case(bus_error, "exitcode  : -7 (pid:", "Fatal Python error: Bus error", record=True),
    "slow-exit": Case(slow_exit, "root cause: rank 0", "root cause: rank 1", record=True),
    "usage": Case(usage, "exitcode  : 2 (pid:", "torchrun: exit code 0"),
    "redirected": Case(
        python_exception,
        "traceback on the console: False",
        "traceback on the console: True",
        ("--log-dir=logs", "--redirects=3"),
        ("--log-dir=logs", "--tee=3"),
    ),
    "launcher-stopped": Case(busy, "got signal: 15", "torchrun: exit code 0", stop=True),
}


def worker(name: str, fixed: bool) -> None:
    """The training script of one rank."""
    case = CASES[name]
    rank = int(os.environ["RANK"])
    if (case.record and fixed) or name == "usage":
        from torch.distributed.elastic.multiprocessing.errors import record

        record(case.work)(rank, fixed)
    else:
        case.work(rank, fixed)


def launch(name: str, fixed: bool) -> tuple[str, int]:
    """Run the case under torchrun in the working directory, and return what the console got and the exit code."""
    case = CASES[name]
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        *(case.mended_options if fixed else case.options),
        os.path.abspath(__file__),
        "--work",
        "--case",
        name,
        *["--fixed"] * fixed,
    ]
    console = Path("console")
    with console.open("w", encoding="utf-8") as output:
        launcher = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": os.getcwd()},
        )
        deadline = time.monotonic() + LONG
        while case.stop and not fixed and time.monotonic() < deadline and "working" not in console.read_text("utf-8"):
            time.sleep(0.2)
        if case.stop and not fixed:
            launcher.terminate()
        code = launcher.wait(timeout=4 * LONG)
    return console.read_text("utf-8"), code


def run(name: str, fixed: bool) -> str:
    """Run a case, and return its log and what can be told from it."""
    console, code = launch(name, fixed)
    root = ROOT.search(console)
    told = [console, f"torchrun: exit code {code}", f"root cause: rank {root.group(1) if root else 'none'}"]
    if CASES[name].options:
        told.append(f"traceback on the console: {'ValueError' in console}")
        told += [f"{path}: {path.stat().st_size} bytes" for path in sorted(Path("logs").rglob("*.*"))]
    return "\n".join(told)


def main() -> int:
    """Run one case in a directory of its own and look for the expected outcome in what it prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="python-exception")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        worker(args.case, args.fixed)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        log = run(args.case, args.fixed)
        os.chdir("/")
    print(log)
    return 0 if (CASES[args.case].mended if args.fixed else CASES[args.case].broken) in log else 1


if __name__ == "__main__":
    sys.exit(main())
