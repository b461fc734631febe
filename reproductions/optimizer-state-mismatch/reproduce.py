#!/usr/bin/env python3
"""Resume with an optimizer that has other parameters than the one that was saved. Some seconds a case, on a CPU.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is frozen
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first

State = dict[str, Any]
Optimizer = torch.optim.Optimizer


class Net(torch.nn.Module):
    """Two layers, which are made in an order of one's choice."""

    def __init__(self, *names: str, out: int = 2) -> None:
        """Make the layers."""
        super().__init__()
        for name in names or ("body", "head"):
            self.add_module(name, torch.nn.Linear(4, 4 if name == "body" else out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Body, then head."""
        return self.get_submodule("head")(self.get_submodule("body")(x))


def adamw(model: Net) -> Optimizer:
    """All parameters, with their names."""
    return torch.optim.AdamW(model.named_parameters(), lr=0.1)


def step(model: Net, optimizer: Optimizer) -> None:
    """One step of training."""
    optimizer.zero_grad()
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()


def save(model: Net, optimizer: Optimizer) -> None:
    """Train one step, and save both."""
    step(model, optimizer)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")


def resume(model: Net, optimizer: Optimizer) -> None:
    """Load both, and train one step."""
    checkpoint = torch.load("last.pt")
    saved = checkpoint["optimizer"]
    print("saved:", [len(g["params"]) for g in saved["param_groups"]], [list(s) for s in saved["state"].values()][:1])
    print("now:", [len(g["params"]) for g in optimizer.param_groups], type(optimizer).__name__, flush=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(saved)
    step(model, optimizer)
    print("went on with", len(optimizer.state), "states")


def by_name(optimizer: Optimizer, saved: State) -> State:
    """Hand each parameter the state that was saved under its name; a new one begins without."""
    ids = {n: i for g in saved["param_groups"] for n, i in zip(g["param_names"], g["params"], strict=True)}
    groups = [{**g, "params": [ids.get(n, n) for n in g["param_names"]]} for g in optimizer.param_groups]
    used = {i for g in groups for i in g["params"]}
    return {"state": {i: s for i, s in saved["state"].items() if i in used}, "param_groups": groups}


def frozen(fixed: bool) -> None:
    """The body is frozen for the rest of the run, and no longer given to the optimizer. Fix: match by name."""
    model = Net()
    save(model, adamw(model))
    optimizer = torch.optim.AdamW([(n, p) for n, p in model.named_parameters() if n.startswith("head")], lr=0.1)
    if fixed:
        optimizer.register_load_state_dict_pre_hook(by_name)
    resume(model, optimizer)


def split_groups(model: Net) -> Optimizer:
    """Weights and biases in groups of their own."""
    parts: list[list[torch.nn.Parameter]] = [[], []]
    for name, parameter in model.named_parameters():
        parts[name.endswith("bias")].append(parameter)
    return torch.optim.AdamW([{"params": parts[0]}, {"params": parts[1], "weight_decay": 0.0}], lr=0.1)


def groups(fixed: bool) -> None:
    """Saved with two groups, resumed with one. Fix: the same groups."""
    model = Net()
    save(model, split_groups(model))
    resume(model, split_groups(model) if fixed else torch.optim.AdamW(model.parameters(), lr=0.1))


def other_class(before: Callable[[Net], Optimizer], after: Callable[[Net], Optimizer]) -> Callable[[bool], None]:
    """The case in which the class of the optimizer was changed."""

    def play(fixed: bool) -> None:
        model = Net()
        save(model, before(model))
        resume(model, (before if fixed else after)(model))

    play.__doc__ = "Saved by one class of optimizer, resumed with another. Fix: the class that saved."
    return play


def sgd(model: Net) -> Optimizer:
    """SGD with momentum."""
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def reordered(fixed: bool) -> None:
    """The layers are made in another order, and their shapes differ. Fix: match by name."""
    save(model := Net(), adamw(model))
    model = Net("head", "body")
    optimizer = adamw(model)
    if fixed:
        optimizer.register_load_state_dict_pre_hook(by_name)
    resume(model, optimizer)


def reordered_silently(fixed: bool) -> None:
    """The same with equal shapes gives no error, and the moments of another layer. Fix: match by name."""
    save(model := Net(out=4), first := adamw(model))
    moments = {n: first.state[p]["exp_avg"].clone() for n, p in model.named_parameters()}
    model = Net("head", "body", out=4)
    optimizer = adamw(model)
    if fixed:
        optimizer.register_load_state_dict_pre_hook(by_name)
    optimizer.load_state_dict(torch.load("last.pt")["optimizer"])
    weight = optimizer.state[model.get_parameter("head.weight")]["exp_avg"]
    print("head has the moments of", [n for n, saved in moments.items() if torch.equal(saved, weight)])


SIZE = "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
CASES = {
    "frozen": cases.Case(frozen, SIZE, "went on with 2 states"),
    "groups": cases.Case(groups, "loaded state dict has a different number of parameter groups", "went on with 4"),
    "sgd-to-adamw": cases.Case(other_class(sgd, adamw), "KeyError: 'step'", "went on with 4"),
    "adamw-to-sgd": cases.Case(other_class(adamw, sgd), "KeyError: 'momentum'", "went on with 4"),
    "reordered": cases.Case(
        reordered, "The size of tensor a (4) must match the size of tensor b (2)", "went on with 4"
    ),
    "reordered-silently": cases.Case(reordered_silently, "['body.weight']", "['head.weight']", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
