"""What ranks do. torch is imported by the rank itself, because that takes seconds each time."""

from __future__ import annotations

import datetime
from typing import Any

from lab import cases

MEETING = 40
"""Seconds that ranks wait for each other with the fix in place, where they meet however slow the machine is."""


def train(seconds: float = 5) -> None:
    """Meet the other ranks and add up ones; without the fix, give up after some seconds."""
    import torch
    import torch.distributed as dist

    patience = MEETING if cases.fixed() else seconds
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=patience))
    total = torch.ones(1)
    dist.all_reduce(total)
    print("trained with", int(total.item()), "ranks", flush=True)


def store(port: int, libuv: bool = True) -> None:
    """Open the server of torch's store on a port."""
    import torch.distributed as dist

    dist.TCPStore("127.0.0.1", port, 1, True, timeout=datetime.timedelta(seconds=5), use_libuv=libuv)
    print("store: listening", flush=True)


def trainer_arguments(**own: Any) -> Any:
    """The arguments of a Trainer of Transformers that logs each step as a line, and saves and reports nothing."""
    import transformers

    quiet = {"save_strategy": "no", "report_to": [], "use_cpu": True, "disable_tqdm": True}
    return transformers.TrainingArguments(output_dir="out", logging_steps=1, **quiet, **own)
