#!/usr/bin/env python3
"""Interrupt torch.save, then resume from what it left. One CPU process at a time, about ten seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch (or safetensors, for that case) is missing
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError:
    sys.exit(77)

FULL = 128 * 2**20
LOADED = "resumed at step"
State = dict[str, Any]
Case = Callable[[Path, bool], None]


def save_in_place(state: State, path: str) -> None:
    """What most training scripts do: the old checkpoint is gone as soon as the write begins."""
    torch.save(state, path)


def save_atomic(state: State, path: str) -> None:
    """Write beside the target, flush, rename: the name always points to a complete file."""
    partial = f"{path}.tmp"
    with open(partial, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)  # makes the rename itself durable
    os.close(folder)


def train(path: str, fixed: bool) -> None:
    """Save a growing step number for ever."""
    state: State = {"weights": torch.ones(FULL // 4), "step": 0}
    save = save_atomic if fixed else save_in_place
    while True:
        state["step"] += 1
        save(state, path)
        print("saved step", state["step"], flush=True)


def resume(path: Path) -> None:
    """Load the checkpoint as a restarted job would, so that the traceback is the real one."""
    try:
        torch.load(path, weights_only=False)
    except Exception as error:
        print(f"with weights_only=False: {type(error).__name__}: {str(error)[:80]}", flush=True)
    state = torch.load(path)
    print(LOADED, state["step"])


def child(*args: object) -> subprocess.Popen[str]:
    """This script with other arguments, in a process of its own."""
    return subprocess.Popen([sys.executable, __file__, *map(str, args)], stdout=subprocess.PIPE, text=True)


def killed(folder: Path, fixed: bool, sig: signal.Signals = signal.SIGKILL) -> None:
    """End the process while a save after the first one is half done."""
    writer = child("--train", folder, *["--fixed"] * fixed)
    assert writer.stdout
    print(writer.stdout.readline().strip())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        sizes = [file.stat().st_size for file in folder.iterdir() if file.exists()]
        if any(0.2 * FULL < size < 0.8 * FULL for size in sizes):
            break
    writer.send_signal(sig)
    writer.wait(timeout=30)
    for file in sorted(folder.iterdir()):
        print(f"{file.name}: {file.stat().st_size} bytes, complete would be about {FULL}")


def terminated(folder: Path, fixed: bool) -> None:
    """The same with SIGTERM, which ends a Python process that has no handler."""
    killed(folder, fixed, signal.SIGTERM)


def disk_full(folder: Path, fixed: bool) -> None:
    """Let the second save run into a size limit, as a full disk would stop it."""
    state: State = {"weights": torch.ones(FULL // 4), "step": 1}
    path = str(folder / "last.pt")
    save = save_atomic if fixed else save_in_place
    save(state, path)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL // 2, resource.RLIM_INFINITY))
    try:
        save(state, path)
    except (RuntimeError, OSError) as error:
        print(f"save failed: {type(error).__name__}: {str(error).splitlines()[0]}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def damage(content: Callable[[bytes], bytes], legacy: bool = False) -> Case:
    """A case that saves a checkpoint and replaces its bytes by content(bytes)."""

    def case(folder: Path, fixed: bool) -> None:
        path = folder / "last.pt"
        state = {"weights": torch.ones(2**20), "step": 1}
        torch.save(state, path, _use_new_zipfile_serialization=not legacy)
        if not fixed:
            path.write_bytes(content(path.read_bytes()))

    return case


def hole(data: bytes) -> bytes:
    """4 KiB of zeros inside the tensor data: the length and the directory stay right."""
    middle = len(data) // 2
    return data[:middle] + bytes(4096) + data[middle + 4096 :]


def no_crc(folder: Path, fixed: bool) -> None:
    """A sound file that was saved without checksums: torch.load reads it, a zip test does not."""
    torch.serialization.set_crc32_options(fixed)
    torch.save({"weights": torch.ones(2**20), "step": 1}, folder / "last.pt")


def safetensors_cut(folder: Path, fixed: bool) -> None:
    """The same cut on a safetensors file."""
    try:
        from safetensors.torch import load_file, save_file
    except ImportError:
        sys.exit(77)
    path = folder / "model.safetensors"
    save_file({"weights": torch.ones(2**20)}, path)
    if not fixed:
        path.write_bytes(path.read_bytes()[: 2**20])
    try:
        load_file(path)
        print(LOADED, 1)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a2146" * 8 + b"\nsize 134217728\n"
PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
CASES: dict[str, tuple[Case, str]] = {  # name: (function, seen without --fixed)
    "killed": (killed, "failed finding central directory"),
    "terminated": (terminated, "failed finding central directory"),
    "disk-full": (disk_full, "failed finding central directory"),
    "empty": (damage(lambda data: b""), "EOFError"),
    "legacy": (damage(lambda data: data[:-8], legacy=True), "unexpected EOF, expected 8 more bytes"),
    "zeros": (damage(lambda data: bytes(len(data))), "files saved in the legacy .tar format"),
    "hole": (damage(hole), "bad CRC"),
    "no-crc": (no_crc, "bad CRC"),
    "safetensors": (safetensors_cut, "Error while deserializing header"),
    "lfs-pointer": (damage(lambda data: POINTER), "Unsupported operand 118"),
    "html-page": (damage(lambda data: PAGE), "Unsupported operand 60"),
}


def attempt(name: str, fixed: bool, folder: str) -> tuple[int, str]:
    """Run one case in a folder and return its exit code and everything that it printed."""
    run = subprocess.run(
        [sys.executable, __file__, "--one", folder, "--case", name, *["--fixed"] * fixed],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )
    return run.returncode, run.stdout + run.stderr


def one(name: str, fixed: bool, folder: Path) -> None:
    """Bring about one case in the folder, then resume from the checkpoint and test it as a zip archive."""
    CASES[name][0](folder, fixed)
    if (folder / "last.pt").exists():
        loaded = subprocess.run(
            [sys.executable, __file__, "--resume", folder], check=False, capture_output=True, text=True
        )
        print(loaded.stdout + loaded.stderr)
        try:
            broken = zipfile.ZipFile(folder / "last.pt").testzip()
            print("zip test:", f"bad CRC in {broken}" if broken else "good")
        except zipfile.BadZipFile as error:
            print("zip test:", error)


def main() -> int:
    """Run one case in a temporary directory and look for the expected outcome in what it prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="killed")
    parser.add_argument("--fixed", action="store_true")
    for hidden in ("--train", "--resume", "--one"):
        parser.add_argument(hidden, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.train:
        train(str(args.train / "last.pt"), args.fixed)
    if args.resume:
        resume(args.resume / "last.pt")
        return 0
    if args.one:
        one(args.case, args.fixed, args.one)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        code, output = attempt(args.case, args.fixed, folder)
    print(output)
    if code == 77:
        return 77
    failed = CASES[args.case][1] in output
    return 0 if (LOADED in output and not failed if args.fixed else failed) else 1


if __name__ == "__main__":
    sys.exit(main())
