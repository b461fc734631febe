#!/usr/bin/env python3
"""Stop a training with SIGTERM, as schedulers and container engines do, and count the steps that are lost.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is torchrun
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if find_spec("torch") is None:
    cases.cannot("torch is missing")

DONE = pathlib.Path("done")
SAVED = pathlib.Path("saved")
TORCHRUN = f"{sys.executable} -m torch.distributed.run --standalone --nproc-per-node=2"


class Stop:
    """Whether the process was asked to stop; set by the signal, read between two steps."""

    asked = False

    def listen(self, *numbers: int) -> None:
        """Take note of these signals instead of ending."""
        for number in numbers:
            signal.signal(number, lambda *_: setattr(self, "asked", True))


def train(*signals: int) -> None:
    """Take a step every 0.1 s, save after each 100, and after the one in which a signal came."""
    stop = Stop()
    stop.listen(*signals)
    for step in range(1, 1000):
        time.sleep(0.1)
        if os.environ.get("RANK", "0") == "0":
            DONE.write_text(str(step), encoding="utf-8")
            if stop.asked or step % 100 == 0:
                SAVED.write_text(str(step), encoding="utf-8")
        if stop.asked:
            print("asked to stop: saved and left", flush=True)
            return


def unprepared() -> None:
    """Train without a handler."""
    train()


def prepared() -> None:
    """Train with a handler."""
    train(signal.SIGTERM, signal.SIGUSR1)


def step_of(file: pathlib.Path) -> int:
    """The step that a file names."""
    return int(file.read_text("utf-8")) if file.exists() else 0


def stop_after_some_steps(job: ranks.Run, command: str) -> None:
    """Run a command once ten steps are done, wait for the job, and print what it said and what is lost."""
    while step_of(DONE) < 10 and job.poll() is None:
        time.sleep(0.1)
    subprocess.run(["sh", "-c", command], check=True)
    ranks.report(job=job)
    lost = step_of(DONE) - step_of(SAVED)
    print(f"{lost} steps are lost" if lost else "no step is lost", flush=True)


def job_of(*lines: str) -> ranks.Run:
    """Start a job script, which gets the training script as train.py."""
    pathlib.Path("train.py").symlink_to(os.path.abspath(__file__))
    pathlib.Path("job.sh").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ranks.start(["bash", "job.sh"])


def torchrun(fixed: bool) -> None:
    """The launcher gets SIGTERM. Fix: an earlier signal, which the job script passes on to the ranks."""
    if not fixed:
        job = job_of(f"exec {TORCHRUN} train.py --role unprepared")
        stop_after_some_steps(job, "pkill -TERM -f '^[^ ]*python[^ ]* -m torch'")
        return
    job = job_of(
        "trap 'pkill -USR1 -P $launcher' USR1",
        f"{TORCHRUN} train.py --role prepared &",
        "launcher=$!",
        "wait $launcher || wait $launcher",
        "echo exit code $?",
    )
    stop_after_some_steps(job, "pkill -USR1 -f '^bash job.sh'")


def script(fixed: bool) -> None:
    """The training of a job script gets SIGTERM. Fix: it handles the signal."""
    run = f"{sys.executable} -u train.py --role {'prepared' if fixed else 'unprepared'}"
    stop_after_some_steps(job_of(run, "echo exit code $?"), "pkill -TERM -f '[-]u train.py'")


def container(fixed: bool) -> None:
    """A shell as process 1 of a container keeps SIGTERM to itself. Fix: exec."""
    run = f"{sys.executable} -u train.py --role prepared"
    pathlib.Path("train.py").symlink_to(os.path.abspath(__file__))
    pathlib.Path("entry.sh").write_text(f"{'exec ' * fixed}{run}\necho end\n", encoding="utf-8")
    command = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "entry.sh"]
    # unshare itself complains about the end of its process 1.
    job = ranks.start(["bash", "-c", f"{' '.join(command)} 2>/dev/null; true"])
    first = "$(pgrep -f '^bash entry.sh|^[^ ]*python[^ ]* -u train.py' | head -n 1)"
    stop_after_some_steps(job, f"first={first}; kill -TERM $first; sleep 3; kill -KILL $first 2>/dev/null || true")


def one_rank(fixed: bool) -> None:
    """One rank leaves alone, and the other waits for it. Fix: all ranks learn of the signal in the same step."""
    role = "together" if fixed else "alone"
    started = [ranks.rank(__file__, role, number) for number in range(2)]
    while not SAVED.exists() and started[0].poll() is None:
        time.sleep(0.1)
    os.kill(int(SAVED.read_text("utf-8")), signal.SIGTERM)
    ranks.report(rank0=started[0], rank1=started[1])


def meet(agree: bool) -> None:
    """Add up a number in every step; only rank 0 is told to stop."""
    import torch
    import torch.distributed as dist

    stop = Stop()
    stop.listen(signal.SIGTERM)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
    while True:
        flag = torch.tensor([int(stop.asked)])
        dist.all_reduce(flag)
        if dist.get_rank() == 0:
            SAVED.write_text(str(os.getpid()), encoding="utf-8")
        if bool(flag.item()) if agree else stop.asked:
            print("saved and left", flush=True)
            return
        time.sleep(0.1)


CASES = {
    "torchrun": cases.Case(torchrun, "got signal: 15", "no step is lost"),
    "script": cases.Case(script, "exit code 143", "no step is lost", diagnosed=False),
    "container": cases.Case(container, "steps are lost", "no step is lost", diagnosed=False),
    "one-rank": cases.Case(one_rank, "[rank1]: RuntimeError:", "saved and left", diagnosed=False),
}

if __name__ == "__main__":
    roles = {
        "unprepared": unprepared,
        "prepared": prepared,
        "alone": lambda: meet(False),
        "together": lambda: meet(True),
    }
    sys.exit(cases.main(__file__, CASES, roles))
