#!/usr/bin/env python3
"""Save to a file system whose quota is used up while the disk has room. CPU, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is open-file
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, /dev/fuse or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine, quotas, ranks

cases.needs("torch", "safetensors")

HOME = pathlib.Path("home")
SCRATCH = pathlib.Path("scratch")
MIB = 2**20


def prepare(fixed: bool, files: int = 1000) -> None:
    """A home directory with a quota of 8 MiB, and a scratch file system without; the fix writes to scratch."""
    quotas.mount(str(HOME), 8 * MIB, files)
    machine.tmpfs(str(SCRATCH), size="64m")
    os.environ["TARGET"] = str((SCRATCH if fixed else HOME).resolve())


def train() -> None:
    """Save three checkpoints of 4 MiB in the way that the case is about."""
    import torch
    from safetensors.torch import save_file

    state = {"weights": torch.ones(MIB)}
    for step in range(1, 4):
        path = f"{os.environ['TARGET']}/step-{step}.pt"
        if cases.name() == "open-file":
            with open(path, "wb") as file:
                torch.save(state, file)
        elif cases.name() == "safetensors":
            save_file(state, path)
        else:
            torch.save(state, path)
        print("saved step", step, flush=True)


def small_files() -> None:
    """Write one small file for each sample, as a cache or an unpacked data set does."""
    for number in range(30):
        with open(f"{os.environ['TARGET']}/sample-{number}.txt", "w", encoding="utf-8") as file:
            file.write("label")
    print("saved step 3", flush=True)


def saving(about: str, broken: str, role: str = "train", files: int = 1000, diagnosed: bool = True) -> cases.Case:
    """The case in which this role runs against the quota."""

    def play(fixed: bool) -> None:
        prepare(fixed, files)
        ranks.report(job=ranks.start(ranks.again(__file__, role)))
        cases.sh("df -h home scratch; du -sh home scratch; ls -l home | tail -n 3")

    play.__doc__ = f"{about} Fix: write to a file system without that quota."
    return cases.Case(play, broken, "saved step 3", diagnosed)


ROLES: dict[str, Callable[[], None]] = {"train": train, "small-files": small_files}
CASES = {
    "open-file": saving("The quota of bytes is used up, in the middle of a file.", "[Errno 122] Disk quota exceeded"),
    "by-path": saving("The same with a path: the message does not name it.", "unexpected pos", diagnosed=False),
    "safetensors": saving("The same with safetensors.", "I/O error: Disk quota exceeded (os error 122)"),
    "files": saving("The quota of files is used up.", "[Errno 122] Disk quota exceeded: '", "small-files", files=20),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
