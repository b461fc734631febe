#!/usr/bin/env python3
"""Train with a tensor that was made in inference mode. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is cache
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def rotary() -> Any:
    """A module that fills a cache in its first forward pass, as rotary embeddings do."""
    import torch

    class Rotary(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.cosine = torch.nn.Linear(4, 4), None

        def forward(self, x: Any) -> Any:
            if self.cosine is None:
                self.cosine = torch.arange(4.0).cos()
            return self.layer(x) * self.cosine

    return Rotary()


def cache(fixed: bool) -> None:
    """Evaluation comes first and fills a cache that training uses. Fix: evaluate under no_grad."""
    import torch

    model, data = rotary(), torch.randn(2, 4)
    with torch.no_grad() if fixed else torch.inference_mode():
        model(data)
    print("inference tensor:", model.cosine.is_inference(), flush=True)
    model(data).sum().backward()
    print("trained", flush=True)


def built(fixed: bool) -> None:
    """The model itself is made in inference mode, and fails in the optimizer. Fix: make it outside."""
    import torch

    with torch.inference_mode(not fixed):
        model = torch.nn.Linear(4, 1)
    print(
        "inference parameters:",
        [name for name, weight in model.named_parameters() if weight.is_inference()],
        flush=True,
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.randn(2, 4)).sum().backward()
    print("gradients:", [name for name, weight in model.named_parameters() if weight.grad is not None], flush=True)
    optimizer.step()
    print("trained", flush=True)


def detached(fixed: bool) -> None:
    """Features from inference mode are detached, and cloned inside of the block. Fix: clone outside of it."""
    import torch

    with torch.inference_mode():
        features = torch.randn(2, 4).clone()
    features = features.clone() if fixed else features.detach()
    torch.nn.Linear(4, 1)(features).sum().backward()
    print("trained", flush=True)


SAVED = "Inference tensors cannot be saved for backward"
CASES = {
    "cache": cases.Case(cache, SAVED, "trained"),
    "built": cases.Case(built, "Inplace update to inference tensor outside InferenceMode is not allowed", "trained"),
    "detached": cases.Case(detached, SAVED, "trained"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
