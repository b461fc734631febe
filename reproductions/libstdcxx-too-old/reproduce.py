#!/usr/bin/env python3
"""Import a module that needs a newer libstdc++ than the one that the loader finds first. Seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is path
exit:  0 the expected outcome was seen, 1 it was not, 77 g++ 12 or newer, or Python.h is missing

The old libstdc++ is imitated: a library of that name which offers the versions up to 3.4.25, as that of GCC 8 does.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

# Since GCC 12 the wait of a condition variable has the version GLIBCXX_3.4.30.
MODULE = """#include <Python.h>
#include <condition_variable>
#include <mutex>
void wait(std::condition_variable &ready, std::mutex &mutex) {
    std::unique_lock<std::mutex> lock(mutex);
    ready.wait(lock);
}
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "NAME", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit_NAME() { return PyModule_Create(&module); }
"""
# A module in C that only asks for the library.
PLAIN = """#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "NAME", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_NAME(void) { return PyModule_Create(&module); }
"""


def compiled(*arguments: str) -> None:
    """Compile a shared library, against the headers of this Python."""
    subprocess.run(["g++", "-shared", "-fPIC", "-I" + sysconfig.get_path("include"), *arguments], check=True)


def build() -> None:
    """The module, and a directory with an old libstdc++."""
    if shutil.which("g++") is None or not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        cases.cannot("g++ or Python.h is missing")
    pathlib.Path("newer.cpp").write_text(MODULE.replace("NAME", "newer"), "ascii")
    compiled("-o", "newer.so", "newer.cpp")
    if b"GLIBCXX_3.4.30" not in pathlib.Path("newer.so").read_bytes():
        cases.cannot("g++ is older than 12")
    pathlib.Path("old").mkdir()
    names = ["GLIBCXX_3.4", *(f"GLIBCXX_3.4.{number}" for number in range(1, 26))]
    names += ["CXXABI_1.3", *(f"CXXABI_1.3.{number}" for number in range(1, 12))]
    pathlib.Path("versions").write_text("".join(f"{name} {{}};\n" for name in names), "ascii")
    pathlib.Path("old.c").write_text("", "ascii")
    script = "-Wl,-soname=libstdc++.so.6,--version-script=versions"
    compiled("-nostdlib", "-xc", "old.c", script, "-oold/libstdc++.so.6")


def python(statements: str, **variables: str) -> None:
    """Run these statements in a Python of their own."""
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", statements], env={**os.environ, **variables}, check=False)


def path(fixed: bool) -> None:
    """LD_LIBRARY_PATH begins with a directory that has an old libstdc++. Fix: without that directory."""
    build()
    python("import newer; print('imported', newer.__name__)", **({} if fixed else {"LD_LIBRARY_PATH": "old"}))


def first(fixed: bool) -> None:
    """A module that was imported before has loaded the old libstdc++. Fix: import the other first."""
    build()
    pathlib.Path("older.c").write_text(PLAIN.replace("NAME", "older"), "ascii")
    compiled("-xc", "older.c", "-o", "older.so", "-Wl,--no-as-needed,-rpath,$ORIGIN/old", "-lstdc++")
    order = "newer, older" if fixed else "older, newer"
    python(f"import {order}; print('imported', newer.__name__)")


CASES = {
    "path": cases.Case(path, "version `GLIBCXX_3.4.30' not found", "imported newer"),
    "first": cases.Case(first, "version `GLIBCXX_3.4.30' not found", "imported newer"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
