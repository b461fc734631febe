#!/usr/bin/env python3
"""Let two ranks make the same collectives in different order. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is set-order
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
import threading
import time
from collections.abc import Iterable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks, ranks

cases.needs("torch")


def join(debug: str) -> int:
    """Join the process group, as with this value in TORCH_DISTRIBUTED_DEBUG, and return the rank."""
    import torch.distributed as dist

    dist.set_debug_level(getattr(dist.DebugLevel, debug))
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40 if cases.fixed() else 10))
    return dist.get_rank()


def average(head: int, body: int, debug: str) -> None:
    """Average two gradients of some size, in the order of a set of their names."""
    import torch
    import torch.distributed as dist

    join(debug)
    gradients = {"head.weight": torch.full((head,), 1.0), "body.weight": torch.full((body,), 10.0)}
    names: Iterable[str] = set(gradients)
    for name in sorted(names) if cases.fixed() else names:
        dist.all_reduce(gradients[name])
        gradients[name] /= dist.get_world_size()
    print({name: gradient.tolist() for name, gradient in sorted(gradients.items())}, flush=True)


def save_in_background() -> None:
    """Gather the parts of a checkpoint in a thread, while the other thread goes on to a barrier."""
    import torch.distributed as dist

    rank = join("DETAIL")
    group = dist.new_group(backend="gloo") if cases.fixed() else None

    def save() -> None:
        time.sleep(rank)
        parts: list[object] = [None, None]
        dist.all_gather_object(parts, rank, group=group)
        print("saved", parts, flush=True)

    thread = threading.Thread(target=save)
    thread.start()
    time.sleep(1 - rank)
    dist.barrier()
    thread.join()


def hashed(role: str) -> None:
    """Start both ranks as Python starts them, with a seed of its own for the hash of strings in each."""
    first, second = (ranks.rank(__file__, role, number, PYTHONHASHSEED=seed) for number, seed in enumerate("16"))
    ranks.report(rank0=first, rank1=second)


def set_order(fixed: bool) -> None:
    """Gradients are averaged in the order of a set of names, which differs in each process. Fix: sort."""
    hashed("average")


def same_size(fixed: bool) -> None:
    """The same with gradients of one size: no error, not even with DETAIL, and wrong averages. Fix: sort."""
    hashed("average-equal")


def threads(fixed: bool) -> None:
    """A thread that saves and the main thread share a group. Fix: a group for the thread."""
    forks.ranks(save_in_background)


RIGHT = "{'body.weight': [10.0, 10.0], 'head.weight': [1.0, 1.0]}"
CASES = {
    "set-order": cases.Case(
        set_order, "Collectives differ in the following aspects:   Tensor Tensor shapes: ", "'head.weight': [1.0, 1.0]"
    ),
    "same-size": cases.Case(same_size, "{'body.weight': [5.5, 5.5], 'head.weight': [5.5, 5.5]}", RIGHT, False),
    "threads": cases.Case(threads, "Detected mismatch between collectives on ranks", "saved [0, 1]", diagnosed=False),
}
ROLES = {
    "average": functools.partial(average, 2, 3, "DETAIL"),
    "average-equal": functools.partial(average, 2, 2, "DETAIL"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
