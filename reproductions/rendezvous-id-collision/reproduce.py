#!/usr/bin/env python3
"""Start two jobs on one rendezvous endpoint, and show what each of them becomes. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is surplus
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import base64
import datetime
import os
import pathlib
import pickle
import select
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.needs("torch")

LIMIT = 120
PATIENCE = datetime.timedelta(seconds=10)
FIRST, OTHER = "29400", "29401"


def mark(job: str, what: str) -> pathlib.Path:
    """The file that says that a job has `started`, or that it may end (`release`)."""
    return pathlib.Path(f"{job}.{what}")


def train() -> None:
    """Say which world this rank is in, then stay until the job is released."""
    import torch.distributed as dist

    job = os.environ["JOB"]
    print(f"job {job}: RANK {os.environ['RANK']} WORLD_SIZE {os.environ['WORLD_SIZE']}", flush=True)
    mark(job, "started").touch()
    dist.init_process_group("gloo", timeout=PATIENCE)
    ranks.wait_for(mark(job, "release").exists, LIMIT)
    dist.barrier()
    print(f"job {job}: trained", flush=True)


def add_up() -> None:
    """Without a launcher: sum one value over the ranks."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=PATIENCE)
    total = torch.tensor([float(os.environ["VALUE"])])
    dist.all_reduce(total)
    print(f"job {os.environ['JOB']}: the sum over 2 ranks is {total.item():g}", flush=True)


def launch(job: str, *options: str) -> ranks.Run:
    """Start one torchrun whose worker trains until it is released."""
    return ranks.start(ranks.agent(__file__, "train", "--rdzv-backend=c10d", *options), LIMIT, JOB=job)


def release(*jobs: str) -> None:
    """Let the workers of these jobs finish."""
    for job in jobs:
        mark(job, "release").touch()


def wait_for(job: str) -> None:
    """Wait until the worker of a job runs."""
    ranks.wait_for(mark(job, "started").exists, LIMIT)


def finish(**jobs: ranks.Run) -> None:
    """Wait for the jobs, and print what each has said and how it ended."""
    ranks.report(**jobs)
    print("exit codes:", ", ".join(f"{job} {run.returncode}" for job, run in jobs.items()), flush=True)


def standing_store() -> tuple[Any, str]:
    """A store of its own on loopback, as a job that still runs would host it, and the option that names it."""
    import torch.distributed as dist

    server = dist.TCPStore("127.0.0.1", 0, None, is_master=True, wait_for_workers=False)
    return server, f"--rdzv-endpoint=127.0.0.1:{server.port}"


def settled(port: str, job_id: str, job: ranks.Run) -> None:
    """Wait until a job is on the list of spare nodes of the running one, or has ended."""
    import torch.distributed as dist

    store = dist.TCPStore("localhost", int(port), is_master=False)

    def joined() -> bool:
        state = pickle.loads(base64.b64decode(store.get(f"torch.rendezvous.{job_id}")))
        return bool(state.redundancy_list) or job.poll() is not None

    ranks.wait_for(joined, LIMIT)


def surplus(fixed: bool) -> None:
    """Same endpoint and id, on a store that outlives the first job. Fix: an id for each job."""
    server, endpoint = standing_store()
    release("B")
    first = launch("A", "--nnodes=1", endpoint, "--rdzv-id=nightly")
    wait_for("A")
    second = launch("B", "--nnodes=1", endpoint, f"--rdzv-id={'other' if fixed else 'nightly'}")
    settled(str(server.port), "nightly", second)
    release("A")
    finish(A=first, B=second)
    del server


def merged(fixed: bool) -> None:
    """Two jobs that each ask for one node or two become one job of two. Fix: a port for each job."""
    release("A", "B")
    finish(
        **{
            job: launch(job, f"--nnodes={'1' if fixed else '1:2'}", f"--rdzv-endpoint=localhost:{port}")
            for job, port in (("A", FIRST), ("B", OTHER if fixed else FIRST))
        }
    )


def waits(fixed: bool) -> None:
    """The second job waits past its join timeout, prints nothing, and fails when the first ends. Fix: as above."""
    options = ["--nnodes=1", "--rdzv-conf=join_timeout=3"]
    first = launch("A", *options, f"--rdzv-endpoint=localhost:{FIRST}")
    wait_for("A")
    release("B")
    second = launch("B", *options, f"--rdzv-endpoint=localhost:{OTHER if fixed else FIRST}")
    settled(FIRST, "none", second)
    time.sleep(5)
    silent = second.poll() is None and not select.select([second.stdout], [], [], 0)[0]
    print("job B, after its join_timeout:", "runs and has printed nothing" if silent else "has printed or ended")
    release("A")
    finish(A=first, B=second)


def store_gone(fixed: bool) -> None:
    """One endpoint, two ids: the second job dies when the first ends. Fix: a port for each job."""
    first = launch("A", "--nnodes=1", "--rdzv-id=a", f"--rdzv-endpoint=localhost:{FIRST}")
    wait_for("A")
    second = launch("B", "--nnodes=1", "--rdzv-id=b", f"--rdzv-endpoint=localhost:{OTHER if fixed else FIRST}")
    wait_for("B")
    release("A")
    first.wait(LIMIT)
    time.sleep(5)
    release("B")
    finish(A=first, B=second)


def joins_running(fixed: bool) -> None:
    """A job that runs alone is stopped because another one joins it. Fix: a port for each job."""
    options = ["--nnodes=1:2", "--rdzv-conf=last_call_timeout=2,read_timeout=20"]
    first = launch("A", *options, f"--rdzv-endpoint=localhost:{FIRST}")
    wait_for("A")
    release("B")
    second = launch("B", *options, f"--rdzv-endpoint=localhost:{OTHER if fixed else FIRST}")
    second.wait(LIMIT)
    release("A")
    finish(A=first, B=second)


def id_reused(fixed: bool) -> None:
    """A finished job has closed its id on a store that lives on. Fix: a new id."""
    server, endpoint = standing_store()
    release("A", "B")
    finish(A=launch("A", "--nnodes=1", endpoint, "--rdzv-id=nightly"))
    finish(B=launch("B", "--nnodes=1", endpoint, f"--rdzv-id={'nightly-2' if fixed else 'nightly'}"))
    del server


def mixed_ranks(fixed: bool) -> None:
    """Without a launcher rank 1 of another job takes the place of rank 1. Fix: a port for each job."""
    jobs = {}
    other = OTHER if fixed else FIRST
    places = [("A0", 0, FIRST), ("B1", 1, other), ("A1", 1, FIRST), ("B0", 0, other)]
    for job, number, port in places if fixed else places[:3]:
        value = "1" if job.startswith("A") else "100"
        jobs[job] = ranks.rank(__file__, "add-up", number, MASTER_PORT=port, JOB=job, VALUE=value)
        if job == "B1" and not fixed:
            jobs["B1"].wait(LIMIT)
    finish(**jobs)


GONE = "RendezvousConnectionError: The connection to the C10d store has failed"
SUM = "job A0: the sum over 2 ranks is"
CASES = {
    "surplus": cases.Case(surplus, "'NoneType' object has no attribute 'is_failed'", "job B: trained"),
    "merged": cases.Case(merged, "job B: RANK 1 WORLD_SIZE 2", "job B: RANK 0 WORLD_SIZE 1", diagnosed=False),
    "waits": cases.Case(
        waits, "job B, after its join_timeout: runs and has printed nothing", "job B: trained", diagnosed=False
    ),
    "store-gone": cases.Case(store_gone, GONE, "job B: trained", diagnosed=False),
    "joins-running": cases.Case(joins_running, "/MASTER_ADDR", "job A: trained", diagnosed=False),
    "id-reused": cases.Case(id_reused, "RendezvousClosedError", "job B: trained", diagnosed=False),
    "mixed-ranks": cases.Case(mixed_ranks, f"{SUM} 101", f"{SUM} 2\n", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "add-up": add_up}))
