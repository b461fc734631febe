#!/usr/bin/env python3
"""Let a GradScaler halve its scale in every step, for three reasons. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is activations
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

if TYPE_CHECKING:
    import torch

cases.needs("torch")


def net(factor: float = 1.0, norm: bool = False) -> torch.nn.Module:
    """Two layers whose activations grow with the factor, as those of a model trained in bfloat16 may."""
    import torch

    torch.manual_seed(0)
    between = torch.nn.LayerNorm(8) if norm else torch.nn.Identity()
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), between, torch.nn.Linear(8, 1))
    with torch.no_grad():
        for weight in model[0].parameters():
            weight.mul_(factor)
    return model


def steps(
    model: torch.nn.Module, scaler: torch.amp.GradScaler, count: int, dtype: torch.dtype, size: float = 1.0
) -> None:
    """Train under autocast, and print loss, scale and what became of the weights."""
    import torch

    optimizer = torch.optim.SGD(model.parameters(), lr=1e-8)
    before = [weight.detach().clone() for weight in model.parameters()]
    for step in range(count):
        with torch.autocast("cpu", dtype):
            loss = model(torch.full((4, 8), size)).float().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        if step in (0, 15, 30, count - 1):
            print(f"step {step} loss {loss.item():.4g} scale {scaler.get_scale():.4g}", flush=True)
    finite = all(bool(weight.isfinite().all()) for weight in model.parameters())
    moved = any(bool((old - new).abs().sum() > 0) for old, new in zip(before, model.parameters(), strict=True))
    print(f"weights moved: {moved}, finite: {finite}", flush=True)


def activations(fixed: bool) -> None:
    """Activations above 65504 overflow in float16, at any scale. Fix: bfloat16, without a scaler."""
    import torch

    dtype = torch.bfloat16 if fixed else torch.float16
    steps(net(1e5, norm=True), torch.amp.GradScaler("cpu", enabled=not fixed), 32, dtype)


def weights(fixed: bool) -> None:
    """One weight of the checkpoint is NaN, and bfloat16 does not help either. Fix: finite weights."""
    import torch

    model = net()
    if not fixed:
        with torch.no_grad():
            next(model.parameters())[0, 0] = float("nan")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        with torch.autocast("cpu", dtype, enabled=dtype != torch.float32):
            loss = model(torch.ones(4, 8)).float().mean()
        optimizer.zero_grad()
        loss.backward()
        finite = all(w.grad is not None and bool(w.grad.isfinite().all()) for w in model.parameters())
        print(f"{dtype} loss {loss.item():.4g} gradients finite: {finite}", flush=True)
    steps(model, torch.amp.GradScaler("cpu"), 32, torch.float16)


def zero(fixed: bool) -> None:
    """The scale has reached 0, and the first good batch makes all weights NaN. Fix: a new scaler."""
    import torch

    model, scaler = net(), torch.amp.GradScaler("cpu")
    steps(model, scaler, 170, torch.float16, size=float("inf"))
    print("now good batches", flush=True)
    steps(model, torch.amp.GradScaler("cpu", init_scale=1024.0) if fixed else scaler, 32, torch.float16)


def settles(fixed: bool) -> None:
    """A healthy start: large gradients, a few skipped steps, then the scale stays. Fix: a lower start, no skips."""
    import torch

    scaler = torch.amp.GradScaler("cpu", init_scale=64.0 if fixed else 65536.0)
    steps(net(400.0), scaler, 32, torch.float16)
    print(f"scale at the end {scaler.get_scale():g}", flush=True)


MOVED = "weights moved: True, finite: True"
CASES = {
    "activations": cases.Case(activations, "step 31 loss nan scale 1.526e-05", MOVED, diagnosed=False),
    "weights": cases.Case(weights, "torch.float32 loss nan gradients finite: False", MOVED, diagnosed=False),
    "zero": cases.Case(zero, "step 31 loss nan scale 0", MOVED, diagnosed=False),
    "settles": cases.Case(settles, "scale at the end 128", "scale at the end 64", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
