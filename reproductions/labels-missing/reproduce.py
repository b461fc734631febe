#!/usr/bin/env python3
"""Train with batches in which no labels arrive. Tiny models with random weights, one CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is column-name
exit:  0 the expected outcome was seen, 1 it was not, 77 transformers, datasets or unprivileged user namespaces missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "transformers", "datasets", "accelerate")

if TYPE_CHECKING:
    import datasets
    import transformers

TOKENS = [[1, 2, 3], [4, 5, 6]]
CLASSES = [0, 1]


def column_name(fixed: bool) -> None:
    """The classes are in a column that forward does not know, so Trainer drops it. Fix: call it labels."""
    import transformers

    model = transformers.BertForSequenceClassification(bert())
    train(model, rows(**{"labels" if fixed else "sentiment": CLASSES}))


def language_model(fixed: bool) -> None:
    """A causal language model gets token ids and no labels. Fix: labels that are the token ids."""
    import transformers

    config = transformers.GPT2Config(vocab_size=8, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=0)
    train(transformers.GPT2LMHeadModel(config), rows(labels=TOKENS) if fixed else rows())


def no_head(fixed: bool) -> None:
    """The labels are there, and the model has no head that could use them. Fix: the class with the head."""
    import transformers

    with_head = transformers.BertForSequenceClassification if fixed else transformers.BertModel
    train(with_head(bert()), rows(labels=CLASSES))


def evaluation(fixed: bool) -> None:
    """Only the evaluation set lacks labels, and the best model is chosen by its loss. Fix: labels there as well."""
    import transformers

    model = transformers.BertForSequenceClassification(bert())
    best = {"eval_strategy": "steps", "eval_steps": 1, "load_best_model_at_end": True, "save_steps": 1}
    train(model, rows(labels=CLASSES), rows(labels=CLASSES) if fixed else rows(), **best)


def bert() -> transformers.BertConfig:
    """A model as small as can be."""
    import transformers

    return transformers.BertConfig(
        vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )


def rows(**columns: list[Any]) -> datasets.Dataset:
    """Two samples with token ids and further columns."""
    import datasets

    return datasets.Dataset.from_dict({"input_ids": TOKENS, **columns})


def train(model: Any, training: datasets.Dataset, evaluating: datasets.Dataset | None = None, **settings: Any) -> None:
    """One step with Trainer."""
    import transformers

    quiet = {"report_to": [], "disable_tqdm": True, "use_cpu": True, "save_strategy": "no", "max_steps": 1}
    if "save_steps" in settings:
        quiet["save_strategy"] = "steps"
    arguments = transformers.TrainingArguments("out", **{**quiet, **settings})
    transformers.Trainer(model, arguments, train_dataset=training, eval_dataset=evaluating).train()
    print("trained", flush=True)


LOSS = "ValueError: The model did not return a loss from the inputs, only the following keys: "
CASES = {
    "column-name": cases.Case(column_name, f"{LOSS}logits.", "trained"),
    "language-model": cases.Case(language_model, f"{LOSS}logits", "trained"),
    "no-head": cases.Case(no_head, f"{LOSS}last_hidden_state", "trained"),
    "evaluation": cases.Case(evaluation, "eval_loss', which is not found in the evaluation metrics", "trained"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
