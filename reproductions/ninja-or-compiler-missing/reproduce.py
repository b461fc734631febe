#!/usr/bin/env python3
"""Let PyTorch compile on a machine whose PATH lacks ninja or a compiler. One process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is ninja
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, setuptools, ninja or a C++ compiler is missing
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "setuptools")

COMPILERS = r"(.*-)?(g\+\+|c\+\+|gcc|cc|clang|clang\+\+)(-[0-9.]+)?"
SOURCE = "example.cpp"


def prepare(hidden: str, fixed: bool) -> None:
    """Write a source; without the fix, leave programs out of PATH."""
    for program in ("ninja", "c++", "g++", "gcc"):
        if shutil.which(program) is None:
            cases.cannot(f"{program} is missing")
    pathlib.Path(SOURCE).write_text('extern "C" int one() { return 1; }\n', "ascii")
    if fixed:
        return
    links = pathlib.Path("bin").absolute()
    links.mkdir()
    for directory in os.environ["PATH"].split(os.pathsep):
        for program in pathlib.Path(directory).glob("*"):
            link = links / program.name
            if not re.fullmatch(hidden, program.name) and not link.is_symlink():
                link.symlink_to(program)
    os.environ["PATH"] = str(links)


def load() -> None:
    """Compile in the job, and load what was compiled."""
    from torch.utils.cpp_extension import load

    load("example", [SOURCE], is_python_module=False)
    print("built example.so", flush=True)


def no_ninja(fixed: bool) -> None:
    """Compile an extension in the job without ninja. Fix: ninja is in PATH."""
    prepare("ninja", fixed)
    load()


def no_compiler(fixed: bool) -> None:
    """The same without a C++ compiler. Fix: c++ is in PATH."""
    prepare(COMPILERS, fixed)
    load()


def setup_script(fixed: bool) -> None:
    """A setup.py without ninja and compiler. Fix: a compiler is in PATH, still no ninja."""
    prepare("ninja" if fixed else f"ninja|{COMPILERS}", False)
    from setuptools import setup
    from torch.utils.cpp_extension import BuildExtension, CppExtension

    setup(
        name="example",
        ext_modules=[CppExtension("example", [SOURCE])],
        cmdclass={"build_ext": BuildExtension},
        script_args=["--quiet", "build_ext", "--inplace"],
    )
    print("built", *pathlib.Path().glob("example*.so"), flush=True)


def inductor(fixed: bool) -> None:
    """torch.compile without a C++ compiler. Workaround: leave the compilation out."""
    prepare(COMPILERS, False)
    os.environ["TORCH_COMPILE_DISABLE"] = str(int(fixed))
    import torch

    step = torch.compile(lambda batch: batch.sin() + 1)
    print("trained", step(torch.ones(3)).shape, flush=True)


CASES = {
    "ninja": cases.Case(no_ninja, "RuntimeError: Ninja is required to load C++ extensions", "built example"),
    "compiler": cases.Case(no_compiler, "c++: not found", "built example"),
    "setup": cases.Case(setup_script, "No such file or directory: 'g++'", "built example"),
    "inductor": cases.Case(inductor, "InvalidCxxCompiler: No working C++ compiler found", "trained"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
