#!/usr/bin/env python3
"""Let host names resolve to loopback or to foreign addresses. The hosts are namespaces; nothing else is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is loopback
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import datetime
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))

import hosts

try:
    import torch
    import torch.distributed as dist
except ImportError:
    sys.exit(77)

TRAIN = [sys.executable, os.path.abspath(__file__), "--role", "train"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1", "--log-dir=."]
C10D = ["--nnodes=2", "--rdzv-id=job", "--rdzv-backend=c10d"]
TIMES = "read_timeout=5"
DEBIAN = "127.0.1.1 {}"
BIND = "import socket; s = socket.socket(); s.bind((socket.gethostname(), 0)); print('bound to', s.getsockname()[0])"


def train() -> None:
    """Meet the other ranks and add up a number of each."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=8))
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)


def ranks(node0: hosts.Host, node1: hosts.Host, address: str, **variables: str) -> None:
    """Start one rank on each host without a launcher, and print what both say."""
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": address, "MASTER_PORT": "29500", **variables}
    runs = [node.start(TRAIN, 60, RANK=str(number), **shared) for number, node in enumerate((node0, node1))]
    hosts.report(node1=runs[1], node0=runs[0])


def show(where: hosts.Host, name: str) -> None:
    """Print what the resolver of a host says of a name, which is the check that the entry recommends."""
    run = subprocess.run([*where.enter, "getent", "ahostsv4", name], capture_output=True, text=True, check=False)
    print(f"--- getent\n{run.stdout.strip()}", flush=True)


def loopback(fixed: bool) -> None:
    """Each host maps its own name to 127.0.1.1, as Debian's installer does. Fix: its real address."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node0.names(DEBIAN.format("node0"))
        node1.names(DEBIAN.format("node1"))
    show(node0, "node0")
    ranks(node0, node1, node0.address)


def interface(fixed: bool) -> None:
    """The same. Fix: name the interface that gloo is to use."""
    node0, node1 = hosts.two_hosts()
    node0.names(DEBIAN.format("node0"))
    node1.names(DEBIAN.format("node1"))
    ranks(node0, node1, node0.address, **({"GLOO_SOCKET_IFNAME": "eth0"} if fixed else {}))


def endpoint(fixed: bool) -> None:
    """torchrun doesn't know the endpoint as an address of node 0, so no node serves it. Fix: say who is the host."""
    node0, node1 = hosts.two_hosts()
    node0.names(f"{DEBIAN.format('node0')}\n{node1.address} node1")
    node1.names(f"{node0.address} node0\n{DEBIAN.format('node1')}")
    runs = []
    for number, node in enumerate((node0, node1)):
        conf = f"--rdzv-conf={TIMES}" + f",is_host={int(number == 0)}" * fixed
        runs.append(
            node.start(
                [*TORCHRUN, *C10D, conf, f"--rdzv-endpoint={node0.address}:29400", *TRAIN[1:]],
                90,
                GLOO_SOCKET_IFNAME="eth0",
            )
        )
    hosts.report(node1=runs[1], node0=runs[0])


def same_name(fixed: bool) -> None:
    """Both hosts are called ubuntu, so each takes itself for rank 0. Fix: names of their own."""
    node0, node1 = hosts.two_hosts(("node0", "node1") if fixed else ("ubuntu", "ubuntu"))
    if not fixed:
        node0.names(DEBIAN.format("ubuntu"))
        node1.names(DEBIAN.format("ubuntu"))
    ranks(node0, node1, "node0" if fixed else "ubuntu")


def digits(fixed: bool) -> None:
    """The host name is a number, which the resolver reads as an address. Fix: say which address to use."""
    node = hosts.host(0, "6841231")
    node.names("")
    node.sh("ip route del default")  # with one, the packets are lost and the first message takes minutes
    local = ["--local-addr=127.0.0.1"] if fixed else []
    hosts.report(node0=node.start([*TORCHRUN, "--standalone", *local, *TRAIN[1:]], 60))


def stale(fixed: bool) -> None:
    """Node 1 has an old address of node 0 in its hosts file. Fix: the address of today."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node1.names(f"10.0.0.77 node0\n{node1.address} node1")
    show(node1, "node0")
    ranks(node0, node1, "node0")


def foreign(fixed: bool) -> None:
    """The names resolve to addresses that the hosts don't have. Fix: addresses of their own."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node0.names("10.9.9.1 node0")
        node1.names("10.9.9.2 node1")
    hosts.report(bind=node0.start([sys.executable, "-c", BIND]))
    ranks(node0, node1, node0.address)


def alone(fixed: bool) -> None:
    """On one host gloo only warns about an unusable name. Fix: a name that resolves."""
    node0, _ = hosts.two_hosts()
    if not fixed:
        node0.names("10.9.9.1 node0")
    hosts.report(node0=node0.start([*TORCHRUN, "--standalone", "--local-addr=127.0.0.1", *TRAIN[1:]], 80))


TRAINED = "trained with 2 ranks"
CASES = {
    "loopback": hosts.Case(loopback, "SO_ERROR: Connection refused, remote=[127.0.1.1]", TRAINED),
    "interface": hosts.Case(interface, "SO_ERROR: Connection refused, remote=[127.0.1.1]", TRAINED),
    "endpoint": hosts.Case(endpoint, "RendezvousConnectionError", TRAINED),
    "same-name": hosts.Case(same_name, "timed out after 8000ms while trying to connect to (ubuntu, 29500)", TRAINED),
    "digits": hosts.Case(digits, "has failed to connect to [::ffff:0.104.99.143]", "trained with 1 ranks"),
    "stale": hosts.Case(stale, "has failed to connect to [::ffff:10.0.0.77]:29500", TRAINED),
    "foreign": hosts.Case(foreign, "Unable to resolve hostname to a (local) address", TRAINED),
    "alone": hosts.Case(alone, "trained with 1 ranks", "trained with 1 ranks"),
}

if __name__ == "__main__":
    sys.exit(hosts.main(__file__, CASES, {"train": train}))
