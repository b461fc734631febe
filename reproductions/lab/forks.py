"""Ranks that are forks of the case, which has loaded torch once for all of them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import NoReturn, TextIO

from lab.cases import clean, leave
from lab.ranks import settings

TORCH = ("torch.distributed",)
"""What ranks load at least."""
DDP = (*TORCH, "torch._dynamo")
"""What the constructor of DistributedDataParallel loads, which takes seconds."""


def ranks(
    work: Callable[[], None], size: int = 2, seconds: int = 120, load: Sequence[str] = TORCH, **variables: str
) -> str:
    """Do some work on several ranks with RANK, WORLD_SIZE and the like set; print what they said and return it."""
    for module in load:
        importlib.import_module(module)
    sys.stdout.flush()
    logs, children = [], []
    for number in range(size):
        log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - shared with the fork
        child = os.fork()
        if child == 0:
            _become(work, log, seconds, {**settings(number, size), **variables})
        logs.append(log)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    said = "\n".join(f"--- rank {number}\n{_read(log)}" for number, log in enumerate(logs))
    print(said, flush=True)
    return said


def _become(work: Callable[[], None], log: TextIO, seconds: int, variables: dict[str, str]) -> NoReturn:
    """Be a rank: an error ends it as it ends a script, with its traceback."""
    for stream in (1, 2):
        os.dup2(log.fileno(), stream)
    os.environ.update(variables)
    signal.alarm(seconds)
    code = 0
    try:
        work()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    leave(code)


def _read(log: TextIO) -> str:
    with log:
        log.seek(0)
        return clean(log.read())
