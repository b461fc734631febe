#!/usr/bin/env python3
"""Let host names not resolve, with a name server and two hosts of our own in namespaces; nothing else is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is peer
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hosts, jobs, ranks

cases.needs("torch")

LOOK_UP = "import socket; print(socket.getaddrinfo('{}', 29500)[0][4][0])"
NXDOMAIN, SERVFAIL = 3, 2


def patient() -> None:
    """Meet the other rank, whose name appears late."""
    jobs.train(12)


def answer(query: bytes, zone: dict[str, str], code: int) -> bytes:
    """Answer a DNS query: an address for a name of the zone, else the code."""
    end, labels = 12, []
    while query[end]:
        labels.append(query[end + 1 : end + 1 + query[end]].decode())
        end += query[end] + 1
    question, wants_a = query[12 : end + 5], query[end + 1 : end + 3] == b"\0\1"
    known = ".".join(labels).lower() in zone
    address = zone[".".join(labels).lower()] if known else ""
    record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address) if address and wants_a else b""
    head = query[:2] + bytes([0x85, 0x80 | (0 if known else code)]) + b"\0\1" + bytes([0, int(bool(record))]) + bytes(4)
    return head + question + record


def name_server(
    zone: dict[str, str], code: int = NXDOMAIN, silent: bool = False, later: dict[str, str] | None = None
) -> None:
    """Serve a zone on the router, with some names only three seconds after the first query, or never answer."""
    server = socket.socket(type=socket.SOCK_DGRAM)
    server.bind(("", 53))

    def serve() -> None:
        waiting = later
        while True:
            query, client = server.recvfrom(512)
            if waiting:
                threading.Timer(3, zone.update, [waiting]).start()
                waiting = None
            if not silent:
                server.sendto(answer(query, zone, code), client)

    threading.Thread(target=serve, daemon=True).start()


def clients(search: str = "") -> tuple[hosts.Host, hosts.Host]:
    """Make two hosts that know only themselves and ask the router for other names."""
    pair = hosts.two_hosts()
    for number, one in enumerate(pair):
        one.names(f"{one.address} node{number}", "files dns")
        resolv = f"nameserver 10.0.{number}.254\noptions timeout:1 attempts:1\n{search}\n"
        cases.cover("/etc/resolv.conf", resolv, one.enter)
    return pair


def both(pair: tuple[hosts.Host, hosts.Host], address: str, role: str = "train") -> str:
    """Start one rank on each host without a launcher, and print what both say."""
    node0 = pair[0].rank(__file__, role, pair[0].address, GLOO_SOCKET_IFNAME="eth0")
    node1 = pair[1].rank(__file__, role, address, GLOO_SOCKET_IFNAME="eth0")
    return ranks.report(node1=node1, node0=node0)


def peer(fixed: bool) -> None:
    """torchrun tells all nodes the host name of node 0, which only node 0 knows. Fix: an address instead."""
    node0, node1 = hosts.two_hosts()
    node1.names(f"{node1.address} node1")
    options = [*ranks.TWO_NODES, f"--rdzv-endpoint={node0.address}:29400"]
    runs = []
    for node in (node0, node1):
        local = [f"--local-addr={node.address}"] * fixed
        runs.append(node.start(ranks.agent(__file__, "train", *options, *local)))
    ranks.report(node1=runs[1], node0=runs[0])


def unknown(fixed: bool) -> None:
    """The name server does not know the name. Fix: spell it right."""
    name_server({"node0.cluster": "10.0.0.1"})
    both(clients(), "node0.cluster" if fixed else "node00.cluster")


def silent(fixed: bool) -> None:
    """The name server does not answer. Fix: one that does."""
    name_server({"node0.cluster": "10.0.0.1"}, silent=not fixed)
    both(clients(), "node0.cluster")


def servfail(fixed: bool) -> None:
    """The name server answers that it could not find out. Fix: a zone that holds the name."""
    name_server({"node0.cluster": "10.0.0.1"} if fixed else {}, SERVFAIL)
    both(clients(), "node0.cluster")


def no_address(fixed: bool) -> None:
    """The name exists and has no address. Fix: give it one."""
    name_server({"node0.cluster": "10.0.0.1" if fixed else ""})
    both(clients(), "node0.cluster")


def search(fixed: bool) -> None:
    """A short name needs the search domain. Fix: name the domain in resolv.conf."""
    name_server({"node0.cluster": "10.0.0.1"})
    both(clients("search cluster" if fixed else ""), "node0")


def blank(fixed: bool) -> None:
    """MASTER_ADDR begins with a blank, so that it is no address any more. Fix: take it out."""
    both(clients(), "10.0.0.1" if fixed else " 10.0.0.1")


def late(fixed: bool) -> None:
    """The name appears some seconds after rank 1 began to ask, as in Kubernetes. Fix: it is there before."""
    zone = {"node0.cluster": "10.0.0.1"}
    name_server(zone if fixed else {}, later=zone)
    log = both(clients(), "node0.cluster", "patient")
    print("look-ups that failed before the ranks met:", "some" if "cannot be retrieved" in log else "none", flush=True)


def own_name(fixed: bool) -> None:
    """torchrun cannot look up its own host name. Fix: put it into /etc/hosts."""
    node0, _ = hosts.two_hosts()
    if not fixed:
        node0.names("")
    options = ["--rdzv-backend=c10d", f"--rdzv-endpoint={node0.address}:29400"]
    ranks.report(node0=node0.start(ranks.agent(__file__, "train", *options)))


def programs(fixed: bool) -> None:
    """What Python and ssh print for the same name. Fix: a name that resolves."""
    name_server({"node7.cluster": "10.0.0.1"} if fixed else {})
    _, node1 = clients()
    runs = {
        "python": node1.start([sys.executable, "-c", LOOK_UP.format("node7.cluster")]),
        "ssh": node1.start(["ssh", "-o", "BatchMode=yes", "node7.cluster", "true"]),
    }
    ranks.report(**runs)


TRAINED = "trained with 2 ranks"
CASES = {
    "peer": cases.Case(peer, "cannot be retrieved (gai error: -2 - Name or service not known)", TRAINED),
    "unknown": cases.Case(unknown, "cannot be retrieved (gai error: -2 - Name or service not known)", TRAINED),
    "silent": cases.Case(silent, "(gai error: -3 - Temporary failure in name resolution)", TRAINED),
    "servfail": cases.Case(servfail, "(gai error: -3 - Temporary failure in name resolution)", TRAINED),
    "no-address": cases.Case(no_address, "(gai error: -5 - No address associated with hostname)", TRAINED),
    "search": cases.Case(search, "The IPv6 network addresses of (node0, 29500) cannot be retrieved", TRAINED),
    "blank": cases.Case(blank, "The IPv6 network addresses of ( 10.0.0.1, 29500) cannot be retrieved", TRAINED),
    "late": cases.Case(late, "before the ranks met: some", "before the ranks met: none"),
    "own-name": cases.Case(own_name, "socket.gaierror: [Errno -2] Name or service not known", "trained with 1 ranks"),
    "programs": cases.Case(programs, "Could not resolve hostname node7.cluster", "10.0.0.1\n"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": jobs.train, "patient": patient}))
