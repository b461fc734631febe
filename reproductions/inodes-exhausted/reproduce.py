#!/usr/bin/env python3
"""Use up the inodes of a file system that has room. One CPU process, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is checkpoint
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine, ranks

cases.needs("torch", "safetensors")

DISK = pathlib.Path("disk")
SAMPLES = 100


def archive() -> pathlib.Path:
    """A data set of small files in one archive, outside the small file system."""
    folder = pathlib.Path("source")
    folder.mkdir()
    for number in range(SAMPLES):
        (folder / f"{number:04}.txt").write_text("label")
    with tarfile.open("samples.tar", "w") as tar:
        tar.add(folder, "samples")
    return pathlib.Path("samples.tar")


def show() -> None:
    """What the checks of the entry show."""
    cases.sh(f"df -h {DISK}; df -i {DISK}; du -d1 --inodes {DISK}")


def train() -> None:
    """Save a checkpoint in the way that the case is about."""
    import torch
    from safetensors.torch import save_file

    state = {"weights": torch.ones(2**10)}
    if cases.name() == "safetensors":
        save_file(state, DISK / "model.safetensors")
    else:
        torch.save(state, DISK / "step-1.pt")
    print("saved step 1", flush=True)


def save(fixed: bool) -> None:
    """The samples lie beside the checkpoints, one file each. Fix: keep them in one archive."""
    machine.tmpfs(str(DISK), size="64m", inodes=SAMPLES + 3)
    if fixed:
        cases.sh(f"cp {archive()} {DISK}/")
    else:
        cases.sh(f"tar -xf {archive()} -C {DISK}")
    with open(DISK / "train.log", "w", encoding="utf-8") as log:
        ranks.report(train=ranks.start(ranks.again(__file__, "train")))
        log.write("an open file can still grow\n" * 1000)
    cases.sh(f"ls -l {DISK}/train.log")
    show()


def safetensors(fixed: bool) -> None:
    """The same with safetensors. Fix: as above."""
    save(fixed)


def unpack(fixed: bool) -> None:
    """There are more files in the archive than inodes are left. Fix: read them from the archive."""
    machine.tmpfs(str(DISK), size="64m", inodes=40)
    tar = archive()
    if fixed:
        with tarfile.open(tar) as samples:
            print("read", sum(member.isfile() for member in samples), "samples", flush=True)
        return
    print(subprocess.run(["tar", "-xf", tar, "-C", DISK], capture_output=True, text=True).stderr[-400:], flush=True)
    show()


# A full disk prints the same lines, so they alone are no diagnosis: `df -i` is.
CASES = {
    "checkpoint": cases.Case(save, "open file failed with strerror: No space left", "saved step 1", diagnosed=False),
    "safetensors": cases.Case(safetensors, "(os error 28) at path", "saved step 1", diagnosed=False),
    "unpack": cases.Case(unpack, "Cannot open: No space left", f"read {SAMPLES} samples", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train}))
