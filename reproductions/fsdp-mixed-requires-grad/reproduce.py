#!/usr/bin/env python3
"""Put frozen and trainable parameters into one FSDP unit. One CPU rank, gloo; FSDP checks before it communicates.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is function-policy
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    from torch import Tensor, nn
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
    from torch.distributed.fsdp.wrap import CustomPolicy, ModuleWrapPolicy, transformer_auto_wrap_policy
except ImportError as missing:
    cases.cannot(missing)


class Block(nn.Module):
    """A frozen layer with a trainable adapter of two small layers, as LoRA makes it."""

    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(16, 16).requires_grad_(False)
        self.lora_a = nn.Linear(16, 2, bias=False)
        self.lora_b = nn.Linear(2, 16, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """The layer and what the adapter adds to it."""
        return torch.relu(self.base(x) + self.lora_b(self.lora_a(x)))


def own_units(module: nn.Module) -> bool:
    """True for a block, and for the modules whose own parameters are all trainable."""
    own = list(module.parameters(recurse=False))
    return isinstance(module, Block) or (bool(own) and all(p.requires_grad for p in own))


def wrap(policy: Any, use_orig_params: bool = False) -> FullyShardedDataParallel:
    """Two blocks in FSDP1."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = nn.Sequential(Block(), Block())
    return FullyShardedDataParallel(
        model, auto_wrap_policy=policy, use_orig_params=use_orig_params, device_id=torch.device("cpu")
    )


def train(model: nn.Module) -> None:
    """Take one step, and say how many of the parameters got a gradient."""
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    model(torch.ones(4, 16)).sum().backward()
    optimizer.step()
    print(sum(p.grad is not None for p in parameters), "of", len(parameters), "parameters got a gradient", flush=True)


def function_policy(fixed: bool) -> None:
    """One unit per block, by a policy that is a function. Fix: the adapters in units of their own."""
    blocks = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    train(wrap(CustomPolicy(own_units) if fixed else blocks))


def class_policy(fixed: bool) -> None:
    """One unit per block, by a policy object, which checks and names the parameters. Fix: use_orig_params."""
    train(wrap(ModuleWrapPolicy({Block}), use_orig_params=fixed))


def one_unit(fixed: bool) -> None:
    """No policy at all. Fix: fully_shard, which keeps every parameter apart."""
    if not fixed:
        train(wrap(None))
        return
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = nn.Sequential(Block(), Block())
    train(fully_shard(model, mesh=init_device_mesh("cpu", (1,))))


def more_gradients(fixed: bool) -> None:
    """use_orig_params accepts the mixture, and warns of the memory. Fix: units of their own."""
    train(wrap(CustomPolicy(own_units) if fixed else ModuleWrapPolicy({Block}), use_orig_params=True))


def frozen_late(fixed: bool) -> None:
    """Freezing by name after wrapping finds none of the names. Fix: before wrapping, with units to match."""
    if fixed:
        model = wrap(CustomPolicy(own_units))
    else:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        plain = nn.Sequential(Block(), Block()).requires_grad_(True)
        model = FullyShardedDataParallel(
            plain, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=torch.device("cpu")
        )
    for name, parameter in model.named_parameters():
        if "base" in name:
            parameter.requires_grad_(False)
    flats = list(model.parameters())
    print("trainable flat parameters:", sum(p.requires_grad for p in flats), "of", len(flats), flush=True)


CASES = {
    "function-policy": cases.Case(
        function_policy,
        "ValueError: Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`",
        "parameters got a gradient",
    ),
    "class-policy": cases.Case(
        class_policy,
        "FSDP does not support wrapping such modules when use_orig_params=False",
        "4 of 8 parameters got a gradient",
    ),
    "one-unit": cases.Case(
        one_unit,
        "ValueError: Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`",
        "4 of 8 parameters got a gradient",
    ),
    "more-gradients": cases.Case(
        more_gradients, "We do not recommend wrapping such modules", "parameters got a gradient", diagnosed=False
    ),
    "frozen-late": cases.Case(
        frozen_late, "trainable flat parameters: 2 of 2", "trainable flat parameters: 4 of 6", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
