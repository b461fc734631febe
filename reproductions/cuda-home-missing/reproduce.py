#!/usr/bin/env python3
"""Build the CUDA part of an extension with a PyTorch that knows no CUDA toolkit. One process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is setup
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or a C++ compiler is missing, or torch has CUDA
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "setuptools")

SOURCE = "example.cpp"


def prepare() -> None:
    """Write a source that needs no toolkit, and stop where a toolkit may be found."""
    import torch

    if torch.version.cuda or torch.version.hip:
        cases.cannot("this build of torch has CUDA or ROCm")
    for program in ("ninja", "c++"):
        if shutil.which(program) is None:
            cases.cannot(f"{program} is missing")
    print("torch", torch.__version__, "built with CUDA", torch.version.cuda, flush=True)
    pathlib.Path(SOURCE).write_text('extern "C" int one() { return 1; }\n', "ascii")


def build(fixed: bool) -> None:
    """Build as a setup.py does."""
    from setuptools import setup
    from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

    extension = (CppExtension if fixed else CUDAExtension)("example", [SOURCE])
    setup(
        name="example",
        ext_modules=[extension],
        cmdclass={"build_ext": BuildExtension},
        script_args=["--quiet", "build_ext", "--inplace"],
    )
    print("built", *pathlib.Path().glob("example*.so"), flush=True)


def setup_script(fixed: bool) -> None:
    """A setup.py with a CUDAExtension. Fix: without CUDA, a CppExtension."""
    prepare()
    build(fixed)


def variable_set(fixed: bool) -> None:
    """The same with CUDA_HOME set, which a build for CPUs does not read. Fix: as before."""
    os.environ["CUDA_HOME"] = "/usr/local/cuda"
    prepare()
    build(fixed)


def load(fixed: bool) -> None:
    """Compile in the job. Fix: leave the part for CUDA out."""
    prepare()
    from torch.utils.cpp_extension import load

    load("example", [SOURCE], with_cuda=not fixed, is_python_module=False)
    print("built example.so", flush=True)


MESSAGE = "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root."
CASES = {
    "setup": cases.Case(setup_script, MESSAGE, "built example"),
    "variable-set": cases.Case(variable_set, MESSAGE, "built example"),
    "load": cases.Case(load, MESSAGE, "built example"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
