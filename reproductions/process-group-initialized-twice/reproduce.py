#!/usr/bin/env python3
"""Make the default process group a second time in one process.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is library
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as mp
    from torch.distributed.device_mesh import init_device_mesh
except ImportError as missing:
    cases.cannot(missing)

FIXED = "MENDED" in os.environ


def average() -> None:
    """Add up ones over the ranks."""
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)


def library() -> None:
    """What a framework does when its trainer is made."""
    if FIXED and dist.is_initialized():
        return
    dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=30))


def framework() -> None:
    """Set the group up, and use a framework that does so as well."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=9))
    library()
    limit = dist.group.WORLD._get_backend(torch.device("cpu")).options._timeout  # nothing public tells it
    print("time limit of the first call kept", limit == datetime.timedelta(seconds=9), flush=True)
    average()


def trials() -> None:
    """Two trainings in one process, as in a search for parameters or in a notebook. The fix destroys in between."""
    for trial in range(2):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        print("trial", trial, flush=True)
        average()
        if FIXED:
            dist.destroy_process_group()


def mesh() -> None:
    """A device mesh makes the group if there is none. The fix makes the group first."""
    if FIXED:
        dist.init_process_group("gloo")
    init_device_mesh("cpu", (1,))
    if not FIXED:
        dist.init_process_group("gloo")
    average()


def child(number: int) -> None:
    """The rank of a child that the parent has started."""
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{ranks.PORT}", rank=number, world_size=1)
    average()


def forks() -> None:
    """Make a group and start a rank from it. The fork copies the group, spawn does not."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    mp.start_processes(child, nprocs=1, start_method="spawn" if FIXED else "fork")


def run(role: str, fixed: bool) -> None:
    """Run the script in a role as the only rank, and print what it said."""
    ranks.report(train=ranks.rank(__file__, role, 0, size=1, **({"MENDED": "1"} if fixed else {})))


def twice(fixed: bool) -> None:
    """The script and a framework both make the group. Fix: the framework looks first."""
    run("framework", fixed)


def again(fixed: bool) -> None:
    """A second training in the same process. Fix: destroy the group at the end of each."""
    run("trials", fixed)


def hidden(fixed: bool) -> None:
    """The first call is hidden in init_device_mesh. Fix: call it before."""
    run("mesh", fixed)


def forked(fixed: bool) -> None:
    """A forked child has the group of its parent already. Fix: spawn it."""
    run("forks", fixed)


TWICE = "ValueError: trying to initialize the default process group twice!"
CASES = {
    "library": cases.Case(twice, TWICE, "time limit of the first call kept True"),
    "trials": cases.Case(again, TWICE, "trial 1\ntrained with 1 ranks"),
    "mesh": cases.Case(hidden, TWICE, "trained with 1 ranks"),
    "forked": cases.Case(forked, TWICE, "trained with 1 ranks"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"framework": framework, "trials": trials, "mesh": mesh, "forks": forks}))
