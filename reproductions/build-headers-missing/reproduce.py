#!/usr/bin/env python3
"""Compile on a machine that lacks a header file. One process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is load
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, setuptools, ninja, a compiler or Python.h is missing
"""

from __future__ import annotations

import pathlib
import shutil
import sys
import sysconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, machine

cases.needs("torch", "setuptools")

HEADERS = sysconfig.get_path("include")
MODULE = """#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "example", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit_example() { return PyModule_Create(&module); }
"""
KERNEL = """#include <example_kernels/api.h>
extern "C" int one() { return ONE; }
"""


def prepare(fixed: bool) -> None:
    """Stop where nothing can be compiled; without the fix, hide the header files of Python."""
    for program in ("ninja", "c++"):
        if shutil.which(program) is None:
            cases.cannot(f"{program} is missing")
    if not pathlib.Path(HEADERS, "Python.h").exists():
        cases.cannot("Python.h is missing")
    if not fixed:
        machine.tmpfs(HEADERS)


def load(fixed: bool) -> None:
    """Compile an extension in the job without the headers of Python. Fix: they are there."""
    prepare(fixed)
    from torch.utils.cpp_extension import load

    pathlib.Path("example.cpp").write_text(MODULE, "ascii")
    print("built", load("example", ["example.cpp"]).__name__, flush=True)


def submodule(fixed: bool) -> None:
    """A directory of headers that the compiler was not told. Fix: name it."""
    prepare(True)
    from torch.utils.cpp_extension import load

    headers = pathlib.Path("third_party/example_kernels")
    headers.mkdir(parents=True)
    (headers / "api.h").write_text("#define ONE 1\n", "ascii")
    pathlib.Path("example.cpp").write_text(KERNEL, "ascii")
    directories = [str(headers.parent.absolute())] if fixed else []
    load("example", ["example.cpp"], extra_include_paths=directories, is_python_module=False)
    print("built example.so", flush=True)


CASES = {
    "load": cases.Case(load, "fatal error: Python.h: No such file or directory", "built example"),
    "include-path": cases.Case(
        submodule, "fatal error: example_kernels/api.h: No such file or directory", "built example"
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
