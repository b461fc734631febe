#!/usr/bin/env python3
"""Let a batch have no label that counts. CPU, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is trainer
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, transformers or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, jobs

cases.needs("torch", "transformers", "accelerate", "datasets")


def trainer(fixed: bool) -> None:
    """Prompts of some rows fill max_length, so their answers are cut away. Fix: leave such rows out."""
    import datasets
    import torch
    import transformers

    torch.manual_seed(0)
    prompts = [4, 16, 4, 16, 4, 4]
    rows = [{"input_ids": list(range(16)), "labels": ([-100] * n + list(range(n, 20)))[:16]} for n in prompts]
    bad = [i for i, row in enumerate(rows) if all(label == -100 for label in row["labels"][1:])]
    print(f"rows without a label that counts: {bad}", flush=True)
    if fixed:
        rows = [row for i, row in enumerate(rows) if i not in bad]
    config = transformers.GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2, n_positions=16)
    arguments = jobs.trainer_arguments(num_train_epochs=1, per_device_train_batch_size=1)
    model = transformers.GPT2LMHeadModel(config)
    dataset = datasets.Dataset.from_list(rows)
    run = transformers.Trainer(model, arguments, train_dataset=dataset, eval_dataset=dataset)
    print(f"eval_loss before training {run.evaluate()['eval_loss']:.3g}", flush=True)
    run.train()
    print(f"weights finite: {all(bool(w.isfinite().all()) for w in model.parameters())}", flush=True)


def mean(fixed: bool) -> None:
    """The mean over no label is 0/0, but its gradient is 0. Fix: the sum over the number of labels, at least 1."""
    import torch
    import torch.nn.functional as functional

    logits, labels = torch.zeros(3, 4, requires_grad=True), torch.full((3,), -100)
    if fixed:
        loss = functional.cross_entropy(logits, labels, reduction="sum") / (labels != -100).sum().clamp(min=1)
    else:
        loss = functional.cross_entropy(logits, labels)
    loss.backward()
    finite = logits.grad is not None and bool(logits.grad.isfinite().all())
    print(f"loss {loss.item():.4g} gradient finite: {finite}", flush=True)


def hand(fixed: bool) -> None:
    """A masked mean written by hand: its gradient is NaN as well, and so are the weights. Fix: at least 1."""
    import torch

    logits, mask = torch.zeros(3, 4, requires_grad=True), torch.zeros(3)
    losses = torch.nn.functional.cross_entropy(logits, torch.zeros(3, dtype=torch.long), reduction="none")
    loss = (losses * mask).sum() / (mask.sum().clamp(min=1) if fixed else mask.sum())
    loss.backward()
    finite = logits.grad is not None and bool(logits.grad.isfinite().all())
    print(f"loss {loss.item():.4g} gradient finite: {finite}", flush=True)


def shift(fixed: bool) -> None:
    """Only the first token has a label, and the shift by one drops it. Fix: count the labels behind the shift."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2, n_positions=16)
    model, ids = transformers.GPT2LMHeadModel(config), torch.arange(8)[None]
    labels = torch.full_like(ids, -100)
    labels[0, -1 if fixed else 0] = 7
    print(f"labels {int((labels != -100).sum())}, behind the shift {int((labels[:, 1:] != -100).sum())}")
    print(f"loss {model(input_ids=ids, labels=labels).loss.item():.4g}", flush=True)


CASES = {
    "trainer": cases.Case(trainer, "{'loss': '0', 'grad_norm': '0'", "weights finite: True"),
    "mean": cases.Case(mean, "loss nan gradient finite: True", "loss 0 gradient", diagnosed=False),
    "hand": cases.Case(hand, "loss nan gradient finite: False", "loss 0 gradient", diagnosed=False),
    "shift": cases.Case(shift, "loss nan", "loss 3", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
