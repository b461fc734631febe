#!/usr/bin/env python3
"""End ranks with SIGKILL from outside, and show what is left to read. Only processes of the case can be reached.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is torchrun
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if find_spec("torch") is None:
    cases.cannot("torch is missing")

STARTED = pathlib.Path("started")
# What a job of the same user runs before its own start. The workers of torchrun run as `python -u SCRIPT`.
CLEAN_UP = "pkill -KILL -f '[p]ython[^ ]* -u '"
SECONDS = 4.0


def train(seconds: float = SECONDS) -> None:
    """Say that it runs, then be busy for a while."""
    STARTED.touch()
    time.sleep(seconds)
    print("trained", flush=True)


def deaf() -> None:
    """Train, and go on when SIGTERM comes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    train(40)


def listening() -> None:
    """Train, and leave when SIGTERM comes."""

    def leave(number: int, _: object) -> None:
        print(f"signal {number}: saved the state", flush=True)
        sys.exit(0)

    signal.signal(signal.SIGTERM, leave)
    train(40)


def neighbour(command: str) -> subprocess.Popen[bytes]:
    """Start another job of the same user, which runs a command once the training is under way."""
    return subprocess.Popen(["sh", "-c", f"until [ -e {STARTED} ]; do sleep 0.2; done; {command}"])


def torchrun(fixed: bool) -> None:
    """The clean-up of a second job kills the workers of the first. Fix: it ends only what it started itself."""
    other = neighbour("sleep 60 & kill -KILL $!" if fixed else CLEAN_UP)
    ranks.torchrun(__file__, "train")
    other.wait()


def shell(fixed: bool) -> None:
    """The same in a job script without torchrun. Fix: as above."""
    command = f"{sys.executable} -u {os.path.abspath(__file__)} --role train"
    pathlib.Path("job.sh").write_text(f"#!/bin/bash\n{command}\necho exit code $?\n", encoding="utf-8")
    other = neighbour("sleep 60 & kill -KILL $!" if fixed else CLEAN_UP)
    ranks.report(job=ranks.start(["bash", "job.sh"]))
    other.wait()


def child(rank: int, fixed: bool) -> None:
    """One of two processes of `mp.spawn`."""
    if rank == 1 and not fixed:
        os.kill(os.getpid(), signal.SIGKILL)
    train()


def spawned() -> None:
    """Start two processes, of which the second is killed unless FIXED is set."""
    import torch.multiprocessing as mp

    mp.spawn(child, args=(bool(os.environ.get("FIXED")),), nprocs=2)


def spawn(fixed: bool) -> None:
    """A process of torch.multiprocessing.spawn is killed. Fix: nobody kills it."""
    settings = {"FIXED": "1"} if fixed else {}
    ranks.report(job=ranks.start([sys.executable, os.path.abspath(__file__), "--role", "spawned"], **settings))


def launcher(fixed: bool) -> None:
    """The launcher kills ranks that do not end in time after SIGTERM. Fix: the ranks leave when it comes."""
    other = neighbour("pkill -TERM -f '^[^ ]*python[^ ]* -m torch'")
    ranks.torchrun(__file__, "listening" if fixed else "deaf", "--standalone", "--shutdown-timeout=3")
    other.wait()


CASES = {
    "torchrun": cases.Case(torchrun, "traceback : Signal 9 (SIGKILL) received by PID", "trained"),
    "shell": cases.Case(shell, "exit code 137", "exit code 0"),
    "spawn": cases.Case(spawn, "terminated with signal SIGKILL", "trained"),
    "launcher": cases.Case(launcher, "forcefully exiting via", "saved the state", diagnosed=False),
}

if __name__ == "__main__":
    roles = {"train": train, "deaf": deaf, "listening": listening, "spawned": spawned}
    sys.exit(cases.main(__file__, CASES, roles))
