#!/usr/bin/env python3
"""Start the ranks or the nodes of one job with different ideas of its size. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is outside
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import importlib.util
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if importlib.util.find_spec("torch") is None:
    cases.cannot("No module named 'torch'")

SCRIPT = os.path.abspath(__file__)
LIMIT = datetime.timedelta(seconds=8)


def train() -> None:
    """Meet the other ranks, add up ones, and train on until every rank that was started has come."""
    import torch
    import torch.distributed as dist

    try:
        dist.init_process_group("gloo", timeout=LIMIT)
    finally:
        pathlib.Path(f"came-{os.environ['RANK']}").touch()
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)
    while len([*pathlib.Path().glob("came-*")]) < int(os.environ.get("STARTED", 0)):
        time.sleep(0.1)


def tell() -> None:
    """Say what the launcher told this rank, without a process group, and end in the order of the ranks."""
    print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"], flush=True)
    time.sleep(8 * int(os.environ["RANK"]))
    pathlib.Path(f"told-{os.environ['RANK']}").touch()


def started(*sizes: int) -> None:
    """Start one rank after the other, each with its own number of ranks, and print what they said."""
    count = str(len(sizes))
    ranks.report(**{f"rank{i}": ranks.rank(__file__, "train", i, size, STARTED=count) for i, size in enumerate(sizes)})


def nodes(first: list[str], second: list[str], role: str = "tell") -> dict[str, ranks.Run]:
    """Start torchrun for two nodes, each with options of its own."""
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1"]
    runs = [ranks.start([*launch, *options, SCRIPT, "--role", role], 180) for options in (first, second)]
    return {"node0": runs[0], "node1": runs[1]}


def static(size: int, number: int) -> list[str]:
    """Options of torchrun for a static rendezvous."""
    return [f"--nnodes={size}", f"--node-rank={number}", "--master-addr=127.0.0.1", f"--master-port={ranks.PORT}"]


def dynamic(size: int, seconds: int, host: int) -> list[str]:
    """Options of torchrun for a c10d rendezvous of so much patience."""
    endpoint = ["--rdzv-id=job", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{ranks.PORT}"]
    return [f"--nnodes={size}", *endpoint, f"--rdzv-conf=join_timeout={seconds},read_timeout=100,is_host={host}"]


def outside(fixed: bool) -> None:
    """Three ranks are started, the size says two. Fix: the number of processes."""
    started(*([3] * 3 if fixed else [2] * 3))


def disagree(fixed: bool) -> None:
    """One rank waits for a third that nobody started. Fix: the same size for both."""
    started(2, 2 if fixed else 3)


def too_many(fixed: bool) -> None:
    """All say three, and two are started. Fix: two."""
    started(*([2] * 2 if fixed else [3] * 2))


def alone(fixed: bool) -> None:
    """Neither node is told of the other: two jobs, no error. Fix: --nnodes=2 on both."""
    ranks.report(**nodes(*([static(2, 0), static(2, 1)] if fixed else [[], []]), role="train"))


def at_the_end(fixed: bool) -> None:
    """Static rendezvous, two against three nodes: it trains, and node 0 waits at the end. Fix: two on both."""
    runs = nodes(static(2, 0), static(2 if fixed else 3, 1))
    while not fixed and len([*pathlib.Path().glob("told-*")]) < 2:
        time.sleep(0.2)
    if not fixed:
        time.sleep(8)  # both ranks are done; the agents would wait for five minutes, deaf to signals
        print("agents that still wait:", sum(run.poll() is None for run in runs.values()), flush=True)
        for run in runs.values():
            run.terminate()
    ranks.report(**runs)


def agents(fixed: bool) -> None:
    """c10d, two against one node: they never agree. Fix: two on both."""
    ranks.report(
        **nodes(dynamic(2, 100, 1), dynamic(2, 100, 0)) if fixed else nodes(dynamic(2, 20, 1), dynamic(1, 20, 0))
    )


CASES = {
    "outside": cases.Case(outside, "rank < size. 2 vs 2", "trained with 3 ranks"),
    "disagree": cases.Case(disagree, "ms, keys: /default_pg/0//cpu//0/2", "trained with 2 ranks", diagnosed=False),
    "too-many": cases.Case(
        too_many, "seconds waiting for clients. 2/3 clients joined", "trained with 2 ranks", diagnosed=False
    ),
    "alone": cases.Case(alone, "trained with 1 ranks", "trained with 2 ranks", diagnosed=False),
    "at-the-end": cases.Case(at_the_end, "agents that still wait: 2", "rank 1 of 2", diagnosed=False),
    "agents": cases.Case(agents, "RendezvousTimeoutError", "rank 1 of 2", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "tell": tell}))
