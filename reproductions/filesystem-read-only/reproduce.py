#!/usr/bin/env python3
"""Write where the mount is read-only: a remount, an image, a mounted data set. CPU, some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is image
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, datasets or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine, ranks

cases.needs("torch", "safetensors", "datasets")

IMAGE = pathlib.Path("image")
OUT = pathlib.Path("out")


def read_only(folder: pathlib.Path) -> None:
    """Make a mounted file system read-only, as the kernel does after an error and an image is from the start."""
    cases.sh(f"mount -o remount,ro {folder}; findmnt -no FSTYPE,OPTIONS -T {folder}")


def image(fixed: bool) -> None:
    """A path of the host is not bound, so it lies in the image of the container. Fix: bind it."""
    scratch = machine.tmpfs(str(IMAGE)) / "scratch"
    scratch.mkdir()
    read_only(IMAGE)
    if fixed:
        machine.tmpfs("host")
        cases.sh(f"mount --bind host {scratch}")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", scratch / "h5-env"], check=False)
    cases.sh(f"ls -A {scratch} | sed 's/^/made /'")


def train() -> None:
    """Save in each step, and after the first one wait until told to go on."""
    import torch
    from safetensors.torch import save_file

    for step in range(1, 3):
        state = {"weights": torch.ones(2**10)}
        if cases.name() == "safetensors":
            save_file(state, OUT / f"step-{step}.safetensors")
        else:
            torch.save(state, OUT / f"step-{step}.pt")
        print("saved step", step, flush=True)
        if step == 1:
            sys.stdin.readline()


def remounted(fixed: bool) -> None:
    """The file system becomes read-only between two saves. Fix: it stays writable, as after a repair."""
    machine.tmpfs(str(OUT))
    run = subprocess.Popen(
        ranks.again(__file__, "train"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert run.stdout
    print(run.stdout.readline().strip(), flush=True)
    if not fixed:
        read_only(OUT)
    print(run.communicate("\n", timeout=60)[0], flush=True)


def safetensors(fixed: bool) -> None:
    """The same with safetensors. Fix: as above."""
    remounted(fixed)


def prepare() -> None:
    """Prepare a data set, whose cache lies below HF_HOME."""
    import datasets

    rows = datasets.Dataset.from_generator(lambda: iter([{"text": "a"}, {"text": "b"}]))
    print("prepared", len(rows), "samples", flush=True)


def cache(fixed: bool) -> None:
    """The cache lies on a share that is mounted read-only. Fix: name a writable folder."""
    read_only(machine.tmpfs("share"))
    home = pathlib.Path("cache" if fixed else "share/hf").resolve()
    os.environ["HF_HOME"] = str(home)
    ranks.report(prepare=ranks.start(ranks.again(__file__, "prepare")))


NUMBER = "[Errno 30] Read-only file system: '"
CASES = {
    "image": cases.Case(image, NUMBER, "made h5-env"),
    "remounted": cases.Case(remounted, "open file failed with strerror: Read-only file system", "saved step 2"),
    "safetensors": cases.Case(safetensors, "Read-only file system (os error 30)", "saved step 2"),
    "cache": cases.Case(cache, NUMBER, "prepared 2 samples"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "prepare": prepare}))
