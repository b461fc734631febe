"""Makes logs: one of a run of 64 ranks that fails in the middle, and one in which most lines are error text."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

RANKS, LOCAL, FAILED = 64, 8, 37
"""Ranks, ranks of a node, the rank that fails first."""
_SITE = "/opt/conda/lib/python3.11/site-packages"
_VALUES = {
    "int": ("0", "7", "128", "29500"),
    "num": ("0.25", "15", "1e-05"),
    "str": ("model.layers.0", "cuda:3", "fp16"),
    "path": ("/data/run-4/part.bin", "/opt/train/config.json"),
    "*": ("layer 3 of 12", "None", "[1, 2]", "dict"),
}


class Run:
    """A run with its clock; what it prints depends on the seed alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 1764500000.0
        self._second, self._date, self._day = 0, "", ""

    def lines(self, count: int) -> Iterator[str]:
        """Lines in which nothing failed, in the shares of a real run with NCCL_DEBUG=INFO and progress bars."""
        makers = self.random.choices(_MAKERS, weights=_SHARES, k=count)
        for make in makers:
            self.now += self.random.random() * 0.01
            rank = int(self.random.random() * RANKS)
            yield make(self, rank, f"gpu-{rank // LOCAL:02}", 20_000 + rank * 13)

    def stamp(self, mark: str = ",") -> str:
        """The time as Python's logging writes it."""
        self._tick()
        return f"{self._date}{mark}{int(self.now * 1000) % 1000:03}"

    def glog(self) -> str:
        """The time as glog writes it."""
        self._tick()
        return f"{self._day}.{int(self.now * 1e6) % 1000000:06}000"

    def _tick(self) -> None:
        if int(self.now) != self._second:
            self._second = int(self.now)
            moment = time.gmtime(self.now)
            self._date = time.strftime("%Y-%m-%d %H:%M:%S", moment)
            self._day = time.strftime("%m%d %H:%M:%S", moment)

    def upto(self, limit: float) -> float:
        """A number below a limit."""
        return self.random.random() * limit


_Maker = Callable[[Run, int, str, int], str]


def _step(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"[default{rank % LOCAL}]:{run.stamp()} INFO [rank {rank}] train.py:{300 + int(run.upto(120))} "
        f"step={int(run.now) % 100000} loss={1 + run.upto(3):.4f} grad_norm={run.upto(2):.3f} lr={run.upto(1e-4):.3e} "
        f"tokens/s={9000 + int(run.upto(3000))} mem={50 + run.upto(20):.2f}GiB"
    )


def _channel(run: Run, rank: int, host: str, pid: int) -> str:
    after = (rank + 1) % RANKS
    return (
        f"{host}:{pid}:{pid + 700} [{rank % LOCAL}] NCCL INFO Channel {int(run.upto(32)):02}/0 : "
        f"{rank}[{rank % LOCAL}] -> {after}[{after % LOCAL}] via P2P/CUMEM/read"
    )


def _network(run: Run, rank: int, host: str, pid: int) -> str:
    device = rank % LOCAL
    return (
        f"{host}:{pid}:{pid + 700} [{device}] NCCL INFO NET/IB : Using [0]mlx5_{device}:1/IB [RO]; "
        f"OOB eth0:10.0.{rank // LOCAL}.{10 + device}<0>"
    )


def _complete(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"{host}:{pid}:{pid + 700} [{rank % LOCAL}] NCCL INFO comm 0x{run.random.getrandbits(48):x} rank {rank} nranks "
        f"64 cudaDev {rank % LOCAL} nvmlDev {rank % LOCAL} busId {run.random.getrandbits(20):x} "
        f"commId 0x{run.random.getrandbits(64):x} - Init COMPLETE"
    )


def _bars(run: Run, rank: int, host: str, pid: int) -> str:
    """Three states of one progress bar, which share a line."""
    total, shown = 1000, []
    for done in sorted(int(run.upto(total)) for _ in range(3)):
        full, left = 10 * done // total, total - done
        shown.append(
            f"\rEpoch 3: {100 * done // total:3}%|{'█' * full}{'▌':<{10 - full}}| {done}/{total} "
            f"[{done // 60:02}:{done % 60:02}<{left // 60:02}:{left % 60:02},  {1 + run.upto(3):.2f}it/s, "
            f"loss={run.upto(3):.2f}]"
        )
    return "".join(shown)


def _broadcast(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"[rank{rank}]:[I{run.glog()} ProcessGroupNCCL.cpp:{500 + int(run.upto(1700))}] [PG ID 0 PG GUID 0(default_pg) "
        f"Rank {rank}] ProcessGroupNCCL broadcast unique ID through store took {run.upto(2):.3f} ms"
    )


def _deepspeed(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"[{run.stamp()}] [INFO] [logging.py:96:log_dist] [Rank {rank}] step={int(run.now) % 100000}, skipped=0, "
        f"lr=[{run.upto(1e-4):.6e}], mom=[(0.9, 0.95)]"
    )


def _shard(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"{run.stamp()} - INFO - datasets.arrow_dataset - Loaded shard {int(run.upto(9999)):05}-of-09999 "
        f"/mnt/data/c4/train-{int(run.upto(9999)):05}.parquet in {run.upto(1):.2f}s "
        f"({1000 + int(run.upto(98999))} rows)"
    )


def _allocator(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"[rank{rank}]:[W{run.glog()} CUDAAllocatorConfig.h:28] Warning: expandable_segments not supported on this "
        "platform (function operator())"
    )


def _timer(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"[{run.stamp('.')}] [rank{rank}] timer | forward: {run.upto(100):.2f} | backward: {run.upto(300):.2f} | "
        f"optimizer: {run.upto(50):.2f} | data: {run.upto(5):.2f}"
    )


def _future(run: Run, rank: int, host: str, pid: int) -> str:
    return (
        f"{_SITE}/torch/distributed/fsdp/_state_dict_utils.py:{300 + int(run.upto(600))}: FutureWarning: Please use "
        "DTensor instead and we are deprecating ShardedTensor."
    )


_MAKERS: list[_Maker] = [
    *(_step, _channel, _network, _complete, _bars, _broadcast),
    *(_deepspeed, _shard, _allocator, _timer, _future),
]
_SHARES = [30, 8, 6, 4, 12, 12, 8, 8, 5, 4, 3]


def failure(run: Run) -> list[str]:
    """One rank takes another branch than the rest; ten minutes later these give up one after the other."""
    error = (
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. "
        "This error indicates that your module has parameters that were not used in producing loss."
    )
    stack = ["Traceback (most recent call last):", '  File "/opt/train/train.py", line 412, in <module>', "    main()"]
    stack += ['  File "/opt/train/train.py", line 388, in main', "    output = model(batch)", error]
    lines = [f"[rank{FAILED}]: {line}" for line in stack]
    run.now += 600
    for rank in (rank for rank in range(RANKS) if rank != FAILED):
        run.now += 0.01
        where = f"[rank{rank}]:[E{run.glog()} ProcessGroupNCCL.cpp"
        lines += [
            f"{where}:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48213, "
            "OpType=ALLREDUCE, NumelIn=41984000, NumelOut=41984000, Timeout(ms)=600000) ran for "
            f"{600000 + int(run.upto(999))} milliseconds before timing out.",
            f"{where}:1491] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] To avoid data inconsistency, we are taking the "
            "entire process down.",
        ]
    return lines


def write_log(path: Path, size: int, seed: int = 7) -> None:
    """Write a log of at least so many bytes, with the failure in its middle."""
    run, written, failed = Run(seed), 0, False
    with path.open("w", encoding="utf-8", newline="\n") as file:
        while written < size:
            if not failed and written >= size // 2:
                failed, lines = True, failure(run)
            else:
                lines = list(run.lines(500))
            written += len(("\n".join(lines) + "\n").encode())
            file.write("\n".join(lines) + "\n")


def write_dense(path: Path, size: int, templates: Sequence[Sequence[str | tuple[str]]], seed: int = 8) -> None:
    """Write a log of which seven lines in ten are a template with its placeholders filled."""
    run, written = Run(seed), 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        while written < size:
            lines = [_error(run, templates) if run.random.random() < 0.7 else line for line in run.lines(500)]
            written += len(("\n".join(lines) + "\n").encode())
            file.write("\n".join(lines) + "\n")


def _error(run: Run, templates: Sequence[Sequence[str | tuple[str]]]) -> str:
    parts = run.random.choice(templates)
    filled = [part if isinstance(part, str) else run.random.choice(_VALUES.get(part[0], ("12",))) for part in parts]
    return f"[rank{run.random.randrange(RANKS)}]: RuntimeError: {''.join(filled)}"
