#!/usr/bin/env python3
"""Go backward through a graph whose saved tensors are gone. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is hidden-state
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def hidden_state(fixed: bool) -> None:
    """The state of a recurrent network goes from batch to batch with its graph. Fix: detach it."""
    import torch

    cell, state = torch.nn.RNN(4, 8), torch.zeros(1, 2, 8)
    for step in range(2):
        output, state = cell(torch.randn(3, 2, 4), state.detach() if fixed else state)
        output.sum().backward()
        print("step", step, "done", flush=True)


def two_losses(fixed: bool) -> None:
    """Two losses that share an encoder go backward one after the other. Fix: add them up."""
    import torch

    encoder, left, right = (torch.nn.Linear(4, 4) for _ in range(3))
    features = encoder(torch.randn(2, 4)).relu()
    if fixed:
        (left(features).sum() + right(features).sum()).backward()
    else:
        left(features).sum().backward()
        right(features).sum().backward()
    print("encoder has a gradient:", encoder.weight.grad is not None, flush=True)


def retained(fixed: bool) -> None:
    """Features computed before the loop, and retain_graph=True as the message says. Fix: compute them in the loop."""
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer, data = torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(2, 4)
    once = model[:2](data)
    for step in range(2):
        features = model[:2](data) if fixed else once
        optimizer.zero_grad()
        model[2](features).sum().backward(retain_graph=not fixed)
        current = torch.equal(features, model[:2](data))
        print(f"step {step} uses features of the current weights: {current}", flush=True)
        optimizer.step()


TWICE = "Trying to backward through the graph a second time"
STALE = "step 1 uses features of the current weights"
CASES = {
    "hidden-state": cases.Case(hidden_state, TWICE, "step 1 done"),
    "two-losses": cases.Case(two_losses, TWICE, "encoder has a gradient: True"),
    "retained": cases.Case(retained, f"{STALE}: False", f"{STALE}: True", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
