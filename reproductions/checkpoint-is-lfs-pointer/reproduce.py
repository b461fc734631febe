#!/usr/bin/env python3
"""Clone a repository whose weights are in Git LFS, without Git LFS, and load them. Some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is torch
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, git or unprivileged user namespaces are missing
"""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first


def git(*args: str) -> None:
    """Run git without the configuration of the machine."""
    command = ["git", "-c", "user.name=lab", "-c", "user.email=lab@localhost", "-c", "init.defaultBranch=main", *args]
    outside = {"PATH": "/usr/bin:/bin", "HOME": ".", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(command, check=True, env=outside)


def clone(weights: str, fixed: bool) -> pathlib.Path:
    """Clone a repository that holds the pointer of a file; with the fix a stand-in for the filter of Git LFS runs."""
    if not shutil.which("git"):
        cases.cannot("git is missing")
    data = pathlib.Path(weights).read_bytes()
    upstream = pathlib.Path("upstream")
    git("init", "-q", str(upstream))
    (upstream / ".gitattributes").write_text(f"{weights} filter=lfs diff=lfs merge=lfs -text\n")
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{hashlib.sha256(data).hexdigest()}\n"
    (upstream / weights).write_text(f"{pointer}size {len(data)}\n")
    git("-C", str(upstream), "add", ".")
    git("-C", str(upstream), "commit", "-q", "-m", "weights in LFS")
    filters = ["-c", f"filter.lfs.smudge=cat {pathlib.Path(weights).resolve()}"] if fixed else []
    git(*filters, "clone", "-q", str(upstream), "clone")
    path = pathlib.Path("clone") / weights
    print(f"{path.stat().st_size} bytes, begins with {path.read_bytes()[:8]!r}", flush=True)
    return path


def torch_load(fixed: bool) -> None:
    """torch.load as it is since 2.6. Fix: the filter puts the file in place of the pointer."""
    torch.save({"weights": torch.ones(1024)}, "model.pt")
    print("loaded", list(torch.load(clone("model.pt", fixed))))


def unrestricted(fixed: bool) -> None:
    """torch.load with weights_only=False, the default before 2.6. Fix: as above."""
    torch.save({"weights": torch.ones(1024)}, "model.pt")
    print("loaded", list(torch.load(clone("model.pt", fixed), weights_only=False)))


def safetensors(fixed: bool) -> None:
    """safetensors takes the text for the length of a header. Fix: as above."""
    cases.needs("safetensors")
    from safetensors.torch import load_file, save_file

    save_file({"weights": torch.ones(1024)}, "model.safetensors")
    print("loaded", list(load_file(clone("model.safetensors", fixed))))


CASES = {
    "torch": cases.Case(torch_load, "Unsupported operand 118", "loaded ['weights']"),
    "unrestricted": cases.Case(unrestricted, "invalid load key, 'v'", "loaded ['weights']"),
    "safetensors": cases.Case(safetensors, "header too large", "loaded ['weights']", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
