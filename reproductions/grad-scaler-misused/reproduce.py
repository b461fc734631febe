#!/usr/bin/env python3
"""Call a GradScaler in the wrong order, on the wrong weights or not at all. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is accumulation
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def accumulation(fixed: bool) -> None:
    """Two micro-batches make a step, and each one unscales. Fix: only the last one."""
    import torch

    model, scaler = torch.nn.Linear(4, 1), torch.amp.GradScaler("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in range(2):
        scaler.scale(model(torch.randn(2, 4)).sum()).backward()
        if batch == 1 or not fixed:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print("stepped", flush=True)


def half_weights(fixed: bool) -> None:
    """The weights were loaded in float16. Fix: float32 weights, float16 through autocast."""
    import torch

    model, scaler = torch.nn.Linear(4, 1), torch.amp.GradScaler("cpu", init_scale=256.0)
    if not fixed:
        model.half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.autocast("cpu", torch.float16, enabled=fixed):
        loss = model(torch.randn(2, 4, dtype=model.weight.dtype)).sum()
    scaler.scale(loss.float()).backward()
    scaler.step(optimizer)
    scaler.update()
    print("stepped", flush=True)


def bypassed(fixed: bool) -> None:
    """optimizer.step() is called itself, so the weights take scaled gradients. Fix: scaler.step(optimizer)."""
    import torch

    model, scaler = torch.nn.Linear(4, 1), torch.amp.GradScaler("cpu", init_scale=65536.0)
    optimizer, before = torch.optim.SGD(model.parameters(), lr=0.1), model.weight.detach().clone()
    scaler.scale(model(torch.ones(1, 4)).sum()).backward()
    if fixed:
        scaler.step(optimizer)
    else:
        optimizer.step()
    print(f"weights moved by {(model.weight - before).abs().max().item():.1f}", flush=True)
    scaler.update()
    print("stepped", flush=True)


CASES = {
    "accumulation": cases.Case(accumulation, "unscale_() has already been called on this optimizer", "stepped"),
    "half-weights": cases.Case(half_weights, "Attempting to unscale FP16 gradients.", "stepped"),
    "bypassed": cases.Case(bypassed, "No inf checks were recorded prior to update.", "weights moved by 0.1"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
