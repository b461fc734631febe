"""Limits and file systems of the machine, as one case sees them."""

from __future__ import annotations

import pathlib
import resource
import subprocess


def tmpfs(path: str, size: str = "8m", inodes: int | None = None, options: str = "") -> pathlib.Path:
    """Mount a small file system in memory, for this mount namespace only.

    Args:
        path: where; made if it is missing.
        size: as mount takes it, at most 2g.
        inodes: how many files and directories fit, or no limit.
        options: further mount options, such as `ro`.
    """
    target = pathlib.Path(path)
    target.mkdir(parents=True, exist_ok=True)
    wanted = [f"size={size}", *([f"nr_inodes={inodes}"] if inodes else []), *([options] if options else [])]
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(wanted), "tmpfs", str(target)], check=True)
    return target


def limit(which: int, value: int) -> None:
    """Lower a limit of this process and what it starts (`resource.RLIMIT_...`); never raises it."""
    hard = resource.getrlimit(which)[1]
    lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (lowered, lowered))
