#!/usr/bin/env python3
"""Start two jobs on one rendezvous endpoint, and show what each of them becomes. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is surplus
exit:  0 the expected outcome was seen, 1 it was not, 77 this machine cannot run the case
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import torch.distributed as dist
except ImportError:
    sys.exit(77)

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1", "--rdzv-backend=c10d"]
SHORT = datetime.timedelta(seconds=15)
LIMIT = 120
SELF = os.path.abspath(__file__)


def log_of(job):
    """The file with the output of a job, in the temporary directory that the cases run in."""
    return pathlib.Path(f"{job}.log")


def free_port():
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(job, command, **environment):
    """Start a process whose output goes to a file of its own."""
    with log_of(job).open("wb") as log:
        ours = {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_ADDR2LINE": "1", "TMPDIR": os.getcwd()}
        return subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, **ours, **environment}, start_new_session=True
        )


def launch(job, *options):
    """Start one torchrun whose worker trains until it is released."""
    return start(job, [*TORCHRUN, *options, SELF, "--train", job])


def release(*jobs):
    """Let the workers of these jobs finish."""
    for job in jobs:
        pathlib.Path(f"{job}.release").touch()


def wait_for(job, text="WORLD_SIZE"):
    """Wait until a job has printed a text, by default the line of its worker."""
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit and text not in log_of(job).read_text(errors="replace"):
        time.sleep(0.2)


def finish(**jobs):
    """Wait for the jobs, end those that stay, and print what each has said."""
    limit = time.monotonic() + LIMIT
    for job, process in jobs.items():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(1, limit - time.monotonic()))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(40)
        print(f"----- job {job}, exit code {process.returncode}", flush=True)
        print(log_of(job).read_text(errors="replace"), flush=True)


def train(job):
    """The training script: say which world this rank is in, then stay until the job is released."""
    print(f"job {job}: RANK {os.environ['RANK']} WORLD_SIZE {os.environ['WORLD_SIZE']}", flush=True)
    dist.init_process_group("gloo", timeout=SHORT)
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit and not pathlib.Path(f"{job}.release").exists():
        time.sleep(0.2)
    dist.barrier()
    print(f"job {job}: trained", flush=True)
    os._exit(0)  # gloo's threads sometimes abort an ordinary exit


def reduce(job, value):
    """A training script without a launcher: sum one value over the ranks."""
    dist.init_process_group("gloo", timeout=SHORT)
    total = torch.tensor([float(value)])
    dist.all_reduce(total)
    print(f"job {job}: the sum over 2 ranks is {total.item():g}", flush=True)
    os._exit(0)


def standing_store():
    """A store of its own on loopback, as a job that still runs would host it, and the option that names it."""
    server = dist.TCPStore("127.0.0.1", 0, None, is_master=True, wait_for_workers=False)
    return server, f"--rdzv-endpoint=127.0.0.1:{server.port}"


def surplus(fixed):
    """Same endpoint and id, on a store that outlives the first job. Fix: an id for each job."""
    server, endpoint = standing_store()
    release("B")
    first = launch("A", "--nnodes=1", endpoint, "--rdzv-id=nightly")
    wait_for("A")
    second = launch("B", "--nnodes=1", endpoint, f"--rdzv-id={'other' if fixed else 'nightly'}")
    time.sleep(20)
    release("A")
    finish(A=first, B=second)
    del server


def merged(fixed):
    """Two jobs that each ask for one node or two become one job of two. Fix: a port for each job."""
    endpoint = f"--rdzv-endpoint=localhost:{0 if fixed else free_port()}"
    options = [f"--nnodes={'1' if fixed else '1:2'}", endpoint]
    release("A", "B")
    first = launch("A", *options)
    finish(A=first, B=launch("B", *options))


def waits(fixed):
    """The second job waits past its join timeout, prints nothing, and fails when the first ends."""
    options = ["--nnodes=1", f"--rdzv-endpoint=localhost:{0 if fixed else free_port()}", "--rdzv-conf=join_timeout=3"]
    first = launch("A", *options)
    wait_for("A")
    release("B")
    second = launch("B", *options)
    time.sleep(25)
    silent = second.poll() is None and not log_of("B").read_text()
    print("job B after 25 s:", "runs and has printed nothing" if silent else "has printed or ended")
    release("A")
    finish(A=first, B=second)


def store_gone(fixed):
    """One endpoint, two ids: the second job dies when the first ends. Fix: a port for each job."""
    port = free_port()
    other = free_port() if fixed else port
    first = launch("A", "--nnodes=1", "--rdzv-id=a", f"--rdzv-endpoint=localhost:{port}")
    wait_for("A")
    second = launch("B", "--nnodes=1", "--rdzv-id=b", f"--rdzv-endpoint=localhost:{other}")
    wait_for("B")
    release("A")
    first.wait(LIMIT)
    time.sleep(5)
    release("B")
    finish(A=first, B=second)


def joins_running(fixed):
    """A job that runs alone is stopped because another one joins it. Fix: a port for each job."""
    port = free_port()
    other = free_port() if fixed else port
    options = ["--nnodes=1:2", "--rdzv-conf=last_call_timeout=2,read_timeout=20"]
    first = launch("A", *options, f"--rdzv-endpoint=localhost:{port}")
    wait_for("A")
    release("B")
    second = launch("B", *options, f"--rdzv-endpoint=localhost:{other}")
    second.wait(LIMIT)
    release("A")
    finish(A=first, B=second)


def id_reused(fixed):
    """A finished job has closed its id on a store that lives on. Fix: a new id."""
    server, endpoint = standing_store()
    release("A", "B")
    finish(A=launch("A", "--nnodes=1", endpoint, "--rdzv-id=nightly"))
    finish(B=launch("B", "--nnodes=1", endpoint, f"--rdzv-id={'nightly-2' if fixed else 'nightly'}"))
    del server


def mixed_ranks(fixed):
    """Without a launcher rank 1 of another job takes the place of rank 1. Fix: a port for each job."""
    port = free_port()
    other = free_port() if fixed else port
    jobs = {}
    places = [("A0", 0, port), ("B1", 1, other), ("A1", 1, port), ("B0", 0, other)]
    for job, rank, number in places if fixed else places[:3]:
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(number), "RANK": str(rank), "WORLD_SIZE": "2"}
        jobs[job] = start(job, [sys.executable, SELF, "--reduce", job, "1" if job[0] == "A" else "100"], **place)
        if job == "B1" and not fixed:
            jobs["B1"].wait(LIMIT)
    finish(**jobs)


GONE = "RendezvousConnectionError: The connection to the C10d store has failed"
CASES = {  # name: (function, seen without --fixed, seen with it)
    "surplus": (surplus, "'NoneType' object has no attribute 'is_failed'", "job B: trained"),
    "merged": (merged, "job B: RANK 1 WORLD_SIZE 2", "job B: RANK 0 WORLD_SIZE 1"),
    "waits": (waits, "job B after 25 s: runs and has printed nothing", "job B: trained"),
    "store-gone": (store_gone, GONE, "job B: trained"),
    "joins-running": (joins_running, "/MASTER_ADDR", "job A: trained"),
    "id-reused": (id_reused, "RendezvousClosedError", "job B: trained"),
    "mixed-ranks": (mixed_ranks, "job A0: the sum over 2 ranks is 101", "job A0: the sum over 2 ranks is 2"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="surplus")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--train", help=argparse.SUPPRESS)
    parser.add_argument("--reduce", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.train:
        return train(args.train)
    if args.reduce:
        return reduce(*args.reduce)
    function, broken, mended = CASES[args.case]
    if args.one:
        return function(args.fixed)
    again = [sys.executable, SELF, "--one", "--case", args.case, *(["--fixed"] if args.fixed else [])]
    with tempfile.TemporaryDirectory() as place:
        run = subprocess.run(again, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    print(run.stdout)
    return 0 if (mended if args.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
