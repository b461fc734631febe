#!/usr/bin/env python3
"""Pass tensors of different size, type or shape to one collective. Two CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is uneven-shards
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import functools
import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.needs("torch")


def uneven_shards(fixed: bool, rank: int) -> None:
    """Gather the results of shards of 4 and 6 items. Fix: exchange the lengths, pad to the longest, cut."""
    import torch
    import torch.distributed as dist

    mine = torch.ones(6 if rank else 4)
    if not fixed:
        dist.all_gather([torch.empty_like(mine) for _ in range(2)], mine)
        return
    lengths = [torch.zeros(1, dtype=torch.long) for _ in range(2)]
    dist.all_gather(lengths, torch.tensor([len(mine)]))
    longest = int(max(lengths))
    parts = [torch.empty(longest) for _ in lengths]
    dist.all_gather(parts, torch.nn.functional.pad(mine, (0, longest - len(mine))))
    whole = torch.cat([part[: int(length)] for part, length in zip(parts, lengths, strict=True)])
    print("gathered", len(whole), "items", flush=True)


def data_types(fixed: bool, rank: int) -> None:
    """Rank 1 averages in double precision. Fix: one type."""
    import torch
    import torch.distributed as dist

    loss = torch.ones(1, dtype=torch.float64 if rank and not fixed else torch.float32)
    dist.all_reduce(loss)
    print("sum", loss.item(), flush=True)


def dimensions(fixed: bool, rank: int) -> None:
    """Rank 1 has a row where rank 0 has a vector: the message names an operation that nobody called."""
    import torch
    import torch.distributed as dist

    total = torch.ones((1, 4) if rank and not fixed else (4,))
    dist.all_reduce(total)
    print("sum", total.sum().item(), flush=True)


def gloo_alone(fixed: bool, rank: int) -> None:
    """Add up 4 and 6 numbers without debugging: the rank with the smaller tensor aborts. Fix: one size."""
    import torch
    import torch.distributed as dist

    total = torch.ones(6 if rank or fixed else 4)
    dist.all_reduce(total)
    print("sum", total.sum().item(), flush=True)


def short_broadcast(fixed: bool, rank: int) -> None:
    """Rank 1 awaits 6 numbers and gets 4: no error, the rest keeps what it was. Fix: send the shape first."""
    import torch
    import torch.distributed as dist

    weights = torch.ones(4) if rank == 0 else torch.full((6,), -1.0)
    if fixed:
        shape = [tuple(weights.shape)]
        dist.broadcast_object_list(shape)
        weights = weights if rank == 0 else torch.empty(shape[0])
    dist.broadcast(weights, 0)
    print("rank", rank, "has", weights.tolist(), flush=True)


def same_count(fixed: bool, rank: int) -> None:
    """Rank 1 adds its 3 rows of 2 to the 2 rows of 3 of rank 0, without debugging: no error. Fix: one shape."""
    import torch
    import torch.distributed as dist

    table = torch.arange(6.0).reshape((3, 2) if rank else (2, 3))
    table = table.T.contiguous() if rank and fixed else table
    dist.all_reduce(table)
    print("rank", rank, "has", table.tolist(), flush=True)


def work(call: Callable[[bool, int], None], fixed: bool) -> None:
    """Join the process group and make the call."""
    import torch.distributed as dist

    silent = call in (gloo_alone, short_broadcast, same_count)
    dist.set_debug_level(dist.DebugLevel.OFF if silent else dist.DebugLevel.DETAIL)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=40 if fixed else 8))
    call(fixed, dist.get_rank())


def play(call: Callable[[bool, int], None]) -> Callable[[bool], None]:
    """The case in which both ranks make that call."""

    def run(fixed: bool) -> None:
        forks.ranks(functools.partial(work, call, fixed))

    run.__doc__ = call.__doc__
    return run


SHAPES = "Collectives differ in the following aspects:   Tensor Tensor shapes: "
TYPES = "Collectives differ in the following aspects:   Tensor Tensor dtypes: "
CASES = {
    "uneven-shards": cases.Case(play(uneven_shards), SHAPES, "gathered 10 items"),
    "data-types": cases.Case(play(data_types), TYPES, "sum 2.0"),
    "dimensions": cases.Case(play(dimensions), "Op type: ALLREDUCEvs SCATTER", "sum 8.0", diagnosed=False),
    "gloo-alone": cases.Case(play(gloo_alone), "op.preamble.length <= op.nbytes. ", "sum 12.0"),
    "short-broadcast": cases.Case(
        play(short_broadcast), "has [1.0, 1.0, 1.0, 1.0, -1.0, -1.0]", "rank 1 has [1.0, 1.0, 1.0, 1.0]", False
    ),
    "same-count": cases.Case(
        play(same_count),
        "rank 0 has [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]",
        "rank 0 has [[0.0, 3.0, 6.0], [4.0, 7.0, 10.0]]",
        diagnosed=False,
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
