#!/usr/bin/env python3
"""Start loader workers by spawn with what cannot be pickled. CPU only, one worker, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is local-function
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")


class Lines:
    """A data set of the lines of a file, which it opens at once or when a line is first asked for."""

    def __init__(self, path: str, at_once: bool) -> None:
        self.path, self.file = path, open(path) if at_once else None  # noqa: SIM115 - the fault itself

    def __len__(self) -> int:
        return 1

    def __getitem__(self, number: int) -> str:
        if self.file is None:
            self.file = open(self.path)  # noqa: SIM115 - kept for the next line
        self.file.seek(0)
        return self.file.readlines()[number].strip()


def join(batch: list[str]) -> str:
    """Make one text of a batch."""
    return " ".join(batch)


def load(collate: object, at_once: bool) -> None:
    """Read a file of one line through a worker that is started by spawn."""
    import torch

    pathlib.Path("lines.txt").write_text("one\n")
    dataset = Lines("lines.txt", at_once)
    spawned = {"num_workers": 1, "multiprocessing_context": "spawn"}
    for batch in torch.utils.data.DataLoader(dataset, collate_fn=collate, **spawned):
        print("batch", batch, flush=True)


def local_function(fixed: bool) -> None:
    """The collate function is a lambda within a function. Fix: a function of the module."""
    load(join if fixed else lambda batch: " ".join(batch), False)


def open_file(fixed: bool) -> None:
    """The data set holds an open file. Fix: open it in the worker."""
    load(join, not fixed)


CASES = {
    "local-function": cases.Case(local_function, "Can't pickle local object", "batch one"),
    "open-file": cases.Case(open_file, "cannot pickle '_io.TextIOWrapper' object", "batch one"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
