#!/usr/bin/env python3
"""Give two ranks a different number of batches. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is join-throws
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import itertools
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

if TYPE_CHECKING:
    from torch.nn.parallel import DistributedDataParallel

cases.needs("torch")
BATCHES = (3, 2)
"""How many batches each rank has."""


def join(fixed: bool) -> int:
    """Join the process group, and return the rank."""
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40 if fixed else 4))
    return dist.get_rank()


def wrapped() -> DistributedDataParallel:
    """A model of one weight, wrapped in DDP."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))


def step(model: DistributedDataParallel, label: str) -> None:
    """A forward and a backward pass, which averages the gradient."""
    import torch

    model(torch.ones(1, 1)).sum().backward()
    print(label, flush=True)


def common(mine: int) -> int:
    """The smallest number of batches that a rank has."""
    import torch
    import torch.distributed as dist

    least = torch.tensor([mine])
    dist.all_reduce(least, op=dist.ReduceOp.MIN)
    return int(least)


def join_throws(fixed: bool) -> None:
    """DDP's join context is told to raise where a rank runs out. Fix: let it mirror the calls of the others."""
    rank = join(fixed)
    model = wrapped()
    with model.join(throw_on_early_termination=not fixed):
        for number in range(BATCHES[rank]):
            step(model, f"rank {rank} step {number + 1}")
    print("epoch done", flush=True)


def epoch_end(fixed: bool) -> None:
    """Rank 1 is in the barrier at the end of the epoch while rank 0 averages once more. Fix: the join context."""
    import torch.distributed as dist

    rank = join(fixed)
    model = wrapped()
    with model.join() if fixed else contextlib.nullcontext():
        for number in range(BATCHES[rank]):
            step(model, f"rank {rank} step {number + 1}")
    dist.barrier()
    print("epoch done", flush=True)


def last_epoch(fixed: bool) -> None:
    """Nothing meets between two epochs: rank 0 is one step behind, then two, and waits at the end. Fix: the minimum."""
    rank = join(fixed)
    model = wrapped()
    for epoch in (1, 2):
        batches = range(BATCHES[rank])
        for number in itertools.islice(batches, common(len(batches)) if fixed else None):
            step(model, f"rank {rank} epoch {epoch} step {number + 1}")
    print("trained", flush=True)


def validation(fixed: bool) -> None:
    """Each batch ends in a collective of our own, as with FSDP. Fix: ask in each step whether all have a batch."""
    import torch
    import torch.distributed as dist

    rank = join(fixed)

    def batches() -> Iterator[torch.Tensor]:
        for batch in itertools.chain(torch.ones(BATCHES[rank]), itertools.repeat(None)):
            has_data = torch.tensor([float(batch is not None)])
            if fixed:
                dist.all_reduce(has_data, op=dist.ReduceOp.MIN)
            if not has_data.item():
                return
            yield batch

    for number, batch in enumerate(batches()):
        dist.all_reduce(batch)
        print(f"rank {rank} batch {number + 1}", flush=True)
    dist.all_gather_object([None, None], rank)
    print("validated", flush=True)


def play(work: Callable[[bool], None]) -> Callable[[bool], None]:
    """The case in which both ranks do that."""

    def run(fixed: bool) -> None:
        forks.ranks(functools.partial(work, fixed), load=forks.DDP)

    run.__doc__ = work.__doc__
    return run


CASES = {
    "join-throws": cases.Case(play(join_throws), "Detected at least one rank that exhausted inputs", "epoch done"),
    "epoch-end": cases.Case(play(epoch_end), "Timed out waiting 4000ms for", "epoch done", diagnosed=False),
    "last-epoch": cases.Case(
        play(last_epoch),
        "rank 0 epoch 1 step 3\nrank 0 epoch 2 step 1\n[rank0]: Traceback",
        "rank 0 epoch 2 step 2\ntrained",
        diagnosed=False,
    ),
    "validation": cases.Case(play(validation), "Timed out waiting 4000ms for", "validated", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
