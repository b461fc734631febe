#!/usr/bin/env python3
"""Ask for parallel degrees that the number of ranks does not give. Up to four CPU processes, gloo, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is mesh
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, forks

cases.needs("torch")

LOAD = (*forks.TORCH, "torch.distributed.device_mesh")


def meet() -> int:
    """Meet the other ranks; return how many there are."""
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    return dist.get_world_size()


def two_by_two() -> None:
    """Build a mesh of two replicas by two parts."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    meet()
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    dist.barrier()  # the store ends with rank 0
    print("place in the mesh:", mesh.get_coordinate(), flush=True)


def rounded() -> None:
    """Build a mesh of as many replicas as there is room for, rounded down, and add up over the whole job."""
    import torch
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    mesh = init_device_mesh("cpu", (meet() // 2, 2), mesh_dim_names=("dp", "tp"))
    place = mesh.get_coordinate()
    ranks = torch.tensor(float(place is not None))
    dist.all_reduce(ranks)
    print("place in the mesh:", place, "ranks that work:", int(ranks), "of", dist.get_world_size(), flush=True)


def subgroups() -> None:
    """Cut the ranks into groups of two, as hybrid sharding does with the GPUs of a node."""
    import torch.distributed as dist

    meet()
    group, _ = dist.new_subgroups(group_size=2)
    dist.barrier()
    print("place in the mesh:", (dist.get_rank() // 2, group.rank()), flush=True)


def mesh(fixed: bool) -> None:
    """A mesh of four on two ranks. Fix: four ranks."""
    forks.ranks(two_by_two, size=4 if fixed else 2, load=LOAD)


def left_over(fixed: bool) -> None:
    """Three ranks by two, rounded down: no error, but the third rank has no place. Fix: four ranks."""
    forks.ranks(rounded, size=4 if fixed else 3, load=LOAD)


def groups(fixed: bool) -> None:
    """Three ranks in groups of two. Fix: four ranks."""
    forks.ranks(subgroups, size=4 if fixed else 3, load=LOAD)


PLACED = "place in the mesh: (1, 1)"
CASES = {
    "mesh": cases.Case(mesh, "Mesh should not be bigger than default world size 2, but found 4 ranks!", PLACED),
    "left-over": cases.Case(left_over, "place in the mesh: None ranks that work: 2 of 3", PLACED, False),
    "groups": cases.Case(groups, "divisible by", PLACED),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
