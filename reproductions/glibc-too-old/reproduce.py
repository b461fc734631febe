#!/usr/bin/env python3
"""Import a module, and install a wheel, that were built on a system with a newer glibc. Seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is import
exit:  0 the expected outcome was seen, 1 it was not, 77 gcc, Python.h, pip or glibc itself is missing

The newer system is imitated: the linker is shown a libc.so.6 that is two releases newer than that of this machine.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

MODULE = """#include <Python.h>
extern long __isoc23_strtol(const char *, char **, int);
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "example", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_example(void) {
#ifdef NEWER
    __isoc23_strtol("1", NULL, 10);
#endif
    return PyModule_Create(&module);
}
"""


def newer() -> str:
    """The release of glibc that the module is built for, two after that of this machine."""
    name, version = platform.libc_ver()
    if name != "glibc":
        cases.cannot("this system has no glibc")
    major, minor = version.split(".")[:2]
    return f"{major}.{int(minor) + 2}"


def module(fixed: bool) -> None:
    """The module needs a newer glibc. Fix: build it on this system."""
    if shutil.which("gcc") is None or not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        cases.cannot("gcc or Python.h is missing")
    shared = ["gcc", "-shared", "-fPIC", "-nostdlib", "-I" + sysconfig.get_path("include")]
    pathlib.Path("newer").mkdir()
    pathlib.Path("versions").write_text(f"GLIBC_{newer()} {{ __isoc23_strtol; }};\n", "ascii")
    pathlib.Path("libc.c").write_text("long __isoc23_strtol(const char *a, char **b, int c) { return 0; }\n", "ascii")
    script = "-Wl,-soname=libc.so.6,--version-script=versions"
    subprocess.run([*shared, "libc.c", script, "-o", "newer/libc.so.6"], check=True)
    pathlib.Path("example.c").write_text(MODULE, "ascii")
    against = ["-lc"] if fixed else ["-DNEWER", "newer/libc.so.6"]
    subprocess.run([*shared, "example.c", "-o", "example.so", *against], check=True)
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "import example; print('imported', example.__name__)"], check=False)


def wheel(fixed: bool) -> None:
    """pip is given a wheel for a newer glibc. Fix: the one for an older."""
    cases.needs("pip")
    tag = "2_17" if fixed else newer().replace(".", "_")
    tags = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    file = f"example-1.0-{tags}-{tags}-manylinux_{tag}_{platform.machine()}.whl"
    texts = {
        "example.py": "",
        "example-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: example\nVersion: 1.0\n",
        "example-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n",
        "example-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    venv.create("env")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    words = [sys.executable, "-m", "pip", "--python", "env/bin/python", "install", "--no-index", file]
    sys.stdout.flush()
    subprocess.run(words, env={**ours, "PIP_CONFIG_FILE": os.devnull}, check=False)


CASES = {
    "import": cases.Case(module, "not found (required by ", "imported example"),
    # pip says the same of a wheel for another Python.
    "wheel": cases.Case(
        wheel, "is not a supported wheel on this platform", "Successfully installed example-1.0", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
