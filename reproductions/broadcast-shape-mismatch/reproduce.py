#!/usr/bin/env python3
"""Combine tensors whose sizes do not broadcast, or broadcast by accident. One CPU process, seconds a case.

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
    """A state made for batches of four meets the last batch of two. Fix: make it as large as the batch."""
    import torch

    layer, state = torch.nn.Linear(3, 8), torch.zeros(4, 8)
    for number, batch in enumerate(torch.utils.data.DataLoader(torch.randn(10, 3), batch_size=4)):
        if fixed:
            state = torch.zeros(len(batch), 8)
        out = layer(batch) + state
        print("batch", number, "of size", len(out), flush=True)
    print("epoch done", flush=True)


def grey_image(fixed: bool) -> None:
    """An image with one channel is normalized in place with three means. Fix: one mean."""
    import torch

    image, mean = torch.rand(1, 4, 4), torch.full((1 if fixed else 3, 1, 1), 0.5)
    print("normalized", tuple(image.sub_(mean).shape), flush=True)


def silent(fixed: bool) -> None:
    """A column minus a row is a square, and the loss is wrong without an error. Fix: the same shape."""
    import torch

    output, target = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([1.0, 2.0, 3.0])
    difference = output - (target[:, None] if fixed else target)
    print("difference", tuple(difference.shape), "loss", round(difference.square().mean().item(), 2), flush=True)


CASES = {
    "last-batch": cases.Case(
        last_batch,
        "The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 0",
        "epoch done",
    ),
    "grey-image": cases.Case(
        grey_image, "output with shape [1, 4, 4] doesn't match the broadcast shape [3, 4, 4]", "normalized (1, 4, 4)"
    ),
    "silent": cases.Case(silent, "difference (3, 3) loss 1.33", "difference (3, 1) loss 0.0", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
