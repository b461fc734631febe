#!/usr/bin/env python3
"""Put parameters of different dtypes into one unit of FSDP. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is norm
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
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

LOAD = (*forks.DDP, "torch.distributed.fsdp", "torch.distributed.device_mesh")


def layer() -> nn.Sequential:
    """A linear layer in bfloat16 and a norm in float32, as a checkpoint or a loader may leave them."""
    import torch
    from torch import nn

    return nn.Sequential(nn.Linear(4, 4, dtype=torch.bfloat16), nn.LayerNorm(4))


def adapted() -> nn.Sequential:
    """A frozen linear layer in bfloat16 and an adapter in float32."""
    import torch
    from torch import nn

    class Cast(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.float()

    base = nn.Linear(4, 4, dtype=torch.bfloat16).requires_grad_(False)
    return nn.Sequential(base, Cast(), nn.Linear(4, 4))


def flat(module: nn.Module, **options: Any) -> nn.Module:
    """The module in FullyShardedDataParallel."""
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel

    return FullyShardedDataParallel(module, device_id=torch.device("cpu"), **options)


def sharded(module: nn.Module, **options: Any) -> nn.Module:
    """The module in fully_shard."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    fully_shard(module, mesh=init_device_mesh("cpu", (2,)), **options)
    return module


def norm(fixed: bool) -> nn.Module:
    """The norm stayed in float32. Fix: one dtype for the whole model."""
    import torch

    return flat(layer().to(torch.bfloat16) if fixed else layer())


def policy(fixed: bool) -> nn.Module:
    """A mixed precision policy does not help. Fix: a unit of its own for the norm."""
    import torch
    from torch import nn
    from torch.distributed.fsdp import MixedPrecision
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    wrap = {"auto_wrap_policy": ModuleWrapPolicy({nn.LayerNorm})} if fixed else {}
    return flat(layer(), mixed_precision=MixedPrecision(param_dtype=torch.bfloat16), **wrap)


def fsdp2(fixed: bool) -> nn.Module:
    """The same with fully_shard, which says so in the first forward pass. Fix: float32, computed in bfloat16."""
    import torch
    from torch.distributed.fsdp import MixedPrecisionPolicy

    return sharded(layer().float() if fixed else layer(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))


def adapter(fixed: bool) -> nn.Module:
    """An adapter in float32 beside a frozen layer in bfloat16. Fix: fully_shard, which looks at what is trained."""
    return sharded(adapted()) if fixed else flat(adapted(), use_orig_params=True)


def integers(fixed: bool) -> nn.Module:
    """Frozen weights stored as bytes. Fix: the same bytes under the dtype of the others."""
    import torch
    from torch import nn

    module = layer().to(torch.bfloat16)
    packed = torch.zeros(8, dtype=torch.uint8)
    module.packed = nn.Parameter(packed.view(torch.bfloat16) if fixed else packed, requires_grad=False)
    return flat(module, use_orig_params=True)


MODELS = {made.__name__: made for made in (norm, policy, fsdp2, adapter, integers)}


def train(name: str, fixed: bool) -> None:
    """One step of one rank."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
    model = MODELS[name](fixed)
    model(torch.randn(2, 4, dtype=torch.bfloat16)).sum().backward()
    print("trained", flush=True)


def play(name: str) -> Callable[[bool], None]:
    """The case of that name."""

    def run(fixed: bool) -> None:
        forks.ranks(functools.partial(train, name, fixed), load=LOAD)

    run.__doc__ = MODELS[name].__doc__
    return run


FLATTEN = "Must flatten tensors with uniform dtype but got"
EXPECTED = {
    "norm": FLATTEN,
    "policy": FLATTEN,
    "fsdp2": "FSDP expects uniform original parameter dtype but got",
    "adapter": FLATTEN,
    "integers": "Cannot flatten integer dtype tensors",
}
CASES = {name: cases.Case(play(name), broken, "trained") for name, broken in EXPECTED.items()}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
