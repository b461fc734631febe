#!/usr/bin/env python3
"""Take the rendezvous port away from torchrun, and show what does and does not hold a port. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is busy
exit:  0 the expected outcome was seen, 1 it was not, 77 this machine cannot run the case
"""

import argparse
import contextlib
import datetime
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

try:
    import torch.distributed as dist
    import torch.multiprocessing as mp
except ImportError:
    sys.exit(77)

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]


def listener(port: int = 0) -> socket.socket:
    """A listening socket with SO_REUSEADDR, as a server would open it."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", port))
    server.listen()
    return server


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with listener() as probe:
        return int(probe.getsockname()[1])


def store(port: int, libuv: bool = True) -> None:
    """Open the store server of torch.distributed on a port and say how it went."""
    try:
        dist.TCPStore("127.0.0.1", port, 1, True, timeout=datetime.timedelta(seconds=5), use_libuv=libuv)
        print("store: listening", flush=True)
    except Exception as error:
        print(f"store: {type(error).__name__}: {error}", flush=True)


def sockets(port: int) -> None:
    """Print what ss knows of a port."""
    subprocess.run(["ss", "-Htanp", f"sport = :{port}"], check=False)


def torchrun(*options: str) -> None:
    """Run this file as the training script under torchrun and pass its output through."""
    command = [*TORCHRUN, *options, __file__, "--train"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, check=False, stderr=subprocess.STDOUT, timeout=120, env=environment)


def train(seconds: float = 0.0) -> None:
    """The training script: meet the other rank and, in some cases, stay for a while."""
    print("RANK", os.environ["RANK"], "MASTER_PORT", os.environ["MASTER_PORT"], "pid", os.getpid(), flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=10))
    dist.barrier()
    print("trained", flush=True)
    time.sleep(seconds)
    os._exit(0)  # gloo's threads sometimes abort an ordinary exit


def busy(fixed: bool) -> None:
    """Another process listens on the port that torchrun is given. Fix: let the kernel choose."""
    with listener() as server:
        torchrun(*(["--standalone"] if fixed else [f"--master-port={server.getsockname()[1]}"]))


def environment(fixed: bool) -> None:
    """PET_MASTER_PORT sets the port of torchrun; MASTER_PORT does not."""
    with listener() as server:
        os.environ["MASTER_PORT" if fixed else "PET_MASTER_PORT"] = str(server.getsockname()[1])
        torchrun()


def classic(fixed: bool) -> None:
    """The same with the store server before libuv, which prints one line for IPv6 and one for IPv4."""
    with listener() as server:
        store(free_port() if fixed else server.getsockname()[1], libuv=False)


def outgoing(fixed: bool) -> None:
    """The port is the local end of an outgoing connection; nothing listens. Fix: a port below the range."""
    with listener() as server, socket.create_connection(server.getsockname()) as client:
        port = client.getsockname()[1]
        sockets(port)
        low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
        store(low - 1000 - os.getpid() % 10000 if fixed else port)


def time_wait(_: bool) -> None:
    """Connections that an earlier store left in TIME_WAIT do not keep the next one from binding."""
    server = listener()
    port = server.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    server.accept()[0].close()  # the side that closes first keeps the pair
    client.close()
    server.close()
    time.sleep(0.2)
    sockets(port)
    store(port)
    store(port, libuv=False)


def survivors(fixed: bool) -> None:
    """SIGKILL of torchrun leaves the workers, which hold no port; SIGTERM ends them. Fix: SIGTERM."""
    port = free_port()
    command = [*TORCHRUN, f"--master-port={port}", __file__, "--train", "30"]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert launcher.stdout
    workers = [int(launcher.stdout.readline().split()[-1]) for _ in "01"]
    time.sleep(3)
    sockets(port)
    launcher.send_signal(signal.SIGTERM if fixed else signal.SIGKILL)
    launcher.wait(timeout=60)
    time.sleep(1)
    alive = [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    for pid in alive:
        subprocess.run(["ps", "-o", "ppid=,args=", "-p", str(pid)], check=False)
    print("workers left:", len(alive), flush=True)
    store(port)
    for pid in alive:
        os.kill(pid, signal.SIGKILL)


def no_launcher(fixed: bool) -> None:
    """Without torchrun rank 0 itself listens on MASTER_PORT. Fix: a free port."""
    with listener() as taken:
        port = free_port() if fixed else taken.getsockname()[1]
        os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        rank = subprocess.Popen([sys.executable, __file__, "--train", "6"], stderr=subprocess.STDOUT)
        time.sleep(4)
        sockets(port)
        rank.wait(timeout=60)


def fork_holds(fixed: bool) -> None:
    """A forked child keeps the listener of its dead parent. Fix: exec closes it."""
    port = free_port()
    parent = os.fork()
    if parent == 0:
        server = dist.TCPStore("127.0.0.1", port, 1, True)
        if os.fork() == 0:
            if fixed:
                os.execvp("sleep", ["sleep", "6"])
            time.sleep(6)
            os._exit(0)
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
        del server
    os.waitpid(parent, 0)
    sockets(port)
    store(port)


def per_rank(fixed: bool) -> None:
    """Each rank draws a port of its own. Fix: one process draws it and hands it on."""
    code = "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])"
    drawn = [subprocess.check_output([sys.executable, "-c", code], text=True).strip() for _ in "01"]
    ports = [drawn[0]] * 2 if fixed else drawn
    print(f"rank 0 has {ports[0]}, rank 1 has {ports[1]}: {'same' if ports[0] == ports[1] else 'different'}")


def handed_rank(rank: int, port: int) -> None:
    """One rank that joins a store which another process has opened."""
    joined = dist.TCPStore("127.0.0.1", port, 2, is_master=False)
    dist.init_process_group("gloo", store=joined, rank=rank, world_size=2)
    dist.barrier()
    print("trained", flush=True)
    os._exit(0)


def handed_on(fixed: bool) -> None:
    """Without a launcher: the store binds port 0 itself and passes its port on. Broken: a port that is in use."""
    with listener() as taken:
        port = 0 if fixed else taken.getsockname()[1]
        server = dist.TCPStore("127.0.0.1", port, None, is_master=True, wait_for_workers=False)
        mp.spawn(handed_rank, args=(server.port,), nprocs=2)


def reserved(fixed: bool) -> None:
    """In a namespace of its own: a reserved port is skipped by the kernel's choice and open to an explicit bind."""
    settings = ["net.ipv4.ip_local_port_range=40000 40009"] + ["net.ipv4.ip_local_reserved_ports=40005"] * fixed
    subprocess.run(["sysctl", "-qw", *settings], check=True)
    held = []
    with contextlib.suppress(OSError):
        while True:
            held.append(socket.socket())
            held[-1].bind(("", 0))
    drawn = {taken.getsockname()[1] for taken in held} - {0}
    print(f"{len(drawn)} ports drawn; 40005 drawn: {40005 in drawn}", flush=True)
    with socket.socket() as explicit:
        explicit.bind(("", 40005))
        print("explicit bind of 40005 works")


CASES = {  # name: (function, seen without --fixed, seen with it)
    "busy": (busy, "name: EADDRINUSE", "trained"),
    "environment": (environment, "name: EADDRINUSE", "trained"),
    "classic": (classic, "errno: 98 - Address already in use", "store: listening"),
    "outgoing": (outgoing, "name: EADDRINUSE", "store: listening"),
    "time-wait": (time_wait, "store: listening\nstore: listening", "store: listening\nstore: listening"),
    "survivors": (survivors, "workers left: 2\nstore: listening", "workers left: 0"),
    "no-launcher": (no_launcher, "name: EADDRINUSE", "trained"),
    "fork-holds": (fork_holds, "name: EADDRINUSE", "store: listening"),
    "per-rank": (per_rank, "different", "same"),
    "handed-on": (handed_on, "name: EADDRINUSE", "trained"),
    "reserved": (reserved, "40005 drawn: True", "explicit bind of 40005 works"),
}


def main() -> int:
    """Run one case in a process of its own and look for the expected outcome in what it prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="busy")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--train", nargs="?", type=float, const=0.0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.train is not None:
        train(args.train)
    function, broken, mended = CASES[args.case]
    if args.inside:
        function(args.fixed)
        return 0
    namespace = ["unshare", "-rn"] if function is reserved else []
    inside = [*namespace, sys.executable, __file__, "--inside", "--case", args.case, *["--fixed"] * args.fixed]
    run = subprocess.run(inside, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
    print(run.stdout)
    if namespace and "unshare" in run.stdout:
        return 77
    return 0 if (mended if args.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
