#!/usr/bin/env python3
"""Let DataLoader workers be slower than the time-out of the loader, or never finish a sample.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is slow
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import functools
import pathlib
import socket
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")

SIZE = 10**6


class Samples:
    """A data set of eight samples, each made by a function."""

    def __init__(self, make: Callable[[int], float]) -> None:
        self.make = make

    def __len__(self) -> int:
        return 8

    def __getitem__(self, number: int) -> float:
        return self.make(number)


def load(make: Callable[[int], float], **settings: object) -> None:
    """Take all batches."""
    from torch.utils.data import DataLoader

    loader = DataLoader(Samples(make), **{"batch_size": 4, "num_workers": 1, "timeout": 3, **settings})
    print("trained on", sum(len(batch) for batch in loader), "samples", flush=True)


def read_slowly(number: int) -> float:
    """Read a sample from storage that takes more than a second for it."""
    time.sleep(1.1)
    return float(number)


def slow(fixed: bool) -> None:
    """A batch of four takes 4.4 seconds, the limit is 3. Fix: a limit above the slowest batch."""
    load(read_slowly, timeout=20 if fixed else 3)


def more_workers(fixed: bool) -> None:
    """Four workers do not bring the first batch sooner. Fix: smaller batches."""
    load(read_slowly, num_workers=4, batch_size=2 if fixed else 4)


def parallel(_: int, threads: int) -> float:
    """Compute in a worker, with the threads that a library takes."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    return float(torch.ones(SIZE).exp().sum())


def threads_after_fork(fixed: bool) -> None:
    """OpenMP ran before the fork and is used with two threads after it. Fix: the one thread that a worker has."""
    import torch

    torch.set_num_threads(2)
    torch.ones(SIZE).exp().sum()
    load(functools.partial(parallel, threads=0 if fixed else 2), timeout=6)


def ask(_: int, port: int) -> float:
    """Ask a server for a sample."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"sample\n")
        return float(len(connection.recv(100)))


def limit(_: int) -> None:
    """Give every socket of the worker a limit."""
    socket.setdefaulttimeout(1)


def silent_server(fixed: bool) -> None:
    """The server of the samples accepts and never answers. Fix: a limit for sockets, which names the place."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        load(functools.partial(ask, port=port), timeout=6, worker_init_fn=limit if fixed else None)


LATE = "DataLoader timed out after"
CASES = {
    "slow": cases.Case(slow, f"{LATE} 3 seconds", "trained on 8 samples"),
    "workers": cases.Case(more_workers, f"{LATE} 3 seconds", "trained on 8 samples"),
    "threads": cases.Case(threads_after_fork, f"{LATE} 6 seconds", "trained on 8 samples"),
    "server": cases.Case(silent_server, f"{LATE} 6 seconds", "Caught TimeoutError in DataLoader worker process 0"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
