#!/usr/bin/env python3
"""Come to a rendezvous that another agent has closed: a finished job's, or one that gave up. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is id-reused
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

cases.needs("torch")

LIMIT = 100
ENDPOINT = "--rdzv-endpoint=localhost:29400"


def train() -> None:
    """Say which job this is, and end."""
    print(f"job {os.environ['JOB']}: trained", flush=True)


def step() -> None:
    """One step of two nodes, in which the worker of node B may fail."""
    import torch.distributed as dist

    dist.init_process_group("gloo")
    if os.environ["BATCH"] == "bad":
        raise ValueError("bad batch")
    dist.barrier()
    print(f"node {os.environ['NODE']}: trained", flush=True)


def finished(endpoint: str, job_id: str, job: str) -> None:
    """Run one job of one node from its start to its end, and print what it said."""
    options = ["--rdzv-backend=c10d", endpoint, f"--rdzv-id={job_id}", "--nnodes=1"]
    ranks.report(**{job: ranks.start(ranks.agent(__file__, "train", *options), LIMIT, JOB=job)})


def id_reused(fixed: bool) -> None:
    """A finished job has closed its id on a store that lives on. Fix: a new id."""
    import torch.distributed as dist

    server = dist.TCPStore("127.0.0.1", 0, None, is_master=True, wait_for_workers=False)
    endpoint = f"--rdzv-endpoint=127.0.0.1:{server.port}"
    finished(endpoint, "nightly", "first")
    finished(endpoint, "nightly-2" if fixed else "nightly", "second")
    del server


def peer_gave_up(fixed: bool) -> None:
    """Node B fails without a restart left, and closes the rendezvous that A hosts. Fix: what failed on B."""
    nodes = {
        node: ranks.start(
            ranks.agent(__file__, "step", *ranks.TWO_NODES, ENDPOINT, f"--max-restarts={restarts}", host),
            LIMIT,
            NODE=node,
            BATCH=batch,
        )
        for node, restarts, batch, host in (
            ("A", 1, "good", "--rdzv-conf=is_host=true"),
            ("B", 0, "good" if fixed else "bad", "--rdzv-conf=is_host=false"),
        )
    }
    ranks.report(**nodes)


CASES = {
    "id-reused": cases.Case(id_reused, "RendezvousClosedError", "job second: trained"),
    "peer-gave-up": cases.Case(peer_gave_up, "RendezvousClosedError", "node A: trained", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train, "step": step}))
