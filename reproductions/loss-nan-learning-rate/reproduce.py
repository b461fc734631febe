#!/usr/bin/env python3
"""Train a small model at a learning rate that is too high, and see what helps. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is diverges
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def train(rate: float, kind: str = "SGD", clip: float | None = None, steps: int = 60) -> None:
    """Fit a network to a sine and print the loss, and how far a step moves the weights relative to their size."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(1, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=rate)
    x = torch.linspace(-3, 3, 64)[:, None]
    for step in range(steps):
        loss = (model(x) - x.sin()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        before = [weight.detach().clone() for weight in model.parameters()]
        optimizer.step()
        if step < 6 or step % 20 == 19:
            size = sum(old.norm().item() for old in before)
            pairs = zip(before, model.parameters(), strict=True)
            change = sum((new.detach() - old).norm().item() for old, new in pairs)
            print(f"step {step} loss {loss.item():.4g} change of the weights {change / size:.2g}", flush=True)
    finite = all(bool(weight.isfinite().all()) for weight in model.parameters())
    print(f"{kind} {rate:g}: loss {loss.item():.2g}, weights finite: {finite}", flush=True)


def diverges(fixed: bool) -> None:
    """SGD at 2 grows to inf and NaN within few steps. Fix: a rate of 0.02."""
    train(0.02 if fixed else 2.0)


def clipping(fixed: bool) -> None:
    """Clipping keeps the weights finite at that rate, but the loss does not fall. Fix: a rate of 0.02 with clipping."""
    train(0.02 if fixed else 2.0, clip=1.0)


def adam(fixed: bool) -> None:
    """Adam moves each weight by its rate, so clipping to 1e-3 does not hold it back. Fix: a rate of 0.001."""
    train(0.001 if fixed else 30.0, "Adam", clip=1e-3)


CASES = {
    "diverges": cases.Case(diverges, "SGD 2: loss nan, weights finite: False", "SGD 0.02: loss 0.0", diagnosed=False),
    "clipping": cases.Case(clipping, "SGD 2: loss 1.5, weights finite: True", "SGD 0.02: loss 0.0", diagnosed=False),
    "adam": cases.Case(adam, "Adam 30: loss 6.7e+05", "Adam 0.001: loss 0.0", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
