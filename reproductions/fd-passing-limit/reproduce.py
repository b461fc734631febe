#!/usr/bin/env python3
"""Share more tensors between processes than the limit of open files has room for.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default keeps the tensors of all batches
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine

cases.isolate(__file__)

try:
    import torch
    import torch.multiprocessing as mp
    from torch.utils.data import DataLoader, Dataset
except ImportError as missing:
    cases.cannot(missing)

KINDS = r"ls -l /proc/{pid}/fd | sed -n 's/.* -> //p' | sed 's/[0-9]\{{1,\}}/N/g' | sort | uniq -c | sort -rn | head -2"


class Samples(Dataset[dict[str, torch.Tensor]]):
    """Samples of some small tensors each."""

    def __init__(self, tensors: int = 1) -> None:
        self.tensors = tensors

    def __len__(self) -> int:
        return 400

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {str(number): torch.full((2,), index) for number in range(self.tensors)}


def census() -> None:
    """Print the check of the entry for this process, and what is visible in shared memory."""
    subprocess.run(["sh", "-c", KINDS.format(pid=os.getpid())], check=True)
    print(len(list(pathlib.Path("/dev/shm").glob("torch_*"))), "names in /dev/shm", flush=True)


def kept(fixed: bool) -> None:
    """The main process keeps a tensor of every batch. Fix: keep a copy, which needs no descriptor."""
    machine.limit(resource.RLIMIT_NOFILE, 128)
    history = []
    for number, batch in enumerate(DataLoader(Samples(), batch_size=2, num_workers=1)):
        history.append(batch["0"].clone() if fixed else batch["0"])
        if number == 80:
            del batch
            census()
    print("kept", len(history), "batches", flush=True)


def wide(fixed: bool) -> None:
    """One batch has more tensors than a worker may have files open. Fix: raise the limit."""
    machine.limit(resource.RLIMIT_NOFILE, 1024 if fixed else 128)
    batches = sum(1 for _ in DataLoader(Samples(tensors=200), batch_size=40, num_workers=1, prefetch_factor=1))
    print("trained on", batches, "batches", flush=True)


def produce(queue: mp.Queue[torch.Tensor], done: mp.Event) -> None:  # type: ignore[valid-type]
    """Send tensors and stay until they are taken, since the sender owns them until then."""
    for number in range(200):
        queue.put(torch.full((2,), number))
    done.wait()


def queue_of_tensors(strategy: str) -> None:
    """Take tensors from a queue of torch.multiprocessing and keep them."""
    mp.set_sharing_strategy(strategy)
    queue: mp.Queue[torch.Tensor] = mp.Queue()
    done = mp.Event()
    producer = mp.Process(target=produce, args=(queue, done), daemon=True)
    producer.start()
    machine.limit(resource.RLIMIT_NOFILE, 100)
    received = [queue.get(timeout=20) for _ in range(200)]
    print("received", len(received), "tensors", flush=True)
    census()
    done.set()
    producer.join()


def queue(fixed: bool) -> None:
    """Tensors come through a queue and are kept. Fix: pass them by name."""
    queue_of_tensors("file_system" if fixed else "file_descriptor")


def by_name(_: int) -> None:
    """Choose the strategy in a worker."""
    mp.set_sharing_strategy("file_system")


def spawned(fixed: bool) -> None:
    """The strategy is set, but workers that are spawned do not know of it. Fix: set it in each worker too."""
    mp.set_sharing_strategy("file_system")
    machine.limit(resource.RLIMIT_NOFILE, 128)
    loader = DataLoader(
        Samples(),
        batch_size=2,
        num_workers=1,
        multiprocessing_context="spawn",
        worker_init_fn=by_name if fixed else None,
    )
    history = [batch["0"] for batch in loader]
    print("kept", len(history), "batches", flush=True)


LOADER = "Too many open files. Communication with the workers is no longer possible"
CASES = {
    "kept": cases.Case(kept, LOADER, "kept 200 batches"),
    "queue": cases.Case(queue, "RuntimeError: received 0 items of ancdata", "received 200 tensors"),
    "wide": cases.Case(wide, "in read-write mode: Too many open files (24)", "trained on 10 batches"),
    "spawned": cases.Case(spawned, LOADER, "kept 200 batches"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
