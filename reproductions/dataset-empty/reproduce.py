#!/usr/bin/env python3
"""Train on a data set without samples, and on a loader without batches. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is pattern
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def pattern(fixed: bool) -> None:
    """The pattern for the files misses their upper-case suffix. Fix: the pattern."""
    import torch

    pathlib.Path("photo.JPG").touch()
    files = sorted(pathlib.Path().glob("*.JPG" if fixed else "*.jpg"))
    for batch in torch.utils.data.DataLoader([str(file) for file in files], batch_size=4, shuffle=True):
        print("batch", batch, flush=True)


def drop_last(fixed: bool) -> None:
    """Three samples make no full batch of four, and the epoch is over at once. Fix: keep the last batch."""
    import torch

    loader = torch.utils.data.DataLoader(torch.zeros(3, 2), batch_size=4, shuffle=True, drop_last=not fixed)
    print("samples", len(loader.dataset), "batches", len(loader), flush=True)
    print("steps", sum(1 for _ in loader), flush=True)


CASES = {
    "pattern": cases.Case(pattern, "num_samples should be a positive integer value", "batch ['photo.JPG']"),
    "drop-last": cases.Case(drop_last, "steps 0", "steps 1", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
