#!/usr/bin/env python3
"""Leave the range of float16 in a mask, an activation, a square and the optimizer. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is mask
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def mask(fixed: bool) -> None:
    """A mask is filled with -1e9, which float16 cannot hold. Fix: the least value of the dtype."""
    import torch

    scores = torch.zeros(2, 4, dtype=torch.float16)
    scores = scores.masked_fill(scores == 0, torch.finfo(scores.dtype).min if fixed else -1e9)
    print(f"masked {scores[0, 0].item()}", flush=True)


def activation(fixed: bool) -> None:
    """An activation is above 65504: inf, and NaN in the norm after it. Fix: bfloat16."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 1))
    with torch.no_grad():
        model[0].weight.mul_(1e5)

    def watch(name: str, module: torch.nn.Module) -> None:
        def look(module: torch.nn.Module, _: object, out: torch.Tensor) -> None:
            print(f"{name} {type(module).__name__} {out.dtype} largest {out.abs().max().item():.4g}", flush=True)

        module.register_forward_hook(look)

    for name, module in model.named_children():
        watch(name, module)
    for dtype in (torch.float32, torch.bfloat16 if fixed else torch.float16):
        with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
            print(f"{dtype} loss {model(torch.ones(4, 8)).mean().item():.4g}", flush=True)


def square(fixed: bool) -> None:
    """A norm written by hand squares 300 in float16. Fix: float32 for this part."""
    import torch

    x = torch.full((4,), 300.0, dtype=torch.float16)
    y = x.float() if fixed else x
    print(f"normalised {(y / y.pow(2).mean().sqrt()).tolist()}", flush=True)


def optimizer(fixed: bool) -> None:
    """Weights in float16: the epsilon of Adam and the squares of gradients are 0. Fix: float32 weights, autocast."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    if not fixed:
        model.half()
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for step in range(3):
        with torch.autocast("cpu", torch.float16, enabled=fixed):
            loss = model(torch.full((4, 8), 1e-4, dtype=model.weight.dtype)).float().square().mean()
        adam.zero_grad()
        loss.backward()
        norm = model.weight.grad.float().norm().item() if model.weight.grad is not None else None
        adam.step()
        finite = all(bool(weight.isfinite().all()) for weight in model.parameters())
        print(f"step {step} loss {loss.item():.4g} norm {norm:.3g} weights finite: {finite}", flush=True)


CASES = {
    "mask": cases.Case(mask, "value cannot be converted to type c10::Half without overflow", "masked -65504.0"),
    "activation": cases.Case(activation, "torch.float16 loss nan", "torch.bfloat16 loss ", diagnosed=False),
    "square": cases.Case(square, "normalised [0.0, 0.0, 0.0, 0.0]", "normalised [1.0, 1.0, 1.0, 1.0]", diagnosed=False),
    "optimizer": cases.Case(optimizer, "step 2 loss nan", "step 2 loss 0.", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
