#!/usr/bin/env python3
"""Ask for a port below the first unprivileged one without the right to it, in a network namespace.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is libuv
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs, ranks

cases.needs("torch")

UNPRIVILEGED = ["setpriv", "--bounding-set=-net_bind_service", "--inh-caps=-net_bind_service"]


def serve() -> None:
    """Open the server of the store on the port that the case names."""
    jobs.store(int(os.environ["PORT"]), libuv=os.environ["LIBUV"] == "1")


def run(command: Sequence[str], **variables: str) -> None:
    """Run a command without the right to low ports, and print what it said."""
    ranks.report(job=ranks.start([*UNPRIVILEGED, *command], **variables))


def store(port: int, libuv: bool = True) -> None:
    """Open the server of the store without the right to low ports."""
    run(ranks.again(__file__, "serve"), PORT=str(port), LIBUV=str(int(libuv)))


def libuv(fixed: bool) -> None:
    """The default server. Fix: a port from 1024 on."""
    store(20097 if fixed else 97)


def classic(fixed: bool) -> None:
    """The server before libuv, which prints one line for IPv6 and one for IPv4. Fix: as above."""
    store(20097 if fixed else 97, libuv=False)


def leading_zeros(fixed: bool) -> None:
    """torchrun reads 00097 as 97. Fix: let it choose."""
    run(ranks.agent(__file__, "train", "--standalone" if fixed else "--master-port=00097"))


def lowered(fixed: bool) -> None:
    """The first unprivileged port is a setting of the network namespace. Fix: a lower one."""
    if fixed:
        cases.sh("sysctl -w net.ipv4.ip_unprivileged_port_start=97")
    store(97)


def raised(fixed: bool) -> None:
    """The setting can be higher than 1024, and then refuses common ports. Fix: the default again."""
    cases.sh(f"sysctl -w net.ipv4.ip_unprivileged_port_start={1024 if fixed else 30000}")
    store(29500)


LISTENING = "store: listening"
CASES = {
    "libuv": cases.Case(libuv, "port: 97, useIpv6: 0, code: -13, name: EACCES", LISTENING),
    "classic": cases.Case(classic, "[::]:97 (errno: 13 - Permission denied)", LISTENING),
    "leading-zeros": cases.Case(leading_zeros, "port: 97", "trained with 1 ranks"),
    "lowered": cases.Case(lowered, "name: EACCES", LISTENING),
    "raised": cases.Case(raised, "port: 29500, useIpv6: 0, code: -13, name: EACCES", LISTENING),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"serve": serve, "train": jobs.train}))
