#!/usr/bin/env python3
"""Use parameters that FSDP has sharded, outside the forward pass that would gather them. Two CPU ranks, gloo.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is generate
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    from torch import Tensor, nn
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard, register_fsdp_forward_method
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
except ImportError as missing:
    cases.cannot(missing)

TOKENS = torch.zeros(2, 3, dtype=torch.long)


class LanguageModel(nn.Module):
    """An embedding, a layer and a head, with a method beside forward that uses the embedding."""

    def __init__(self, tied: bool = False) -> None:
        super().__init__()
        self.tied = tied
        self.embedding = nn.Embedding(10, 8)
        self.layer = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.head = nn.Linear(8, 10, bias=False)

    def forward(self, tokens: Tensor, only_embed: bool = False) -> Tensor:
        """The scores of the next token, or only the embeddings."""
        hidden = self.embedding(tokens)
        if only_embed:
            return hidden
        return nn.functional.linear(self.layer(hidden), (self.embedding if self.tied else self.head).weight)

    def generate(self, tokens: Tensor) -> Tensor:
        """Call the module itself, as generate() of a library does."""
        return self(tokens).argmax(-1)

    def embed(self, tokens: Tensor) -> Tensor:
        """The embeddings alone."""
        return self.embedding(tokens)


def wrapped(use_orig_params: bool) -> FullyShardedDataParallel:
    """The model in FSDP1, the layer as a unit of its own."""
    policy = ModuleWrapPolicy({nn.Sequential})
    cpu = torch.device("cpu")
    return FullyShardedDataParallel(
        LanguageModel(), auto_wrap_policy=policy, use_orig_params=use_orig_params, device_id=cpu
    )


def sharded(tied: bool = False, own_unit: str = "layer") -> LanguageModel:
    """The model in FSDP2, one part as a unit of its own."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = LanguageModel(tied)
    fully_shard(model.get_submodule(own_unit), mesh=mesh)
    return fully_shard(model, mesh=mesh)


def generate(fixed: bool) -> None:
    """generate() on an FSDP1 model. Fix: gather the parameters of the outer unit around it."""
    model = wrapped(use_orig_params=True)
    if fixed:
        with torch.no_grad(), FullyShardedDataParallel.summon_full_params(model, recurse=False, writeback=False):
            model.generate(TOKENS)
    else:
        model.generate(TOKENS)


def method(fixed: bool) -> None:
    """A method other than forward on an FSDP2 model. Fix: register it."""
    model = sharded()
    if fixed:
        register_fsdp_forward_method(model, "embed")
    model.embed(TOKENS)


def flat(fixed: bool) -> None:
    """A method after a training step, FSDP1 with flat parameters. Fix: go through forward."""
    model = wrapped(use_orig_params=False)
    scores = model(TOKENS)
    with torch.no_grad():
        model.embed(TOKENS)  # works, because the outer unit stays gathered until backward
    scores.sum().backward()
    if fixed:
        model(TOKENS, only_embed=True)
    else:
        model.embed(TOKENS)


def other_unit(fixed: bool) -> None:
    """forward uses the weight of another FSDP2 unit. Fix: leave that part to the outer unit."""
    sharded(tied=True, own_unit="layer" if fixed else "embedding")(TOKENS)


def layer_first(fixed: bool) -> None:
    """A layer is called before the model, FSDP2. Fix: the model first."""
    model = sharded()
    if not fixed:
        model.layer(torch.zeros(2, 8))
    model(TOKENS)


def penalty(fixed: bool) -> None:
    """A weight penalty over model.parameters(), FSDP1: each rank adds up its shard. Fix: add up the ranks."""
    torch.manual_seed(0)
    model = wrapped(use_orig_params=True)
    total = sum(parameter.detach().pow(2).sum() for parameter in model.parameters())
    if fixed:
        dist.all_reduce(total)
    values: list[object] = [None] * dist.get_world_size()
    dist.all_gather_object(values, round(float(total), 3))
    print("penalty differs between the ranks:", len(set(values)) > 1, flush=True)


def case(play: Callable[[bool], None], broken: str, diagnosed: bool = True) -> cases.Case:
    """A case that plays on two ranks, each of which says at its end that it is through."""

    def rank() -> None:
        dist.init_process_group("gloo")
        play(cases.fixed())
        print("rank", dist.get_rank(), "used the whole parameter", flush=True)

    def launch(fixed: bool) -> None:
        forks.ranks(rank)

    launch.__doc__ = play.__doc__
    mended = "penalty differs between the ranks: False" if play is penalty else "used the whole parameter"
    return cases.Case(launch, broken, mended, diagnosed)


MIXED = "got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor"
CASES = {
    "generate": case(generate, "RuntimeError: 'weight' must be 2-D"),
    "method": case(method, f"aten.embedding.default {MIXED}"),
    "flat": case(flat, "are out of bounds for storage of size 0"),
    "other-unit": case(other_unit, f"aten.mm.default {MIXED}"),
    "layer-first": case(layer_first, "FSDP requires running forward through the root module first"),
    "penalty": case(penalty, "penalty differs between the ranks: True", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
