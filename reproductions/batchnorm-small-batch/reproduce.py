#!/usr/bin/env python3
"""Train batch norm on one or two values per channel. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is last-batch
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def last_batch(fixed: bool) -> None:
    """Nine samples in batches of four leave one over. Fix: drop the last batch."""
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8))
    loader = torch.utils.data.DataLoader(torch.randn(9, 4), batch_size=4, drop_last=fixed)
    for number, batch in enumerate(loader):
        model(batch).sum().backward()
        print("batch", number, "of size", len(batch), flush=True)
    print("epoch done", flush=True)


def pooled(fixed: bool) -> None:
    """Pooling to one pixel leaves one value per channel of a single image. Fix: frozen statistics in that layer."""
    import torch

    pool = torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(1), torch.nn.Conv2d(3, 8, 1), torch.nn.BatchNorm2d(8))
    image = torch.randn(1, 3, 16, 16)
    pool.train()
    if fixed:
        pool[2].eval()
    print("output", tuple(pool(image).shape), flush=True)


def two_samples(fixed: bool) -> None:
    """Two samples give no error and an output that forgets the values. Fix: group norm."""
    import torch

    norm = torch.nn.GroupNorm(2, 8) if fixed else torch.nn.BatchNorm1d(8)
    batch = torch.tensor([[1.0], [3.0]]) * torch.arange(1.0, 9.0)
    first = norm(batch)[0]
    print("first sample", [round(value, 2) for value in first.tolist()], flush=True)
    print(f"{SIGNS}:", torch.allclose(first.abs(), torch.ones(8), atol=1e-2), flush=True)


ONE_VALUE = "Expected more than 1 value per channel when training, got input size"
SIGNS = "all values are +1 or -1"
CASES = {
    "last-batch": cases.Case(last_batch, ONE_VALUE, "epoch done"),
    "pooled": cases.Case(pooled, ONE_VALUE, "output (1, 8, 1, 1)"),
    "two-samples": cases.Case(two_samples, f"{SIGNS}: True", f"{SIGNS}: False", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
