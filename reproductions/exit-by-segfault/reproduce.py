#!/usr/bin/env python3
"""End ranks with a segmentation fault, and show what is left to read. No core file is written.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is recursion
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import pickle
import sys
import time
from importlib.util import find_spec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if find_spec("torch") is None:
    cases.cannot("torch is missing")

LIBRARY = ctypes.CDLL(None)
AGAIN = [sys.executable, os.path.abspath(__file__), "--role"]


def fill_buffer(declared: bool) -> None:
    """Fill a buffer that a C library hands out, as a home-made binding does."""
    allocate = LIBRARY.aligned_alloc
    if declared:
        allocate.restype = ctypes.c_void_p
        allocate.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    # Without a declared type the result is an int of 32 bits, and the upper half of the address is lost.
    size = 2**28
    ctypes.memset(allocate(4096, size), 0, size)


def train() -> None:
    """Rank 1 calls the library, rank 0 is busy."""
    if os.environ.get("RANK", "1") == "1":
        fill_buffer(bool(os.environ.get("DECLARED")))
    else:
        time.sleep(3)
    print("trained", flush=True)


def save() -> None:
    """Pickle a list that is nested deeper than the stack, with the limit of Python raised or not."""
    state: list[object] = []
    for _ in range(500_000):
        state = [state]
    if not os.environ.get("DEFAULT_LIMIT"):
        sys.setrecursionlimit(10**6)
    pickle.dumps(state)


def spawned() -> None:
    """Call the library in a process of `mp.spawn`."""
    import torch.multiprocessing as mp

    mp.spawn(in_process, nprocs=1)


def in_process(_: int) -> None:
    """Call the library."""
    train()


def torchrun(fixed: bool) -> None:
    """A binding loses half of a pointer. Fix: declare the types of the function."""
    ranks.torchrun(__file__, "train", **{"DECLARED": "1"} if fixed else {})


def recursion(fixed: bool) -> None:
    """A raised recursion limit lets C code overflow the stack. Fix: keep the limit, which raises instead."""
    settings = {"DEFAULT_LIMIT": "1"} if fixed else {}
    pathlib.Path("job.sh").write_text(f"{' '.join([*AGAIN, 'save'])}\necho exit code $?\n", encoding="utf-8")
    ranks.report(job=ranks.start(["bash", "job.sh"], **settings))


def silent(fixed: bool) -> None:
    """Nothing tells where it happened. Fix, of the log only: faulthandler prints the Python stack."""
    settings = {"PYTHONFAULTHANDLER": "1"} if fixed else {}
    run = ranks.start([*AGAIN, "train"], **settings)
    log = ranks.report(job=run)
    print("where:", "in fill_buffer" in log or "unknown", flush=True)


def spawn(fixed: bool) -> None:
    """The same under torch.multiprocessing.spawn. Fix: declare the types of the function."""
    settings = {"DECLARED": "1"} if fixed else {}
    ranks.report(job=ranks.start([*AGAIN, "spawned"], **settings))


CASES = {
    "recursion": cases.Case(recursion, "Segmentation fault", "RecursionError: maximum recursion depth exceeded"),
    "spawn": cases.Case(spawn, "terminated with signal SIGSEGV", "trained"),
    # The launcher stops the other rank first, and its own entry begins with that line.
    "torchrun": cases.Case(torchrun, "traceback : Signal 11 (SIGSEGV) received by PID", "trained", diagnosed=False),
    "silent": cases.Case(silent, "where: unknown", "Fatal Python error: Segmentation fault", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "save": save, "spawned": spawned}))
