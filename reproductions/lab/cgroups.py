"""Cgroups of a case's own. They are no namespace's, so that a keeper removes them, however the script ends."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

NAME = "LAB_CGROUP"
"""The variable with the name of the cgroup, the same below each parent."""


@contextlib.contextmanager
def kept(parents: Sequence[str]) -> Iterator[None]:
    """Around `cases.main`: the cgroups that a case makes with `path` below these parents are removed at its end."""
    if {"--inside", "--role", "--list"} & set(sys.argv):
        yield
        return
    os.environ[NAME] = f"faultbook-lab-{os.getpid()}"
    groups = [f"{parent}/{os.environ[NAME]}" for parent in parents]
    # It learns of the end of this process by the end of its standard input, also after SIGKILL.
    keeper = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), *groups], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        yield
    finally:
        keeper.communicate(timeout=30)


def path(parent: str) -> pathlib.Path:
    """Where the cgroup of this run is, or may be made."""
    return pathlib.Path(parent, os.environ[NAME])


def remove(group: pathlib.Path) -> None:
    """End what is left in a cgroup, and remove it."""
    while group.is_dir():
        for pid in (group / "cgroup.procs").read_text("ascii").split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        # It is busy for a moment after its last process has ended.
        with contextlib.suppress(OSError):
            group.rmdir()
        time.sleep(0.1)


if __name__ == "__main__":
    sys.stdin.read()
    for argument in sys.argv[1:]:
        remove(pathlib.Path(argument))
