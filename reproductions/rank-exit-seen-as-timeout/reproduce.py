#!/usr/bin/env python3
"""End one rank in several ways and see what the others say of it.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.needs("torch")


def step(fail: object = None) -> None:
    """Meet the other ranks, then let rank 1 fail, unless the fix is in place, before all add up a number."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    group = dist.new_group(timeout=datetime.timedelta(seconds=5))
    dist.barrier()
    if dist.get_rank() == 1 and callable(fail):
        fail()
    total = torch.ones(1)
    dist.all_reduce(total, group=group)
    print("step done with", int(total.item()), "ranks", flush=True)
    dist.barrier()


def die() -> None:
    """End as under a memory limit: no word."""
    if not cases.fixed():
        os.kill(os.getpid(), signal.SIGKILL)


def raise_error() -> None:
    """Fail as user code fails."""
    if not cases.fixed():
        raise ValueError("Expected input batch_size (12) to match target batch_size (16).")


def raise_beside_thread() -> None:
    """Fail beside a thread that goes on; the process then stays, with its connections open."""
    if cases.fixed():
        return
    thread = threading.Thread(target=time.sleep, args=(12,))
    thread.start()
    try:
        raise_error()
    except ValueError:
        sys.excepthook(*sys.exc_info())
    thread.join()  # as the interpreter does at its end
    os._exit(1)


def send_and_leave() -> None:
    """Rank 1 sends without waiting for the end of it, and ends. Fix: wait."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    data = torch.ones(30_000_000)
    if dist.get_rank() == 1:
        work = dist.isend(data, 0)
        if cases.fixed():
            work.wait()
    else:
        time.sleep(1)
        dist.recv(data, 1)
        print("received", int(data.sum().item()), flush=True)


def watched() -> None:
    """Rank 1 is dead before a monitored barrier, which says so on every rank."""
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    dist.barrier()
    if dist.get_rank() == 1:
        die()
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=5))
    print("all ranks at the barrier", flush=True)


def killed(_: bool) -> None:
    """Rank 1 gets SIGKILL. Fix: it lives."""
    forks.ranks(lambda: step(die), size=3)


def raised(_: bool) -> None:
    """Rank 1 raises, its traceback among the lines of the others. Fix: it does not."""
    forks.ranks(lambda: step(raise_error), size=3)


def held(_: bool) -> None:
    """Rank 1 raises, but a thread keeps its process, and the others time out. Fix: it does not raise."""
    forks.ranks(lambda: step(raise_beside_thread))


def left(_: bool) -> None:
    """Rank 1 ends with exit code 0 while its message is under way. Fix: it waits for the end of the send."""
    forks.ranks(send_and_leave)


def monitored(_: bool) -> None:
    """A monitored barrier tells which rank is gone. Fix: the rank lives."""
    forks.ranks(watched, size=3)


GONE = "This is typically caused by a remote worker"
CASES = {
    "killed": cases.Case(killed, GONE, "step done with 3 ranks"),
    "raised": cases.Case(raised, GONE, "step done with 3 ranks"),
    "held": cases.Case(held, "Timed out waiting 5000ms for recv operation", "step done with 2 ranks", diagnosed=False),
    "left": cases.Case(left, GONE, "received 30000000"),
    "monitored": cases.Case(monitored, "monitoredBarrier", "all ranks at the barrier", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
