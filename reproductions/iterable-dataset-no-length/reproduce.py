#!/usr/bin/env python3
"""Ask a stream for its length, as trainers, schedulers and samplers do. CPU only, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is trainer
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, transformers or user namespaces are missing
"""

from __future__ import annotations

import itertools
import pathlib
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "transformers", "accelerate")

SIZE, BATCH = 10, 2


def stream(length: int | None = None) -> object:
    """Ten samples one after another; with a length only if one is given."""
    import torch

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
            for number in range(SIZE):
                yield {"x": torch.full((1,), float(number)), "labels": torch.ones(1)}

    class Counted(Stream):
        def __len__(self) -> int:
            return length or 0

    return Counted() if length else Stream()


def trainer(fixed: bool) -> None:
    """The Trainer of Transformers gets a stream and a number of epochs. Fix: a number of steps."""
    import torch
    import transformers

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(1, 1)

        def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": (self.line(x) - labels).square().mean()}

    length = {"max_steps": 12} if fixed else {"num_train_epochs": 2}
    settings = transformers.TrainingArguments(
        output_dir="out", report_to=[], use_cpu=True, save_strategy="no", per_device_train_batch_size=BATCH, **length
    )
    transformers.Trainer(Model(), settings, train_dataset=stream()).train()


def scheduler(fixed: bool) -> None:
    """The schedule of the learning rate asks the loader for its length. Fix: give it the number of steps."""
    import torch

    loader = torch.utils.data.DataLoader(stream(), batch_size=BATCH)
    steps = SIZE // BATCH if fixed else len(loader)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)])
    torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=steps)
    print("steps", sum(1 for _ in itertools.islice(loader, steps)), flush=True)


def sampler(fixed: bool) -> None:
    """A DistributedSampler is laid over the stream. Fix: no sampler, and each rank takes its part of the stream."""
    from torch.utils.data.distributed import DistributedSampler

    if not fixed:
        DistributedSampler(stream(), num_replicas=2, rank=0)
    parts = itertools.islice(iter(stream()), 0, None, 2)  # type: ignore[call-overload]
    print("samples of rank 0:", len(list(parts)), flush=True)


def lying(fixed: bool) -> None:
    """A length that is too short only warns, after the schedule has run out. Fix: the true one."""
    import torch

    loader = torch.utils.data.DataLoader(stream(SIZE if fixed else 4), batch_size=BATCH)
    expected = len(loader)
    print("trained", sum(1 for _ in loader), "of", expected, "steps", flush=True)


CASES = {
    "trainer": cases.Case(trainer, "The train_dataset does not implement __len__", "'train_runtime'"),
    "scheduler": cases.Case(scheduler, "object of type 'Stream' has no len()", "steps 5"),
    "sampler": cases.Case(sampler, "object of type 'Stream' has no len()", "samples of rank 0: 5"),
    "lying": cases.Case(lying, "was reported to be 4", "trained 5 of 5 steps", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
