#!/usr/bin/env python3
"""Let a parameter of a DDP model report its gradient twice in one step. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is twice-checkpointed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn.parallel import DistributedDataParallel as DDP

cases.needs("torch")

Step = Callable[[], None]


def wrapped(loops: int = 1, reentrant: bool | None = None, first: bool = True, **options: bool) -> DDP:
    """A first layer, a body that can run several times and checkpointed, and two heads, in DDP with these options."""
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel as DDP
    from torch.utils.checkpoint import checkpoint

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.body = nn.Linear(4, 4) if first else nn.Identity(), nn.Linear(4, 4)
            self.left, self.right = nn.Linear(4, 1), nn.Linear(4, 1)

        def forward(self, x: Tensor, right: bool = True) -> tuple[Tensor, ...]:
            x = self.first(x)
            for _ in range(loops):
                x = self.body(x) if reentrant is None else checkpoint(self.body, x, use_reentrant=reentrant)
            return (self.left(x), self.right(x)) if right else (self.left(x),)

    return DDP(Model(), **options)


def data() -> Tensor:
    """A batch that asks for a gradient, which reentrant checkpointing needs."""
    import torch

    return torch.randn(2, 4, requires_grad=True)


def total(outputs: Sequence[Tensor]) -> Tensor:
    """One loss of all outputs."""
    return sum((output.sum() for output in outputs[1:]), outputs[0].sum())


def plain(model: DDP) -> Step:
    """A step with one forward and one backward pass."""
    return lambda: total(model(data())).backward()


def twice_checkpointed(fixed: bool) -> tuple[DDP, Step]:
    """The same layer is checkpointed twice, reentrant. Fix: use_reentrant=False."""
    model = wrapped(loops=2, reentrant=not fixed)
    return model, plain(model)


def silent(fixed: bool) -> tuple[DDP, Step]:
    """The same where the checkpointed layer is the first one: no error, but the ranks part. Fix as before."""
    model = wrapped(loops=2, reentrant=not fixed, first=False)
    return model, plain(model)


def static_graph(fixed: bool) -> tuple[DDP, Step]:
    """The same with reentrant checkpointing left on. Fix: static_graph."""
    model = wrapped(loops=2, reentrant=True, static_graph=fixed)
    return model, plain(model)


def find_unused(fixed: bool) -> tuple[DDP, Step]:
    """find_unused_parameters with reentrant checkpointing. Fix: the flag off."""
    model = wrapped(reentrant=True, find_unused_parameters=not fixed)
    return model, plain(model)


def outside(fixed: bool) -> tuple[DDP, Step]:
    """The loss uses a head that forward did not use, and the search is on. Fix: use it in forward."""
    model = wrapped(find_unused_parameters=True)

    def step() -> None:
        loss = total(model(data(), right=fixed))
        (loss if fixed else loss + model.module.right.weight.norm()).backward()

    return model, step


def two_backwards(fixed: bool) -> tuple[DDP, Step]:
    """Each loss gets a backward pass of its own after one forward pass. Fix: add them up."""
    model = wrapped()

    def step() -> None:
        left, right = model(data())
        if fixed:
            (left.sum() + right.sum()).backward()
        else:
            left.sum().backward(retain_graph=True)
            right.sum().backward()

    return model, step


def two_forwards(fixed: bool) -> tuple[DDP, Step]:
    """Two forward passes before one backward pass, the second without a head. Fix: the search off."""
    model = wrapped(find_unused_parameters=not fixed)
    return model, lambda: (total(model(data())) + total(model(data(), right=False))).backward()


MODELS = {
    made.__name__.replace("_", "-"): made
    for made in (twice_checkpointed, silent, static_graph, find_unused, outside, two_backwards, two_forwards)
}


def train(name: str, fixed: bool) -> None:
    """Three steps of one rank, then whether the ranks still agree."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    torch.manual_seed(0)
    model, step = MODELS[name](fixed)
    torch.manual_seed(dist.get_rank())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        step()
        optimizer.step()
    mine = torch.cat([weight.detach().flatten() for weight in model.parameters()])
    other = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(other, mine)
    print("trained, the ranks agree:", all(torch.equal(mine, one) for one in other), flush=True)
    dist.barrier()


def play(name: str) -> Callable[[bool], None]:
    """The case of that name."""

    def run(fixed: bool) -> None:
        debug = "OFF" if name == "two-backwards" else "INFO"
        forks.ranks(functools.partial(train, name, fixed), load=forks.DDP, TORCH_DISTRIBUTED_DEBUG=debug)

    run.__doc__ = MODELS[name].__doc__
    return run


TWICE = "has been marked as ready twice"
AGREE = "trained, the ranks agree: True"
CASES = {name: cases.Case(play(name), TWICE, AGREE) for name in MODELS}
CASES["silent"] = cases.Case(play("silent"), "trained, the ranks agree: False", AGREE, diagnosed=False)

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
