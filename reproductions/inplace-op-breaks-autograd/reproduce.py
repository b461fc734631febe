#!/usr/bin/env python3
"""Change a tensor that the backward pass still needs. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is step-between
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def step_between(fixed: bool) -> None:
    """The optimizer changes weights between a forward pass and its backward pass. Fix: forward after the step."""
    import torch

    critic = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    generator = torch.nn.Linear(2, 4)
    optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
    fake = generator(torch.randn(3, 2))
    score = critic(fake)
    (score.mean() if not fixed else critic(fake.detach()).mean()).backward(retain_graph=not fixed)
    optimizer.step()
    (critic(fake) if fixed else score).mean().neg().backward()
    print("generator has a gradient:", generator.weight.grad is not None, flush=True)


def activation(fixed: bool) -> None:
    """A residual is added in place to an activation. Fix: out of place."""
    import torch

    hidden = torch.nn.Linear(4, 4)(torch.randn(2, 4)).sigmoid()
    if fixed:
        hidden = hidden + 1
    else:
        hidden += 1
    hidden.sum().backward()
    print("backward done", flush=True)


def weight(fixed: bool) -> None:
    """Pretrained vectors are copied into a weight, and .data is tried later. Fix: no_grad, before the forward pass."""
    import torch

    embedding, pretrained = torch.nn.Embedding(5, 2), torch.full((5, 2), 3.0)
    if fixed:
        with torch.no_grad():
            embedding.weight.copy_(pretrained)
        print("copied:", torch.equal(embedding.weight, pretrained), flush=True)
        return
    value = torch.tensor(3.0, requires_grad=True)
    square = value * value
    value.data.fill_(10.0)
    square.backward()
    assert value.grad is not None
    print("with .data no error, and the gradient of 3 * 3 is", value.grad.item(), flush=True)
    embedding.weight.copy_(pretrained)


MODIFIED = "has been modified by an inplace operation"
CASES = {
    "step-between": cases.Case(step_between, MODIFIED, "generator has a gradient: True"),
    "activation": cases.Case(activation, MODIFIED, "backward done"),
    "weight": cases.Case(
        weight, "a leaf Variable that requires grad is being used in an in-place operation", "copied: True"
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
