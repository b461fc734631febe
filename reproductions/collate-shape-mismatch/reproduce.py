#!/usr/bin/env python3
"""Batch samples of different shape. One CPU process and at most one loader worker, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is channels
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def channels(fixed: bool) -> None:
    """One image is grey, the other has colours. Fix: give the grey one three channels too."""
    import torch

    grey, colour = torch.zeros(1, 8, 8), torch.zeros(3, 8, 8)
    images = [grey.expand(3, -1, -1) if fixed else grey, colour]
    for batch in torch.utils.data.DataLoader(images, batch_size=2):
        print("batch", tuple(batch.shape), flush=True)


def worker(fixed: bool) -> None:
    """The first of two sequences is the longer one, and a worker collates. Fix: pad in the collate function."""
    import torch

    pad = torch.nn.utils.rnn.pad_sequence
    sequences = [torch.ones(9), torch.ones(3)]
    collate = (lambda batch: pad(batch, batch_first=True)) if fixed else None
    for batch in torch.utils.data.DataLoader(sequences, batch_size=2, num_workers=1, collate_fn=collate):
        print("batch", tuple(batch.shape), flush=True)


CASES = {
    "channels": cases.Case(channels, "stack expects each tensor to be equal size", "batch (2, 3, 8, 8)"),
    "worker": cases.Case(worker, "Trying to resize storage that is not resizable", "batch (2, 9)"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
