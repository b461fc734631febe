#!/usr/bin/env python3
"""Load a state dict whose keys are not those of the model. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is renamed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first


def net(head: str) -> torch.nn.Module:
    """Two layers, the second under a name of one's choice."""
    layers = [("body", torch.nn.Linear(4, 8)), (head, torch.nn.Linear(8, 2))]
    return torch.nn.Sequential(collections.OrderedDict(layers))


def renamed(fixed: bool) -> None:
    """The model was refactored, and a layer has another name. Fix: rename the keys."""
    torch.save(net("fc").state_dict(), "model.pt")
    state = torch.load("model.pt")
    if fixed:
        state = {key.replace("fc.", "head."): value for key, value in state.items()}
    model = net("head")
    print("only in the model:", sorted(model.state_dict().keys() - state.keys()))
    print("only in the file:", sorted(state.keys() - model.state_dict().keys()))
    model.load_state_dict(state)
    print("all keys matched")


def whole_checkpoint(fixed: bool) -> None:
    """The file holds more than the weights, and all of it is given to the model. Fix: take the weights out."""
    model = net("head")
    optimizer = torch.optim.AdamW(model.parameters())
    torch.save({"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
    checkpoint = torch.load("last.pt")
    state = checkpoint["model"] if fixed else checkpoint
    loose = net("head").load_state_dict(state, strict=False)
    print(f"with strict=False: {len(loose.missing_keys)} keys missing, no error")
    model.load_state_dict(state)
    print("all keys matched")


CASES = {
    "renamed": cases.Case(renamed, 'Missing key(s) in state_dict: "head.weight", "head.bias"', "all keys matched"),
    "whole-checkpoint": cases.Case(whole_checkpoint, 'Unexpected key(s) in state_dict: "epoch"', "all keys matched"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
