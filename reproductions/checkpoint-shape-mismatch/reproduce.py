#!/usr/bin/env python3
"""Load weights into a model that has other sizes. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is classes
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
from torch.distributed import checkpoint  # noqa: E402 - isolated first


def net(classes: int) -> torch.nn.Module:
    """A body and a head with some number of classes."""
    layers = [("body", torch.nn.Linear(4, 8)), ("head", torch.nn.Linear(8, classes))]
    return torch.nn.Sequential(collections.OrderedDict(layers))


def classes(fixed: bool) -> None:
    """The new task has another number of classes. Fix: leave the tensors out that do not fit."""
    torch.save(net(1000).state_dict(), "model.pt")
    state = torch.load("model.pt")
    model = net(10)
    own = model.state_dict()
    for key in own.keys() & state.keys():
        if own[key].shape != state[key].shape:
            print(key, tuple(state[key].shape), "in the file,", tuple(own[key].shape), "in the model")
            if fixed:
                del state[key]
    print(model.load_state_dict(state, strict=False))


def distributed(fixed: bool) -> None:
    """The same with torch.distributed.checkpoint. Fix: build the model with the sizes that were saved."""
    checkpoint.save({"model": net(1000).state_dict()}, checkpoint_id="step_1", no_dist=True)
    state = {"model": net(1000 if fixed else 10).state_dict()}
    checkpoint.load(state, checkpoint_id="step_1", no_dist=True)
    print("loaded")


CASES = {
    "classes": cases.Case(
        classes,
        "size mismatch for head.weight: copying a param with shape torch.Size([1000, 8])",
        "_IncompatibleKeys(missing_keys=['head.weight', 'head.bias'], unexpected_keys=[])",
    ),
    "distributed": cases.Case(distributed, "Size mismatch between saved torch.Size([1000", "loaded"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
