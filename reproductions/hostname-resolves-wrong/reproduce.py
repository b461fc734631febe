#!/usr/bin/env python3
"""Let host names resolve to loopback or to foreign addresses. The hosts are namespaces; nothing else is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is loopback
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hosts, jobs, ranks

cases.needs("torch")

TIMES = "read_timeout=5"
DEBIAN = "127.0.1.1 {}"
BIND = "import socket; s = socket.socket(); s.bind((socket.gethostname(), 0)); print('bound to', s.getsockname()[0])"
UNUSABLE = "Unable to resolve hostname to a (local) address"


def both(node0: hosts.Host, node1: hosts.Host, address: str, **variables: str) -> None:
    """Start one rank on each host without a launcher, and print what both say."""
    runs = [node.rank(__file__, "train", address, **variables) for node in (node0, node1)]
    ranks.report(node1=runs[1], node0=runs[0])


def show(where: hosts.Host, name: str) -> None:
    """Print what the resolver of a host says of a name, which is the check that the entry recommends."""
    ranks.report(getent=where.start(["getent", "ahostsv4", name]))


def loopback(fixed: bool) -> None:
    """Each host maps its own name to 127.0.1.1, as Debian's installer does. Fix: its real address."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node0.names(DEBIAN.format("node0"))
        node1.names(DEBIAN.format("node1"))
    show(node0, "node0")
    both(node0, node1, node0.address)


def interface(fixed: bool) -> None:
    """The same. Fix: name the interface that gloo is to use."""
    node0, node1 = hosts.two_hosts()
    node0.names(DEBIAN.format("node0"))
    node1.names(DEBIAN.format("node1"))
    both(node0, node1, node0.address, **({"GLOO_SOCKET_IFNAME": "eth0"} if fixed else {}))


def endpoint(fixed: bool) -> None:
    """torchrun doesn't know the endpoint as an address of node 0, so no node serves it. Fix: say who is the host."""
    node0, node1 = hosts.two_hosts()
    node0.names(f"{DEBIAN.format('node0')}\n{node1.address} node1")
    node1.names(f"{node0.address} node0\n{DEBIAN.format('node1')}")
    runs = []
    for number, node in enumerate((node0, node1)):
        conf = f"--rdzv-conf={TIMES}" + f",is_host={int(number == 0)}" * fixed
        command = ranks.agent(__file__, "train", *ranks.TWO_NODES, conf, f"--rdzv-endpoint={node0.address}:29400")
        runs.append(node.start(command, GLOO_SOCKET_IFNAME="eth0"))
    ranks.report(node1=runs[1], node0=runs[0])


def same_name(fixed: bool) -> None:
    """Both hosts are called ubuntu, so each takes itself for rank 0. Fix: names of their own."""
    node0, node1 = hosts.two_hosts(("node0", "node1") if fixed else ("ubuntu", "ubuntu"))
    if not fixed:
        node0.names(DEBIAN.format("ubuntu"))
        node1.names(DEBIAN.format("ubuntu"))
    both(node0, node1, "node0" if fixed else "ubuntu")


def digits(fixed: bool) -> None:
    """The host name is a number, which the resolver reads as an address. Fix: say which address to use."""
    node = hosts.host(0, "6841231")
    node.names("")
    node.sh("ip route del default")  # with one, the packets are lost and the first message takes minutes
    local = ["--local-addr=127.0.0.1"] * fixed
    ranks.report(node0=node.start(ranks.agent(__file__, "train", "--standalone", *local), 60))


def stale(fixed: bool) -> None:
    """Node 1 has an old address of node 0 in its hosts file. Fix: the address of today."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node1.names(f"10.0.0.77 node0\n{node1.address} node1")
    show(node1, "node0")
    both(node0, node1, "node0")


def foreign(fixed: bool) -> None:
    """The names resolve to addresses that the hosts don't have. Fix: addresses of their own."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node0.names("10.9.9.1 node0")
        node1.names("10.9.9.2 node1")
    ranks.report(bind=node0.start([sys.executable, "-c", BIND]))
    both(node0, node1, node0.address)


def alone(fixed: bool) -> None:
    """On one host gloo only warns about an unusable name. Fix: a name that resolves."""
    node0, _ = hosts.two_hosts()
    if not fixed:
        node0.names("10.9.9.1 node0")
    run = node0.start(ranks.agent(__file__, "train", "--standalone", "--local-addr=127.0.0.1"))
    log = ranks.report(node0=run)
    print("gloo warned:", UNUSABLE in log, "trained:", "trained with 1 ranks" in log, flush=True)


TRAINED = "trained with 2 ranks"
CASES = {
    "loopback": cases.Case(loopback, "SO_ERROR: Connection refused, remote=[127.0.1.1]", TRAINED),
    "interface": cases.Case(interface, "SO_ERROR: Connection refused, remote=[127.0.1.1]", TRAINED),
    "endpoint": cases.Case(endpoint, "RendezvousConnectionError", TRAINED, diagnosed=False),
    "same-name": cases.Case(
        same_name, "timed out after 5000ms while trying to connect to (ubuntu, 29500)", TRAINED, diagnosed=False
    ),
    "digits": cases.Case(digits, "has failed to connect to [::ffff:0.104.99.143]", "trained with 1 ranks"),
    "stale": cases.Case(stale, "has failed to connect to [::ffff:10.0.0.77]:29500", TRAINED, diagnosed=False),
    "foreign": cases.Case(foreign, UNUSABLE, TRAINED, diagnosed=False),
    "alone": cases.Case(alone, "gloo warned: True trained: True", "gloo warned: False trained: True", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": jobs.train}))
