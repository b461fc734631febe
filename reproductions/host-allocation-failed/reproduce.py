#!/usr/bin/env python3
"""Ask for more host memory than the kernel grants. Nothing is filled, so the machine keeps its memory.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is array
exit:  0 the expected outcome was seen, 1 it was not, 77 numpy, torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import resource
import sys
import threading
from importlib.util import find_spec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine, ranks

for module in ("numpy", "torch"):
    if find_spec(module) is None:
        cases.cannot(f"{module} is missing")

GIB = 2**30
COLUMNS = 50_000


def memory() -> int:
    """Bytes of memory and swap space of this machine."""
    lines = (line.split() for line in pathlib.Path("/proc/meminfo").read_text("utf-8").splitlines())
    return sum(int(line[1]) * 1024 for line in lines if line[0] in ("MemTotal:", "SwapTotal:"))


def array(fixed: bool) -> None:
    """A sparse table is made dense and would not fit into the machine. Fix: one block of rows after the other."""
    if pathlib.Path("/proc/sys/vm/overcommit_memory").read_text("utf-8").strip() == "1":
        cases.cannot("this kernel grants every allocation (vm.overcommit_memory is 1)")
    import numpy

    rows = 4 * memory() // (8 * COLUMNS)
    if not fixed:
        numpy.zeros((rows, COLUMNS))
    blocks = [numpy.zeros((min(1000, rows - start), COLUMNS)) for start in range(0, 3000, 1000)]
    print("first rows done:", sum(len(block) for block in blocks), flush=True)


def tensor(fixed: bool) -> None:
    """The same with a tensor of torch, under a limit of the job script. Fix: a smaller batch."""
    import torch

    machine.limit(resource.RLIMIT_AS, 6 * GIB)
    batch = torch.ones(64 if fixed else 4096, 1024, 1024)
    print("batch of", len(batch), flush=True)


def limited(fixed: bool) -> None:
    """A job script limits the address space, with memory left. Fix: take the limit out of the script."""
    code = "data = bytearray(600 * 2**20); print('loaded')"
    lines = [*["ulimit -v 400000"] * (not fixed), "ulimit -v", f'{sys.executable} -c "{code}"']
    pathlib.Path("job.sh").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ranks.report(job=ranks.start(["bash", "job.sh"]))


def threads(fixed: bool) -> None:
    """Under the same limit no more threads start, since each reserves a stack. Fix: as above."""
    if not fixed:
        machine.limit(resource.RLIMIT_AS, GIB)
    end = threading.Event()
    started = [threading.Thread(target=end.wait) for _ in range(300)]
    try:
        for thread in started:
            thread.start()
        print("started", len(started), "threads", flush=True)
    finally:
        end.set()


CASES = {
    "array": cases.Case(array, "Unable to allocate", "first rows done"),
    "tensor": cases.Case(tensor, "DefaultCPUAllocator: can't allocate memory", "batch of 64"),
    "limited": cases.Case(limited, "MemoryError", "loaded", diagnosed=False),
    "threads": cases.Case(threads, "can't start new thread", "started 300 threads", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
