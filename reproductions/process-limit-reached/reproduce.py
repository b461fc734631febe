#!/usr/bin/env python3
"""Run a training process into its limit of processes and threads.

The kernel exempts uid 0 from RLIMIT_NPROC, so root makes a cgroup of its own instead.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default starts too many DataLoader workers
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, unprivileged user namespaces or a limit are missing
"""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, cgroups

try:
    import torch
    from torch.utils.data import DataLoader
except ImportError as missing:
    cases.cannot(missing)

CGROUPS = ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")


def is_root() -> bool:
    """Whether uid 0 of this namespace is that of the machine."""
    inside, outside, _ = pathlib.Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:3]
    return inside == outside


def by_rlimit(tasks: int) -> None:
    """Limit this process; the count of the namespace begins at zero."""
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))


def join(group: pathlib.Path) -> None:
    """Move this process into a cgroup."""
    (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def new_group(tasks: int) -> pathlib.Path:
    """Make a cgroup that holds some tasks at most."""
    for group in map(cgroups.path, CGROUPS):
        with contextlib.suppress(OSError):
            group.mkdir()
            if (group / "pids.max").exists():
                (group / "pids.max").write_text(str(tasks), encoding="ascii")
                return group
            group.rmdir()
    return cases.cannot("root is exempt from RLIMIT_NPROC, and no cgroup with the pids controller can be made")


@contextlib.contextmanager
def limit(tasks: int) -> Iterator[Callable[[], None]]:
    """Yield what a child has to call to be limited to some tasks, itself among them."""
    if not is_root():
        yield functools.partial(by_rlimit, tasks)
        return
    group = new_group(tasks)
    try:
        yield functools.partial(join, group)
    finally:
        while (group / "cgroup.procs").read_text(encoding="ascii"):
            time.sleep(0.05)
        group.rmdir()


def run(role: str, tasks: int, **variables: str) -> None:
    """Run the script in a role under the limit, and print what it said."""
    with limit(tasks) as limited:
        command = [sys.executable, os.path.abspath(__file__), "--role", role]
        job = subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=limited,
        )
        log, _ = job.communicate(timeout=60)
        print(log, f"exit code {job.returncode}", sep="", flush=True)


def load() -> None:
    """Train with twelve workers."""
    loader = DataLoader(torch.arange(48), batch_size=4, num_workers=12)
    print("trained on", sum(1 for _ in loader), "batches", flush=True)


def threads() -> None:
    """Start twenty threads that wait, as clients of loggers and downloads do."""
    done = threading.Event()
    started = [threading.Thread(target=done.wait, daemon=True) for _ in range(20)]
    for thread in started:
        thread.start()
    print("started", len(started), "threads", flush=True)
    done.set()


def compute() -> None:
    """Compute with 24 threads, or as many as the environment says."""
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(24)
    print("sum", int(torch.ones(4000, 1000).exp().gt(1).sum()), flush=True)


def algebra() -> None:
    """Import NumPy, whose OpenBLAS starts a thread for each core."""
    import numpy as np

    print("imported numpy", np.__version__, flush=True)


def workers(fixed: bool) -> None:
    """Twelve workers do not fit. Fix: a limit that leaves room."""
    run("load", 64 if fixed else 8)


def thread(fixed: bool) -> None:
    """Threads of Python do not fit. Fix: a limit that leaves room."""
    run("threads", 64 if fixed else 8)


def openmp(fixed: bool) -> None:
    """Torch wants a thread for each core. Fix: OMP_NUM_THREADS."""
    if not fixed:
        os.environ.pop("OMP_NUM_THREADS", None)
    run("compute", 8)


def openblas(fixed: bool) -> None:
    """NumPy cannot start the threads of its BLAS. Fix: OPENBLAS_NUM_THREADS."""
    if (os.cpu_count() or 1) < 2:
        cases.cannot("one core only, so OpenBLAS starts no thread")
    os.environ.pop("OMP_NUM_THREADS", None)
    run("algebra", 1, **({"OPENBLAS_NUM_THREADS": "1"} if fixed else {}))


EAGAIN = "Resource temporarily unavailable"
CASES = {
    "workers": cases.Case(workers, f"BlockingIOError: [Errno 11] {EAGAIN}", "trained on 12 batches"),
    "thread": cases.Case(thread, "RuntimeError: can't start new thread", "started 20 threads"),
    "openmp": cases.Case(openmp, f"libgomp: Thread creation failed: {EAGAIN}", "sum 4000000"),
    "openblas": cases.Case(openblas, "OpenBLAS blas_thread_init: pthread_create failed for thread", "imported numpy"),
}
ROLES = {"load": load, "threads": threads, "compute": compute, "algebra": algebra}

if __name__ == "__main__":
    with cgroups.kept(CGROUPS):
        sys.exit(cases.main(__file__, CASES, ROLES))
