#!/usr/bin/env python3
"""Give the loss targets of a wrong dtype or shape. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is float-labels
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def float_labels(fixed: bool) -> None:
    """Class numbers are read as floats. Fix: convert them."""
    import torch

    logits, labels = torch.nn.Linear(4, 3)(torch.randn(2, 4)), torch.tensor([0.0, 2.0])
    print("output", tuple(logits.shape), "target", tuple(labels.shape), labels.dtype, flush=True)
    torch.nn.functional.cross_entropy(logits, labels.long() if fixed else labels).backward()
    print("trained", flush=True)


def column(fixed: bool) -> None:
    """The class numbers stand in a column. Fix: squeeze that dimension."""
    import torch

    logits, labels = torch.nn.Linear(4, 3)(torch.randn(2, 4)), torch.tensor([[0], [2]])
    torch.nn.functional.cross_entropy(logits, labels.squeeze(1) if fixed else labels).backward()
    print("trained", flush=True)


def regression(fixed: bool) -> None:
    """The output is a column and the target a row; a warning is all. Fix: squeeze the output."""
    import torch

    output, target = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([1.0, 2.0, 3.0])
    loss = torch.nn.functional.mse_loss(output.squeeze(1) if fixed else output, target)
    print("loss", round(loss.item(), 2), flush=True)


CASES = {
    "float-labels": cases.Case(float_labels, "expected target dtype to be Long or Byte, but got Float", "trained"),
    "column": cases.Case(column, "0D or 1D target tensor expected, multi-target not supported", "trained"),
    "regression": cases.Case(
        regression, "This will likely lead to incorrect results due to broadcasting", "loss 0.0", False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
