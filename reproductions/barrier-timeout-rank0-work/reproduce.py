#!/usr/bin/env python3
"""Let rank 0 work for longer than the other rank waits. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is prepares
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks, ranks

cases.needs("torch")
LIMIT = 3
WORK = 6
"""Seconds that rank 0 works, and that the ranks wait for each other."""


def join(seconds: float = LIMIT, debug: str = "OFF") -> int:
    """Join the process group, as with this value in TORCH_DISTRIBUTED_DEBUG, and return the rank."""
    import torch.distributed as dist

    dist.set_debug_level(getattr(dist.DebugLevel, debug))
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=seconds))
    return dist.get_rank()


def work(name: str, seconds: float = WORK) -> None:
    """Write a file, slowly."""
    time.sleep(seconds)
    pathlib.Path(name).write_text("done", encoding="utf-8")


def tokenize() -> None:
    """Rank 0 tokenizes for longer than rank 1 waits."""
    import torch.distributed as dist

    if join(60 if cases.fixed() else LIMIT, "DETAIL") == 0:
        work("tokens", WORK if cases.fixed() else 60)
    dist.barrier()
    print("read", pathlib.Path("tokens").read_text("utf-8"), flush=True)


def saves(fixed: bool) -> None:
    """Rank 0 saves while rank 1 is in the barrier. Fix: a group for this wait, with a time limit of its own."""
    import torch.distributed as dist

    rank = join(40 if fixed else LIMIT)
    waiting = dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=40 if fixed else LIMIT))
    if rank == 0:
        work("checkpoint")
    dist.barrier(group=waiting)
    print("read", pathlib.Path("checkpoint").read_text("utf-8"), flush=True)


def own_limit(fixed: bool) -> None:
    """The group for the wait is there, but the barrier uses the default group. Fix: name the group in the barrier."""
    import torch.distributed as dist

    rank = join(LIMIT)
    waiting = dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=40))
    if rank == 0:
        work("checkpoint")
    dist.barrier(group=waiting if fixed else None)
    print("read", pathlib.Path("checkpoint").read_text("utf-8"), flush=True)


def before(fixed: bool) -> None:
    """Rank 0 prepares after the group is there. Fix: before, while the other rank waits for the file."""
    import os

    import torch.distributed as dist

    rank = int(os.environ["RANK"])
    if not fixed:
        join()
    if rank == 0:
        work("tokens")
    if fixed:
        while not pathlib.Path("tokens").exists():
            time.sleep(0.2)
        join(40)
    dist.barrier()
    print("read", pathlib.Path("tokens").read_text("utf-8"), flush=True)


def prepares(fixed: bool) -> None:
    """Rank 0 tokenizes while rank 1 is in the barrier, with debugging. Fix: a longer time limit for the group."""
    ranks.torchrun(__file__, "tokenize")


def play(role: Callable[[bool], None]) -> Callable[[bool], None]:
    """The case in which both ranks do that."""

    def run(fixed: bool) -> None:
        forks.ranks(functools.partial(role, fixed))

    run.__doc__ = role.__doc__
    return run


TIMED_OUT = "Timed out waiting 3000ms for recv operation to complete"
CASES = {
    "prepares": cases.Case(prepares, "Rank 1 successfully reached monitoredBarrier, but received errors", "read done"),
    "saves": cases.Case(play(saves), TIMED_OUT, "read done", diagnosed=False),
    "own-limit": cases.Case(play(own_limit), TIMED_OUT, "read done", diagnosed=False),
    "before": cases.Case(play(before), TIMED_OUT, "read done", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"tokenize": tokenize}))
