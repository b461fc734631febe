#!/usr/bin/env python3
"""Let a node wait for another that does not come, or that waits elsewhere. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is absent
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if importlib.util.find_spec("torch") is None:
    cases.cannot("No module named 'torch'")

LAUNCH = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1", "--nnodes=2"]
IMPATIENT, PATIENT = 10, 100
"""Seconds that a node waits for the others; 600 or 900 by default."""


def tell() -> None:
    """Say what the launcher told this rank."""
    print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"], flush=True)


def node(*options: str) -> ranks.Run:
    """Start torchrun for one of two nodes."""
    return ranks.start([*LAUNCH, *options, os.path.abspath(__file__), "--role", "tell"], 150)


def dynamic(number: int, seconds: int, name: str = "job") -> ranks.Run:
    """Start a node that meets the others at a c10d endpoint, which is on one of the nodes."""
    settings = f"join_timeout={seconds},read_timeout={PATIENT},is_host={int(number == 0)}"
    endpoint = f"--rdzv-endpoint=127.0.0.1:{ranks.PORT}"
    return node(f"--rdzv-id={name}", "--rdzv-backend=c10d", endpoint, f"--rdzv-conf={settings}")


def static(number: int, seconds: int) -> ranks.Run:
    """Start a node that meets the others at a fixed address."""
    where = ["--master-addr=127.0.0.1", f"--master-port={ranks.PORT}"]
    return node(f"--node-rank={number}", *where, f"--rdzv-conf=timeout={seconds}")


def absent(fixed: bool) -> None:
    """The second node is not started. Fix: start it."""
    if fixed:
        ranks.report(node0=dynamic(0, PATIENT), node1=dynamic(1, PATIENT))
    else:
        ranks.report(node0=dynamic(0, IMPATIENT))


def unnamed(fixed: bool) -> None:
    """The job has no id, so each node makes one up, and they never see each other. Fix: one id."""
    seconds, name = (PATIENT, "job") if fixed else (IMPATIENT * 3, "")
    ranks.report(node0=dynamic(0, seconds, name), node1=dynamic(1, seconds, name))


def standalone(fixed: bool) -> None:
    """--standalone gives each node an endpoint and an id of its own. Fix: one endpoint and one id."""
    if fixed:
        ranks.report(node0=dynamic(0, PATIENT), node1=dynamic(1, PATIENT))
    else:
        patience = f"--rdzv-conf=join_timeout={IMPATIENT}"
        ranks.report(node0=node("--standalone", patience), node1=node("--standalone", patience))


def fixed_address(fixed: bool) -> None:
    """The second node is not started, under static rendezvous. Fix: start it."""
    if fixed:
        ranks.report(node0=static(0, PATIENT), node1=static(1, PATIENT))
    else:
        ranks.report(node0=static(0, IMPATIENT))


MISSING = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"
CASES = {
    "absent": cases.Case(absent, MISSING, "rank 1 of 2"),
    "unnamed": cases.Case(unnamed, MISSING, "rank 1 of 2"),
    "standalone": cases.Case(standalone, MISSING, "rank 1 of 2"),
    "static": cases.Case(
        fixed_address, "seconds waiting for clients. 1/2 clients joined", "rank 1 of 2", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"tell": tell}))
