#!/usr/bin/env python3
"""Let Triton compile for a GPU whose architecture its ptxas does not know. No GPU is needed; seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is newer-gpu
exit:  0 the expected outcome was seen, 1 it was not, 77 Triton 3.6 or the ptxas of CUDA 13 is missing
"""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("triton")

KERNEL = """import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add_one(x, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < size) + 1, mask=at < size)

signature = {"x": "*fp32", "size": "i32", "BLOCK": "constexpr"}
source = ASTSource(fn=add_one, signature=signature, constexprs={"BLOCK": 128})
compiled = triton.compile(source, target=GPUTarget("cuda", int(sys.argv[1]), 32))
print("compiled for", sys.argv[1], len(compiled.asm["cubin"]) > 0)
"""


def toolkit() -> str:
    """The ptxas of a CUDA toolkit 13, which knows sm_110 and has dropped sm_70."""
    path = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    try:
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    except OSError:
        cases.cannot("there is no CUDA toolkit")
    if "release 13." not in version:
        cases.cannot(f"{path} is not of CUDA 13")
    return path


def compile_for(capability: str, **variables: str) -> None:
    """Compile a kernel, as the first launch on such a GPU does."""
    if not importlib.metadata.version("triton").startswith("3.6."):
        cases.cannot("Triton is not 3.6, whose ptxas are those of CUDA 12.8 and 12.9")
    pathlib.Path("kernel.py").write_text(KERNEL, "ascii")
    variables |= {"TRITON_CACHE_DIR": str(pathlib.Path("cache").resolve())}
    sys.stdout.flush()
    subprocess.run([sys.executable, "kernel.py", capability], env={**os.environ, **variables}, check=False)


def newer_gpu(fixed: bool) -> None:
    """A Thor, 11.0, and the ptxas of CUDA 12.9. Fix: that of the toolkit, by the variable for Blackwell."""
    newer = {"TRITON_PTXAS_BLACKWELL_PATH": toolkit()}
    compile_for("110", **(newer if fixed else {}))


def other_variable(fixed: bool) -> None:
    """The same with the variable of older Tritons, which is not read for this GPU. Fix: the other name."""
    compile_for("110", **{"TRITON_PTXAS_BLACKWELL_PATH" if fixed else "TRITON_PTXAS_PATH": toolkit()})


def older_gpu(fixed: bool) -> None:
    """A V100, 7.0, and a ptxas that has dropped it. Fix: that of Triton."""
    newer = {"TRITON_PTXAS_PATH": toolkit()}
    compile_for("70", **({} if fixed else newer))


CASES = {
    "newer-gpu": cases.Case(newer_gpu, "Value 'sm_110a' is not defined for option 'gpu-name'", "compiled for 110 True"),
    "other-variable": cases.Case(
        other_variable, "Value 'sm_110a' is not defined for option 'gpu-name'", "compiled for 110 True"
    ),
    "older-gpu": cases.Case(older_gpu, "Value 'sm_70' is not defined for option 'gpu-name'", "compiled for 70 True"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
