#!/usr/bin/env python3
"""Let the weights or the gradients of a small model become NaN, and see who reports it. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is trainer
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, transformers or user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs, ranks

cases.needs("torch", "transformers", "accelerate", "datasets")


def train(rate: float, steps: int = 60) -> Any:
    """Fit a layer with this learning rate, and return its output for the next batch."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for step in range(steps):
        loss = (model(torch.randn(8, 4)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.4g}", flush=True)
    return model(torch.randn(8, 4))


def trainer(fixed: bool) -> None:
    """The rate is too high, and the trainer logs a loss of 0. Fix: a lower rate."""
    import datasets
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2, n_positions=16)
    rows = datasets.Dataset.from_list([{"input_ids": list(range(16)), "labels": list(range(16))}] * 64)
    arguments = jobs.trainer_arguments(
        learning_rate=1e-3 if fixed else 1e37, max_steps=6, per_device_train_batch_size=8
    )
    model = transformers.GPT2LMHeadModel(config)
    transformers.Trainer(model, arguments, train_dataset=rows).train()
    bad = sum(not bool(p.isfinite().all()) for p in model.parameters())
    print(f"{bad} weights are not finite", flush=True)


def distribution(fixed: bool) -> None:
    """The weights of a policy are NaN, which its distribution refuses. Fix: a lower rate."""
    import torch

    torch.distributions.Normal(train(0.1 if fixed else 50.0), 1.0)
    print("sampled", flush=True)


def sampling(fixed: bool) -> None:
    """The same, noticed by torch.multinomial. Fix: a lower rate."""
    import torch

    torch.multinomial(train(0.1 if fixed else 50.0).softmax(-1), 1)
    print("sampled", flush=True)


def clipping(fixed: bool) -> None:
    """One NaN in a batch makes every gradient NaN, and clipping cannot help. Fix: leave the sample out."""
    import torch

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    batch = torch.randn(8, 4)
    batch[3, 1] = float("nan")
    if fixed:
        batch = batch[batch.isfinite().all(1)]
    print(f"{int((~batch.isfinite()).sum())} of {batch.numel()} inputs are not finite")
    loss = model(batch).mean()
    loss.backward()
    for after in ("backward", "clipping"):
        counts = [int(p.grad.isnan().sum()) for p in model.parameters() if p.grad is not None]
        print(f"gradients that are NaN after {after}: {counts}")
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    print("clipped", flush=True)


def one_rank() -> None:
    """Rank 1 has a bad batch. With the fix all ranks leave the step out."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        batch = torch.full((2, 4), float("nan") if step == 1 and dist.get_rank() == 1 else 1.0)
        loss = model(batch).mean()
        bad = (~loss.detach().isfinite()).float()
        if cases.fixed():
            dist.all_reduce(bad, op=dist.ReduceOp.MAX)
        optimizer.zero_grad()
        loss.backward()
        if not (cases.fixed() and bad):
            optimizer.step()
        finite = all(bool(p.isfinite().all()) for p in model.parameters())
        print(f"rank {dist.get_rank()} step {step} loss {loss.item():.3f} finite weights {finite}", flush=True)


def spread(_: bool) -> None:
    """One rank has a bad batch, and all ranks get NaN weights. Fix: all ranks leave the step out."""
    ranks.torchrun(__file__, "one-rank")


def modules(fixed: bool) -> None:
    """Hooks name the first module whose output is not finite, here one that masks whole rows. Fix: none is."""
    import torch

    class Attention(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            scores = x @ x.mT
            scores[1] += 0.0 if fixed else float("-inf")
            return scores.softmax(-1) @ x

    def watch(name: str, module: torch.nn.Module) -> None:
        def look(module: torch.nn.Module, _: object, out: object) -> None:
            for x in out if isinstance(out, tuple) else (out,):
                if isinstance(x, torch.Tensor) and not x.isfinite().all():
                    raise FloatingPointError(f"{name}: {type(module).__name__}, {x.dtype}, {tuple(x.shape)}")

        module.register_forward_hook(look)

    model = torch.nn.Sequential(torch.nn.Linear(8, 8), Attention(), torch.nn.Linear(8, 1))
    for name, module in model.named_modules():
        watch(name, module)
    model(torch.randn(2, 5, 8))
    print("all finite", flush=True)


CASES = {
    "trainer": cases.Case(trainer, "'grad_norm': 'nan'", "0 weights are not finite"),
    "distribution": cases.Case(distribution, "to satisfy the constraint Real(), but found invalid values", "sampled"),
    "sampling": cases.Case(sampling, "probability tensor contains either `inf`, `nan` or element < 0", "sampled"),
    "clipping": cases.Case(clipping, "is non-finite, so it cannot be clipped", "clipped"),
    "one-rank": cases.Case(
        spread, "rank 0 step 2 loss nan finite weights False", "finite weights True", diagnosed=False
    ),
    "modules": cases.Case(
        modules, "FloatingPointError: 1: Attention, torch.float32, (2, 5, 8)", "all finite", diagnosed=False
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, {"one-rank": one_rank}))
