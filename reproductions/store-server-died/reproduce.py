#!/usr/bin/env python3
"""End the process that serves the store while other ranks still need it.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is killed
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.isolate(__file__)

try:
    import torch.distributed as dist
except ImportError as missing:
    cases.cannot(missing)

STAY = "STAY_TO_THE_END"
"""Set where rank 0 must not end before the others."""
RENDEZVOUS = ["--nnodes=2", "--nproc-per-node=1", "--rdzv-id=job", "--rdzv-backend=c10d"]


def join() -> int:
    """Meet the other rank, and say which one this is."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=8))
    dist.barrier()  # else a fast rank 0 is gone before the other has joined
    return dist.get_rank()


def wait_for_key() -> None:
    """Rank 1 waits for a key that rank 0 sets, unless it is killed before."""
    rank = join()
    store = dist.distributed_c10d._get_default_store()
    if rank == 0:
        time.sleep(1)
        if STAY not in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
        store.set("vocabulary", "ready")
    else:
        print("vocabulary", store.get("vocabulary").decode(), flush=True)
    dist.barrier()


def late_group() -> None:
    """Rank 1 makes a group for its evaluation, after rank 0 has nothing left to do."""
    rank = join()
    time.sleep(1)
    if rank == 1:
        time.sleep(3)
        dist.new_group([1])
        print("group made, agent store:", os.environ.get("TORCHELASTIC_USE_AGENT_STORE"), flush=True)
    if STAY in os.environ:
        dist.barrier()


def fail() -> None:
    """Rank 0 raises, rank 1 works on."""
    if join() == 0 and STAY not in os.environ:
        raise ValueError("batch size 0")
    time.sleep(10)
    print("trained", flush=True)


def pair(role: str, fixed: bool) -> None:
    """Run both ranks without a launcher, as srun and mpirun do."""
    settings = {STAY: "1"} if fixed else {}
    started = {f"rank{number}": ranks.rank(__file__, role, number, **settings) for number in (0, 1)}
    ranks.report(**started)


def killed(fixed: bool) -> None:
    """Rank 0 gets SIGKILL while rank 1 waits for a key. Fix: it lives, and stays until all are done."""
    pair("wait-for-key", fixed)


def left(fixed: bool) -> None:
    """Rank 0 has nothing left to do and ends; rank 1 makes a group. Fix: a barrier before the end."""
    pair("late-group", fixed)


def launched(fixed: bool) -> None:
    """Rank 0 ends early. Fix: torchrun, whose agent serves the store, in place of ranks without a launcher."""
    if fixed:
        ranks.torchrun(__file__, "late-group")
    else:
        pair("late-group", fixed)


def agent(fixed: bool) -> None:
    """The agent of node 0 ends, since its rank failed, and takes the store along. Fix: the rank does not fail."""
    command = [sys.executable, "-m", "torch.distributed.run", *RENDEZVOUS, f"--rdzv-endpoint=127.0.0.1:{ranks.PORT}"]
    settings = {STAY: "1"} if fixed else {}
    script = [os.path.abspath(__file__), "--role", "fail"]
    runs = [ranks.start([*command, "--local-addr=127.0.0.1", *script], 90, **settings) for _ in range(2)]
    ranks.report(node0=runs[0], node1=runs[1])


CASES = {
    "killed": cases.Case(killed, "Did the remote server shutdown or crash?", "vocabulary ready"),
    "left": cases.Case(left, "DistNetworkError: Broken pipe", "group made"),
    "launched": cases.Case(launched, "DistNetworkError: Broken pipe", "agent store: True"),
    "agent": cases.Case(agent, "RendezvousConnectionError", "trained"),
}
ROLES = {"wait-for-key": wait_for_key, "late-group": late_group, "fail": fail}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
