#!/usr/bin/env python3
"""Load tensors that were saved on a device which is not there. One CPU process, some seconds a case.

The files are those that torch.save writes on a GPU: only the tag of the device is made up, since this needs no GPU.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is no-gpu
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import io
import pathlib
import pickle
import pickletools
import sys
import zipfile
from typing import Any
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first


def on(device: str) -> Any:
    """What is saved within, is tagged as on that device."""
    return mock.patch("torch.serialization.location_tag", return_value=device)


def load(device: str, map_location: Any) -> None:
    """Save on a device, and load."""
    with on(device):
        torch.save({"weights": torch.ones(4)}, "last.pt")
    with zipfile.ZipFile("last.pt") as file:
        ops = pickletools.genops(file.read(next(n for n in file.namelist() if n.endswith("data.pkl"))))
    print({a for _, a, _ in ops if str(a).split(":")[0] in ("cpu", "cuda", "npu")}, flush=True)
    print("loaded on", torch.load("last.pt", map_location=map_location)["weights"].device)


def no_gpu(fixed: bool) -> None:
    """Saved on a GPU, loaded without one. Fix: map_location."""
    load("cuda:0", "cpu" if fixed else None)


def fewer_gpus(fixed: bool) -> None:
    """Saved on the fourth GPU, loaded where torch counts one. Fix: map_location."""
    with mock.patch.multiple("torch.cuda", is_available=lambda: True, device_count=lambda: 1):
        load("cuda:3", {"cuda:3": "cpu"} if fixed else None)


def unknown_device(fixed: bool) -> None:
    """Saved on a device of a plug-in that is not installed. Fix: map_location."""
    load("npu:0", "cpu" if fixed else None)


def on_cpu(data: bytes) -> Any:
    """What pickle calls for a tensor, but onto the CPU."""
    return torch.load(io.BytesIO(data), map_location="cpu", weights_only=False)


def pickled(fixed: bool) -> None:
    """Written by pickle instead of torch.save, so that map_location cannot be given. Fix: a loader that does."""
    with on("cuda:0"):
        pathlib.Path("state.pkl").write_bytes(pickle.dumps({"weights": torch.ones(4)}))
    if fixed:
        torch.storage._load_from_bytes = on_cpu
    with open("state.pkl", "rb") as file:
        state = pickle.load(file)
    print("loaded on", state["weights"].device)


LOADED = "loaded on cpu"
CASES = {
    "no-gpu": cases.Case(no_gpu, "on a CUDA device but torch.cuda.is_available() is False", LOADED),
    "fewer-gpus": cases.Case(fewer_gpus, "on CUDA device 3 but torch.cuda.device_count() is 1", LOADED),
    "unknown-device": cases.Case(unknown_device, "don't know how to restore data location", LOADED),
    "pickled": cases.Case(pickled, "on a CUDA device but torch.cuda.is_available() is False", LOADED),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
