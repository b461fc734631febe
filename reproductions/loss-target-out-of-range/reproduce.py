#!/usr/bin/env python3
"""Give the loss labels that are no classes. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is from-one
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def from_one(fixed: bool) -> None:
    """Three classes are numbered from 1 to 3. Fix: count from 0."""
    import torch

    model, labels = torch.nn.Linear(4, 3), torch.tensor([1, 3, 2, 1])
    if fixed:
        labels = torch.searchsorted(labels.unique(), labels)
    logits = model(torch.randn(4, 4))
    print("labels", labels.unique().tolist(), "classes", logits.size(1), flush=True)
    torch.nn.functional.cross_entropy(logits, labels).backward()
    print("trained", flush=True)


def void_pixels(fixed: bool) -> None:
    """A mask marks pixels without a class with 255. Fix: tell the loss to ignore them."""
    import torch

    model, image = torch.nn.Conv2d(3, 2, 1), torch.randn(1, 3, 2, 2)
    mask = torch.tensor([[[0, 1], [1, 255]]])
    criterion = torch.nn.CrossEntropyLoss(ignore_index=255 if fixed else -100)
    criterion(model(image), mask).backward()
    print("trained", flush=True)


def all_ignored(fixed: bool) -> None:
    """A batch with no label but the ignored one gives nan. Fix: divide the sum by the number of labels, at least 1."""
    import torch

    logits, labels = torch.randn(4, 3), torch.full((4,), -100)
    loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum" if fixed else "mean")
    if fixed:
        loss = loss / (labels != -100).sum().clamp(min=1)
    print("loss", loss.item(), flush=True)


CASES = {
    "from-one": cases.Case(from_one, "IndexError: Target 3 is out of bounds", "trained"),
    "void-pixels": cases.Case(void_pixels, "IndexError: Target 255 is out of bounds", "trained"),
    "all-ignored": cases.Case(all_ignored, "loss nan", "loss 0.0", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
