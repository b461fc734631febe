#!/usr/bin/env python3
"""Run a process of a training job into its limit of open files. The limit of the machine is not touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is a dataset that closes no file
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import ctypes
import datetime
import os
import pathlib
import resource
import select
import selectors
import subprocess
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.isolate(__file__)

try:
    import torch
    from torch.distributed import TCPStore
    from torch.utils.data import DataLoader, Dataset
except ImportError as missing:
    cases.cannot(missing)

SAMPLES = 200
KINDS = r"ls -l /proc/{pid}/fd | sed -n 's/.* -> //p' | sed 's/[0-9]\{{1,\}}/N/g' | sort | uniq -c | sort -rn | head -3"


def soft(files: int) -> None:
    """Lower the soft limit of open files and leave the hard one alone."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def raise_soft() -> None:
    """Raise the soft limit to the hard one, which needs no privilege."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print("soft limit raised to the hard limit:", resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard, flush=True)


def census() -> None:
    """Print the checks of the entry for this process."""
    for command in ("grep 'open files' /proc/{pid}/limits", "ls /proc/{pid}/fd | wc -l", KINDS):
        subprocess.run(["sh", "-c", command.format(pid=os.getpid())], check=True)


class Shards(Dataset[torch.Tensor]):
    """Reads each sample from a file of its own, and keeps the file open unless told to close it."""

    def __init__(self, closes: bool, ask_at: int = -1) -> None:
        self.closes, self.ask_at = closes, ask_at
        self.files: list[Any] = []
        for number in range(SAMPLES):
            pathlib.Path(f"shard-{number:05}.bin").write_bytes(bytes(8))

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        file = open(f"shard-{index:05}.bin", "rb")  # noqa: SIM115
        data = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
        if self.closes:
            file.close()
        else:
            self.files.append(file)
        if index == self.ask_at:
            census()
        return data


def leak(fixed: bool) -> None:
    """The dataset keeps the file of every sample open. Fix: close it after reading."""
    soft(128)
    batches = sum(1 for _ in DataLoader(Shards(closes=fixed, ask_at=99), batch_size=4))
    print("trained on", batches, "batches", flush=True)


def in_worker(fixed: bool) -> None:
    """The same in a worker, which then can no longer hand over tensors either. Fix: close the files."""
    soft(128)
    batches = sum(1 for _ in DataLoader(Shards(closes=fixed), batch_size=4, num_workers=1))
    print("trained on", batches, "batches", flush=True)


def workers(fixed: bool) -> None:
    """Pipes and sentinels of many workers exceed the soft limit. Fix: raise it to the hard limit."""
    soft(48)
    if fixed:
        raise_soft()
    batches = sum(1 for _ in DataLoader(Shards(closes=True), batch_size=4, num_workers=12))
    print("trained on", batches, "batches", flush=True)


def store(fixed: bool) -> None:
    """Connections of the rendezvous store exceed the limit. Fix: raise it to the hard limit."""
    soft(32)
    if fixed:
        raise_soft()
    wait = datetime.timedelta(seconds=3)
    server = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=wait)
    clients = [TCPStore("127.0.0.1", server.port, is_master=False, timeout=wait) for _ in range(20)]
    print("connected", len(clients), "clients", flush=True)


def inotify(fixed: bool) -> None:
    """Few files are open, but the inotify instances of the user are used up. Fix: a higher sysctl."""
    pathlib.Path("/proc/sys/user/max_inotify_instances").write_text("16" if fixed else "4", encoding="ascii")
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(8):
        if libc.inotify_init() < 0:
            number = ctypes.get_errno()
            print(len(os.listdir("/proc/self/fd")), "files are open", flush=True)
            raise OSError(number, os.strerror(number))
    print("8 watchers", flush=True)


def above_1023(fixed: bool) -> None:
    """With a high limit a descriptor above 1023 reaches select(). Fix: selectors, which uses epoll."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 1200:
        cases.cannot("the hard limit of open files is below 1200")
    soft(1200)
    held = [os.dup(1) for _ in range(1100)]
    if fixed:
        with selectors.DefaultSelector() as selector:
            selector.register(held[-1], selectors.EVENT_WRITE)
            print("ready:", len(selector.select(1)), flush=True)
    else:
        select.select([], [held[-1]], [], 1)


EMFILE = "OSError: [Errno 24] Too many open files"
CASES = {
    "leak": cases.Case(leak, EMFILE, f"trained on {SAMPLES // 4} batches"),
    "in-worker": cases.Case(in_worker, EMFILE, f"trained on {SAMPLES // 4} batches"),
    "workers": cases.Case(workers, EMFILE, f"trained on {SAMPLES // 4} batches"),
    "store": cases.Case(store, "(errno: 24 - Too many open files)", "connected 20 clients"),
    "inotify": cases.Case(inotify, EMFILE, "8 watchers"),
    "select": cases.Case(above_1023, "filedescriptor out of range in select()", "ready: 1", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
