#!/usr/bin/env python3
"""Start ranks without the variables that tell them who they are and where rank 0 is.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is plain
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.isolate(__file__)

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as mp
except ImportError as missing:
    cases.cannot(missing)

SCRIPT = os.path.abspath(__file__)
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
# Slurm numbers its tasks, but does not set what torch reads; without scontrol the address is empty.
ADDRESS = 'export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'
TASK = "export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS MASTER_PORT=29500"


def train(**settings: int) -> None:
    """Meet the other ranks and add up ones."""
    dist.init_process_group("gloo", **settings)
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)


def reads_variable() -> None:
    """Choose the device before the process group exists, as most scripts do."""
    print("local rank", int(os.environ["LOCAL_RANK"]), flush=True)
    train()


def spawned(number: int) -> None:
    """One of two ranks that another rank has started; both know rank and size, not where rank 0 is."""
    train(rank=number, world_size=2)


def spawns() -> None:
    """Start two ranks from Python."""
    mp.spawn(spawned, nprocs=2)


def run(*command: str, **variables: str) -> None:
    """Run a command and print what it said."""
    ranks.report(train=ranks.start(command, 120, **variables))


def role(name: str) -> list[str]:
    """The command of this script in a role."""
    return [sys.executable, SCRIPT, "--role", name]


def plain(fixed: bool) -> None:
    """The script is started with python alone. Fix: torchrun."""
    run(*(TORCHRUN if fixed else [sys.executable]), *role("train")[1:])


def key_error(fixed: bool) -> None:
    """The script reads LOCAL_RANK itself, before torch does. Fix: torchrun."""
    run(*(TORCHRUN if fixed else [sys.executable]), *role("reads")[1:])


def spawn(fixed: bool) -> None:
    """mp.spawn sets no variable. Fix: set address and port before the call."""
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": ranks.PORT}
    run(*role("spawns"), **(where if fixed else {}))


def lost(fixed: bool) -> None:
    """Something between launcher and script drops the environment, as sudo and ssh do. Fix: leave it out."""
    dropped = ["env", "-i", f"PATH={os.environ['PATH']}", f"HOME={os.environ['HOME']}"]
    run(*TORCHRUN, "--no-python", *([] if fixed else dropped), *role("train"))


def empty(fixed: bool) -> None:
    """The command that should find the address is missing, and the variable is empty. Fix: an address."""
    address = "export MASTER_ADDR=127.0.0.1" if fixed else ADDRESS
    script = f"{address}; {TASK}; exec {' '.join(role('train'))}"
    tasks = {"SLURM_NTASKS": "2", "SLURM_JOB_NODELIST": "node[0-1]"}
    started = {f"task{i}": ranks.start(["sh", "-c", script], 120, SLURM_PROCID=str(i), **tasks) for i in range(2)}
    ranks.report(**started)


UNSET = "Error initializing torch.distributed using env:// rendezvous: environment variable"
CASES = {
    "plain": cases.Case(plain, f"ValueError: {UNSET} RANK expected, but not set", "trained with 2 ranks"),
    "key-error": cases.Case(key_error, "KeyError: 'LOCAL_RANK'", "trained with 2 ranks"),
    "spawn": cases.Case(spawn, f"{UNSET} MASTER_ADDR expected, but not set", "trained with 2 ranks"),
    "lost": cases.Case(lost, f"{UNSET} RANK expected, but not set", "trained with 2 ranks"),
    "empty": cases.Case(empty, f"{UNSET} MASTER_ADDR expected, but not set", "trained with 2 ranks"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "reads": reads_variable, "spawns": spawns}))
