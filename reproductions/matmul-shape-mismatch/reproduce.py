#!/usr/bin/env python3
"""Multiply matrices whose inner sizes differ. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is image-size
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def image_size(fixed: bool) -> None:
    """A head made for images of 32 pixels gets 40. Fix: pool to a fixed size before it."""
    import torch

    pool = torch.nn.AdaptiveAvgPool2d(8) if fixed else torch.nn.MaxPool2d(4)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 1), pool, torch.nn.Flatten(), torch.nn.Linear(256, 10))
    print("output", tuple(model(torch.randn(2, 3, 40, 40)).shape), flush=True)


def wrong_axis(fixed: bool) -> None:
    """Features come first, and the layer works on the last dimension. Fix: move them there."""
    import torch

    layer, frames = torch.nn.Linear(80, 16), torch.randn(2, 80, 50)
    if fixed:
        frames = frames.transpose(1, 2)
    print("output", tuple(layer(frames).shape), flush=True)


def batched(fixed: bool) -> None:
    """The scores of attention are made without transposing the keys. Fix: transpose them."""
    import torch

    query, key = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
    print("output", tuple(torch.bmm(query, key.transpose(1, 2) if fixed else key).shape), flush=True)


SHAPES = "mat1 and mat2 shapes cannot be multiplied"
CASES = {
    "image-size": cases.Case(image_size, f"{SHAPES} (2x400 and 256x10)", "output (2, 10)"),
    "wrong-axis": cases.Case(wrong_axis, f"{SHAPES} (160x50 and 80x16)", "output (2, 50, 16)"),
    "batched": cases.Case(batched, "Expected size for first two dimensions of batch2 tensor", "output (2, 5, 5)"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
