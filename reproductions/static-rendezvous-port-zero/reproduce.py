#!/usr/bin/env python3
"""Give torchrun or the ranks port 0 where nobody hands on the port that the kernel chose. Loopback only.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is flag
exit:  0 the expected outcome was seen, 1 it was not, 77 torch is missing
"""

import argparse
import datetime
import os
import subprocess
import sys

try:
    import torch.distributed as dist
except ImportError:
    sys.exit(77)

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]


def train() -> None:
    """The training script: say which port was handed over, then meet the other rank."""
    print("RANK", os.environ["RANK"], "MASTER_PORT", os.environ["MASTER_PORT"], flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=8))
    dist.barrier()
    print("trained", flush=True)
    os._exit(0)  # gloo's threads sometimes abort an ordinary exit


def torchrun(*options: str) -> None:
    """Run this file as the training script under torchrun and pass its output through."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TORCH_DISABLE_ADDR2LINE": "1"}
    subprocess.run(
        [*TORCHRUN, *options, __file__, "--train"], check=False, stderr=subprocess.STDOUT, timeout=150, env=environment
    )


def flag(fixed: bool) -> None:
    """--master-port=0. Fix: --standalone."""
    torchrun("--standalone" if fixed else "--master-port=0")


def endpoint(fixed: bool) -> None:
    """An endpoint with port 0 and no backend means static rendezvous. Fix: name the backend."""
    torchrun(*(["--rdzv-backend=c10d"] if fixed else []), "--rdzv-endpoint=localhost:0")


def no_launcher(fixed: bool) -> None:
    """Without torchrun, MASTER_PORT=0: rank 0 listens on a port that rank 1 cannot know. Fix: a number for both."""
    environment = {
        **os.environ,
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "OMP_NUM_THREADS": "1",
        "MASTER_PORT": str(20000 + os.getpid() % 10000) if fixed else "0",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, __file__, "--train"], env={**environment, "RANK": rank}, stderr=subprocess.STDOUT
        )
        for rank in "01"
    ]
    for rank in ranks:
        try:
            rank.wait(timeout=90)
        finally:
            rank.kill()


CASES = {  # name: (function, seen without --fixed, seen with it)
    "flag": (flag, "while trying to connect to (127.0.0.1, 0)", "trained"),
    "endpoint": (endpoint, "while trying to connect to (localhost, 0)", "trained"),
    "no-launcher": (no_launcher, "while trying to connect to (127.0.0.1, 0)", "trained"),
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", choices=CASES, default="flag")
    parser.add_argument("--fixed", action="store_true")
    for hidden in ("--one", "--train"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train()
    function, broken, mended = CASES[options.case]
    if options.one:
        function(options.fixed)
        return 0
    again = [sys.executable, __file__, "--one", "--case", options.case, *(["--fixed"] if options.fixed else [])]
    run = subprocess.run(again, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
    print(run.stdout)
    return 0 if (mended if options.fixed else broken) in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
