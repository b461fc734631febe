#!/usr/bin/env python3
"""Checkpoint a block none of whose inputs asks for a gradient. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is adapter
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import functools
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

if TYPE_CHECKING:
    from torch import nn

cases.needs("torch")

LOAD = (*forks.TORCH, "torch._dynamo")  # checkpointing imports it, in backward


def tower(trained: tuple[str, ...]) -> nn.ModuleDict:
    """An embedding, a layer with an adapter beside it, and a head; only the named parts are trained."""
    from torch import nn

    parts = {"embedding": nn.Embedding(9, 4), "layer": nn.Linear(4, 4), "adapter": nn.Linear(4, 4)}
    model = nn.ModuleDict({**parts, "head": nn.Linear(4, 1)})
    for name, part in model.items():
        part.requires_grad_(name in trained)
    return model


def step(trained: tuple[str, ...], reentrant: bool = True, hook: bool = False, nested: bool = False) -> None:
    """One step with the middle of the model checkpointed, then whether each trained part got a gradient."""
    import torch
    from torch.utils.checkpoint import checkpoint

    model = tower(trained)
    if hook:
        model["embedding"].register_forward_hook(lambda module, args, output: output.requires_grad_(True))

    def block(x: Any) -> torch.Tensor:
        hidden = x["hidden"] if nested else x
        return model["layer"](hidden) + model["adapter"](hidden)

    hidden = model["embedding"](torch.tensor([[1, 2]]))
    hidden = checkpoint(block, {"hidden": hidden} if nested else hidden, use_reentrant=reentrant)
    model["head"](hidden).sum().backward()
    learned = all(weight.grad is not None for weight in model.parameters() if weight.requires_grad)
    print("every trained part got a gradient:", learned, flush=True)


def adapter(fixed: bool) -> None:
    """Only an adapter inside of the block is trained. Fix: use_reentrant=False."""
    alone(step, ("adapter",), reentrant=not fixed)


def hooked(fixed: bool) -> None:
    """The same. Fix: a hook that lets the output of the embedding ask for a gradient."""
    alone(step, ("adapter",), hook=fixed)


def head_learns(fixed: bool) -> None:
    """The head is trained too, so no error comes, but the adapter learns nothing. Fix: use_reentrant=False."""
    alone(step, ("adapter", "head"), reentrant=not fixed)


def nested_input(fixed: bool) -> None:
    """The input asks for a gradient, but stands in a dict. Fix: use_reentrant=False, which looks into it."""
    alone(step, ("embedding", "adapter", "head"), reentrant=not fixed, nested=True)


def frozen_tower(fixed: bool) -> None:
    """Nothing in the block is trained: the warning is right and harmless. Fix: do not checkpoint what is frozen."""
    alone(step, ("head",), reentrant=not fixed)


def detached() -> None:
    """A step through a block that computes without gradients."""
    import torch
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Linear(4, 4)
    checkpoint(torch.no_grad()(layer), torch.randn(2, 4, requires_grad=True), use_reentrant=True).sum().backward()


def output_detached(fixed: bool) -> None:
    """The block runs under no_grad, and fails in backward. Fix: do not checkpoint it."""
    alone(functools.partial(step, ("adapter",), reentrant=False) if fixed else detached)


def alone(work: Callable[..., None], *arguments: Any, **options: Any) -> None:
    """Do the work in one process."""
    forks.ranks(functools.partial(work, *arguments, **options), size=1, load=LOAD)


WARNING = "None of the inputs have requires_grad=True. Gradients will be None"
NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
LEARNED, MISSED = "every trained part got a gradient: True", "every trained part got a gradient: False"
CASES = {
    "adapter": cases.Case(adapter, NO_GRAD, LEARNED),
    "hooked": cases.Case(hooked, NO_GRAD, LEARNED),
    "head-learns": cases.Case(head_learns, MISSED, LEARNED, False),
    "nested-input": cases.Case(nested_input, MISSED, LEARNED, False),
    "frozen-tower": cases.Case(frozen_tower, WARNING, LEARNED, False),
    "output-detached": cases.Case(output_detached, "none of output has requires_grad=True", LEARNED),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
