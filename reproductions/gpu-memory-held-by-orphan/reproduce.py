#!/usr/bin/env python3
"""Show which processes outlive a run and keep what they hold; no GPU is needed, its memory follows the process.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is launcher-killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch is missing
"""

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

if importlib.util.find_spec("torch") is None:
    sys.exit(77)

ME = [sys.executable, "-u", __file__]


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def report(name: str, pids: list[int]) -> None:
    """Print which of the processes are left, as ps shows them, then end them."""
    left = [pid for pid in pids if alive(pid)]
    for pid in left:
        subprocess.run(["ps", "-o", "pid,ppid,stat,args", "-p", str(pid)], check=False)
    print(f"{name} left: {len(left)}", flush=True)
    for pid in left:
        os.kill(pid, signal.SIGKILL)


def wait_for(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


def launcher_killed(fixed: bool) -> None:
    """SIGKILL of torchrun leaves its workers. Fix: SIGTERM, which torchrun hands on."""
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", __file__, "--worker"]
    launcher = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
    workers = [int(launcher.stdout.readline()) for _ in range(2)]
    launcher.send_signal(signal.SIGTERM if fixed else signal.SIGKILL)
    launcher.wait(timeout=90)
    time.sleep(2)
    report("workers", workers)


def patterns(fixed: bool) -> None:
    """The words torchrun and torch.distributed are not in the command of a worker. Fix: look in its environment."""
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", __file__, "--worker"]
    launcher = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
    workers = [int(launcher.stdout.readline()) for _ in range(2)]
    launcher.kill()
    launcher.wait(timeout=30)
    environment = "grep -lz '^TORCHELASTIC_RUN_ID=' /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3"
    search = environment if fixed else "pgrep -f 'torchrun|torch[.]distributed'"
    found = subprocess.run(search, shell=True, capture_output=True, text=True, check=False).stdout.split()
    print(f"survivors found: {len({str(pid) for pid in workers} & set(found))} of 2", flush=True)
    report("workers", workers)


def loader_worker(fixed: bool) -> None:
    """A DataLoader worker looks after its parent only between samples. Broken: it is stuck in one."""
    parent = subprocess.Popen([*ME, "--loader", "idle" if fixed else "stuck"], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    time.sleep(1)
    parent.kill()
    parent.wait(timeout=30)
    wait_for(lambda: not alive(worker), 20.0)
    report("loader workers", [worker])


def stopped(fixed: bool) -> None:
    """A stopped run frees nothing, and SIGTERM acts, caught or not, only when it goes on. Fix: SIGCONT after it."""
    run = subprocess.Popen([*ME, "--catching"], stdout=subprocess.PIPE, text=True)
    run.stdout.readline()
    run.send_signal(signal.SIGSTOP)
    run.terminate()
    if fixed:
        run.send_signal(signal.SIGCONT)
    wait_for(lambda: run.poll() is not None, 5.0)
    report("stopped runs", [run.pid])


CASES = {  # name: (function, seen without --fixed, seen with it)
    "launcher-killed": (launcher_killed, "workers left: 2", "workers left: 0"),
    "patterns": (patterns, "survivors found: 0 of 2", "survivors found: 2 of 2"),
    "loader-worker": (loader_worker, "loader workers left: 1", "loader workers left: 0"),
    "stopped": (stopped, "stopped runs left: 1", "stopped runs left: 0"),
}


def worker() -> None:
    print(os.getpid(), flush=True)
    time.sleep(180)
    sys.exit(0)


def loader(kind: str) -> None:
    """The parent of one DataLoader worker, which is stuck in a sample or waits for work."""
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self) -> int:
            return 1000

        def __getitem__(self, index: int) -> int:
            if index == 0:
                print(os.getpid(), flush=True)
            if kind == "stuck":
                time.sleep(180)
            return index

    samples = iter(DataLoader(Samples(), num_workers=1, batch_size=1))
    if kind == "idle":
        next(samples)
    time.sleep(180)
    sys.exit(0)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="launcher-killed")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    for hidden in ("--worker", "--catching"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--loader", choices=["stuck", "idle"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.catching:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    if options.worker or options.catching:
        worker()
    if options.loader:
        loader(options.loader)
    function, broken, mended = CASES[options.case]
    if options.one:
        function(options.fixed)
        return 0
    again = [*ME, "--one", "--case", options.case, *(["--fixed"] if options.fixed else [])]
    run = subprocess.run(again, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
    print(run.stdout)
    return 0 if (mended if options.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
