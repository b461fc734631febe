#!/usr/bin/env python3
"""Keep the second of two hosts from reaching rank 0. The hosts are namespaces; nothing outside of them is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is refused
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hosts, jobs, ranks

cases.needs("torch")


def probe(where: hosts.Host, address: str) -> None:
    """Print how bash fares with the same address and port, which is the check that the entry recommends."""
    command = f"timeout 5 bash -c '</dev/tcp/{address}/{ranks.PORT}'; echo exit $?"
    ranks.report(probe=where.start(["sh", "-c", command]))


def both(node0: hosts.Host, node1: hosts.Host, first: str, second: str) -> None:
    """Start both ranks, each with its own idea of where rank 0 is."""
    started = node0.rank(__file__, "train", first)
    waiting = node1.rank(__file__, "train", second)
    ranks.report(node1=waiting, node0=started)


def refused(fixed: bool) -> None:
    """Rank 0 is not there. Fix: start it."""
    node0, node1 = hosts.two_hosts()
    if fixed:
        both(node0, node1, node0.address, node0.address)
    else:
        probe(node1, node0.address)
        ranks.report(node1=node1.rank(__file__, "train", node0.address))


def dropped(fixed: bool) -> None:
    """The router throws the packets away without an answer. Fix: let them through."""
    filtered(fixed, "blackhole")


def rejected(fixed: bool) -> None:
    """The router answers that traffic is prohibited, as firewalls do. Fix: let it through."""
    filtered(fixed, "prohibit")


def filtered(fixed: bool, how: str) -> None:
    """Put a route on the router that keeps node 1 from node 0, with rank 0 running."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        cases.sh(f"ip route add {how} {node0.address}/32")
    probe(node1, node0.address)
    both(node0, node1, node0.address, node0.address)


def no_route(fixed: bool) -> None:
    """Node 1 has no route to the network of node 0. Fix: a route."""
    node0, node1 = hosts.two_hosts()
    if not fixed:
        node1.sh("ip route del default")
        probe(node1, node0.address)
    both(node0, node1, node0.address, node0.address)


def localhost(fixed: bool) -> None:
    """Every node is told that rank 0 is on localhost. Fix: the address of node 0."""
    node0, node1 = hosts.two_hosts()
    address = node0.address if fixed else "localhost"
    both(node0, node1, address, address)


def torchrun(fixed: bool) -> None:
    """The agents cannot reach the endpoint of their rendezvous. Fix: the address of node 0."""
    node0, node1 = hosts.two_hosts()
    endpoint = f"--rdzv-endpoint={node0.address if fixed else '10.0.0.9'}:{ranks.PORT}"
    command = ranks.agent(__file__, "train", *ranks.TWO_NODES, "--rdzv-conf=read_timeout=5", endpoint)
    runs = [node.start(command) for node in (node0, node1)]
    ranks.report(node1=runs[1], node0=runs[0])


TIMED_OUT = "The client socket has timed out after 5000ms while trying to connect to"
CASES = {
    "refused": cases.Case(refused, TIMED_OUT, "trained with 2 ranks"),
    "dropped": cases.Case(dropped, TIMED_OUT, "trained with 2 ranks"),
    "rejected": cases.Case(rejected, "(errno: 113 - No route to host)", "trained with 2 ranks"),
    "no-route": cases.Case(no_route, "(errno: 101 - Network is unreachable)", "trained with 2 ranks"),
    "localhost": cases.Case(localhost, f"{TIMED_OUT} (localhost, {ranks.PORT})", "trained with 2 ranks"),
    "torchrun": cases.Case(torchrun, "RendezvousConnectionError", "trained with 2 ranks"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": jobs.train}))
