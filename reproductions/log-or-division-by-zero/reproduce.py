#!/usr/bin/env python3
"""Evaluate a loss or a schedule where a logarithm, root or quotient ends. CPU, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is distance
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import math
import pathlib
import sys
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

if TYPE_CHECKING:
    import torch

cases.needs("torch")


def backward(loss: torch.Tensor, *inputs: torch.Tensor) -> None:
    """Go back with anomaly detection, and print what came of it."""
    import torch

    with torch.autograd.set_detect_anomaly(True):
        loss.backward()
    finite = all(x.grad is not None and bool(x.grad.isfinite().all()) for x in inputs)
    print(f"loss {loss.item():.4g}, gradients finite: {finite}", flush=True)


def distance(fixed: bool) -> None:
    """Two samples of a batch are equal, and so their distance is 0. Fix: epsilon within the root."""
    import torch

    a, b = torch.ones(2, 3, requires_grad=True), torch.tensor([[1.0, 1, 1], [0, 2, 3]], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        squares = (a - b).pow(2).sum(-1)
        loss = (squares + 1e-12).sqrt().sum() if fixed else squares.sqrt().sum()
    backward(loss, a, b)


def root(fixed: bool) -> None:
    """A root at 0 is masked by a factor of 0. Fix: mask before the root."""
    import torch

    x, mask = torch.tensor([0.0, 4.0], requires_grad=True), torch.tensor([0.0, 1.0])
    with torch.autograd.set_detect_anomaly(True):
        loss = (torch.where(mask > 0, x, 1.0).sqrt() * mask).sum() if fixed else (x.sqrt() * mask).sum()
    backward(loss, x)


def where(fixed: bool) -> None:
    """torch.where hides log(0) forward, but not backward. Fix: a second one around the input."""
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        loss = torch.where(x > 0, torch.log(torch.where(x > 0, x, 1.0) if fixed else x), 0.0).sum()
    backward(loss, x)


def softmax(fixed: bool) -> None:
    """The softmax of a sure model is 0 for the other class. Fix: log_softmax."""
    import torch

    logits = torch.tensor([[0.0, 200.0]], requires_grad=True)
    loss = -(logits.log_softmax(-1) if fixed else logits.softmax(-1).log())[0, 0]
    loss.backward()
    print(f"loss {loss.item():.4g}, gradient {logits.grad}", flush=True)


def half(fixed: bool) -> None:
    """An epsilon of 1e-8 is 0 in float16. Fix: float32."""
    import torch

    x = torch.zeros(2, dtype=torch.float32 if fixed else torch.float16)
    print(f"normalised {(x / (x.norm() + 1e-8)).tolist()}", flush=True)


def clamp(fixed: bool) -> None:
    """A clamp stops the NaN, but a sample below it no longer learns. Fix: epsilon is added."""
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    (x + 1e-8 if fixed else x.clamp(min=1e-8)).log().sum().backward()
    print(f"learns {[g != 0 for g in x.grad.tolist()] if x.grad is not None else None}", flush=True)


def entropy(fixed: bool) -> None:
    """xlogy has a value at 0, but no finite gradient, and nan_to_num does not give it one. Fix: epsilon is added."""
    import torch

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    loss = torch.nan_to_num(-torch.special.xlogy(x, x + 1e-8 if fixed else x))
    loss.sum().backward()
    print(f"loss {loss.tolist()}, finite {x.grad.isfinite().tolist() if x.grad is not None else None}", flush=True)


def metric(fixed: bool) -> None:
    """PSNR of a perfect image: the logarithm of an error of 0. Fix: infinity, or none, for this one."""
    errors = [0.01, 0.0]
    for error in errors:
        print("psnr", math.inf if fixed and not error else -10 * math.log10(error), flush=True)


def schedule(fixed: bool) -> None:
    """The loader has no full batch, and the schedule divides by its number of steps. Fix: a smaller batch."""
    import torch

    data = torch.utils.data.TensorDataset(torch.ones(6, 4))
    loader = torch.utils.data.DataLoader(data, batch_size=2 if fixed else 8, drop_last=True)
    total = 3 * len(loader)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / total)
    print(f"{total} steps", flush=True)


FINITE = "gradients finite: True"
CASES = {
    "distance": cases.Case(distance, "Function 'PowBackward0' returned nan values", FINITE),
    "root": cases.Case(root, "Function 'SqrtBackward0' returned nan values", FINITE),
    "where": cases.Case(where, "Function 'LogBackward0' returned nan values", FINITE),
    "softmax": cases.Case(softmax, "loss inf, gradient tensor([[nan, nan]])", "loss 200", diagnosed=False),
    "half": cases.Case(half, "normalised [nan, nan]", "normalised [0.0, 0.0]", diagnosed=False),
    "clamp": cases.Case(clamp, "learns [False, True]", "learns [True, True]", diagnosed=False),
    "entropy": cases.Case(entropy, "finite [False, True]", "finite [True, True]", diagnosed=False),
    "metric": cases.Case(metric, "ValueError: math domain error", "psnr inf"),
    "schedule": cases.Case(schedule, "ZeroDivisionError: division by zero", "9 steps"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
