#!/usr/bin/env python3
"""Ask a build of PyTorch that has no NCCL for it; the builds for CPUs are such.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is named
exit:  0 the expected outcome was seen, 1 it was not, 77 torch is missing or has NCCL
"""

from __future__ import annotations

import importlib
import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.needs("torch")


def add_up(group: object = None) -> None:
    """One collective, to see that the group works."""
    import torch
    import torch.distributed as dist

    total = torch.ones(1)
    dist.all_reduce(total, group=group)
    print("trained with", int(total.item()), "ranks", flush=True)


def by_name() -> None:
    """Name NCCL; or, with the fix, what this build and this machine have."""
    import torch
    import torch.distributed as dist

    able = dist.is_nccl_available() and torch.cuda.is_available()
    dist.init_process_group("gloo" if cases.fixed() and not able else "nccl")
    add_up()


def by_device() -> None:
    """Name NCCL for one kind of device; or, with the fix, leave the choice to PyTorch."""
    import torch.distributed as dist

    dist.init_process_group(None if cases.fixed() else "cpu:gloo,cuda:nccl")
    add_up()


def second_group() -> None:
    """The first group is on gloo, a later one names NCCL."""
    import torch.distributed as dist

    dist.init_process_group("gloo")
    add_up(dist.new_group(backend=None if cases.fixed() else "nccl"))


def imported() -> None:
    """Import a class that only builds with NCCL have; or, with the fix, ask first."""
    import torch.distributed as dist

    if not cases.fixed() or dist.is_nccl_available():
        from torch.distributed import ProcessGroupNCCL

        print(ProcessGroupNCCL, flush=True)
    dist.init_process_group("gloo")
    add_up()


def alone(work: Callable[[], None]) -> None:
    """Do the work as two ranks, if this build lacks NCCL."""
    if importlib.import_module("torch.distributed").is_nccl_available():
        cases.cannot("this build of torch has NCCL")
    forks.ranks(work)


def named(_: bool) -> None:
    """init_process_group("nccl"). Fix: ask the build, and take gloo."""
    alone(by_name)


def per_device(_: bool) -> None:
    """init_process_group("cpu:gloo,cuda:nccl"). Fix: no name."""
    alone(by_device)


def group(_: bool) -> None:
    """new_group(backend="nccl"). Fix: the backend of the first group."""
    alone(second_group)


def class_import(_: bool) -> None:
    """A library imports ProcessGroupNCCL at its top. Fix: it asks is_nccl_available first."""
    alone(imported)


MISSING = "Distributed package doesn't have NCCL built in"
DONE = "trained with 2 ranks"
CASES = {
    "named": cases.Case(named, MISSING, DONE),
    "per-device": cases.Case(per_device, MISSING, DONE),
    "group": cases.Case(group, MISSING, DONE),
    "class-import": cases.Case(class_import, "cannot import name 'ProcessGroupNCCL'", DONE),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
