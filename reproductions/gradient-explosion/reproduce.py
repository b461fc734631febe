#!/usr/bin/env python3
"""Let the norm of the gradients explode, and find the layer. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is trainer
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, transformers or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs

if TYPE_CHECKING:
    import torch

cases.needs("torch", "transformers", "accelerate", "datasets")


def net(gain: float, steps: int) -> torch.nn.Module:
    """A recurrent network that multiplies its state, and so each gradient, by the gain in each of its steps."""
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = torch.nn.Linear(16, 16, bias=False), torch.nn.Linear(16, 1)
            torch.nn.init.orthogonal_(self.cell.weight, gain=gain)

        def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
            state = x
            for _ in range(steps):
                state = self.cell(state)
            return {"loss": (self.head(state) - 1).square().mean()}

    torch.manual_seed(0)
    return Net()


def trainer(fixed: bool) -> None:
    """Gradients grow by 1.15 in each of 150 steps; the trainer clips, and logs the norm before. Fix: a gain of 1."""
    import datasets
    import transformers

    rows = datasets.Dataset.from_list([{"x": [0.1] * 16}] * 32)
    arguments = jobs.trainer_arguments(learning_rate=1e-3, max_steps=3, per_device_train_batch_size=8)
    transformers.Trainer(net(1.0 if fixed else 1.15, 150), arguments, train_dataset=rows).train()
    print("trained", flush=True)


def recurrent(fixed: bool) -> None:
    """The same without clipping, 1.1 over 60 steps: NaN in the second step. Fix: clip to 1."""
    import torch

    model = net(1.1, 60)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.003)
    for step in range(200):
        loss = model(torch.full((4, 16), 0.1))["loss"]
        optimizer.zero_grad()
        loss.backward()
        norms = {name: p.grad.norm().item() for name, p in model.named_parameters() if p.grad is not None}
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0 if fixed else float("inf"))
        optimizer.step()
        if step < 4 or step % 50 == 49:
            largest = {name: f"{norms[name]:.2g}" for name in sorted(norms, key=lambda name: -norms[name])[:2]}
            print(f"step {step} loss {loss.item():.3g} norm {norm.item():.2g} largest {largest}", flush=True)
    print(f"loss at the end {loss.item():.2f}", flush=True)


CASES = {
    "trainer": cases.Case(trainer, "e+18'", "trained"),
    "recurrent": cases.Case(recurrent, "loss at the end nan", "loss at the end 1.", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
