#!/usr/bin/env python3
"""Raise in DataLoader workers, and see what of the exception arrives in the main process.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is value
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")

ROWS = ["3", "5", "n/a", "8"]


class Labels:
    """Labels in a column of text, where one may be missing."""

    def __init__(self, rows: list[str], named: bool = False) -> None:
        self.rows, self.named = rows, named

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> int:
        try:
            return int(self.rows[number])
        except ValueError as error:
            if self.named:
                error.add_note(f"row {number} of labels.csv")
            raise


class Captions:
    """Text files, read with one encoding."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        pathlib.Path("0.txt").write_bytes(b"caf\xe9")

    def __len__(self) -> int:
        return 1

    def __getitem__(self, number: int) -> str:
        return pathlib.Path(f"{number}.txt").read_text(encoding=self.encoding)


class Boxes:
    """Boxes of images, of which the images have one or two."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __len__(self) -> int:
        return 2

    def __getitem__(self, number: int) -> object:
        import torch

        return torch.zeros(self.width or number + 1, 4)


def load(dataset: object, init: Callable[[int], None] | None = None) -> None:
    """Take all batches."""
    from torch.utils.data import DataLoader

    batches = len(list(DataLoader(dataset, batch_size=2, num_workers=1, worker_init_fn=init)))
    print("trained on", batches, "batches", flush=True)


def value(fixed: bool) -> None:
    """A label is missing. Fix: leave its row out."""
    load(Labels([row for row in ROWS if row.isdigit()] if fixed else ROWS))


def named(fixed: bool) -> None:
    """The message does not say which row. Fix, of the log only: a note with the row."""
    load(Labels(ROWS, named=fixed))


def arguments(fixed: bool) -> None:
    """An exception of five arguments arrives as a RuntimeError. Fix: the encoding of the file."""
    load(Captions("latin-1" if fixed else "utf-8"))


def init(fixed: bool) -> None:
    """The worker_init_fn raises, at the first batch. Fix: a number that exists."""
    devices = ["eth0", "eth1"] if fixed else []
    load(Labels(["1"]), init=devices.__getitem__)


def inner(fixed: bool) -> None:
    """The exception within has an entry of its own. Fix: samples of one shape."""
    load(Boxes(2 if fixed else 0))


CAUGHT = "in DataLoader worker process 0."
CASES = {
    "value": cases.Case(value, f"ValueError: Caught ValueError {CAUGHT}", "trained on 2 batches"),
    "arguments": cases.Case(arguments, f"RuntimeError: Caught UnicodeDecodeError {CAUGHT}", "trained on 1 batches"),
    "init": cases.Case(init, f"IndexError: Caught IndexError {CAUGHT}", "trained on 1 batches"),
    "named": cases.Case(named, "with base 10: 'n/a'\n\n", "'n/a'\nrow 2 of labels.csv", diagnosed=False),
    "inner": cases.Case(inner, "stack expects each tensor to be equal size", "trained on 1 batches", diagnosed=False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
