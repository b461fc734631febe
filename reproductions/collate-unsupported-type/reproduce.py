#!/usr/bin/env python3
"""Batch values that do not become tensors. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is missing
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def missing(fixed: bool) -> None:
    """The data set gives None for its first sample. Fix: leave that sample out before the loader."""
    read(fixed, 0)


def later(fixed: bool) -> None:
    """The None is the second sample of the batch, and the message is another. Fix: the same."""
    read(fixed, 1)


def read(fixed: bool, bad: int) -> None:
    """Go through a loader of three samples, one of which could not be read."""
    import torch

    samples = [None if number == bad else torch.ones(3) for number in range(3)]
    good = [sample for sample in samples if sample is not None]
    for batch in torch.utils.data.DataLoader(good if fixed else samples, batch_size=2):
        print("batch", tuple(batch.shape), flush=True)
    print("epoch done", flush=True)


def text(fixed: bool) -> None:
    """A column of words goes into a tensor. Fix: number the words."""
    import torch

    numbers = {"cat": 0, "dog": 1}
    labels = ["cat", "dog"]
    print("labels", torch.tensor([numbers[label] for label in labels] if fixed else labels).tolist(), flush=True)


CASES = {
    "missing": cases.Case(missing, "found <class 'NoneType'>", "epoch done"),
    "later": cases.Case(later, "expected Tensor as element 1 in argument 0, but got NoneType", "epoch done"),
    "text": cases.Case(text, "too many dimensions 'str'", "labels [0, 1]"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
