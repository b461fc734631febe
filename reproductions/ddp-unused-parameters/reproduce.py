#!/usr/bin/env python3
"""Let DDP wait for a gradient that never comes. Two CPU processes, gloo, about five seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is never-used
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import pathlib
import sys
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel as DDP
    from torch.utils.checkpoint import checkpoint
except ImportError as missing:
    cases.cannot(missing)

CHANGED = "Your training graph has changed in this iteration"
UNUSED = "Expected to have finished reduction in the prior iteration"
NEEDLESS = "find_unused_parameters=True was specified in DDP constructor, but did not find any"
TWICE = "Expected to mark a variable ready only once"
SAME = "weights differ between the ranks: False"
Setup = tuple[DDP, Callable[[int], bool]]


class Box:
    """A return value that DDP cannot look into: neither tensor, list, tuple, dict nor dataclass."""

    def __init__(self, value: torch.Tensor) -> None:
        self.value = value


class TwoHeads(nn.Module):
    """A body with a main and an auxiliary head; the caller says what the forward pass uses and returns."""

    def __init__(self, returns: str = "sum", reentrant: bool | None = None) -> None:
        super().__init__()
        self.body, self.head, self.aux = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
        self.returns, self.reentrant = returns, reentrant

    def forward(self, x: torch.Tensor, use_aux: bool, zero_term: bool = False) -> Any:
        """The main head, with whatever the case wants to see of the auxiliary one."""
        hidden = torch.relu(self.body(x))
        if self.reentrant is None:
            out = self.head(hidden)
        else:
            out = checkpoint(self.head, hidden, use_reentrant=self.reentrant)
        if self.returns == "both":
            return out, self.aux(hidden)
        if self.returns == "box":
            return Box(out)
        if zero_term:
            return out + 0.0 * sum(p.sum() for p in self.aux.parameters())
        return out + self.aux(hidden) if use_aux else out


def never_used(fixed: bool, rank: int) -> Setup:
    """The auxiliary head takes no part. Fix: freeze it before wrapping."""
    model = TwoHeads()
    model.aux.requires_grad_(not fixed)
    return DDP(model), lambda step: False


def one_rank(fixed: bool, rank: int) -> Setup:
    """Only rank 0 takes the branch. Fix: this is what find_unused_parameters is for."""
    return DDP(TwoHeads(), find_unused_parameters=fixed), lambda step: rank == 0


def output_unused(fixed: bool, rank: int) -> Setup:
    """The forward pass returns both heads, the loss uses one. Fix: return what the loss uses."""
    return DDP(TwoHeads(returns="sum" if fixed else "both")), lambda step: True


def frozen_late(fixed: bool, rank: int) -> Setup:
    """requires_grad is switched off after wrapping. Fix: before."""
    model = TwoHeads()
    if fixed:
        model.aux.requires_grad_(False)
    ddp = DDP(model)
    model.aux.requires_grad_(False)
    return ddp, lambda step: True


def graph_changes(fixed: bool, rank: int) -> Setup:
    """static_graph, but the head is used in the first step only. Fix: find_unused_parameters instead."""
    return DDP(TwoHeads(), static_graph=not fixed, find_unused_parameters=fixed), lambda step: step == 0


def graph_grows(fixed: bool, rank: int) -> Setup:
    """static_graph, and the head comes into use in the last step. Fix as in graph_changes."""
    return DDP(TwoHeads(), static_graph=not fixed, find_unused_parameters=fixed), lambda step: step == 2


def reflex(fixed: bool, rank: int) -> Setup:
    """find_unused_parameters with reentrant checkpointing. Fix: use_reentrant=False."""
    return DDP(TwoHeads(reentrant=not fixed), find_unused_parameters=True), lambda step: False


def plain_object(fixed: bool, rank: int) -> Setup:
    """find_unused_parameters with a return value that DDP cannot look into. Fix: return tensors."""
    return DDP(TwoHeads(returns="sum" if fixed else "box"), find_unused_parameters=True), lambda step: False


def needless(fixed: bool, rank: int) -> Setup:
    """find_unused_parameters where every parameter is used: DDP searches each step in vain. Fix: leave it off."""
    return DDP(TwoHeads(), find_unused_parameters=not fixed), lambda step: True


def one_process(fixed: bool, rank: int) -> Setup:
    """never_used with a world of one process: DDP checks there as well."""
    return never_used(fixed, rank)


def one_step(fixed: bool, rank: int) -> Setup:
    """A single step: no error is raised, but the weights part. Fix as in never_used."""
    return never_used(fixed, rank)


SETUPS = {
    made.__name__.replace("_", "-"): made
    for made in (
        *(never_used, one_rank, output_unused, frozen_late, graph_changes, graph_grows),
        *(reflex, plain_object, needless, one_process, one_step),
    )
}


def first_tensor(output: Any) -> Any:
    """The part of the forward output that goes into the loss."""
    return output.value if isinstance(output, Box) else output[0] if isinstance(output, tuple) else output


def weights_differ(model: DDP) -> bool:
    """True if the ranks no longer hold the same parameters."""
    mine = torch.cat([p.detach().flatten() for p in model.parameters()])
    all_ranks = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(all_ranks, mine)
    return not all(torch.equal(mine, other) for other in all_ranks)


def train() -> None:
    """One rank: three training steps (one in the case one-step)."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    rank = dist.get_rank()
    ddp, use_aux = SETUPS[cases.name()](cases.fixed(), rank)
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    for step in range(1 if cases.name() == "one-step" else 3):
        optimizer.zero_grad()
        first_tensor(ddp(torch.randn(2, 4), use_aux(step))).sum().backward()
        optimizer.step()
        print(f"rank {rank} step {step} done", flush=True)
    print(f"weights differ between the ranks: {weights_differ(ddp)}", flush=True)
    dist.barrier()


def zero_term(fixed: bool) -> None:
    """AdamW moves an unused weight whose loss term is 0 * p.sum(). Fix: find_unused_parameters."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = DDP(TwoHeads(), find_unused_parameters=fixed)
    before = model.module.aux.weight.detach().clone()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(2, 4), False, zero_term=not fixed).sum().backward()
        optimizer.step()
    print("AdamW moved the unused weight:", not torch.equal(before, model.module.aux.weight))


def case(name: str, broken: str = UNUSED, diagnosed: bool = True) -> cases.Case:
    """The case that trains the model of that name."""

    def play(_: bool) -> None:
        forks.ranks(train, size=1 if name == "one-process" else 2)

    play.__doc__ = SETUPS[name].__doc__
    return cases.Case(play, broken, SAME, diagnosed)


MOVED = "AdamW moved the unused weight:"
CASES = {
    **{name: case(name) for name in ("never-used", "one-rank", "output-unused", "frozen-late", "graph-changes")},
    "graph-grows": case("graph-grows", CHANGED),
    "reflex": case("reflex", TWICE, diagnosed=False),
    "plain-object": case("plain-object", TWICE, diagnosed=False),
    "needless": case("needless", NEEDLESS, diagnosed=False),
    "one-process": case("one-process"),
    "one-step": case("one-step", "weights differ between the ranks: True", diagnosed=False),
    "zero-term": cases.Case(zero_term, f"{MOVED} True", f"{MOVED} False", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
