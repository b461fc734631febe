#!/usr/bin/env python3
"""Compile one function again and again until Dynamo's limit of 8. One CPU process, seconds a case, no compiler.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is lengths
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
SIZES = range(2, 14)


class Graphs:
    """A backend that runs each graph as it is and counts them."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, graph: Any, _inputs: Any) -> Any:
        self.made += 1
        return graph.forward


def lengths(fixed: bool) -> None:
    """Batches of 12 lengths under dynamic=False. Fix: leave dynamic out."""
    import torch

    def forward(batch: torch.Tensor) -> torch.Tensor:
        return batch * 2

    graphs = Graphs()
    compiled = torch.compile(forward, backend=graphs, dynamic=None if fixed else False)
    for size in SIZES:
        compiled(torch.ones(size, 4))
    print("graphs:", graphs.made, flush=True)


def parameters(fixed: bool) -> None:
    """One function for parameters of 12 shapes, with fullgraph=True. Fix: force_parameter_static_shapes = False."""
    import torch

    def update(parameter: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        return parameter - gradient

    if fixed:
        torch._dynamo.config.force_parameter_static_shapes = False
    graphs = Graphs()
    compiled = torch.compile(update, backend=graphs, fullgraph=True)
    for size in SIZES:
        compiled(torch.nn.Parameter(torch.ones(size, 640 - size)), torch.ones(size, 640 - size))
    print("graphs:", graphs.made, flush=True)


def counter(fixed: bool) -> None:
    """A module multiplies by its own count of steps. Fix: the count is a tensor."""
    import torch

    class Warmup(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count: Any = torch.tensor(0) if fixed else 0

        def forward(self, batch: torch.Tensor) -> torch.Tensor:
            return batch * self.count

    graphs, model = Graphs(), Warmup()
    compiled = torch.compile(model, backend=graphs)
    for _ in SIZES:
        model.count += 1
        compiled(torch.ones(2, 4))
    print("graphs:", graphs.made, flush=True)


def late(fixed: bool) -> None:
    """The limit is raised after it was hit, which does not bring the function back. Fix: before the first call."""
    import torch

    def forward(batch: torch.Tensor) -> torch.Tensor:
        return batch * 2

    graphs = Graphs()
    compiled = torch.compile(forward, backend=graphs, dynamic=False)
    for epoch in range(2):
        if fixed or epoch:
            torch._dynamo.config.recompile_limit = 64
        for size in SIZES:
            compiled(torch.ones(size, 4))
        print(f"epoch {epoch} graphs: {graphs.made}", flush=True)


HIT = "torch._dynamo hit config.recompile_limit (8)"
CASES = {
    "lengths": cases.Case(lengths, HIT, "graphs: 2"),
    "parameters": cases.Case(parameters, "FailOnRecompileLimitHit: Hard failure due to fullgraph=True", "graphs: 2"),
    "counter": cases.Case(counter, HIT, "graphs: 1"),
    "late": cases.Case(late, "epoch 1 graphs: 8", "epoch 0 graphs: 12"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
