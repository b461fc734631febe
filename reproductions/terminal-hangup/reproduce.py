#!/usr/bin/env python3
"""Close the terminal in which a training runs. The terminal is one that the case opens itself.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is torchrun
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import pty
import subprocess
import sys
import time
from importlib.util import find_spec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

if find_spec("torch") is None:
    cases.cannot("torch is missing")

LOG = pathlib.Path("train.log")
RUNNING = pathlib.Path("running")
PYTHON = f"{sys.executable} -u {os.path.abspath(__file__)} --role train"
TORCHRUN = f"{sys.executable} -m torch.distributed.run --standalone --nproc-per-node=1 {PYTHON.partition(' -u ')[2]}"


def train() -> None:
    """Say that it runs, and be busy until after the terminal is gone."""
    RUNNING.touch()
    time.sleep(8)
    print("trained", flush=True)


def terminal(command: str) -> None:
    """Type a command in a terminal, close the terminal while the training runs, and print the log of the training."""
    child, screen = pty.fork()
    if child == 0:
        os.execvp("bash", ["bash", "--norc", "-i"])
    os.write(screen, f"{command}\n".encode())
    if not wait_for_start(screen):
        cases.cannot("the training did not start in time")
    time.sleep(1)
    os.close(screen)
    while subprocess.run(["pgrep", "-f", "[-]-role train"], check=False, stdout=subprocess.DEVNULL).returncode == 0:
        time.sleep(0.3)
    log = cases.clean(LOG.read_text("utf-8"))
    print(log or "(the log is empty)", flush=True)
    print("the training", "came to its end" if "trained" in log else "was ended", flush=True)


def wait_for_start(screen: int) -> bool:
    """Read what the terminal shows, so that nobody waits for it, until the training runs."""
    os.set_blocking(screen, False)
    end = time.monotonic() + 90
    while not RUNNING.exists() and time.monotonic() < end:
        try:
            os.read(screen, 65536)
        except BlockingIOError:
            time.sleep(0.1)
    return RUNNING.exists()


def torchrun(fixed: bool) -> None:
    """The launcher gets SIGHUP and stops its ranks. Fix: a session of its own."""
    terminal(f"setsid {TORCHRUN} >{LOG} 2>&1 &" if fixed else f"{TORCHRUN} >{LOG} 2>&1")


def nohup(fixed: bool) -> None:
    """`nohup` does not help, because the launcher puts its own handler in its place. Fix: disown the job as well."""
    terminal(f"nohup {TORCHRUN} >{LOG} 2>&1 &{' disown' * fixed}")


def script(fixed: bool) -> None:
    """A training without a launcher is ended without a word. Fix: nohup, which is enough here."""
    terminal(f"{'nohup ' * fixed}{PYTHON} >{LOG} 2>&1")


CASES = {
    "torchrun": cases.Case(torchrun, "got signal: 1", "came to its end"),
    "nohup": cases.Case(nohup, "got signal: 1", "came to its end"),
    "script": cases.Case(script, "was ended", "came to its end", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train}))
