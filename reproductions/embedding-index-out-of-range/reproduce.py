#!/usr/bin/env python3
"""Look up rows that a table does not have. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is new-token
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


def new_token(fixed: bool) -> None:
    """A token was added to ten, the table has still ten rows. Fix: enlarge the table and keep the rows."""
    import torch

    table, ids = torch.nn.Embedding(10, 4), torch.tensor([[2, 10, 5]])
    if fixed:
        larger = torch.nn.Embedding(11, 4)
        with torch.no_grad():
            larger.weight[:10] = table.weight
        table = larger
    print("ids", ids.min().item(), "to", ids.max().item(), "rows", table.num_embeddings, flush=True)
    table(ids).sum().backward()
    print("looked up", flush=True)


def padding(fixed: bool) -> None:
    """Short sequences are padded with -1. Fix: pad with a row of the table, and name it as padding."""
    import torch

    pad = 0 if fixed else -1
    table = torch.nn.Embedding(10, 4, padding_idx=0)
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor([3, 4, 5]), torch.tensor([6])], True, pad)
    table(ids).sum().backward()
    print("looked up", tuple(ids.shape), flush=True)


def gather(fixed: bool) -> None:
    """The log-probability of a label that is ignored is gathered. Fix: clamp the index, then mask the value."""
    import torch

    scores, labels = torch.randn(3, 5).log_softmax(1), torch.tensor([1, 4, -100])
    index = labels.clamp(min=0) if fixed else labels
    chosen = scores.gather(1, index[:, None])[:, 0]
    print("looked up", chosen.where(labels != -100, 0.0).shape, flush=True)


SELF = "IndexError: index out of range in self"
CASES = {
    "new-token": cases.Case(new_token, SELF, "looked up"),
    "padding": cases.Case(padding, SELF, "looked up"),
    "gather": cases.Case(gather, "is out of bounds for dimension 1 with size 5", "looked up"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
