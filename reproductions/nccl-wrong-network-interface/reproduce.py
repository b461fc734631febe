#!/usr/bin/env python3
"""Let gloo and NCCL use an interface that the other host cannot reach. The hosts are namespaces; no GPU is needed.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is gloo-missing
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, NCCL or unprivileged user namespaces are missing

The cases whose names begin with nccl need NCCL's library, for example from the package nvidia-nccl-cu12. They ask it
for a unique id, for which it chooses its interface, and then connect to the address in that id as a peer would.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hosts, jobs, ranks

cases.needs("torch")


def library() -> str:
    """The path of NCCL's library, from the installed package or from LIBNCCL."""
    spec = importlib.util.find_spec("nvidia.nccl") if importlib.util.find_spec("nvidia") else None
    places = list(spec.submodule_search_locations or []) if spec else []
    found = [os.environ.get("LIBNCCL", ""), *(f"{place}/lib/libnccl.so.2" for place in places)]
    return next((path for path in found if os.path.exists(path)), "")


def unique_id() -> None:
    """Ask NCCL for a unique id, and print the address that it gives to the other ranks. Then stay for them."""
    nccl = ctypes.CDLL(library())
    nccl.ncclGetErrorString.restype = ctypes.c_char_p
    made = ctypes.create_string_buffer(128)
    result = nccl.ncclGetUniqueId(made)
    ctypes.CDLL(None).fflush(None)  # the messages of NCCL, before anything ends this process
    if result:
        print("ncclGetUniqueId:", nccl.ncclGetErrorString(result).decode(), flush=True)
        return
    family, port = struct.unpack_from("=H", made, 8)[0], struct.unpack_from(">H", made, 10)[0]
    start, version = (12, socket.AF_INET) if family == socket.AF_INET else (16, socket.AF_INET6)
    address = socket.inet_ntop(version, made.raw[start : start + (4 if version == socket.AF_INET else 16)])
    print("address for the other ranks:", address, port, flush=True)
    time.sleep(12)


def both(nodes: Sequence[hosts.Host], first: str = "", second: str = "", address: str = "10.0.0.1") -> None:
    """Start one rank of gloo on each host, with the interface that each is told to use."""
    runs = []
    for node, name in zip(nodes, (first, second), strict=True):
        interface = {"GLOO_SOCKET_IFNAME": name} if name else {}
        runs.append(node.rank(__file__, "train", address, **interface))
    ranks.report(node1=runs[1], node0=runs[0])


def high_addresses(*nodes: hosts.Host) -> None:
    """Move the hosts to 192.168: of two ranks of gloo, the one with the higher address connects to the other."""
    for node in nodes:
        cases.sh(f"ip addr add 192.168.{node.number}.254/24 dev port{node.number}")
        node.sh(f"ip addr flush dev eth0 && ip addr add 192.168.{node.number}.1/24 dev eth0")
        node.sh(f"ip route add default via 192.168.{node.number}.254")


def bridges(*nodes: hosts.Host, name: str = "docker0") -> None:
    """Give each host a bridge of the same name and address, as Docker and libvirt do."""
    for node in nodes:
        node.sh(f"ip link add {name} type bridge && ip addr add 172.17.0.1/16 dev {name} && ip link set {name} up")


def connect(node: hosts.Host, address: str, port: str) -> None:
    """Connect from a host to an address, and print how it ends."""
    probe = f"import socket; socket.create_connection(({address!r}, {port}), 5); print('connected')"
    run = subprocess.run([*node.enter, sys.executable, "-c", probe], check=False, text=True, capture_output=True)
    print(f"--- peer connects to {address}\n{(run.stdout + run.stderr).strip().splitlines()[-1]}", flush=True)


def nccl(node0: hosts.Host, node1: hosts.Host, **variables: str) -> None:
    """Let NCCL choose on host 0, and connect to its choice from host 1."""
    if not library():
        cases.cannot("NCCL's library is missing")
    run = node0.start(
        ranks.again(__file__, "id"), 30, NCCL_DEBUG="INFO", NCCL_DEBUG_SUBSYS="INIT,ENV,NET,BOOTSTRAP", **variables
    )
    assert run.stdout
    for line in run.stdout:
        print(line.rstrip(), flush=True)
        if line.startswith("address for"):
            connect(node1, *line.split()[-2:])
            break
    run.terminate()
    run.wait()


def gloo_missing(fixed: bool) -> None:
    """GLOO_SOCKET_IFNAME names an interface that host 1 does not have. Fix: the name that it has."""
    both(hosts.two_hosts(), "eth0", "eth0" if fixed else "eth7")


def gloo_loopback(fixed: bool) -> None:
    """An image sets GLOO_SOCKET_IFNAME=lo. Fix: the interface of the network between the hosts."""
    both(hosts.two_hosts(), *(["eth0"] * 2 if fixed else ["lo"] * 2))


def gloo_bridge(fixed: bool) -> None:
    """Both hosts name docker0, which has the same address on every host. Fix: eth0."""
    nodes = hosts.two_hosts()
    bridges(*nodes)
    both(nodes, *(["eth0"] * 2 if fixed else ["docker0"] * 2))


def gloo_one_node(fixed: bool) -> None:
    """The names don't resolve to an own address, and only host 0 is told an interface. Fix: tell both."""
    node0, node1 = hosts.two_hosts()
    high_addresses(node0, node1)
    node0.names("10.9.9.1 node0")
    node1.names("10.9.9.2 node1")
    both((node0, node1), "eth0", "eth0" if fixed else "", "192.168.0.1")


def gloo_second_network(fixed: bool) -> None:
    """The name of host 1 belongs to a network that host 0 cannot reach. Fix: name the interface."""
    node0, node1 = hosts.two_hosts()
    high_addresses(node0, node1)
    node0.sh("ip route del default && ip route add 192.168.1.0/24 via 192.168.0.254")
    node1.sh("ip link add mgmt0 type bridge && ip addr add 10.5.0.2/16 dev mgmt0 && ip link set mgmt0 up")
    node1.names("10.5.0.2 node1")
    both((node0, node1), "eth0", "eth0" if fixed else "", "192.168.0.1")


def nccl_missing(fixed: bool) -> None:
    """NCCL_SOCKET_IFNAME names an interface that the host does not have. Fix: a prefix that fits."""
    nccl(*hosts.two_hosts(), NCCL_SOCKET_IFNAME="eth" if fixed else "eno")


def nccl_loopback(fixed: bool) -> None:
    """NCCL_SOCKET_IFNAME=lo gives 127.0.0.1 to the other ranks. Fix: leave it out."""
    nccl(*hosts.two_hosts(), **({} if fixed else {"NCCL_SOCKET_IFNAME": "lo"}))


def nccl_bridge(fixed: bool) -> None:
    """The kernel lists a bridge of Compose before the real interface. Fix: name the real one."""
    node0, node1 = hosts.two_hosts()
    bridges(node0, name="br-5f1d")
    node0.sh("ip link del eth0")
    cases.sh(f"ip link add name again0 type veth peer name eth0 netns {node0.pid}")
    cases.sh("ip addr add 10.0.0.254/24 dev again0 && ip link set again0 up")
    node0.sh(f"ip addr add {node0.address}/24 dev eth0 && ip link set eth0 up && ip route add default via 10.0.0.254")
    nccl(node0, node1, **({"NCCL_SOCKET_IFNAME": "=eth0"} if fixed else {}))


TRAINED = "trained with 2 ranks"
CASES = {
    "gloo-missing": cases.Case(gloo_missing, "Unable to find address for: eth7", TRAINED),
    "gloo-loopback": cases.Case(gloo_loopback, "remote=[127.0.0.1]", TRAINED, diagnosed=False),
    "gloo-bridge": cases.Case(gloo_bridge, "remote=[172.17.0.1]", TRAINED),
    "gloo-one-node": cases.Case(gloo_one_node, "Unable to resolve hostname to a (local) address", TRAINED),
    "gloo-second-network": cases.Case(gloo_second_network, "connect: Network is unreachable", TRAINED),
    "nccl-missing": cases.Case(nccl_missing, "Bootstrap : no socket interface found", "connected"),
    "nccl-loopback": cases.Case(
        nccl_loopback, "peer connects to 127.0.0.1\nConnectionRefusedError", "connected", diagnosed=False
    ),
    "nccl-bridge": cases.Case(nccl_bridge, "Bootstrap: Using br-5f1d:172.17.0.1<0>", "connected", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": jobs.train, "id": unique_id}))
