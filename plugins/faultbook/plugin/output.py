"""What happens to the built files: scripts that pages may run, and the place that the new site takes."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_HASHES = "@inline-script-hashes@"
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@cache
def _script_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def with_script_hashes(page: str, content: str = "") -> str:
    """The page with the hashes of its inline scripts in its Content-Security-Policy, without those of the content."""
    head, mark, rest = page.partition(_HASHES)
    if not mark:
        return page
    # Content is escaped and has none; to cut it out of the page costs as much as all else here.
    frame = page.replace(content, "", 1) if "<script>" in content else page
    hashes = dict.fromkeys(_script_hash(script) for script in _INLINE_SCRIPT.findall(frame))
    return f"{head}{' '.join(hashes)}{rest}"


def progress(total: int) -> Callable[[], None]:
    """Counts pages on a terminal; silent elsewhere."""
    if not sys.stderr.isatty():
        return lambda: None
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if done % 50 == 0 or done == total:
            print(f"\r{done} of {total} pages", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return step


def write_file(folder: str, address: str, content: str | bytes) -> None:
    """Write a file of the site that MkDocs does not know."""
    path = f"{folder}/{address}"
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    try:
        _write(path, data)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(path, data)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb", buffering=0) as file:
        file.write(data)


def beside(final: Path) -> Path:
    """Where the new site is built."""
    return final.with_name(f".{final.name}.building")


def swap(new: Path, final: Path) -> None:
    """Put the new site into the place of the old one, keeping hidden files of the old one such as ``.gitignore``."""
    old = final.with_name(f".{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        for path in final.iterdir():
            if path.name.startswith(".") and not (new / path.name).exists():
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, new / path.name)
        final.rename(old)
    new.rename(final)
    shutil.rmtree(old, ignore_errors=True)
