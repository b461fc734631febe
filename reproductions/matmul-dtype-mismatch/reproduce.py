#!/usr/bin/env python3
"""Bring two floating-point types into one operation. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is numpy-input
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "numpy")


def numpy_input(fixed: bool) -> None:
    """Data from numpy is float64, the model float32. Fix: convert the data."""
    import numpy
    import torch

    model, data = torch.nn.Linear(8, 2), torch.from_numpy(numpy.random.rand(4, 8))
    if fixed:
        data = data.float()
    model(data).sum().backward()
    print("trained in", data.dtype, flush=True)


def outside_autocast(fixed: bool) -> None:
    """Trained under autocast, evaluated outside of it, with one bfloat16 part. Fix: autocast there too."""
    import torch

    base, adapter = torch.nn.Linear(8, 8, bias=False, dtype=torch.bfloat16), torch.nn.Linear(8, 2, bias=False)
    data = torch.randn(4, 8, dtype=torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16):
        print("loss", adapter(base(data)).dtype, flush=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=fixed):
        print("evaluated", adapter(base(data)).dtype, flush=True)


def own_function(fixed: bool) -> None:
    """An own backward meets a bfloat16 gradient and a float32 weight. Fix: custom_fwd and custom_bwd."""
    import torch

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(x, weight)
            return x @ weight

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            x, weight = ctx.saved_tensors
            return grad @ weight.t(), x.t() @ grad

    if fixed:
        both = {"device_type": "cpu"}
        Product.forward = torch.amp.custom_fwd(Product.forward, **both, cast_inputs=torch.bfloat16)
        Product.backward = torch.amp.custom_bwd(Product.backward, **both)
    weight = torch.randn(8, 2, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        loss = Product.apply(torch.randn(4, 8, requires_grad=True), weight).sum()
    loss.backward()
    print("gradient", weight.grad.dtype, flush=True)


CASES = {
    "numpy-input": cases.Case(numpy_input, "mat1 and mat2 must have the same dtype", "trained in torch.float32"),
    "outside-autocast": cases.Case(
        outside_autocast, "expected m1 and m2 to have the same dtype", "evaluated torch.bfloat16"
    ),
    "own-function": cases.Case(own_function, "to have the same dtype", "gradient torch.float32"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
