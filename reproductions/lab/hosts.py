"""Two imitated hosts behind a router, in namespaces of their own, and the frame around a script's cases."""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork"]
# Stack frames differ from build to build and hide the message between them.
NOISE = re.compile(r"^(frame #|Exception raised from|<omitting python frames>|\s*$)|OMP_NUM_THREADS|\*{20}")


@dataclasses.dataclass(frozen=True)
class Case:
    """A failure to bring about, and the text that its log holds without and with the fix."""

    play: Callable[[bool], None]
    broken: str
    mended: str


def sh(command: str) -> None:
    """Run a shell command that must succeed."""
    subprocess.run(command, shell=True, check=True)


def clean(log: str) -> str:
    """Drop stack frames and blank lines from a log."""
    return "\n".join(line for line in log.splitlines() if not NOISE.search(line))


def cover(path: str, text: str, enter: Sequence[str] = ()) -> None:
    """Lay a file of our own over a system file, for this mount namespace only."""
    handle, name = tempfile.mkstemp(dir=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    pathlib.Path(name).chmod(0o644)
    subprocess.run([*enter, "mount", "--bind", name, path], check=True)


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
    def enter(self) -> list[str]:
        """The command that runs what follows it on this host."""
        return ["nsenter", f"--target={self.pid}", "--net", "--mount", "--uts", f"--wd={os.getcwd()}"]

    def sh(self, command: str) -> None:
        """Run a shell command on this host that must succeed."""
        subprocess.run([*self.enter, "sh", "-c", command], check=True)

    def names(self, hosts: str, lookup: str = "files") -> None:
        """Give it an /etc/hosts, and say where it looks names up."""
        cover("/etc/hosts", f"127.0.0.1 localhost\n{hosts}\n", self.enter)
        cover("/etc/nsswitch.conf", f"hosts: {lookup}\n", self.enter)

    def start(self, command: Sequence[str], seconds: int = 90, **variables: str) -> subprocess.Popen[str]:
        """Start a command on this host that ends after some seconds at the latest."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
        return subprocess.Popen(
            [*self.enter, "timeout", "--kill-after=5", str(seconds), *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


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


def report(**runs: subprocess.Popen[str]) -> str:
    """Wait for the processes, then print what each of them has said, and return it."""
    logs = "\n".join(f"--- {name}\n{clean(run.communicate(timeout=150)[0])}" for name, run in runs.items())
    print(logs, flush=True)
    return logs


def _inside(case: Case, fixed: bool) -> int:
    sh("ip link set lo up")
    case.play(fixed)
    sys.stdout.flush()
    os._exit(0)  # threads of gloo sometimes abort an ordinary exit


def main(script: str, cases: Mapping[str, Case], roles: Mapping[str, Callable[[], None]] | None = None) -> int:
    """Run the case that the command line names, in fresh namespaces, and judge its log."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=cases, default=next(iter(cases)))
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--role", choices=roles or {}, help=argparse.SUPPRESS)
    args, _ = parser.parse_known_args()
    if args.role and roles:
        roles[args.role]()
        os._exit(0)
    case = cases[args.case]
    if args.inside:
        return _inside(case, args.fixed)
    again = [sys.executable, os.path.abspath(script), "--inside", "--case", args.case, *["--fixed"] * args.fixed]
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(
            [*UNSHARE, "--mount-proc", "--kill-child", *again],
            cwd=scratch,
            timeout=240,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    print(run.stdout)
    if "unshare" in run.stdout:
        return 77
    return 0 if (case.mended if args.fixed else case.broken) in run.stdout else 1
