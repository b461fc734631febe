#!/usr/bin/env python3
"""Start spawned workers from the top level of a script.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is dataloader
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.isolate(__file__)
cases.needs("torch")

LOADER = """
from torch.utils.data import DataLoader

loader = DataLoader(range(8), batch_size=4, num_workers=1, multiprocessing_context="{method}")
for batch in loader:
    print(batch)
print("epoch done")
"""
RANKS = """
import torch.multiprocessing as mp

def train(rank):
    print("rank", rank, "trained", flush=True)

mp.spawn(train)
"""
TOP_LEVEL = """
import multiprocessing

def work():
    print("worked", flush=True)

print("top level in", __name__, flush=True)
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


def guarded(script: str) -> str:
    """Put everything but imports and functions under the guard."""
    head, call = script.rsplit("\n\n", 1)
    body = "\n".join(f"    {line}" for line in call.splitlines())
    return f'{head}\n\nif __name__ == "__main__":\n{body}\n'


def run(script: str) -> None:
    """Run a script of the user with this Python and print what it says."""
    pathlib.Path("train.py").write_text(script, encoding="utf-8")
    ranks.report(train=ranks.start([sys.executable, "train.py"], 150))


def dataloader(fixed: bool) -> None:
    """A DataLoader with a spawned worker at the top level. Fix: the guard."""
    script = LOADER.format(method="spawn")
    run(guarded(script) if fixed else script)


def forkserver(fixed: bool) -> None:
    """The same with forkserver, the default of Python 3.14 on Linux. Fix: the guard."""
    script = LOADER.format(method="forkserver")
    run(guarded(script) if fixed else script)


def spawn(fixed: bool) -> None:
    """Ranks started by mp.spawn at the top level. Fix: the guard."""
    run(guarded(RANKS) if fixed else RANKS)


def twice(fixed: bool) -> None:
    """Only the start is guarded: no error, but the rest runs again in the worker. Fix: all of it under the guard."""
    run(guarded(TOP_LEVEL) if fixed else TOP_LEVEL)


def stdin(fixed: bool) -> None:
    """The look-alike: the script has the guard, but came in through a pipe. Fix: a file."""
    if fixed:
        run(guarded(TOP_LEVEL))
        return
    command = [sys.executable, "-"]
    subprocess.run(command, input=guarded(TOP_LEVEL), stderr=subprocess.STDOUT, text=True, timeout=60, check=False)


BOOTSTRAPPING = "current process has finished its bootstrapping phase."
CASES = {
    "dataloader": cases.Case(dataloader, BOOTSTRAPPING, "epoch done"),
    "forkserver": cases.Case(forkserver, BOOTSTRAPPING, "epoch done"),
    "spawn": cases.Case(spawn, BOOTSTRAPPING, "rank 0 trained"),
    "twice": cases.Case(twice, "top level in __mp_main__", "worked", diagnosed=False),
    "stdin": cases.Case(stdin, "<stdin>'", "worked", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
