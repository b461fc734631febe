#!/usr/bin/env python3
"""Load a compiled extension that was built for another binary interface than that of PyTorch. Seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is import
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, setuptools, ninja, c++ or Python.h is missing
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import sysconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "setuptools")

SOURCE = "example.cpp"
# It hands a std::string to PyTorch, whose name differs between the two binary interfaces of libstdc++.
CHECK = """#include <Python.h>
#include <c10/util/Exception.h>
#include <string>
void check(int size) { TORCH_CHECK(size > 0, std::string("empty")); }
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "example", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit_example() { check(1); return PyModule_Create(&module); }
"""


def flags(fixed: bool) -> list[str]:
    """Write the source; what it is compiled with, the other interface without the fix."""
    import torch

    for program in ("ninja", "c++"):
        if shutil.which(program) is None:
            cases.cannot(f"{program} is missing")
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        cases.cannot("Python.h is missing")
    pathlib.Path(SOURCE).write_text(CHECK, "ascii")
    own = int(torch.compiled_with_cxx11_abi())
    print("torch", torch.__version__, "has _GLIBCXX_USE_CXX11_ABI", own, flush=True)
    return [f"-D_GLIBCXX_USE_CXX11_ABI={own if fixed else 1 - own}"]


def imported(fixed: bool) -> None:
    """A module that was built with the other ABI of std::string. Fix: with that of PyTorch."""
    chosen = flags(fixed)
    from torch.utils.cpp_extension import load

    print("loaded", load("example", [SOURCE], extra_cflags=chosen).__name__, flush=True)


def library(fixed: bool) -> None:
    """The same as a library of operators. Fix: as before."""
    chosen = flags(fixed)
    from torch.utils.cpp_extension import load

    load("example", [SOURCE], extra_cflags=chosen, is_python_module=False)
    print("loaded example", flush=True)


def torch_first(fixed: bool) -> None:
    """A module that fits, imported before torch. Fix: import torch first."""
    chosen = flags(True)
    from torch.utils.cpp_extension import load

    module = load("example", [SOURCE], extra_cflags=chosen)
    statements = ["import torch"] if fixed else []
    job = "; ".join([*statements, "import example", "print('loaded', example.__name__)"])
    directory = pathlib.Path(str(module.__file__)).parent
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", job], cwd=directory, check=False)


CASES = {
    "import": cases.Case(imported, "undefined symbol: _ZN3c10", "loaded example"),
    "library": cases.Case(library, "undefined symbol: _ZN3c10", "loaded example"),
    "torch-first": cases.Case(torch_first, "ImportError: libc10.so: cannot open shared object file", "loaded example"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
