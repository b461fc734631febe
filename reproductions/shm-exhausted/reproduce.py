#!/usr/bin/env python3
"""Fill a small /dev/shm in the ways that leave no room for the next run. The one of the machine is not touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is a file that a killed run left
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing import shared_memory

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine

SHM = pathlib.Path("/dev/shm")
ROOM = 8 * 2**20
UNUSED = r"""find /dev/shm -type f -user "$(id -un)" -exec sh -c 'fuser -s "$1" || ls -l "$1"' _ {} \;"""
HOLDERS = "grep -l '/dev/shm/.*(deleted)' /proc/[0-9]*/maps"


def cache() -> None:
    """Put a cache into shared memory that takes nearly all of it, say so, and wait to be killed."""
    segment = shared_memory.SharedMemory(create=True, size=ROOM - 4096)
    assert segment.buf
    segment.buf[:] = bytes(segment.size)
    print("ready", flush=True)
    time.sleep(60)


def anonymous() -> None:
    """Hold memory whose name is gone already, as the tensors of DataLoader workers do."""
    file = os.open(SHM / "torch_1_1_1", os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(file, ROOM)
    os.unlink(SHM / "torch_1_1_1")
    memory = mmap.mmap(file, ROOM)
    os.close(file)
    memory[:] = bytes(ROOM)
    print("ready", flush=True)
    time.sleep(60)


def earlier_run(role: str) -> subprocess.Popen[str]:
    """Start a run in a session of its own, and return once it has its memory."""
    run = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "--role", role],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout
    run.stdout.readline()
    return run


def kill(run: subprocess.Popen[str]) -> None:
    """End a run the way a scheduler or an impatient user does, with all its helpers."""
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    time.sleep(0.2)


def show(*commands: str) -> None:
    """Run the checks of the entry."""
    for command in commands:
        subprocess.run(["sh", "-c", command], check=False)
    sys.stdout.flush()


def train() -> None:
    """Make what every run with workers needs first: a queue, whose locks live in /dev/shm."""
    queue = multiprocessing.Queue()
    queue.put("batch")
    print("trained on", queue.get(timeout=10), flush=True)


def leftover(fixed: bool) -> None:
    """A killed run left its cache. Fix: remove the file, after a look at who uses it."""
    machine.tmpfs(str(SHM), size=str(ROOM))
    kill(earlier_run("cache"))
    show("df -h /dev/shm")
    if shutil.which("fuser"):
        show(UNUSED)
    if fixed:
        for file in SHM.glob("psm_*"):
            file.unlink()
    train()


def deleted(fixed: bool) -> None:
    """An orphan holds memory that no listing shows. Fix: end the orphan."""
    machine.tmpfs(str(SHM), size=str(ROOM))
    orphan = earlier_run("anonymous")
    show("df -h /dev/shm", "ls -A /dev/shm | wc -l", HOLDERS)
    if fixed:
        kill(orphan)
    train()


def small(fixed: bool) -> None:
    """Many locks do not fit into a tiny /dev/shm. Fix: give it more room."""
    machine.tmpfs(str(SHM), size="64k")
    if fixed:
        cases.sh("mount -o remount,size=1m /dev/shm")
    locks = [multiprocessing.Lock() for _ in range(20)]
    print("made", len(locks), "locks", flush=True)


def inodes(fixed: bool) -> None:
    """Bytes are free, but no file fits any more. Fix: allow for more files."""
    try:
        import torch
    except ImportError as missing:
        cases.cannot(missing)
    machine.tmpfs(str(SHM), inodes=40)
    for number in range(39):
        (SHM / f"sem.mp-{number:08}").touch()
    if fixed:
        cases.sh("mount -o remount,nr_inodes=1000 /dev/shm")
    show("df -h /dev/shm", "df -i /dev/shm")
    torch.zeros(4).share_memory_()
    print("shared a tensor", flush=True)


ENOSPC = "OSError: [Errno 28] No space left on device"
CASES = {
    "leftover": cases.Case(leftover, ENOSPC, "trained on batch"),
    "deleted": cases.Case(deleted, ENOSPC, "trained on batch"),
    "small": cases.Case(small, ENOSPC, "made 20 locks"),
    "inodes": cases.Case(inodes, "in read-write mode: No space left on device (28)", "shared a tensor"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"cache": cache, "anonymous": anonymous}))
