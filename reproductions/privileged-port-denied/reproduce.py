#!/usr/bin/env python3
"""Ask for a port below the first unprivileged one without the right to it, in a private network namespace.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is libuv
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

import argparse
import ctypes
import datetime
import os
import subprocess
import sys

try:
    import torch.distributed as dist
except ImportError:
    sys.exit(77)

PR_CAPBSET_DROP, CAP_NET_BIND_SERVICE = 24, 10


def store(port: int, libuv: bool = True) -> None:
    """Open the store server of torch.distributed on a port and say how it went."""
    try:
        dist.TCPStore("127.0.0.1", port, 1, True, timeout=datetime.timedelta(seconds=5), use_libuv=libuv)
        print("store: listening", flush=True)
    except Exception as error:
        print(f"store: {type(error).__name__}: {error}", flush=True)


def libuv(fixed: bool) -> None:
    """The default server. Fix: a port from 1024 on."""
    store(20097 if fixed else 97)


def classic(fixed: bool) -> None:
    """The server before libuv, which prints one line for IPv6 and one for IPv4."""
    store(20097 if fixed else 97, libuv=False)


def leading_zeros(fixed: bool) -> None:
    """torchrun reads 00097 as 97. Fix: let it choose."""
    options = ["--standalone"] if fixed else ["--master-port=00097"]
    run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1", *options, __file__, "--train"]
    subprocess.run(run, check=False, stderr=subprocess.STDOUT, timeout=120)


def lowered(fixed: bool) -> None:
    """The first unprivileged port is a setting of the network namespace. Fix: a lower one."""
    if fixed:
        subprocess.run(["sysctl", "-w", "net.ipv4.ip_unprivileged_port_start=97"], check=True)
    store(97)


def raised(fixed: bool) -> None:
    """The setting can be higher than 1024, and then refuses common ports. Fix: the default again."""
    subprocess.run(["sysctl", "-w", f"net.ipv4.ip_unprivileged_port_start={1024 if fixed else 30000}"], check=True)
    store(29500)


CASES = {  # name: (function, seen without --fixed, seen with it)
    "libuv": (libuv, "port: 97, useIpv6: 0, code: -13, name: EACCES", "store: listening"),
    "classic": (classic, "[::]:97 (errno: 13 - Permission denied)", "store: listening"),
    "leading-zeros": (leading_zeros, "port: 97", "trained"),
    "lowered": (lowered, "name: EACCES", "store: listening"),
    "raised": (raised, "port: 29500, useIpv6: 0, code: -13, name: EACCES", "store: listening"),
}


def inside(arguments: list[str]) -> None:
    """Give up the right to low ports for good, then run the case."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_NET_BIND_SERVICE, 0, 0, 0):
        sys.exit(77)
    os.execv(sys.executable, [sys.executable, __file__, "--one", *arguments])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="libuv")
    parser.add_argument("--fixed", action="store_true")
    for hidden in ("--inside", "--one", "--train"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        print("trained", flush=True)
        return 0
    arguments = ["--case", options.case, *(["--fixed"] if options.fixed else [])]
    if options.inside:
        inside(arguments)
    function, broken, mended = CASES[options.case]
    if options.one:
        function(options.fixed)
        return 0
    again = ["unshare", "-rn", sys.executable, __file__, "--inside", *arguments]
    run = subprocess.run(again, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180, check=False)
    print(run.stdout)
    if run.returncode == 77 or "unshare" in run.stdout:
        return 77
    return 0 if (mended if options.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
