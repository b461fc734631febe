#!/usr/bin/env python3
"""Let the full mesh of a Gloo group fail, on two imitated hosts behind a router.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is peer-died
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hosts, ranks

cases.needs("torch")
DONE = "the group has 2 ranks"


def make_group() -> None:
    """Meet the other rank, then make a second group, in which rank 1 goes wrong."""
    import torch
    import torch.distributed as dist

    wrong = not cases.fixed()
    patience = 3 if wrong and cases.name() == "filtered" else 40
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=patience))
    dist.barrier()
    if dist.get_rank() == 1 and wrong and cases.name() == "peer-absent":
        time.sleep(9)
        return
    if dist.get_rank() == 1 and wrong and cases.name() == "peer-died":
        threading.Timer(2, os._exit, [1]).start()  # while it waits for the address of rank 0
    if dist.get_rank() == 0 and cases.name() == "peer-died":
        time.sleep(4)
    group = dist.new_group(timeout=datetime.timedelta(seconds=3 if wrong else 40))
    total = torch.ones(1)
    dist.all_reduce(total, group=group)
    print("the group has", int(total.item()), "ranks", flush=True)
    dist.barrier()


def both(filtered: bool = False) -> None:
    """Rank 0 on the host with the higher address, which is the one that connects."""
    node0, node1 = hosts.two_hosts()
    if filtered:
        cases.sh(f"ip rule add pref 100 ipproto tcp sport {ranks.PORT} lookup main")
        cases.sh(f"ip rule add pref 200 ipproto tcp dport 32768-65534 to {node0.address} blackhole")
    settings = {"MASTER_ADDR": node1.address}
    run0 = ranks.rank(__file__, "make-group", 0, enter=node1.enter, **settings)
    run1 = ranks.rank(__file__, "make-group", 1, enter=node0.enter, **settings)
    ranks.report(rank0=run0, rank1=run1)


def peer_died(_: bool) -> None:
    """Rank 1 ends after it has given its address, before rank 0 connects to it. Fix: it lives."""
    both()


def filtered(fixed: bool) -> None:
    """A firewall lets the port of the store through and drops connections to high ports. Fix: no filter."""
    both(filtered=not fixed)


def peer_absent(_: bool) -> None:
    """Rank 1 takes another branch and makes no group. Fix: all ranks make it."""
    both()


CASES = {
    "peer-died": cases.Case(peer_died, "timed out connecting: SO_ERROR: Connection refused", DONE),
    "filtered": cases.Case(filtered, "] Connect timeout ", DONE),
    "peer-absent": cases.Case(peer_absent, "wait timeout after 3000ms, keys: /default_pg/", DONE, diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"make-group": make_group}))
