#!/usr/bin/env python3
"""Take the rendezvous port away from torchrun, and show what does and does not hold a port. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is busy
exit:  0 the expected outcome was seen, 1 it was not, 77 this machine cannot run the case
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs, ranks

cases.needs("torch")

OUTSIDE = 20500
"""A port that the kernel does not choose by itself."""


def listener(port: int = 0) -> socket.socket:
    """A listening socket with SO_REUSEADDR, as a server would open it."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", port))
    server.listen()
    return server


def sockets(port: int) -> str:
    """Print what ss knows of a port, and return it."""
    known = subprocess.check_output(["ss", "-Htanp", f"sport = :{port}"], text=True)
    print(known, end="", flush=True)
    return known


def train() -> None:
    """Meet the other rank, and in some cases stay for a while."""
    print("RANK", os.environ["RANK"], "MASTER_PORT", os.environ["MASTER_PORT"], "pid", os.getpid(), flush=True)
    jobs.train(10)
    time.sleep(float(os.environ.get("STAY", "0")))


def busy(fixed: bool) -> None:
    """Another process listens on the port that torchrun is given. Fix: let the kernel choose."""
    with listener() as server:
        ranks.torchrun(__file__, "train", "--standalone" if fixed else f"--master-port={server.getsockname()[1]}")


def environment(fixed: bool) -> None:
    """PET_MASTER_PORT sets the port of torchrun; MASTER_PORT does not."""
    with listener() as server:
        port = {"MASTER_PORT" if fixed else "PET_MASTER_PORT": str(server.getsockname()[1])}
        ranks.torchrun(__file__, "train", "--nnodes=1", **port)


def classic(fixed: bool) -> None:
    """The same with the store server before libuv, which prints one line for IPv6 and one for IPv4."""
    with listener() as server:
        jobs.store(OUTSIDE if fixed else server.getsockname()[1], libuv=False)


def outgoing(fixed: bool) -> None:
    """The port is the local end of an outgoing connection; nothing listens. Fix: a port below the range."""
    with listener() as server, socket.create_connection(server.getsockname()) as client:
        port = client.getsockname()[1]
        sockets(port)
        jobs.store(OUTSIDE if fixed else port)


def time_wait(fixed: bool) -> None:
    """Connections that an earlier store left in TIME_WAIT do not keep the next one from binding. Fix: none is left."""
    server = listener()
    port = server.getsockname()[1]
    if not fixed:
        client = socket.create_connection(("127.0.0.1", port))
        server.accept()[0].close()  # the side that closes first keeps the pair
        client.close()
    server.close()
    time.sleep(0.2)
    print("in TIME_WAIT:", "TIME-WAIT" in sockets(port), flush=True)
    jobs.store(port)
    jobs.store(port, libuv=False)


def survivors(fixed: bool) -> None:
    """SIGKILL of torchrun leaves the workers, which hold no port; SIGTERM ends them. Fix: SIGTERM."""
    command = ranks.agent(__file__, "train", f"--master-port={ranks.PORT}", ranks=2)
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "STAY": "60"})
    assert launcher.stdout
    workers = [int(launcher.stdout.readline().split()[-1]) for _ in "01"]
    for _ in workers:
        launcher.stdout.readline()  # both have met
    sockets(int(ranks.PORT))
    launcher.send_signal(signal.SIGTERM if fixed else signal.SIGKILL)
    launcher.wait(timeout=60)
    time.sleep(1)
    alive = [pid for pid in workers if ranks.alive(pid)]
    for pid in alive:
        subprocess.run(["ps", "-o", "ppid=,args=", "-p", str(pid)], check=False)
    print("workers left:", len(alive), flush=True)
    jobs.store(int(ranks.PORT))


def no_launcher(fixed: bool) -> None:
    """Without torchrun rank 0 itself listens on MASTER_PORT. Fix: a free port."""
    with listener() as taken:
        port = OUTSIDE if fixed else taken.getsockname()[1]
        run = ranks.rank(__file__, "train", 0, 1, MASTER_PORT=str(port), STAY="3")
        ranks.wait_for(lambda: bool(sockets(port)))
        ranks.report(rank0=run)


def fork_holds(fixed: bool) -> None:
    """A forked child keeps the listener of its dead parent. Fix: exec closes it."""
    import torch.distributed as dist

    parent = os.fork()
    if parent == 0:
        server = dist.TCPStore("127.0.0.1", OUTSIDE, 1, True)
        if os.fork() == 0:
            if fixed:
                os.execvp("sleep", ["sleep", "60"])
            time.sleep(60)
            os._exit(0)
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
        del server
    os.waitpid(parent, 0)
    sockets(OUTSIDE)
    jobs.store(OUTSIDE)


def per_rank(fixed: bool) -> None:
    """Each rank draws a port of its own. Fix: one process draws it and hands it on."""
    code = "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])"
    drawn = [subprocess.check_output([sys.executable, "-c", code], text=True).strip() for _ in "01"]
    ports = [drawn[0]] * 2 if fixed else drawn
    print(f"rank 0 has {ports[0]}, rank 1 has {ports[1]}: {'same' if ports[0] == ports[1] else 'different'}")


def handed_rank(rank: int, port: int) -> None:
    """One rank that joins a store which another process has opened."""
    import torch.distributed as dist

    joined = dist.TCPStore("127.0.0.1", port, 2, is_master=False)
    dist.init_process_group("gloo", store=joined, rank=rank, world_size=2)
    dist.barrier()
    print("trained", flush=True)
    os._exit(0)


def handed_on(fixed: bool) -> None:
    """Without a launcher: the store is given a port that is in use. Fix: it binds port 0 and passes its port on."""
    import torch.distributed as dist
    import torch.multiprocessing as mp

    with listener() as taken:
        port = 0 if fixed else taken.getsockname()[1]
        server = dist.TCPStore("127.0.0.1", port, None, is_master=True, wait_for_workers=False)
        mp.spawn(handed_rank, args=(server.port,), nprocs=2)


def reserved(fixed: bool) -> None:
    """The kernel's choice can take the port. Fix: reserve it, which leaves it open to an explicit bind."""
    settings = ["net.ipv4.ip_local_port_range='40000 40009'"] + ["net.ipv4.ip_local_reserved_ports=40005"] * fixed
    cases.sh(f"sysctl -qw {' '.join(settings)}")
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


BUSY = "name: EADDRINUSE"
LISTENING = "store: listening"
TIME_WAIT = f"in TIME_WAIT: {{}}\n{LISTENING}\n{LISTENING}"
CASES = {
    "busy": cases.Case(busy, BUSY, "trained with 2 ranks"),
    "environment": cases.Case(environment, BUSY, "trained with 2 ranks"),
    "classic": cases.Case(classic, "errno: 98 - Address already in use", LISTENING),
    "outgoing": cases.Case(outgoing, BUSY, LISTENING),
    "time-wait": cases.Case(time_wait, TIME_WAIT.format(True), TIME_WAIT.format(False), diagnosed=False),
    "survivors": cases.Case(survivors, f"workers left: 2\n{LISTENING}", "workers left: 0", diagnosed=False),
    "no-launcher": cases.Case(no_launcher, BUSY, "trained with 1 ranks"),
    "fork-holds": cases.Case(fork_holds, BUSY, LISTENING),
    "per-rank": cases.Case(per_rank, "different", "same", diagnosed=False),
    "handed-on": cases.Case(handed_on, BUSY, "trained"),
    "reserved": cases.Case(
        reserved, "40005 drawn: True", "40005 drawn: False\nexplicit bind of 40005 works", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"train": train}))
