#!/usr/bin/env python3
"""Go backward from a loss that no trained parameter leads to. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is cut
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def cut(fixed: bool) -> None:
    """The loss is built anew from a number. Fix: keep the tensor."""
    import torch

    model = torch.nn.Linear(4, 1)
    loss = model(torch.randn(2, 4)).pow(2).mean()
    if not fixed:
        loss = torch.tensor(loss.item())
    print("loss.grad_fn:", loss.grad_fn, flush=True)
    loss.backward()
    print("gradients:", [name for name, weight in model.named_parameters() if weight.grad is not None], flush=True)


def frozen(fixed: bool) -> None:
    """Everything is frozen, the new head too. Fix: freeze first, then put the head in."""
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    if fixed:
        model.requires_grad_(False)
    model[1] = torch.nn.Linear(4, 3)
    if not fixed:
        model.requires_grad_(False)
    print("trained:", [name for name, weight in model.named_parameters() if weight.requires_grad], flush=True)
    model(torch.randn(2, 4)).sum().backward()


def silenced(fixed: bool) -> None:
    """The error is silenced with requires_grad on a loss that was cut by argmax. Fix: a loss of the logits."""
    import torch

    model, data, target = torch.nn.Linear(4, 3), torch.randn(2, 4), torch.tensor([0, 2])
    optimizer, before = torch.optim.SGD(model.parameters(), lr=1.0), model.weight.detach().clone()
    logits = model(data)
    if fixed:
        loss = torch.nn.functional.cross_entropy(logits, target)
    else:
        loss = (logits.argmax(1) != target).float().mean().requires_grad_()
    loss.backward()
    optimizer.step()
    print("weights moved:", not torch.equal(before, model.weight), flush=True)


NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
CASES = {
    "cut": cases.Case(cut, NO_GRAD, "gradients: ['weight', 'bias']"),
    "frozen": cases.Case(frozen, NO_GRAD, "trained: ['1.weight', '1.bias']"),
    "silenced": cases.Case(silenced, "weights moved: False", "weights moved: True", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
