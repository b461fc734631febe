#!/usr/bin/env python3
"""Let DataLoader workers die: of their memory limit, of a library, of an exit in the middle of a sample.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is library
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, user namespaces or (for memory) a cgroup are missing
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import sys
import threading
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, cgroups

cases.needs("torch")

MIB = 2**20
CGROUPS = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")
LIMITS = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max", "memory.swap.max")


class Samples:
    """A data set of four samples, each made by a function."""

    def __init__(self, make: Callable[[int], float]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 4

    def __getitem__(self, number: int) -> float:
        return self.make(number)


def load(make: Callable[[int], float]) -> None:
    """Take all batches."""
    from torch.utils.data import DataLoader

    total = sum(len(batch) for batch in DataLoader(Samples(make), batch_size=2, num_workers=1))
    print("trained on", total, "samples", flush=True)


def limited(size: int) -> None:
    """Move this process into a cgroup that may take so much memory from now on."""
    for group in map(cgroups.path, CGROUPS):
        try:
            group.mkdir()
            found = [group / name for name in LIMITS if (group / name).exists()]
            for file in found:
                file.write_text("0" if "swap" in file.name else str(size), encoding="ascii")
            if found:
                (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
                return
        except OSError:
            continue
    cases.cannot("it takes root and a memory controller that can be written")


def decode(_: int, size: int) -> float:
    """Decode a sample into that many MB."""
    return float(os.urandom(1)[0] + bytearray(b"x" * MIB * size)[-1])


def memory(fixed: bool) -> None:
    """A worker decodes 400 MB and the cgroup has 200. Fix: samples that fit."""
    import torch.utils.data  # noqa: F401 - what it takes must not count

    limited(200 * MIB)
    load(functools.partial(decode, size=10 if fixed else 400))


def copy_from(_: int, declared: bool) -> float:
    """Copy out of a buffer of a C library, whose address is cut to 32 bits unless its type is declared."""
    library = ctypes.CDLL(None)
    allocate = library.aligned_alloc
    if declared:
        allocate.restype = ctypes.c_void_p
        allocate.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    ctypes.memset(allocate(4096, 2**28), 0, 2**28)
    return 0.0


def library(fixed: bool) -> None:
    """A binding loses half of a pointer. Fix: declare its types."""
    load(functools.partial(copy_from, declared=fixed))


def give_up(number: int, code: int) -> float:
    """End the process over a sample that is no good, or raise."""
    if code:
        sys.exit(code)
    raise LookupError(f"sample {number} has no label")


def leave(fixed: bool) -> None:
    """The data set calls sys.exit(3). Fix, of the log only: raise, and the worker's traceback comes."""
    load(functools.partial(give_up, code=0 if fixed else 3))


def in_thread(fixed: bool) -> None:
    """The same in a thread, where no signal is handled, so that the error names none. Fix: declare the types."""
    thread = threading.Thread(target=load, args=(functools.partial(copy_from, declared=fixed),))
    thread.start()
    thread.join()


SIGNAL = "is killed by signal: "
CASES = {
    "library": cases.Case(library, f"{SIGNAL}Segmentation fault", "trained on 4 samples"),
    "memory": cases.Case(memory, f"{SIGNAL}Killed", "trained on 4 samples"),
    "exit": cases.Case(leave, "exited unexpectedly with exit code 3", "LookupError: sample 0 has no label"),
    "thread": cases.Case(in_thread, "_queue.Empty", "trained on 4 samples"),
}

if __name__ == "__main__":
    with cgroups.kept(CGROUPS):
        sys.exit(cases.main(__file__, CASES))
