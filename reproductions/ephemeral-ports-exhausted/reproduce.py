#!/usr/bin/env python3
"""Use up the ephemeral ports of a private network namespace. Nothing outside of it is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is exhausted
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

import argparse
import contextlib
import datetime
import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

try:
    import torch.distributed as dist
except ImportError:
    sys.exit(77)

PORTS = 50


def sysctl(*settings: str) -> None:
    """Change settings of the namespace."""
    subprocess.run(["sysctl", "-qw", *settings], check=True)


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


def store(port: int, server: bool, libuv: bool = True) -> dist.TCPStore:
    """Open one side of the store of torch.distributed."""
    two_seconds = datetime.timedelta(seconds=2)
    return dist.TCPStore("127.0.0.1", port, 1, server, two_seconds, wait_for_workers=False, use_libuv=libuv)


def bind_any() -> int:
    """The port that the kernel gives to a bind to port 0."""
    with socket.socket() as any_port:
        any_port.bind(("", 0))
        return int(any_port.getsockname()[1])


def exhausted(fixed: bool) -> None:
    """Hold every port towards one destination. Fix: a wider range."""
    servers = [store(5000, True), listener(5001)]
    held: list[socket.socket] = []
    with contextlib.suppress(OSError):
        while len(held) <= PORTS:
            held.append(connect(5000))
    print("connections to one destination:", len(held))
    if fixed:
        sysctl("net.ipv4.ip_local_port_range=40000 40199")
    attempt("connect to the same destination", lambda: connect(5000).getsockname()[1])
    attempt("connect to another destination port", lambda: connect(5001).getsockname()[1])
    attempt("bind to port 0", bind_any)
    attempt("store client", lambda: store(5000, False).port)
    attempt("store server", lambda: store(0, True).port)
    attempt("store server before libuv", lambda: store(0, True, libuv=False).port)
    del servers


def churn(fixed: bool) -> None:
    """Open and close connections to one endpoint; a short tcp_fin_timeout is no help. Fix: keep one open."""
    sysctl("net.ipv4.tcp_fin_timeout=15")
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
    subprocess.run(["ss", "-Htano", "state", "time-wait"], check=True)


def reuse(fixed: bool) -> None:
    """The same between two addresses that are not loopback, with tcp_tw_reuse 0. Fix: 1."""
    for address in ("10.9.9.1", "10.9.9.2"):
        subprocess.run(["ip", "addr", "add", f"{address}/32", "dev", "lo"], check=True)
    sysctl(f"net.ipv4.tcp_tw_reuse={int(fixed)}")
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
    """errno 99 without exhaustion: ::1 while IPv6 is off, and an address of another host."""
    if not fixed:
        sysctl("net.ipv6.conf.lo.disable_ipv6=1")
    server = socket.socket(socket.AF_INET6)
    with contextlib.suppress(OSError):
        server.bind(("::1", 29500))
        server.listen()
    client = socket.socket(socket.AF_INET6)
    attempt("connect to ::1", lambda: client.connect(("::1", 29500)))
    other = socket.socket()
    attempt("bind to an address of another host", lambda: other.bind(("192.0.2.1", 0)))


def no_resolver(fixed: bool) -> None:
    """The same as exhausted, where addresses cannot be looked up: PyTorch prints meaningless ones."""
    exhausted(fixed)


CASES = {  # name: (function, seen without --fixed, seen with it)
    "exhausted": (exhausted, "port: 0, useIpv6: false, code: -98, name: EADDRINUSE", "store server: works"),
    "no-resolver": (no_resolver, "cannot be retrieved. err=", "store server: works"),
    "churn": (churn, f"requests before the first failure: {PORTS}", "no failure"),
    "reuse": (reuse, f"connections: {PORTS}\n", f"connections: {4 * PORTS}\n"),
    "no-ipv6": (no_ipv6, "connect to ::1: EADDRNOTAVAIL", "connect to ::1: works"),
}


def inside(case: str, fixed: bool) -> None:
    """Run one case in the private namespaces."""
    if case != "no-resolver":
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("hosts: files\n")  # no name server is reachable from here
            file.flush()
            subprocess.run(["mount", "--bind", file.name, "/etc/nsswitch.conf"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    sysctl(f"net.ipv4.ip_local_port_range=40000 {40000 + PORTS - 1}", "net.ipv4.tcp_tw_reuse=0")
    CASES[case][0](fixed)
    sys.stdout.flush()
    os._exit(0)


def main() -> int:
    """Run one case in namespaces of its own and look for the expected outcome in what it prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="exhausted")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        inside(args.case, args.fixed)
    again = ["unshare", "-rnm", sys.executable, __file__, "--inside", "--case", args.case, *["--fixed"] * args.fixed]
    run = subprocess.run(again, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    print(run.stdout)
    if "unshare" in run.stdout:
        return 77
    _, broken, mended = CASES[args.case]
    return 0 if (mended if args.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
