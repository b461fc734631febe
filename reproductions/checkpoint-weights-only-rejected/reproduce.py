#!/usr/bin/env python3
"""Load a checkpoint that holds more than tensors and plain values. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is arguments
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, numpy or unprivileged user namespaces are missing
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "numpy")
cases.isolate(__file__)

import numpy as np  # noqa: E402 - isolated first
import torch  # noqa: E402 - isolated first

WEIGHTS = {"weight": torch.ones(2, 2)}


def arguments(fixed: bool) -> None:
    """The arguments of the script were saved beside the weights. Fix: allow their class."""
    torch.save({"model": WEIGHTS, "args": argparse.Namespace(lr=0.1)}, "last.pt")
    print("not allowed:", torch.serialization.get_unsafe_globals_in_checkpoint("last.pt"))
    if fixed:
        torch.serialization.add_safe_globals([argparse.Namespace])
    print("loaded", torch.load("last.pt")["args"])


def numpy_scalar(fixed: bool) -> None:
    """The best loss was saved as a number of numpy. Fix: save it as a float."""
    best = np.mean([0.5, 0.25])
    torch.save({"model": WEIGHTS, "best": float(best) if fixed else best}, "last.pt")
    print("not allowed:", torch.serialization.get_unsafe_globals_in_checkpoint("last.pt"))
    if not fixed:
        # The two names that are listed; the class of the dtype comes up only when the dtype has been made.
        torch.serialization.add_safe_globals([np._core.multiarray.scalar, np.dtype])
        print("still not allowed:", torch.serialization.get_unsafe_globals_in_checkpoint("last.pt"))
    print("loaded", torch.load("last.pt")["best"])


CASES = {
    "arguments": cases.Case(arguments, "Unsupported global: GLOBAL argparse.Namespace", "loaded Namespace(lr=0.1)"),
    "numpy-scalar": cases.Case(numpy_scalar, "but got <class 'numpy.dtypes.Float64DType'>", "loaded 0.375"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
