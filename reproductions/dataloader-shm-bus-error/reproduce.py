#!/usr/bin/env python3
"""Let the batches of DataLoader workers exceed a small /dev/shm. The one of the machine is not touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is a batch larger than /dev/shm
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from multiprocessing import resource_tracker, shared_memory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine

try:
    import numpy as np
    import torch
    from torch.utils.data import DataLoader, Dataset
except ImportError as missing:
    cases.cannot(missing)

SHM = "/dev/shm"
SAMPLE = 2**20


class Images(Dataset[torch.Tensor]):
    """Samples of 4 MB, 16 MB a batch of four."""

    def __len__(self) -> int:
        return 48

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((SAMPLE,), float(index))


class Cached(Images):
    """Writes what it decoded into a shared segment, which is made without being paid for."""

    def __getitem__(self, index: int) -> torch.Tensor:
        segment = shared_memory.SharedMemory(create=True, size=4 * SAMPLE)
        resource_tracker.unregister(segment._name, "shared_memory")  # type: ignore[attr-defined]
        np.ndarray(SAMPLE, dtype=np.float32, buffer=segment.buf)[:] = index
        return torch.zeros(2)


class Mapped(Dataset[torch.Tensor]):
    """Reads samples from a file that is mapped into memory."""

    def __init__(self, path: pathlib.Path) -> None:
        self.data = np.memmap(path, dtype=np.float32, mode="r")

    def __len__(self) -> int:
        return 16

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.from_numpy(self.data[index * 4096 : (index + 1) * 4096].copy())


def run(loader: DataLoader[torch.Tensor]) -> None:
    """Take all batches, and say how full /dev/shm is with the first."""
    for number, _ in enumerate(loader):
        if number == 0:
            subprocess.run(["df", "-h", SHM], check=True)
    print("trained on", number + 1, "batches", flush=True)


def batch(fixed: bool) -> None:
    """Four images of a batch need 16 MB, /dev/shm has 8. Fix: more room."""
    machine.tmpfs(SHM, size="256m" if fixed else "8m")
    run(DataLoader(Images(), batch_size=4, num_workers=2))


def prefetch(fixed: bool) -> None:
    """One batch fits, twelve that are made in advance do not. Fix: fewer workers and batches in advance."""
    machine.tmpfs(SHM, size="64m")
    workers, ahead = (1, 1) if fixed else (3, 4)
    run(DataLoader(Images(), batch_size=4, num_workers=workers, prefetch_factor=ahead))


def as_list(samples: list[torch.Tensor]) -> list[torch.Tensor]:
    """Leave the samples as they are, so that they go into shared memory when they are sent."""
    return samples


def hang(fixed: bool) -> None:
    """The same with a collate_fn that stacks nothing: the batch is lost and the loader waits. Fix: more room."""
    machine.tmpfs(SHM, size="256m" if fixed else "8m")
    run(DataLoader(Images(), batch_size=4, num_workers=1, collate_fn=as_list, timeout=6))


def bus(fixed: bool) -> None:
    """A worker writes to a segment for which there is no room, as PyTorch itself did for years. Fix: more room."""
    machine.tmpfs(SHM, size="256m" if fixed else "8m")
    run(DataLoader(Cached(), batch_size=4, num_workers=1))


def mapped(fixed: bool) -> None:
    """The dataset's file is cut while it is mapped; /dev/shm is empty. Fix: leave the file alone."""
    path = pathlib.Path("tokens.bin")
    path.write_bytes(bytes(16 * 4096 * 4))
    dataset = Mapped(path)
    if not fixed:
        os.truncate(path, 4096)
    run(DataLoader(dataset, batch_size=4, num_workers=1))


NO_ROOM = "unable to allocate shared memory(shm) for file"
BUS = "is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory."
CASES = {
    "batch": cases.Case(batch, NO_ROOM, "trained on 12 batches"),
    "prefetch": cases.Case(prefetch, NO_ROOM, "trained on 12 batches"),
    "hang": cases.Case(hang, "DataLoader timed out after 6 seconds", "trained on 12 batches"),
    "bus": cases.Case(bus, BUS, "trained on 12 batches"),
    "mapped": cases.Case(mapped, BUS, "trained on 4 batches", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
