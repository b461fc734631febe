#!/usr/bin/env python3
"""Put files beside a training script that have the names of modules. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is own-name
exit:  0 the expected outcome was seen, 1 it was not, 77 a library or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "datasets")


def write(path: str, text: str) -> str:
    """Write a file of the project, and give its name."""
    file = pathlib.Path("project", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return path


def python(*words: str) -> None:
    """Run Python in the folder of the project."""
    subprocess.run([sys.executable, *words], cwd="project", check=False)


def own_name(fixed: bool) -> None:
    """The script itself has the name of a library. Fix: another name."""
    python(write("try_torch.py" if fixed else "torch.py", "import torch\nprint('made', torch.ones(1).shape)\n"))


def standard(fixed: bool) -> None:
    """A helper file has the name of a standard module that torch imports. Fix: another name."""
    write("draws.py" if fixed else "random.py", "def draw(): return 4\n")
    python(write("train.py", "import torch\nprint('made', torch.ones(1).shape)\n"))


def folder(fixed: bool) -> None:
    """The project has a package of the name of a library. Fix: another name."""
    write("corpora/__init__.py" if fixed else "datasets/__init__.py", "")
    python(write("train.py", "from datasets import load_dataset\nprint('made', load_dataset.__name__)\n"))


def launcher(fixed: bool) -> None:
    """The launcher is started with -m, and finds a file of the working directory. Fix: another name."""
    write("log_setup.py" if fixed else "logging.py", "LEVEL = 'info'\n")
    write("train.py", "import torch\nprint('made', torch.ones(1).shape, flush=True)\n")
    python("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", "train.py")


def old_cache(fixed: bool) -> None:
    """The file is renamed, but its compiled form stays in __pycache__, and that does no harm."""
    write("random.py", "def draw(): return 4\n")
    python("-B", "-c", "import py_compile; print('cached', py_compile.compile('random.py'))")
    if fixed:
        pathlib.Path("project/random.py").rename("project/draws.py")
    python(write("train.py", "import torch\nprint('made', torch.ones(1).shape)\n"))


CASES = {
    "own-name": cases.Case(own_name, "partially initialized module 'torch' has no attribute 'ones'", "made torch.Size"),
    "standard": cases.Case(standard, "cannot import name 'Random' from 'random'", "made torch.Size"),
    "folder": cases.Case(folder, "cannot import name 'load_dataset' from 'datasets'", "made load_dataset"),
    "launcher": cases.Case(launcher, "module 'logging' has no attribute 'getLogger'", "made torch.Size"),
    "old-cache": cases.Case(old_cache, "cannot import name 'Random' from 'random'", "made torch.Size"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
