#!/usr/bin/env python3
"""Let the second run of a checkpointed block differ from the first one. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is layer-drop
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import functools
import pathlib
import random
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

if TYPE_CHECKING:
    from torch import Tensor

cases.needs("torch")

Block = Callable[["Tensor"], "Tensor"]
LOAD = (*forks.TORCH, "torch._dynamo")  # checkpointing imports it, in backward


def data() -> Tensor:
    """A batch that asks for a gradient."""
    import torch

    torch.manual_seed(0)
    return torch.randn(2, 4, requires_grad=True)


def dice(fixed: bool) -> Callable[[], float]:
    """Random numbers: those of torch, which checkpointing restores, or those of Python, which nobody does."""
    import torch

    random.seed(1)  # the first number is below a half, the second one above
    return (lambda: torch.rand(()).item()) if fixed else random.random


def dropping(fixed: bool) -> Block:
    """A block that skips its layer by chance."""
    import torch

    draw, layer = dice(fixed), torch.nn.Linear(4, 4)
    return lambda x: torch.sigmoid(layer(x)) if draw() < 0.5 else torch.sigmoid(x)


def scaling(fixed: bool) -> Block:
    """A block that multiplies by a random number."""
    import torch

    draw = dice(fixed)
    return lambda x: torch.sigmoid(x * draw())


def attention(fixed: bool) -> Block:
    """A block that appends its keys to a cache, each time it runs."""
    import torch

    project, cache = torch.nn.Linear(4, 4), []

    def attend(x: Tensor) -> Tensor:
        keys = project(x)
        if not fixed:
            cache.append(keys)
            keys = torch.cat(cache)
        return (x @ keys.T).softmax(-1) @ keys

    return attend


def train(block: Callable[[bool], Block], options: dict[str, Any], fixed: bool) -> None:
    """One step through a checkpointed block."""
    from torch.utils.checkpoint import checkpoint

    checkpoint(block(fixed), data(), use_reentrant=False, **options).sum().backward()
    print("trained", flush=True)


def compare(block: Callable[[bool], Block], reentrant: bool, fixed: bool) -> None:
    """Say whether the gradient of a block is the same with and without checkpointing."""
    import torch
    from torch.utils.checkpoint import checkpoint

    gradients = []
    for run in (lambda block, x: block(x), functools.partial(checkpoint, use_reentrant=reentrant)):
        x = data()
        run(block(fixed), x).sum().backward()
        gradients.append(x.grad)
    print("the gradient is right:", torch.equal(*gradients), flush=True)


def layer_drop(fixed: bool) -> None:
    """A layer is skipped by Python's random numbers, so the second run takes the other branch. Fix: torch's."""
    forks.ranks(functools.partial(train, dropping, {}, fixed), size=1, load=LOAD)


def kv_cache(fixed: bool) -> None:
    """The block appends to its key-value cache again when it is run again. Fix: no cache in training."""
    forks.ranks(functools.partial(train, attention, {}, fixed), size=1, load=LOAD)


def switched(fixed: bool) -> None:
    """Switch a model to eval between forward and backward, then say that the step is done."""
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    block = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 4))
    loss = checkpoint(block, data(), use_reentrant=False).sum()
    if not fixed:
        block.eval()
    loss.backward()
    print("trained", flush=True)


def eval_before_backward(fixed: bool) -> None:
    """The model is in another mode when the block is run again. Fix: switch after backward."""
    forks.ranks(functools.partial(switched, fixed), size=1, load=LOAD)


def unchecked(fixed: bool) -> None:
    """determinism_check="none" with the growing cache: autograd stumbles instead. Fix: no cache in training."""
    forks.ranks(functools.partial(train, attention, {"determinism_check": "none"}, fixed), size=1, load=LOAD)


def reentrant(fixed: bool) -> None:
    """layer-drop with use_reentrant=True: no error, but a wrong gradient. Fix: torch's random numbers."""
    forks.ranks(functools.partial(compare, dropping, True, fixed), size=1, load=LOAD)


def values_only(fixed: bool) -> None:
    """Only values differ, no shape: no error, but a wrong gradient. Fix: torch's random numbers."""
    forks.ranks(functools.partial(compare, scaling, False, fixed), size=1, load=LOAD)


WRONG, RIGHT = "the gradient is right: False", "the gradient is right: True"
NUMBER = "A different number of tensors was saved during the original forward and recomputation"
CASES = {
    "layer-drop": cases.Case(layer_drop, NUMBER, "trained"),
    "kv-cache": cases.Case(kv_cache, "Recomputed values for the following tensors have different metadata", "trained"),
    "eval-before-backward": cases.Case(eval_before_backward, NUMBER, "trained"),
    "unchecked": cases.Case(unchecked, "returned an invalid gradient", "trained", False),
    "reentrant": cases.Case(reentrant, WRONG, RIGHT, False),
    "values-only": cases.Case(values_only, WRONG, RIGHT, False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
