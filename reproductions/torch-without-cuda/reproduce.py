#!/usr/bin/env python3
"""Ask a build of PyTorch for CPUs for a CUDA device. One process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is model
exit:  0 the expected outcome was seen, 1 it was not, 77 torch is missing or is a build with CUDA
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def check_build() -> None:
    """Stop where the build has CUDA, since the failure cannot happen there."""
    import torch

    if torch.version.cuda or torch.version.hip:
        cases.cannot("this build of torch has CUDA or ROCm")
    print("torch", torch.__version__, "built with CUDA", torch.version.cuda, flush=True)


def model(fixed: bool) -> None:
    """Move a model to the GPU by name. Fix: ask for the device that is there."""
    import torch

    check_build()
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    layer = torch.nn.Linear(4, 1).to(device if fixed else "cuda")
    print("trained on", layer(torch.ones(2, 4)).device, flush=True)


def set_device(fixed: bool) -> None:
    """Choose the device of the rank, which needs a function that the build lacks. Fix: only with CUDA."""
    import torch

    check_build()
    if not fixed or torch.cuda.is_available():
        torch.cuda.set_device(0)
    print("trained on", torch.ones(1).device, flush=True)


def tensor_type(fixed: bool) -> None:
    """Make CUDA tensors the default, as old code does. Fix: the default device that is there."""
    import torch

    check_build()
    if fixed:
        torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    else:
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
    print("trained on", torch.ones(1).device, flush=True)


DONE = "trained on cpu"
CASES = {
    "model": cases.Case(model, "AssertionError: Torch not compiled with CUDA enabled", DONE),
    "set-device": cases.Case(set_device, "module 'torch._C' has no attribute '_cuda_setDevice'", DONE),
    "tensor-type": cases.Case(tensor_type, "type torch.cuda.FloatTensor not available", DONE),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
