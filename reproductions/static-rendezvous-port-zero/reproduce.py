#!/usr/bin/env python3
"""Give torchrun or the ranks port 0 where nobody hands on the port that the kernel chose. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is flag
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs, ranks

cases.needs("torch")


def train() -> None:
    """Say which port was handed over, then meet the other rank."""
    print("RANK", os.environ["RANK"], "MASTER_PORT", os.environ["MASTER_PORT"], flush=True)
    jobs.train()


def flag(fixed: bool) -> None:
    """--master-port=0. Fix: --standalone."""
    ranks.torchrun(__file__, "train", "--standalone" if fixed else "--master-port=0")


def endpoint(fixed: bool) -> None:
    """An endpoint with port 0 and no backend means static rendezvous. Fix: name the backend."""
    ranks.torchrun(__file__, "train", *["--rdzv-backend=c10d"] * fixed, "--rdzv-endpoint=localhost:0")


def no_launcher(fixed: bool) -> None:
    """Without torchrun, MASTER_PORT=0: rank 0 listens on a port that rank 1 cannot know. Fix: a number for both."""
    port = ranks.PORT if fixed else "0"
    runs = {f"rank{number}": ranks.rank(__file__, "train", number, MASTER_PORT=port) for number in (0, 1)}
    ranks.report(**runs)


TRAINED = "trained with 2 ranks"
CASES = {
    "flag": cases.Case(flag, "while trying to connect to (127.0.0.1, 0)", TRAINED),
    "endpoint": cases.Case(endpoint, "while trying to connect to (localhost, 0)", TRAINED),
    "no-launcher": cases.Case(no_launcher, "while trying to connect to (127.0.0.1, 0)", TRAINED),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train}))
