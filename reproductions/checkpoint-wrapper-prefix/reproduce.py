#!/usr/bin/env python3
"""Save the state dict of a wrapped model and load it into a bare one. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is data-parallel
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present  # noqa: E402 - isolated first


class Net(torch.nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Linear(4, 8)
        self.head = torch.nn.Linear(8, 2)


def load_into_bare(state: dict[str, torch.Tensor]) -> None:
    """Load a state dict into a bare model, first loosely, then as load_state_dict does by default."""
    bare = Net()
    loose = bare.load_state_dict(state, strict=False)
    print(f"with strict=False: {len(loose.missing_keys)} of {len(bare.state_dict())} keys missing, no error")
    bare.load_state_dict(state)
    print("all keys matched")


def data_parallel(fixed: bool) -> None:
    """The state dict of a DataParallel object is saved. Fix: save that of the model in it."""
    wrapped = torch.nn.DataParallel(Net())
    torch.save((wrapped.module if fixed else wrapped).state_dict(), "model.pt")
    load_into_bare(torch.load("model.pt"))


def compiled(fixed: bool) -> None:
    """The state dict of a compiled model is saved. Fix: take the prefix off before loading."""
    torch.save(torch.compile(Net()).state_dict(), "model.pt")
    state = torch.load("model.pt")
    if fixed:
        consume_prefix_in_state_dict_if_present(state, "_orig_mod.")
    load_into_bare(state)


CASES = {
    "data-parallel": cases.Case(data_parallel, 'Unexpected key(s) in state_dict: "module.body.weight"', "all keys"),
    "compiled": cases.Case(compiled, 'Unexpected key(s) in state_dict: "_orig_mod.body.weight"', "all keys"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
