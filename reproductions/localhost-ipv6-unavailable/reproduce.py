#!/usr/bin/env python3
"""Turn IPv6 off in a private network namespace and use localhost there. Nothing outside of it is touched.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is bind
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import pathlib
import platform
import socket
import struct
import sys
import time
import urllib.request
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs, ranks

cases.needs("torch")

BOTH = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"  # as Docker and Debian write it
SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
SECCOMP_SET_MODE_FILTER, NO_NEW_PRIVS = 22, 38
EAFNOSUPPORT = 97


def train() -> None:
    """Meet the other rank, which asks for rank 0 some seconds before it is there."""
    asked = pathlib.Path("asked")
    if os.environ["RANK"] == "0":
        ranks.wait_for(asked.exists)
        time.sleep(3)
    asked.touch()
    jobs.train(8)


def prepare(names: str, ipv6: bool) -> None:
    """Set what localhost resolves to, and whether the namespace has ::1."""
    cases.cover("/etc/hosts", names)
    cases.sh(f"sysctl -qw net.ipv6.conf.all.disable_ipv6={int(not ipv6)} net.ipv6.conf.lo.disable_ipv6={int(not ipv6)}")


def both(address: str) -> None:
    """Start two ranks without a launcher, and print what they say."""
    place = {"MASTER_ADDR": address, "GLOO_SOCKET_IFNAME": "lo"}
    ranks.report(**{f"rank{number}": ranks.rank(__file__, "train", number, **place) for number in (0, 1)})


def attempt(name: str, action: Callable[[], object]) -> None:
    """Print what a call gives, or the error that it raises."""
    try:
        print(f"{name}: {action()}", flush=True)
    except OSError as error:
        print(f"{name}: {type(error).__name__}: {error}", flush=True)


def serve(address: str) -> None:
    """Open an asyncio server, as uvicorn does, and print the addresses that it listens on."""

    async def listen() -> list[str]:
        server = await asyncio.start_server(lambda *_: None, address, 8000)
        return sorted(one.getsockname()[0] for one in server.sockets)

    attempt("listening on", lambda: asyncio.run(listen()))


def bind(fixed: bool) -> None:
    """A server binds all addresses of localhost, ::1 among them. Fix: bind 127.0.0.1."""
    prepare(BOTH, ipv6=False)
    serve("127.0.0.1" if fixed else "localhost")


def hosts_line(fixed: bool) -> None:
    """The same. Fix: take localhost out of the line of ::1, in place, because the file may be a mount."""
    prepare(BOTH, ipv6=False)
    if fixed:
        cases.sh(
            "sed -E '/^::1/s/[[:space:]]localhost([[:space:]]|$)/ /' /etc/hosts > hosts.new"
            " && cat hosts.new > /etc/hosts && cat /etc/hosts"
        )
    serve("localhost")


def loopback(fixed: bool) -> None:
    """The same. Fix: give the loopback interface its ::1."""
    prepare(BOTH, ipv6=False)
    if fixed:
        cases.sh("sysctl -w net.ipv6.conf.lo.disable_ipv6=0")
    serve("localhost")


def refused(fixed: bool) -> None:
    """Nothing listens on 127.0.0.1, yet the error is that of ::1, which is tried last. Fix: start the server."""
    prepare(BOTH, ipv6=False)
    print("order:", [info[4][0] for info in socket.getaddrinfo("localhost", 8000, type=socket.SOCK_STREAM)])
    with contextlib.ExitStack() as stack:
        if fixed:
            server = stack.enter_context(socket.socket())
            server.bind(("127.0.0.1", 8000))
            server.listen()
        attempt("localhost", lambda: socket.create_connection(("localhost", 8000)).getpeername())
        attempt("127.0.0.1", lambda: socket.create_connection(("127.0.0.1", 8000)).getpeername())
        if not fixed:
            attempt("urllib", lambda: urllib.request.urlopen("http://localhost:8000"))


def master(fixed: bool) -> None:
    """Rank 0 is said to be on ::1, which does not exist. Fix: localhost, which has two addresses."""
    prepare(BOTH, ipv6=False)
    both("localhost" if fixed else "::1")


def warning(fixed: bool) -> None:
    """Until rank 0 is there PyTorch also tries ::1, and warns. Fix: no warning with MASTER_ADDR=127.0.0.1."""
    prepare(BOTH, ipv6=False)
    both("127.0.0.1" if fixed else "localhost")


def without_family() -> None:
    """Let the kernel refuse IPv6 sockets to this process and its children, as ipv6.disable=1 does."""
    number = SOCKET_CALL.get(platform.machine())
    if number is None:
        cases.cannot(f"no number of socket() for {platform.machine()}")
    program = [
        (0x20, 0, 0, 0),
        (0x15, 0, 3, number),
        (0x20, 0, 0, 16),
        (0x15, 0, 1, socket.AF_INET6),
        (0x06, 0, 0, 0x00050000 | EAFNOSUPPORT),
        (0x06, 0, 0, 0x7FFF0000),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SECCOMP_SET_MODE_FILTER, 2, head):
        cases.cannot("seccomp filters are off")


def no_family(fixed: bool) -> None:
    """IPv6 sockets do not exist. PyTorch warns and trains. Fix: none is needed, and without the filter no warning."""
    prepare(BOTH, ipv6=True)
    if not fixed:
        without_family()
    both("localhost")


ERRNO_99 = "The client socket has failed to connect to [localhost]:29500 (errno: 99 - Cannot assign requested address)"
BIND_FAILED = "error while attempting to bind on address ('::1', 8000, 0, 0)"
TRAINED = "trained with 2 ranks"
CASES = {
    "bind": cases.Case(bind, BIND_FAILED, "listening on: ['127.0.0.1']"),
    "hosts-line": cases.Case(hosts_line, BIND_FAILED, "listening on: ['127.0.0.1']"),
    "loopback": cases.Case(loopback, BIND_FAILED, "listening on: ['127.0.0.1', '::1']"),
    "refused": cases.Case(refused, "localhost: OSError: [Errno 99]", "localhost: ('127.0.0.1', 8000)", diagnosed=False),
    "master": cases.Case(master, "(::1, 29500) cannot be retrieved (gai error: -9", TRAINED),
    "warning": cases.Case(warning, ERRNO_99, TRAINED, diagnosed=False),
    "no-family": cases.Case(
        no_family, "(errno: 97 - Address family not supported by protocol)", TRAINED, diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train}))
