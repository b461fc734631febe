#!/usr/bin/env python3
"""Wrap models that differ between the ranks in DDP. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is vocabulary
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

if TYPE_CHECKING:
    from torch import nn

cases.needs("torch")


def vocabulary(fixed: bool, rank: int) -> nn.Module:
    """Each rank builds the vocabulary from its own shard of the data. Fix: rank 0 builds it and sends it."""
    import torch.distributed as dist
    from torch import nn

    size = [len({"the", "cat", "sat"}) if rank == 0 else len({"a", "dog", "ran", "off"})]
    if fixed:
        dist.broadcast_object_list(size, src=0)
    return nn.Sequential(nn.Embedding(size[0], 4), nn.Linear(4, 1))


def extra_layer(fixed: bool, rank: int) -> nn.Module:
    """Only rank 0 adds a head. Fix: all ranks do."""
    from torch import nn

    body = nn.Linear(4, 4)
    return nn.ModuleList([body, nn.Linear(4, 1)] if fixed or rank == 0 else [body])


def frozen(fixed: bool, rank: int) -> nn.Module:
    """Rank 1 freezes a layer. Fix: freeze the same on all ranks."""
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    model[0].requires_grad_(not fixed and rank == 0)
    return model


def strides(fixed: bool, rank: int) -> nn.Module:
    """Rank 1 keeps its convolution in channels_last. Fix: one memory format."""
    import torch
    from torch import nn

    model = nn.Conv2d(3, 4, 3)
    return model.to(memory_format=torch.channels_last) if fixed or rank == 1 else model


def order(fixed: bool, rank: int) -> nn.Module:
    """The ranks register layers of one shape in different order, as a set of names does: no error. Fix: sort."""
    import torch
    from torch import nn

    names = ["left", "right"] if fixed or rank == 0 else ["right", "left"]
    torch.manual_seed(0)
    layers = {name: nn.Linear(4, 4) for name in ("left", "right")}
    return nn.ModuleDict({name: layers[name] for name in names})


def nothing_to_train(fixed: bool, rank: int) -> nn.Module:
    """Rank 1 froze everything: DDP refuses there before it compares. Fix: train the same on all ranks."""
    from torch import nn

    return nn.Linear(4, 4).requires_grad_(fixed or rank == 0)


MODELS = {
    made.__name__.replace("_", "-"): made
    for made in (vocabulary, extra_layer, frozen, strides, order, nothing_to_train)
}


def wrap(name: str, fixed: bool) -> None:
    """Wrap the model of one rank, then say whether the layers of one name hold the same weights everywhere."""
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel as DDP

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=10))
    model = MODELS[name](fixed, dist.get_rank())
    DDP(model)
    sums = [None, None]
    dist.all_gather_object(sums, {key: round(weight.sum().item(), 4) for key, weight in model.state_dict().items()})
    print("the ranks agree:", sums[0] == sums[1], flush=True)


def play(name: str) -> Callable[[bool], None]:
    """The case of that name."""

    def run(fixed: bool) -> None:
        forks.ranks(functools.partial(wrap, name, fixed), load=forks.DDP)

    run.__doc__ = MODELS[name].__doc__
    return run


EXPECTED = {
    "vocabulary": "appears not to match sizes of the same param in process 0",
    "extra-layer": "DDP expects same model across all ranks",
    "frozen": "DDP expects same model across all ranks",
    "strides": "appears not to match strides of the same param in process 0",
    "order": "the ranks agree: False",
    "nothing-to-train": "DistributedDataParallel is not needed when a module doesn't have any parameter",
}
UNNAMED = ("order", "nothing-to-train")
CASES = {
    name: cases.Case(play(name), broken, "the ranks agree: True", name not in UNNAMED)
    for name, broken in EXPECTED.items()
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
