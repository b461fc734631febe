"""Ranks of a job on this machine, started with or without torchrun."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from lab.cases import clean

PORT = "29500"
"""Where rank 0 listens; the network namespace is the case's own."""
TORCHRUN = (sys.executable, "-m", "torch.distributed.run")
"""The command torchrun, of the Python that runs the case."""
TWO_NODES = ("--nnodes=2", "--rdzv-id=job", "--rdzv-backend=c10d")
"""Options of torchrun for one job on two nodes; what is missing is the endpoint."""

Run = subprocess.Popen[str]
"""A command that was started."""


def again(script: str, role: str) -> list[str]:
    """The command that runs the script in a role."""
    return [sys.executable, os.path.abspath(script), "--role", role]


def agent(script: str, role: str, *options: str, ranks: int = 1) -> list[str]:
    """The command that runs the script in a role on several ranks under torchrun."""
    return [*TORCHRUN, f"--nproc-per-node={ranks}", *options, *again(script, role)[1:]]


def rank(
    script: str, role: str, number: int, size: int = 2, seconds: int = 120, enter: Sequence[str] = (), **variables: str
) -> Run:
    """Start one rank as a launcher would: the script again in a role, with RANK, WORLD_SIZE and the like set."""
    return start([*enter, *again(script, role)], seconds, **{**settings(number, size), **variables})


def settings(number: int, size: int) -> dict[str, str]:
    """What a launcher tells a rank of a job on one host by its environment."""
    return {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": PORT,
    }


def start(command: Sequence[str], seconds: int = 120, **variables: str) -> Run:
    """Start a command that ends after some seconds at the latest."""
    return subprocess.Popen(
        ["timeout", "--kill-after=5", str(seconds), *command],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def torchrun(script: str, role: str, *options: str, ranks: int = 2, seconds: int = 120, **variables: str) -> str:
    """Run the script in a role on several ranks under torchrun; print what it said and return it."""
    run = start(agent(script, role, *(options or ["--standalone"]), ranks=ranks), seconds, **variables)
    log = clean(run.communicate()[0])
    print(log, flush=True)
    return log


def report(**runs: Run) -> str:
    """Wait for the processes, then print what each of them has said, and return it."""
    logs = "\n".join(f"--- {name}\n{clean(run.communicate(timeout=200)[0])}" for name, run in runs.items())
    print(logs, flush=True)
    return logs


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not collected does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Wait until something holds, and say whether it did in time."""
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return held
