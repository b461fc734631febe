#!/usr/bin/env python3
"""Let one rank of two issue a collective that the other skips. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is another-follows
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.needs("torch")
SECONDS = 3


def join(fixed: bool, debug: str = "OFF") -> int:
    """Join the process group, as with this value in TORCH_DISTRIBUTED_DEBUG, and return the rank."""
    import torch.distributed as dist

    dist.set_debug_level(getattr(dist.DebugLevel, debug))
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40 if fixed else SECONDS))
    return dist.get_rank()


def print_loss(fixed: bool) -> None:
    """Average a loss in the branch of the rank that prints it; then all ranks meet at a barrier."""
    import torch
    import torch.distributed as dist

    rank = join(fixed, "DETAIL")
    loss = torch.ones(1)
    if fixed:
        dist.all_reduce(loss)
    if rank == 0:
        if not fixed:
            dist.all_reduce(loss)
        print("loss", loss.item() / 2, flush=True)
    dist.barrier()
    print("trained", flush=True)


def save(fixed: bool, debug: str) -> None:
    """Gather the parts of a checkpoint in a branch of rank 0, while rank 1 has gone on to something long."""
    import torch.distributed as dist

    rank = join(fixed, debug)
    parts: list[object] = [None, None]
    if rank == 0 or fixed:
        dist.all_gather_object(parts, rank)
        print("saved", parts, flush=True)
    else:
        time.sleep(3 * SECONDS)


def mix(fixed: bool) -> None:
    """Average a loss on rank 0 only, and have the gradient of rank 1 answer to it: both are one float."""
    import torch
    import torch.distributed as dist

    rank = join(fixed)
    loss, gradient = torch.tensor([100.0]), torch.tensor([1.0])
    if rank == 0 or fixed:
        dist.all_reduce(loss)
    if rank == 1 or fixed:
        dist.all_reduce(gradient)
        print("sum of two gradients of 1:", gradient.item(), flush=True)


def validate(fixed: bool) -> None:
    """Validate on rank 0, through the wrapper of DDP, which sends the buffers of batch norm around in each forward."""
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    rank = join(fixed)
    model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)))
    model.eval()
    if rank == 0:
        (model.module if fixed else model)(torch.ones(2, 2))
    dist.barrier()
    print("validated", flush=True)


def another_follows(fixed: bool) -> None:
    """Only rank 0 averages the loss, and rank 1 is in the barrier that follows. Fix: average it on all ranks."""
    forks.ranks(functools.partial(print_loss, fixed))


def nothing_follows(fixed: bool) -> None:
    """Only rank 0 gathers, and rank 1 calls nothing more. Fix: gather on all ranks, write on one."""
    forks.ranks(functools.partial(save, fixed, "DETAIL"))


def no_debugging(fixed: bool) -> None:
    """The same without TORCH_DISTRIBUTED_DEBUG: a time-out that names no rank."""
    forks.ranks(functools.partial(save, fixed, "OFF"))


def mixed_up(fixed: bool) -> None:
    """The call of one rank meets the next call of the other, without an error. Fix: both calls on both ranks."""
    forks.ranks(functools.partial(mix, fixed))


def ddp_validation(fixed: bool) -> None:
    """Rank 0 alone validates through the DDP wrapper. Fix: call the module inside."""
    forks.ranks(functools.partial(validate, fixed), load=forks.DDP)


CASES = {
    "another-follows": cases.Case(another_follows, "Detected mismatch between collectives on ranks", "trained"),
    "nothing-follows": cases.Case(
        nothing_follows, "Ranks 1 failed to pass monitoredBarrier in", "saved [0, 1]", diagnosed=False
    ),
    "no-debugging": cases.Case(no_debugging, "Timed out waiting 3000ms for", "saved [0, 1]", diagnosed=False),
    "mixed-up": cases.Case(
        mixed_up, "sum of two gradients of 1: 101.0", "sum of two gradients of 1: 2.0", diagnosed=False
    ),
    "ddp-validation": cases.Case(ddp_validation, "Timed out waiting 3000ms for", "validated", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
