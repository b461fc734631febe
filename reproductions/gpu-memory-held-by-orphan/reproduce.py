#!/usr/bin/env python3
"""Show which processes outlive a run and keep what they hold; no GPU is needed, its memory follows the process.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is launcher-killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.needs("torch")

FIND_NAME = "pgrep -f 'torchrun|torch[.]distributed'"
FIND_ENVIRONMENT = "grep -lz '^TORCHELASTIC_RUN_ID=' /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3"


def tell_number() -> None:
    """Print the number of this process in one piece; several print into one pipe at the same time."""
    os.write(1, f"{os.getpid()}\n".encode())


def work() -> None:
    """Say which process this is, then be busy."""
    tell_number()
    time.sleep(180)


def catching() -> None:
    """Work, and leave when SIGTERM comes."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    work()


def load() -> None:
    """The parent of one DataLoader worker, which is stuck in a sample or, with the fix, waits for work."""
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset[int]):
        def __len__(self) -> int:
            return 1000

        def __getitem__(self, index: int) -> int:
            if index == 0:
                tell_number()
            if not cases.fixed():
                time.sleep(180)
            return index

    samples = iter(DataLoader(Samples(), num_workers=1, batch_size=1))
    if cases.fixed():
        next(samples)
    time.sleep(180)


def started(command: list[str], count: int = 1) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a command whose processes say who they are, and return it with their numbers."""
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert run.stdout
    return run, [int(run.stdout.readline()) for _ in range(count)]


def report(name: str, pids: list[int]) -> None:
    """Print which of the processes are left, as ps shows them."""
    left = [pid for pid in pids if ranks.alive(pid)]
    for pid in left:
        subprocess.run(["ps", "-o", "pid,ppid,stat,args", "-p", str(pid)], check=False)
    print(f"{name} left: {len(left)}", flush=True)


def launcher_killed(fixed: bool) -> None:
    """SIGKILL of torchrun leaves its workers. Fix: SIGTERM, which torchrun hands on."""
    launcher, workers = started(ranks.agent(__file__, "work", "--standalone", ranks=2), 2)
    launcher.send_signal(signal.SIGTERM if fixed else signal.SIGKILL)
    launcher.wait(timeout=90)
    time.sleep(1)
    report("workers", workers)


def patterns(fixed: bool) -> None:
    """The words torchrun and torch.distributed are not in the command of a worker. Fix: look in its environment."""
    launcher, workers = started(ranks.agent(__file__, "work", "--standalone", ranks=2), 2)
    launcher.kill()
    launcher.wait(timeout=30)
    search = FIND_ENVIRONMENT if fixed else FIND_NAME
    found = subprocess.run(search, shell=True, capture_output=True, text=True, check=False).stdout.split()
    print(f"survivors found: {len({str(pid) for pid in workers} & set(found))} of 2", flush=True)
    report("workers", workers)


def loader_worker(fixed: bool) -> None:
    """A DataLoader worker looks after its parent only between samples. Broken: it is stuck in one."""
    parent, workers = started(ranks.again(__file__, "load"))
    time.sleep(1)
    parent.kill()
    parent.wait(timeout=30)
    ranks.wait_for(lambda: not ranks.alive(workers[0]), 12)
    report("loader workers", workers)


def stopped(fixed: bool) -> None:
    """A stopped run frees nothing, and SIGTERM acts, caught or not, only when it goes on. Fix: SIGCONT after it."""
    run, _ = started(ranks.again(__file__, "catching"))
    run.send_signal(signal.SIGSTOP)
    run.terminate()
    if fixed:
        run.send_signal(signal.SIGCONT)
    ranks.wait_for(lambda: run.poll() is not None, 5)
    report("stopped runs", [run.pid])


CASES = {
    "launcher-killed": cases.Case(launcher_killed, "workers left: 2", "workers left: 0", diagnosed=False),
    "patterns": cases.Case(patterns, "survivors found: 0 of 2", "survivors found: 2 of 2", diagnosed=False),
    "loader-worker": cases.Case(loader_worker, "loader workers left: 1", "loader workers left: 0", diagnosed=False),
    "stopped": cases.Case(stopped, "stopped runs left: 1", "stopped runs left: 0", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"work": work, "catching": catching, "load": load}))
