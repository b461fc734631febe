"""Ranks of a job on this machine, started with or without torchrun."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from lab.cases import clean

PORT = "29500"
"""Where rank 0 listens; the network namespace is the case's own."""


Run = subprocess.Popen[str]
"""A command that was started."""


def rank(script: str, role: str, number: int, size: int = 2, seconds: int = 90, **variables: str) -> Run:
    """Start one rank as a launcher would: the script again in a role, with RANK, WORLD_SIZE and the like set."""
    settings = {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": PORT,
    }
    return start([sys.executable, os.path.abspath(script), "--role", role], seconds, **{**settings, **variables})


def start(command: Sequence[str], seconds: int = 90, **variables: str) -> Run:
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
    launch = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}"]
    run = start(
        [*launch, *(options or ["--standalone"]), os.path.abspath(script), "--role", role], seconds, **variables
    )
    log = clean(run.communicate()[0])
    print(log, flush=True)
    return log


def report(**runs: Run) -> str:
    """Wait for the processes, then print what each of them has said, and return it."""
    logs = "\n".join(f"--- {name}\n{clean(run.communicate(timeout=200)[0])}" for name, run in runs.items())
    print(logs, flush=True)
    return logs
