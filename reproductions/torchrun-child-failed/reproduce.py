#!/usr/bin/env python3
"""Let a worker of torchrun end in several ways, and show what the launcher reports. One machine, no GPU.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is python-exception
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import argparse
import atexit
import ctypes
import mmap
import os
import pathlib
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.needs("torch")

LONG = 60.0
STARTED = pathlib.Path("started")
ROOT = re.compile(r"Root Cause \(first observed failure\):\n(?:.*\n){3}  rank      : (\d+)")
Work = Callable[[int, bool], None]


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
        pathlib.Path("raised").touch()
        atexit.register(time.sleep, LONG)
        raise ValueError("the first failure")
    while not pathlib.Path("raised").exists():
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
    STARTED.touch()
    if not fixed:
        time.sleep(LONG)


def role(work: Work) -> Callable[[], None]:
    """The training script of one rank."""

    def train() -> None:
        decorated = work
        if os.environ["DECORATED"] == "1":
            from torch.distributed.elastic.multiprocessing.errors import record

            decorated = record(work)
        decorated(int(os.environ["RANK"]), cases.fixed())

    return train


def launch(work: Work, *options: str, decorated: bool = False) -> str:
    """Run two ranks under torchrun, and print its exit code and what its log tells."""
    command = ranks.agent(__file__, work.__name__, "--standalone", *options, ranks=2)
    run = ranks.start(command, 120, DECORATED=str(int(decorated)))
    if work is busy and not cases.fixed():
        ranks.wait_for(STARTED.exists)
        run.terminate()
    log = ranks.report(torchrun=run)
    root = ROOT.search(log)
    print("torchrun: exit code", run.returncode)
    print("root cause: rank", root.group(1) if root else "none")
    print("stack of Python:", "Fatal Python error" in log)
    return log


def case(
    work: Work, broken: str, mended: str = "torchrun: exit code 0", decorator: str = "never", diagnosed: bool = True
) -> cases.Case:
    """The case in which a worker ends like this; the decorator is put on "never", as the "fix" or "always"."""

    def play(fixed: bool) -> None:
        launch(work, decorated=decorator == "always" or (decorator == "fix" and fixed))

    play.__doc__ = work.__doc__
    return cases.Case(play, broken, mended, diagnosed)


def redirected(fixed: bool) -> None:
    """The traceback goes into a file of the worker. Fix: let it appear on the console as well."""
    log = launch(python_exception, "--log-dir=logs", "--tee=3" if fixed else "--redirects=3")
    print("traceback on the console:", "ValueError" in log)
    for path in sorted(pathlib.Path("logs").rglob("*.*")):
        print(f"{path}: {path.stat().st_size} bytes")


CASES = {
    "python-exception": case(python_exception, "To enable traceback see:", "  ValueError: batch size 0", "fix"),
    "sigkill": case(killed, "traceback : Signal 9 (SIGKILL) received by PID", diagnosed=False),
    "segfault": case(segfault, "stack of Python: False", "Fatal Python error: Segmentation fault", "fix"),
    "abort": case(aborted, "stack of Python: False", "Fatal Python error: Aborted", "fix"),
    "bus-error": case(bus_error, "stack of Python: False", "Fatal Python error: Bus error", "fix"),
    "slow-exit": case(slow_exit, "root cause: rank 0", "root cause: rank 1", "fix"),
    "usage": case(usage, "exitcode  : 2 (pid:", decorator="always"),
    "redirected": cases.Case(redirected, "traceback on the console: False", "traceback on the console: True"),
    "launcher-stopped": case(busy, "got signal: 15", diagnosed=False),
}
WORK = (python_exception, killed, segfault, aborted, bus_error, slow_exit, usage, busy)

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {work.__name__: role(work) for work in WORK}))
