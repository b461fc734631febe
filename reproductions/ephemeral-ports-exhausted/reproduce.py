#!/usr/bin/env python3
"""Use up the ephemeral ports of a network namespace. Nothing outside of it is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is exhausted
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import pathlib
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")

PORTS = 50
KEPT: list[Any] = []


def few_ports() -> None:
    """Leave the network namespace few ports, and let none be used again before its time."""
    cases.sh(f"sysctl -qw net.ipv4.ip_local_port_range='40000 {40000 + PORTS - 1}' net.ipv4.tcp_tw_reuse=0")


def listener(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A server that accepts connections when it is told to."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen(500)
    return server


def attempt(name: str, action: Callable[[], object]) -> None:
    """Run an action and print what it gives or which error it raises."""
    try:
        print(f"{name}: works, {action()}", flush=True)
    except OSError as error:
        print(f"{name}: {errno.errorcode.get(error.errno or 0)} {error}", flush=True)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)


def connect(port: int, address: str = "127.0.0.1") -> socket.socket:
    """An outgoing connection from whatever port the kernel gives."""
    client = socket.socket()
    client.connect((address, port))
    return client


def store(port: int, server: bool, libuv: bool = True) -> int:
    """Open one side of the store of torch.distributed, keep it, and return its port."""
    import torch.distributed as dist

    two_seconds = datetime.timedelta(seconds=2)
    KEPT.append(dist.TCPStore("127.0.0.1", port, 1, server, two_seconds, wait_for_workers=False, use_libuv=libuv))
    return int(KEPT[-1].port)


def bind_any() -> int:
    """The port that the kernel gives to a bind to port 0."""
    with socket.socket() as any_port:
        any_port.bind(("", 0))
        return int(any_port.getsockname()[1])


def exhausted(fixed: bool) -> None:
    """Hold every port towards one destination. Fix: a wider range."""
    few_ports()
    store(5000, True)
    KEPT.append(listener(5001))
    held: list[socket.socket] = []
    with contextlib.suppress(OSError):
        while len(held) <= PORTS:
            held.append(connect(5000))
    print("connections to one destination:", len(held))
    if fixed:
        cases.sh("sysctl -qw net.ipv4.ip_local_port_range='40000 40199'")
    attempt("connect to the same destination", lambda: connect(5000).getsockname()[1])
    attempt("connect to another destination port", lambda: connect(5001).getsockname()[1])
    attempt("bind to port 0", bind_any)
    attempt("store client", lambda: store(5000, False))
    attempt("store server", lambda: store(0, True))
    attempt("store server before libuv", lambda: store(0, True, libuv=False))


def churn(fixed: bool) -> None:
    """Open and close connections to one endpoint; a short tcp_fin_timeout is no help. Fix: keep one open."""
    few_ports()
    cases.sh("sysctl -qw net.ipv4.tcp_fin_timeout=15")
    server = listener(5000)
    served = 0
    client = None
    with contextlib.suppress(OSError):
        while served < 4 * PORTS:
            if client is None or not fixed:
                client = connect(5000)
                peer, _ = server.accept()
            client.sendall(b"GET")
            peer.recv(3)
            if not fixed:
                client.close()
                peer.close()
            served += 1
    print("requests before the first failure:", served if served < 4 * PORTS else "no failure", flush=True)
    cases.sh("ss -Htano state time-wait")


def reuse(fixed: bool) -> None:
    """The same between two addresses that are not loopback, with tcp_tw_reuse 0. Fix: 1."""
    few_ports()
    cases.sh("ip addr add 10.9.9.1/32 dev lo && ip addr add 10.9.9.2/32 dev lo")
    cases.sh(f"sysctl -qw net.ipv4.tcp_tw_reuse={int(fixed)}")
    server = listener(5000, "10.9.9.2")
    done = 0
    with contextlib.suppress(OSError):
        while done < 4 * PORTS:
            client = connect(5000, "10.9.9.2")
            peer, _ = server.accept()
            client.close()
            peer.close()
            done += 1
            if done % PORTS == 0:
                time.sleep(1.2)
    print("connections:", done)


def no_ipv6(fixed: bool) -> None:
    """errno 99 without exhaustion: ::1 while IPv6 is off, and an address of another host. Fix: IPv6, an own address."""
    if not fixed:
        cases.sh("sysctl -qw net.ipv6.conf.lo.disable_ipv6=1")
    server = socket.socket(socket.AF_INET6)
    with contextlib.suppress(OSError):
        server.bind(("::1", 29500))
        server.listen()
    client = socket.socket(socket.AF_INET6)
    attempt("connect to ::1", lambda: client.connect(("::1", 29500)))
    other = socket.socket()
    address = "127.0.0.1" if fixed else "192.0.2.1"
    attempt(f"bind to {address}", lambda: other.bind((address, 0)))


def no_resolver(fixed: bool) -> None:
    """Where addresses cannot be looked up, PyTorch prints meaningless ones. Fix: a wider range, and a resolver."""
    if not fixed:
        cases.cover("/etc/hosts", "")
        cases.cover("/etc/nsswitch.conf", "hosts: dns\n")
    exhausted(fixed)


CASES = {
    "exhausted": cases.Case(exhausted, "port: 0, useIpv6: false, code: -98, name: EADDRINUSE", "store server: works"),
    "no-resolver": cases.Case(no_resolver, "cannot be retrieved. err=", "store server: works"),
    "churn": cases.Case(churn, f"requests before the first failure: {PORTS}\n", "no failure", diagnosed=False),
    "reuse": cases.Case(reuse, f"connections: {PORTS}\n", f"connections: {4 * PORTS}\n", diagnosed=False),
    "no-ipv6": cases.Case(no_ipv6, "connect to ::1: EADDRNOTAVAIL", "connect to ::1: works", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
