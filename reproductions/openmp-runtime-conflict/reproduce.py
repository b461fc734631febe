#!/usr/bin/env python3
"""Load two copies of Intel's OpenMP runtime into one process, as two packages do that each bring their own.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default uses both copies
exit:  0 the expected outcome was seen, 1 it was not, 77 unprivileged user namespaces or libiomp5.so are missing
       (`pip install intel-openmp==2021.4.0`; newer releases depend on more packages)
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

THREADS = 4
RUNTIMES = r"lib(iomp5|omp|gomp)[^/]*\.so"


def runtime() -> pathlib.Path:
    """Where this environment has libiomp5.so."""
    found = pathlib.Path(sys.prefix, "lib", "libiomp5.so")
    if not found.exists():
        cases.cannot("libiomp5.so is missing; it comes with the package intel-openmp")
    return found


def packages(shared: bool) -> list[pathlib.Path]:
    """Two packages with a copy of the runtime each, or with a link to a common one."""
    made = []
    for package in ("numerics", "trees"):
        bundled = pathlib.Path(package, "lib", "libiomp5.so").absolute()
        bundled.parent.mkdir(parents=True)
        if shared:
            bundled.symlink_to(runtime())
        else:
            shutil.copy(runtime(), bundled)
        made.append(bundled)
    return made


def compute() -> None:
    """Run a parallel region with the runtime of each package, then say how many threads there are."""
    free = ctypes.cast(ctypes.CDLL(None).free, ctypes.c_void_p)
    for path in os.environ["RUNTIMES"].split(":"):
        library = ctypes.CDLL(path)
        print("runtime of", pathlib.Path(path).parts[-3], flush=True)
        library.GOMP_parallel(free, None, THREADS, 0)
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    loaded = {line.split()[-1] for line in maps.splitlines() if re.search(RUNTIMES, line)}
    print(*sorted(loaded), sep="\n")
    print(len(loaded), "runtimes,", len(os.listdir("/proc/self/task")), "threads", flush=True)


def run(shared: bool, **variables: str) -> None:
    """Run `compute` in a process of its own, and print what it said."""
    paths = ":".join(map(str, packages(shared)))
    job = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--role", "compute"],
        env={**os.environ, "RUNTIMES": paths, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    print(job.stdout, f"exit code {job.returncode}", sep="", flush=True)


def two_copies(fixed: bool) -> None:
    """Both packages bring the runtime. Fix: one copy for both."""
    run(shared=fixed)


def allowed(fixed: bool) -> None:
    """The check is switched off: both runtimes keep threads of their own. Fix: one copy for both."""
    run(shared=fixed, KMP_DUPLICATE_LIB_OK="TRUE")


CASES = {
    "two-copies": cases.Case(
        two_copies,
        "OMP: Error #15: Initializing libiomp5.so, but found libiomp5.so already initialized.",
        f"1 runtimes, {THREADS} threads",
    ),
    "allowed": cases.Case(
        allowed, f"2 runtimes, {2 * THREADS - 1} threads", f"1 runtimes, {THREADS} threads", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"compute": compute}))
