#!/usr/bin/env python3
"""Use torch.distributed where no process group exists: never made, already destroyed, or made in another process.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is wrapped
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, Dataset
    from torch.utils.data.distributed import DistributedSampler
except ImportError as missing:
    cases.cannot(missing)

FIXED = "MENDED" in os.environ


class Numbers(Dataset[int]):
    """Eight numbers, each raised by the rank that loads it."""

    def __init__(self, rank: int | None) -> None:
        self.rank = rank

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        return index + (dist.get_rank() if self.rank is None else self.rank)


def wrapped() -> None:
    """Set the group up only under a launcher, and wrap the model in any case."""
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(2, 2))
    model(torch.ones(1, 2)).sum().backward()
    print("trained", flush=True)


def sampled() -> None:
    """Share the data out over the ranks, without a group."""
    given = {"num_replicas": 1, "rank": 0} if FIXED else {}
    print("trained on", len(DistributedSampler(range(8), **given)), "samples", flush=True)


def destroyed() -> None:
    """Average the loss after the clean-up. The fix averages before it."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    loss = torch.ones(1)
    if FIXED:
        dist.all_reduce(loss)
        dist.destroy_process_group()
    else:
        dist.destroy_process_group()
        dist.all_reduce(loss)
    print("trained to", loss.item(), flush=True)


def alone() -> None:
    """Make a group of one by hand, whatever the launcher says. The fix takes what the launcher says."""
    if FIXED:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)


def loaded() -> None:
    """Ask for the rank in a worker of the data loader. The fix asks in the rank and hands the number on."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    data = Numbers(dist.get_rank() if FIXED else None)
    batches = DataLoader(data, batch_size=4, num_workers=1, multiprocessing_context="spawn")
    print("trained on", sum(int(batch.sum()) for batch in batches), flush=True)


def run(role: str, fixed: bool, *launcher: str) -> None:
    """Run the script in a role and print what it said."""
    command = [sys.executable, *launcher, os.path.abspath(__file__), "--role", role]
    ranks.report(train=ranks.start(command, 120, **({"MENDED": "1"} if fixed else {})))


def wrap(fixed: bool) -> None:
    """DDP without a group, since no launcher was seen. Fix: torchrun."""
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1"]
    run("wrapped", False, *(launcher if fixed else []))


def by_hand(fixed: bool) -> None:
    """Two ranks, each in a group of one that was made to silence the error. Fix: the group of the launcher."""
    ranks.torchrun(__file__, "alone", **({"MENDED": "1"} if fixed else {}))


def sample(fixed: bool) -> None:
    """DistributedSampler without a group. Fix: give it rank and number of ranks."""
    run("sampled", fixed)


def destroy(fixed: bool) -> None:
    """A collective after destroy_process_group. Fix: before it."""
    run("destroyed", fixed)


def worker(fixed: bool) -> None:
    """A spawned worker of the data loader asks for the rank. Fix: hand the number to the data set."""
    run("loaded", fixed)


MISSING = "ValueError: Default process group has not been initialized, please make sure to call init_process_group."
CASES = {
    "wrapped": cases.Case(wrap, MISSING, "trained"),
    "sampler": cases.Case(sample, MISSING, "trained on 8 samples"),
    "destroyed": cases.Case(destroy, MISSING, "trained to 1.0"),
    "worker": cases.Case(worker, MISSING, "trained on 28"),
    "by-hand": cases.Case(by_hand, "trained with 1 ranks", "trained with 2 ranks", diagnosed=False),
}

if __name__ == "__main__":
    roles = {"alone": alone, "wrapped": wrapped, "sampled": sampled, "destroyed": destroyed, "loaded": loaded}
    sys.exit(cases.main(__file__, CASES, roles))
