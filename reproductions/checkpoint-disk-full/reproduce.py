#!/usr/bin/env python3
"""Save checkpoints to a small file system until it is full. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default keeps every checkpoint
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine, ranks

cases.needs("torch", "safetensors")

MIB = 2**20
FOLDER = pathlib.Path("checkpoints")
STEPS = 8  # of a little over 4 MiB
SAVED = f"saved step {STEPS}"


def keep_last(count: int) -> None:
    """What save_total_limit of a trainer does: remove all but the newest ones before the next save."""
    for old in sorted(FOLDER.glob("step-*"))[: 1 - count]:
        old.unlink()


def save(path: pathlib.Path) -> None:
    """Save 4 MiB in the way that the case is about."""
    import torch
    from safetensors.torch import save_file

    state = {"weights": torch.ones(MIB)}
    if cases.name() == "safetensors":
        save_file(state, path)
    elif cases.name() == "old-format":
        torch.save(state, path, _use_new_zipfile_serialization=False)
    elif cases.name() == "open-file":
        with open(path, "wb") as file:
            torch.save(state, file)
    else:
        torch.save(state, path)


def train() -> None:
    """Save a checkpoint in each step."""
    for step in range(1, STEPS + 1):
        if cases.fixed() and cases.name() != "deleted":
            keep_last(3)
        save(FOLDER / f"step-{step}.pt")
        print("saved step", step, flush=True)


def run() -> None:
    """Train in a process of its own, and show what the checks of the entry show."""
    ranks.report(train=ranks.start(ranks.again(__file__, "train")))
    cases.sh(f"df -h {FOLDER}; du -sh {FOLDER}; ls -l {FOLDER}")


def growing(about: str, broken: str, diagnosed: bool = True) -> cases.Case:
    """The case in which all checkpoints are kept, on a disk that has room for five."""

    def play(_: bool) -> None:
        machine.tmpfs(str(FOLDER), size="24m")
        run()

    play.__doc__ = f"{about} Fix: keep the newest three."
    return cases.Case(play, broken, SAVED, diagnosed)


def hold() -> None:
    """Write a log, keep it open, and wait."""
    with open(FOLDER / "debug.log", "wb") as file:
        file.write(bytes(20 * MIB))
        file.flush()
        print("ready", flush=True)
        sys.stdin.readline()


def deleted(fixed: bool) -> None:
    """A removed log is still open in a process, so its room is not free. Fix: end the process."""
    machine.tmpfs(str(FOLDER), size="40m")
    holder = subprocess.Popen(ranks.again(__file__, "hold"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    holder.stdout.readline()
    os.unlink(FOLDER / "debug.log")
    cases.sh(f"df -h {FOLDER}; du -sh {FOLDER}")
    cases.sh(f"find /proc/[0-9]*/fd -lname '*{FOLDER}/*(deleted)' -printf '%p %l\\n' 2>/dev/null || true")
    if fixed:
        holder.communicate("\n", timeout=10)
    run()
    holder.kill()


CASES = {
    "open-file": growing("Every checkpoint is kept, written to an open file.", "OSError: [Errno 28] No space left"),
    "by-path": growing("The same with a path: the message does not name the disk.", "unexpected pos", diagnosed=False),
    "old-format": growing("The same in the format before torch 1.6.", "write(): fd 3 failed with No space left"),
    "safetensors": growing("The same with safetensors.", "I/O error: No space left on device (os", diagnosed=False),
    "deleted": cases.Case(deleted, "unexpected pos", SAVED, diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "hold": hold}))
