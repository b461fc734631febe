"""Two imitated hosts behind a router, in namespaces of their own."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import time
from collections.abc import Sequence

from lab import ranks
from lab.cases import cover, sh


@dataclasses.dataclass(frozen=True)
class Host:
    """A host with a network, files and a name of its own, 10.0.NUMBER.1 behind the router."""

    number: int
    pid: int

    @property
    def address(self) -> str:
        """Its address, which the other host reaches through the router."""
        return f"10.0.{self.number}.1"

    @property
    def enter(self) -> tuple[str, ...]:
        """The command that runs what follows it on this host."""
        return ("nsenter", f"--target={self.pid}", "--net", "--mount", "--uts", f"--wd={os.getcwd()}")

    def sh(self, command: str) -> None:
        """Run a shell command on this host that must succeed."""
        subprocess.run([*self.enter, "sh", "-c", command], check=True)

    def names(self, hosts: str, lookup: str = "files") -> None:
        """Give it an /etc/hosts, and say where it looks names up."""
        cover("/etc/hosts", f"127.0.0.1 localhost\n{hosts}\n", self.enter)
        cover("/etc/nsswitch.conf", f"hosts: {lookup}\n", self.enter)

    def start(self, command: Sequence[str], seconds: int = 120, **variables: str) -> ranks.Run:
        """Start a command on this host that ends after some seconds at the latest."""
        return ranks.start([*self.enter, *command], seconds, **variables)

    def rank(self, script: str, role: str, address: str, seconds: int = 120, **variables: str) -> ranks.Run:
        """Start the rank of this host, one of two, without a launcher, and tell it where rank 0 is."""
        place = {"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": address}
        return ranks.rank(script, role, self.number, 2, seconds, self.enter, **{**place, **variables})


def host(number: int, name: str) -> Host:
    """Make a host and join it to the router, which has the address 10.0.NUMBER.254 there."""
    sleeper = subprocess.Popen(["unshare", "--net", "--mount", "--uts", "sleep", "600"])
    ours = os.readlink("/proc/self/ns/uts")
    while os.readlink(f"/proc/{sleeper.pid}/ns/uts") == ours:
        time.sleep(0.05)
    made = Host(number, sleeper.pid)
    sh(f"ip link add name port{number} type veth peer name eth0 netns {sleeper.pid}")
    sh(f"ip addr add 10.0.{number}.254/24 dev port{number} && ip link set port{number} up")
    made.sh(f"hostname {name} && ip link set lo up && ip addr add {made.address}/24 dev eth0 && ip link set eth0 up")
    made.sh(f"ip route add default via 10.0.{number}.254")
    return made


def two_hosts(names: Sequence[str] = ("node0", "node1")) -> tuple[Host, Host]:
    """Make two hosts that reach each other through this namespace, and know each other's names."""
    sh("sysctl -qw net.ipv4.ip_forward=1")
    made = host(0, names[0]), host(1, names[1])
    for each in made:
        each.names("\n".join(f"{one.address} {name}" for one, name in zip(made, names, strict=True)))
    return made
