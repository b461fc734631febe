#!/usr/bin/env python3
"""Run scripts in environments that lack a package, or have too old a one. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is trainer
exit:  0 the expected outcome was seen, 1 it was not, 77 a library or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import sysconfig
import venv

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "transformers", "accelerate", "PIL", "tqdm")

SITE = pathlib.Path("env", "lib", f"python{sysconfig.get_python_version()}", "site-packages")


def environment(*without: str) -> None:
    """Make an environment with the packages of this one, apart from what begins with these names."""
    venv.create("env")
    for item in pathlib.Path(sysconfig.get_path("purelib")).iterdir():
        if not item.name.lower().startswith(without):
            (SITE / item.name).symlink_to(item)


def run(script: str) -> None:
    """Run a script with the Python of that environment."""
    pathlib.Path("train.py").write_text(script)
    subprocess.run(["env/bin/python", "train.py"], check=False)


def trainer(fixed: bool) -> None:
    """The Trainer needs accelerate, which Transformers alone does not bring. Fix: install it."""
    environment(*(() if fixed else ("accelerate",)))
    run("from transformers import TrainingArguments\nprint('made', TrainingArguments('out').device)\n")


def module(fixed: bool) -> None:
    """The script runs with another Python than the one that has the packages. Fix: the one that has them."""
    if fixed:
        environment()
    else:
        venv.create("env")
    run("import torch\nprint('made', torch.ones(1).device)\n")


def backend(fixed: bool) -> None:
    """A class needs a library that is optional for Transformers. Fix: install it."""
    environment(*(() if fixed else ("pil", "pillow")))
    run(
        "from transformers import AutoImageProcessor, ViTImageProcessorPil\n"
        "print('made', type(ViTImageProcessorPil()).__name__)\n"
    )


def outdated(fixed: bool) -> None:
    """The metadata of a package tell an older version than Transformers takes. Fix: a newer version."""
    environment(*(() if fixed else ("tqdm-",)))
    if not fixed:
        older = SITE / "tqdm-4.50.0.dist-info"
        older.mkdir()
        (older / "METADATA").write_text("Metadata-Version: 2.1\nName: tqdm\nVersion: 4.50.0\n")
    run("import transformers\nprint('made', transformers.__name__)\n")


CASES = {
    "trainer": cases.Case(trainer, "Using the `Trainer` with `PyTorch` requires `accelerate>=", "made cpu"),
    "module": cases.Case(module, "ModuleNotFoundError: No module named 'torch'", "made cpu"),
    "backend": cases.Case(backend, "requires the PIL library but it was not found", "made ViTImageProcessorPil"),
    "outdated": cases.Case(
        outdated, "is required for a normal functioning of this module, but found tqdm==4.50.0", "made transformers"
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
