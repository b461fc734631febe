#!/usr/bin/env python3
"""Draw random numbers in DataLoader workers, epochs and ranks, and count how many of them differ. Nothing fails.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is generator
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, numpy or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "numpy")

RANGE = 10**9


class Crops:
    """Four samples, each cut at a place that a generator of the data set or the one of NumPy draws."""

    def __init__(self, own: bool = False) -> None:
        import numpy as np

        self.generator = np.random.default_rng(0) if own else None

    def __len__(self) -> int:
        return 4

    def __getitem__(self, number: int) -> int:
        import numpy as np

        draw = self.generator.integers if self.generator else np.random.randint
        return int(draw(RANGE))


def epochs(dataset: Crops, init: Callable[[int], None] | None, **settings: object) -> list[int]:
    """What two workers draw in two epochs, two numbers each."""
    import torch
    from torch.utils.data import DataLoader

    torch.manual_seed(1)
    loader = DataLoader(dataset, batch_size=1, num_workers=2, worker_init_fn=init, **settings)
    return [int(batch) for _ in range(2) for batch in loader]


def show(drawn: list[int]) -> None:
    """Print the numbers, and how many of them differ."""
    print(drawn, "distinct", len(set(drawn)), "of", len(drawn), flush=True)


def own_generator(worker: int) -> None:
    """Give the copy of the data set in this worker a generator of its own."""
    import numpy as np
    from torch.utils.data import get_worker_info

    if info := get_worker_info():
        info.dataset.generator = np.random.default_rng(info.seed)


def constant(worker: int) -> None:
    """Seed all workers alike."""
    import numpy as np

    np.random.seed(0)


def from_state(worker: int) -> None:
    """Seed by the recipe of the years before PyTorch 1.9."""
    import numpy as np

    np.random.seed(np.random.get_state()[1][0] + worker)


def generator(fixed: bool) -> None:
    """The data set holds a generator, and each worker gets a copy of it. Fix: a new one in each worker."""
    show(epochs(Crops(own=True), own_generator if fixed else None))


def persistent(fixed: bool) -> None:
    """The same with workers that stay for all epochs. Fix: a new one in each worker."""
    show(epochs(Crops(own=True), own_generator if fixed else None, persistent_workers=True))


def init(fixed: bool) -> None:
    """The worker_init_fn seeds NumPy with a constant. Fix: leave it to PyTorch."""
    show(epochs(Crops(), None if fixed else constant))


def recipe(fixed: bool) -> None:
    """The worker_init_fn adds its number to the state of NumPy, the same in each epoch. Fix: leave it to PyTorch."""
    show(epochs(Crops(), None if fixed else from_state))


def ranks(fixed: bool) -> None:
    """Two ranks with one seed draw the same. Fix: a generator for the loader that depends on the rank."""
    import torch
    from torch.utils.data import DataLoader

    drawn = []
    for rank in range(2):
        torch.manual_seed(1)
        own = torch.Generator().manual_seed(1 + rank) if fixed else None
        drawn += [int(batch) for batch in DataLoader(Crops(), batch_size=1, num_workers=1, generator=own)]
    show(drawn)


def order(fixed: bool) -> None:
    """Two epochs of a DistributedSampler in one order. Fix: set_epoch."""
    from torch.utils.data.distributed import DistributedSampler

    sampler = DistributedSampler(range(1000), num_replicas=2, rank=0)
    orders = set()
    for epoch in range(2):
        if fixed:
            sampler.set_epoch(epoch)
        orders.add(tuple(sampler))
        print("epoch", epoch, list(sampler)[:4], flush=True)
    print("orders", len(orders), "of 2", flush=True)


HALF, ALL = "distinct 4 of 8", "distinct 8 of 8"
CASES = {
    "generator": cases.Case(generator, "distinct 2 of 8", ALL, diagnosed=False),
    "persistent": cases.Case(persistent, HALF, ALL, diagnosed=False),
    "init": cases.Case(init, "distinct 2 of 8", ALL, diagnosed=False),
    "recipe": cases.Case(recipe, HALF, ALL, diagnosed=False),
    "ranks": cases.Case(ranks, HALF, ALL, diagnosed=False),
    "order": cases.Case(order, "orders 1 of 2", "orders 2 of 2", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
