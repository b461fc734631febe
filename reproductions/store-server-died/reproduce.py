#!/usr/bin/env python3
"""End the process that serves the store while another rank still needs it.

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

from lab import cases, forks, ranks

cases.needs("torch")


def join() -> int:
    """Meet the other rank, and say which one this is."""
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=30))
    dist.barrier()  # else a fast rank 0 is gone before the other has joined
    return dist.get_rank()


def wait_for_key() -> None:
    """Rank 1 waits for a key that rank 0 sets, unless it is killed before."""
    import torch.distributed as dist

    rank = join()
    store = dist.distributed_c10d._get_default_store()
    if rank == 0:
        time.sleep(1)
        if not cases.fixed():
            os.kill(os.getpid(), signal.SIGKILL)
        store.set("vocabulary", "ready")
    else:
        print("vocabulary", store.get("vocabulary").decode(), flush=True)
    dist.barrier()


def late_group() -> None:
    """Rank 1 makes a group for its evaluation, after rank 0 has nothing left to do."""
    import torch.distributed as dist

    if join() == 1:
        time.sleep(2)
        dist.new_group([1])
        print("group made, agent store:", os.environ.get("TORCHELASTIC_USE_AGENT_STORE"), flush=True)
    if cases.name() == "left" and cases.fixed():
        dist.barrier()


def fail() -> None:
    """Rank 0 raises, rank 1 works on."""
    if join() == 0 and not cases.fixed():
        raise ValueError("batch size 0")
    time.sleep(1 if cases.fixed() else 60)
    print("trained", flush=True)


def killed(_: bool) -> None:
    """Rank 0 gets SIGKILL while rank 1 waits for a key. Fix: it lives, and stays until all are done."""
    forks.ranks(wait_for_key)


def left(_: bool) -> None:
    """Rank 0 has nothing left to do and ends; rank 1 makes a group. Fix: a barrier before the end."""
    forks.ranks(late_group)


def launched(fixed: bool) -> None:
    """Rank 0 ends early. Fix: torchrun, whose agent serves the store, in place of ranks without a launcher."""
    if fixed:
        ranks.torchrun(__file__, "late-group")
    else:
        forks.ranks(late_group)


def agent(_: bool) -> None:
    """The agent of node 0 ends, since its rank failed, and takes the store along. Fix: the rank does not fail."""
    endpoint = [f"--rdzv-endpoint=127.0.0.1:{ranks.PORT}", "--local-addr=127.0.0.1"]
    nodes = [
        ranks.start(ranks.agent(__file__, "fail", *ranks.TWO_NODES, *endpoint, f"--rdzv-conf=is_host={host}"), 150)
        for host in ("true", "false")
    ]
    ranks.report(node0=nodes[0], node1=nodes[1])


CASES = {
    "killed": cases.Case(killed, "Did the remote server shutdown or crash?", "vocabulary ready"),
    "left": cases.Case(left, "DistNetworkError: Broken pipe", "group made"),
    "launched": cases.Case(launched, "DistNetworkError: Broken pipe", "agent store: True"),
    "agent": cases.Case(agent, "RendezvousConnectionError", "trained"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"late-group": late_group, "fail": fail}))
