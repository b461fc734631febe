#!/usr/bin/env python3
"""Load files whose first bytes are no header of safetensors. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is torch-file
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, safetensors or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "safetensors")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first
from safetensors.torch import load_file, save_file  # noqa: E402

FILE = pathlib.Path("model.safetensors")
STATE = {"weights": torch.ones(1024)}
EMPTY = '{},"__metadata__":{"format":"pt"}}      '
"""The header that releases 0.3.1 to 0.4.3 write for an empty state dict with metadata."""


def load() -> None:
    """Load the file, after a look at its length and its first bytes."""
    data = FILE.read_bytes()
    print(len(data), "bytes:", data[:16], flush=True)
    print("loaded", list(load_file(FILE)))


def torch_file(fixed: bool) -> None:
    """torch.save under the name of a safetensors file. Fix: rename it, load it, and write it with save_file."""
    torch.save(STATE, FILE)
    if fixed:
        save_file(torch.load(FILE.rename("model.pt")), FILE)
    load()


def torch_load(fixed: bool) -> None:
    """The same with torch.load, which goes by the name too. Fix: rename the file."""
    torch.save(STATE, FILE)
    print("loaded", list(torch.load(FILE.rename("model.pt") if fixed else FILE)))


def empty_state(fixed: bool) -> None:
    """An empty adapter, as an old release wrote it. Fix: save one that holds tensors."""
    FILE.write_bytes(len(EMPTY).to_bytes(8, "little") + EMPTY.encode())
    if fixed:
        save_file(STATE, FILE, metadata={"format": "pt"})
    load()


def damaged(fixed: bool) -> None:
    """Zeros where a lost write left them, from the start. Fix: the whole file."""
    save_file(STATE, FILE)
    if not fixed:
        FILE.write_bytes(bytes(FILE.stat().st_size))
    load()


def cut(fixed: bool) -> None:
    """The file ends within its header. Fix: the whole file."""
    save_file(STATE, FILE)
    if not fixed:
        FILE.write_bytes(FILE.read_bytes()[:40])
    load()


CASES = {
    "torch-file": cases.Case(torch_file, "Error while deserializing header: header too large", "loaded ['weights']"),
    "torch-load": cases.Case(torch_load, "Error while deserializing header: header too large", "loaded ['weights']"),
    "empty-state": cases.Case(empty_state, "trailing characters at line 1 column 3", "loaded ['weights']"),
    "zeros": cases.Case(damaged, "EOF while parsing a value at line 1 column 0", "loaded ['weights']"),
    "cut": cases.Case(cut, "invalid header length", "loaded ['weights']"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
