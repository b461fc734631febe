#!/usr/bin/env python3
"""Interrupt torch.save, then resume from what it left. One CPU process at a time, about ten seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, safetensors or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.needs("torch")

FULL = 128 * 2**20
FOLDER = pathlib.Path("checkpoints")
TARGET = FOLDER / "last.pt"
LOADED = "resumed at step"
State = dict[str, Any]


def save_in_place(state: State) -> None:
    """What most training scripts do: the old checkpoint is gone as soon as the write begins."""
    import torch

    torch.save(state, TARGET)


def save_atomic(state: State) -> None:
    """Write beside the target, flush, rename: the name always points to a complete file."""
    import torch

    partial = f"{TARGET}.tmp"
    with open(partial, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, TARGET)
    folder = os.open(FOLDER, os.O_RDONLY)
    os.fsync(folder)  # makes the rename itself durable
    os.close(folder)


def train() -> None:
    """Save a growing step number for ever."""
    import torch

    state: State = {"weights": torch.ones(FULL // 4), "step": 0}
    save = save_atomic if cases.fixed() else save_in_place
    while True:
        state["step"] += 1
        save(state)
        print("saved step", state["step"], flush=True)


def resume() -> None:
    """Load the checkpoint as a restarted job would, so that the traceback is the real one."""
    import torch

    try:
        torch.load(TARGET, weights_only=False)
    except Exception as error:
        print(f"with weights_only=False: {type(error).__name__}: {str(error)[:80]}", flush=True)
    state = torch.load(TARGET)
    print(LOADED, state["step"])


def restart() -> None:
    """Resume from the checkpoint in a process of its own, and test it as a zip archive."""
    ranks.report(resume=ranks.start(ranks.again(__file__, "resume")))
    try:
        broken = zipfile.ZipFile(TARGET).testzip()
        print("zip test:", f"bad CRC in {broken}" if broken else "good")
    except zipfile.BadZipFile as error:
        print("zip test:", error)


def half_saved() -> bool:
    """Whether a file of the folder is half written."""
    return any(0.2 * FULL < file.stat().st_size < 0.8 * FULL for file in FOLDER.iterdir() if file.exists())


def interrupted(sig: signal.Signals) -> None:
    """End the process while a save after the first one is half done."""
    FOLDER.mkdir()
    writer = subprocess.Popen(ranks.again(__file__, "train"), stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    print(writer.stdout.readline().strip())
    end = time.monotonic() + 60
    while not half_saved() and time.monotonic() < end:
        pass
    writer.send_signal(sig)
    writer.wait(timeout=30)
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.name}: {file.stat().st_size} bytes, complete would be about {FULL}")
    restart()


def killed(_: bool) -> None:
    """The process is killed in the middle of a save. Fix: write beside the target, and rename."""
    interrupted(signal.SIGKILL)


def terminated(_: bool) -> None:
    """The same with SIGTERM, which ends a Python process that has no handler. Fix: as above."""
    interrupted(signal.SIGTERM)


def disk_full(fixed: bool) -> None:
    """The second save runs into a size limit, as a full disk would stop it. Fix: as above."""
    import torch

    FOLDER.mkdir()
    state: State = {"weights": torch.ones(FULL // 4), "step": 1}
    save = save_atomic if fixed else save_in_place
    save(state)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL // 2, allowed[1]))
    try:
        save(state)
    except (RuntimeError, OSError) as error:
        print(f"save failed: {type(error).__name__}: {str(error).splitlines()[0]}")
    resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    restart()


def hole(data: bytes) -> bytes:
    """4 KiB of zeros inside the tensor data: the length and the directory stay right."""
    middle = len(data) // 2
    return data[:middle] + bytes(4096) + data[middle + 4096 :]


def no_crc(fixed: bool) -> None:
    """A sound file that was saved without checksums: torch.load reads it, a zip test does not. Fix: with them."""
    import torch

    FOLDER.mkdir()
    torch.serialization.set_crc32_options(fixed)
    torch.save({"weights": torch.ones(2**20), "step": 1}, TARGET)
    restart()


def load_safetensors() -> None:
    """Load the file as a restarted job would."""
    from safetensors.torch import load_file

    load_file("model.safetensors")
    print(LOADED, 1)


def safetensors_cut(fixed: bool) -> None:
    """A safetensors file is cut off. Fix: the whole file."""
    cases.needs("safetensors")
    import torch
    from safetensors.torch import save_file

    path = pathlib.Path("model.safetensors")
    save_file({"weights": torch.ones(2**20)}, path)
    if not fixed:
        path.write_bytes(path.read_bytes()[: 2**20])
    ranks.report(resume=ranks.start(ranks.again(__file__, "load-safetensors")))


def damaged(
    about: str, content: Callable[[bytes], bytes], broken: str, legacy: bool = False, diagnosed: bool = True
) -> cases.Case:
    """The case in which the bytes of a checkpoint are replaced by content(bytes)."""

    def play(fixed: bool) -> None:
        import torch

        FOLDER.mkdir()
        state = {"weights": torch.ones(2**20), "step": 1}
        torch.save(state, TARGET, _use_new_zipfile_serialization=not legacy)
        if not fixed:
            TARGET.write_bytes(content(TARGET.read_bytes()))
        restart()

    play.__doc__ = f"{about} Fix: the whole file."
    return cases.Case(play, broken, LOADED, diagnosed)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a2146" * 8 + b"\nsize 134217728\n"
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
CUT = "failed finding central directory"
TAR = "files saved in the legacy .tar format"
CASES = {
    "killed": cases.Case(killed, CUT, LOADED),
    "terminated": cases.Case(terminated, CUT, LOADED),
    "disk-full": cases.Case(disk_full, CUT, LOADED),
    "empty": damaged("The file is empty.", lambda data: b"", "EOFError"),
    "legacy": damaged(
        "The old format is cut off.", lambda data: data[:-8], "unexpected EOF, expected 8 more bytes", legacy=True
    ),
    "zeros": damaged("All bytes are zero.", lambda data: bytes(len(data)), TAR),
    "hole": damaged("Zeros inside the data of a tensor load without a word.", hole, "bad CRC", diagnosed=False),
    "no-crc": cases.Case(no_crc, "bad CRC", LOADED, diagnosed=False),
    "safetensors": cases.Case(safetensors_cut, "Error while deserializing header", LOADED),
    "lfs-pointer": damaged(
        "The file is a pointer of Git LFS.", lambda data: POINTER, "Unsupported operand 118", diagnosed=False
    ),
    "html-page": damaged("The file is a web page.", lambda data: PAGE, "Unsupported operand 60", diagnosed=False),
}
ROLES = {"train": train, "resume": resume, "load-safetensors": load_safetensors}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
