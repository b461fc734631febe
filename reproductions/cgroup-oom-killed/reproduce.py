#!/usr/bin/env python3
"""Run trainings in a memory cgroup of 200 MB, as a container or a job gets one, until the kernel ends them.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is dataset
exit:  0 the expected outcome was seen, 1 it was not, 77 it needs root, cgroup v1 and a readable kernel log

A keeper outside of the namespaces makes the cgroup, passes on what the kernel says of it, and removes it when the
script has ended, also if it was killed.
"""

from __future__ import annotations

import mmap
import os
import pathlib
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, cgroups, ranks

HIERARCHY = pathlib.Path("/sys/fs/cgroup/memory")
MIB = 2**20
LIMIT = 200 * MIB
KILLED = re.compile(r"oom-kill:.*,oom_memcg=(/[^,]*),.*,pid=(\d+)")
TRAIN = f"{sys.executable} {shlex.quote(os.path.abspath(__file__))} --role"


def keep(name: str, said: pathlib.Path) -> None:
    """Be the keeper: hold the cgroup until the script is gone, and write down the kernel's lines about it."""
    group = HIERARCHY / name
    try:
        kernel = os.open("/dev/kmsg", os.O_RDONLY)
        os.lseek(kernel, 0, os.SEEK_END)
        group.mkdir()
        for limit in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
            # The second is there if swap space is counted, which would otherwise take what goes over the first.
            if (group / limit).exists():
                (group / limit).write_text(str(LIMIT), encoding="ascii")
        follow(kernel, f"/{name}", said)
    except OSError as error:
        print(error, file=sys.stderr)
    finally:
        cgroups.remove(group)
        said.unlink()


def follow(kernel: int, group: str, said: pathlib.Path) -> None:
    """Write down the kernel's lines about a cgroup until standard input ends, which it does with the script."""
    pid = ""
    print("ready", flush=True)
    while sys.stdin not in select.select([kernel, sys.stdin], [], [])[0]:
        facts, _, text = os.read(kernel, 8192).decode("utf-8", "replace").partition(";")
        line = text.partition("\n")[0]
        if (killed := KILLED.search(line)) and killed[1] == group:
            pid = killed[2]
        if pid and (killed or f"Killed process {pid} " in line):
            with said.open("a", encoding="utf-8") as file:
                print(f"[{int(facts.split(',')[2]) / 1e6:12.6f}] {line}", file=file)


def outside() -> int:
    """Run the case with a keeper beside it, which also ends when this process is killed."""
    name = f"faultbook-{os.getpid()}"
    handle, said = tempfile.mkstemp(prefix=name)
    os.close(handle)
    keeper = subprocess.Popen(
        [sys.executable, __file__, "--keep", name, said],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert keeper.stdout
    if not keeper.stdout.readline():
        keeper.communicate()
        cases.cannot("it takes root, cgroup v1 with a memory controller that can be written, and a kernel log")
    os.environ.update(GROUP=str(HIERARCHY / name), KERNEL_SAID=said)
    try:
        return cases.main(__file__, CASES, ROLES)
    finally:
        keeper.communicate(timeout=30)


def job(*roles: str) -> None:
    """Run trainings at the same time in the cgroup; print what they, the cgroup and the kernel said."""
    group = pathlib.Path(os.environ["GROUP"])
    lines = [
        f"echo $$ > {group}/cgroup.procs",
        "grep MemAvailable /proc/meminfo",
        *(f'{TRAIN} {role} & pids="$pids $!"' for role in roles),
    ]
    lines += ["for pid in $pids; do wait $pid; echo exit code $?; done"]
    pathlib.Path("job.sh").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ranks.report(job=ranks.start(["bash", "job.sh"]))
    count = (group / "memory.oom_control").read_text("ascii").split("oom_kill ")[-1].strip()
    print("oom_kill", count, flush=True)
    time.sleep(0.5)
    print(pathlib.Path(os.environ["KERNEL_SAID"]).read_text("utf-8"), end="", flush=True)


def load(size: int, at_once: bool) -> None:
    """Read samples, and keep them all or one at a time."""
    kept = []
    for _ in range(size):
        sample = bytearray(os.urandom(MIB))
        kept = [*kept, sample] if at_once else [sample]
    time.sleep(1)
    print("trained", flush=True)


def whole_dataset() -> None:
    """Load 300 MB and keep them."""
    load(300, at_once=True)


def streamed_dataset() -> None:
    """Load 300 MB and keep a sample."""
    load(300, at_once=False)


def copy() -> None:
    """Hold a copy of 120 MB of features."""
    load(120, at_once=True)


def shared() -> None:
    """Map the features of 120 MB, which all ranks share."""
    with open("features", "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as features:
        total = sum(features[place] for place in range(0, len(features), mmap.PAGESIZE))
        time.sleep(1)
        print("trained", total, flush=True)


def into_memory_files(keep_them: bool) -> None:
    """Hand batches over through files in /dev/shm."""
    for number in range(30):
        batch = pathlib.Path(f"/dev/shm/batch{number}")
        batch.write_bytes(bytes(10 * MIB))
        if not keep_them:
            batch.unlink()
    print("trained", flush=True)


def leftover_batches() -> None:
    """Leave 300 MB in /dev/shm."""
    into_memory_files(True)


def used_batches() -> None:
    """Remove each batch once it is used."""
    into_memory_files(False)


def dataset(fixed: bool) -> None:
    """A dataset larger than the limit is loaded as a whole. Fix: read it sample by sample."""
    job("streamed_dataset" if fixed else "whole_dataset")


def sum_of_ranks(fixed: bool) -> None:
    """Two ranks fit alone, and together they do not. Fix: both map one file."""
    pathlib.Path("features").write_bytes(bytes(120 * MIB))
    job(*["shared" if fixed else "copy"] * 2)


def memory_files(fixed: bool) -> None:
    """The process is small, but its files in /dev/shm count. Fix: remove them after use."""
    job("used_batches" if fixed else "leftover_batches")


BROKEN = "Memory cgroup out of memory: Killed process"
CASES = {
    "dataset": cases.Case(dataset, BROKEN, "trained"),
    "sum": cases.Case(sum_of_ranks, BROKEN, "trained"),
    "shm": cases.Case(memory_files, BROKEN, "trained"),
}
WORK = (whole_dataset, streamed_dataset, copy, shared, leftover_batches, used_batches)
ROLES = {work.__name__: work for work in WORK}

if __name__ == "__main__":
    if "--keep" in sys.argv:
        keep(sys.argv[-2], pathlib.Path(sys.argv[-1]))
    elif {"--inside", "--role", "--list"} & set(sys.argv):
        sys.exit(cases.main(__file__, CASES, ROLES))
    else:
        sys.exit(outside())
