#!/usr/bin/env python3
"""Call installed libraries as scripts for their older versions do. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is argument
exit:  0 the expected outcome was seen, 1 it was not, 77 a library or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "transformers", "accelerate", "datasets", "numpy")


def argument(fixed: bool) -> None:
    """Pass an argument by the name that it had in Transformers 4. Fix: its name of today."""
    from transformers import TrainingArguments

    name = "eval_strategy" if fixed else "evaluation_strategy"
    chosen: dict[str, Any] = {name: "epoch"}
    print("evaluates each", TrainingArguments(output_dir="out", **chosen).eval_strategy.value, flush=True)


def override(fixed: bool) -> None:
    """A Trainer overrides compute_loss as it was before 4.46. Fix: take what the library passes besides."""
    import torch
    import transformers

    class Old(transformers.Trainer):
        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False) -> Any:
            return model(inputs["x"]).sum()

    class New(transformers.Trainer):
        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
            return model(inputs["x"]).sum()

    args = transformers.TrainingArguments(
        output_dir="out", max_steps=1, save_strategy="no", report_to="none", remove_unused_columns=False
    )
    rows: Any = [{"x": torch.ones(4)} for _ in range(8)]
    done = (New if fixed else Old)(model=torch.nn.Linear(4, 1), args=args, train_dataset=rows).train()
    print("trained", done.global_step, "step", flush=True)


def imported(fixed: bool) -> None:
    """Import the optimizer that Transformers 5 lacks. Fix: take that of PyTorch."""
    import torch

    if fixed:
        from torch.optim import AdamW
    else:
        from transformers import AdamW
    print("made", type(AdamW([torch.ones(1)])).__name__, flush=True)


def alias(fixed: bool) -> None:
    """Name a type by its alias in NumPy 1. Fix: the type of Python."""
    import numpy as np

    print("made", np.zeros(2, dtype=float if fixed else np.float).dtype, flush=True)


def script(fixed: bool) -> None:
    """Load a data set that has a loading script, which Datasets 4 dropped. Fix: name its files and their format."""
    from datasets import load_dataset

    folder = pathlib.Path("corpus")
    folder.mkdir()
    (folder / "corpus.py").write_text("import datasets\n")
    (folder / "train.csv").write_text("text\none\ntwo\n")
    if fixed:
        data = load_dataset("csv", data_files=str(folder / "train.csv"), split="train")
    else:
        data = load_dataset(str(folder), split="train")
    print("loaded", len(data), "rows", flush=True)


CASES = {
    "argument": cases.Case(
        argument, "__init__() got an unexpected keyword argument 'evaluation_strategy'", "evaluates each epoch"
    ),
    "override": cases.Case(
        override, "compute_loss() got an unexpected keyword argument 'num_items_in_batch'", "trained 1 step"
    ),
    "imported": cases.Case(imported, "cannot import name 'AdamW' from 'transformers'", "made AdamW"),
    "alias": cases.Case(alias, "module 'numpy' has no attribute 'float'", "made float64"),
    "script": cases.Case(script, "Dataset scripts are no longer supported, but found corpus.py", "loaded 2 rows"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
