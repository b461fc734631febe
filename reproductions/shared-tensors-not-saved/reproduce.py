#!/usr/bin/env python3
"""Save a model whose names share one tensor, in safetensors. One CPU process, up to ten seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is tied
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, safetensors or unprivileged user namespaces are missing
"""

from __future__ import annotations

import copy
import os
import pathlib
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "safetensors")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first
from safetensors.torch import load_file, load_model, save_file, save_model  # noqa: E402

SHARED = "Some tensors share memory, this will lead to duplicate memory on disk"


class Model(torch.nn.Module):
    """An embedding, and a head that uses its weight."""

    def __init__(self) -> None:
        """Tie the two."""
        super().__init__()
        self.embed = torch.nn.Embedding(16, 8)
        self.head = torch.nn.Linear(8, 16, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        """A loss, as the Trainer of Transformers wants it."""
        logits = self.head(self.embed(input_ids))
        return {"loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}


def tied(fixed: bool) -> None:
    """Tied weights, and save_file of the state dict. Fix: save_model and load_model."""
    model = Model()
    if not fixed:
        save_file(model.state_dict(), "model.safetensors")
    save_model(model, "model.safetensors")
    print("in the file:", list(load_file("model.safetensors")))
    try:
        Model().load_state_dict(load_file("model.safetensors"))
    except RuntimeError as error:
        print("load_state_dict:", error)
    print("load_model:", *load_model(Model(), "model.safetensors"))


def same_layer(fixed: bool) -> None:
    """One layer stands in the list three times, by mistake. Fix: a copy for each place."""
    layer = torch.nn.Linear(4, 4)
    model = torch.nn.Sequential(*(copy.deepcopy(layer) if fixed else layer for _ in range(3)))
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    save_file(model.state_dict(), "model.safetensors")
    print("in the file:", sorted(load_file("model.safetensors")))


def trainer(fixed: bool) -> None:
    """The Trainer of Transformers with a module that is no PreTrainedModel. Fix: a _save with torch.save."""
    cases.needs("transformers", "accelerate")
    from transformers import Trainer, TrainingArguments

    class SharingTrainer(Trainer):  # type: ignore[misc]
        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            if not self.args.should_save:
                return
            output_dir = output_dir or self.args.output_dir
            os.makedirs(output_dir, exist_ok=True)
            state_dict = state_dict or self.accelerator.unwrap_model(self.model).state_dict()
            torch.save(state_dict, os.path.join(output_dir, "pytorch_model.bin"))

    tokens = torch.arange(8)
    arguments = TrainingArguments("out", max_steps=2, save_steps=1, report_to=[], disable_tqdm=True, use_cpu=True)
    data = [{"input_ids": tokens, "labels": tokens}] * 8
    train = (SharingTrainer if fixed else Trainer)(Model(), arguments, train_dataset=data)
    train.train()
    print("resumed:", train.train(resume_from_checkpoint="out/checkpoint-1").global_step)


def pretrained(fixed: bool) -> None:
    """A PreTrainedModel that does not declare what it ties. Fix: _tied_weights_keys."""
    cases.needs("transformers")
    from transformers import PretrainedConfig, PreTrainedModel

    class Config(PretrainedConfig):  # type: ignore[misc]
        model_type = "lab"
        tie_word_embeddings = True

    class Pretrained(PreTrainedModel):  # type: ignore[misc]
        config_class = Config
        _tied_weights_keys = {"model.head.weight": "model.embed.weight"} if fixed else {}

        def __init__(self, config: Config) -> None:
            super().__init__(config)
            self.model = Model()
            self.post_init()

        def get_input_embeddings(self) -> torch.nn.Module:
            return self.model.embed

    model = Pretrained(Config())
    model.save_pretrained("out")
    again = Pretrained.from_pretrained("out")
    print("tied again:", again.model.head.weight is again.model.embed.weight)


CASES = {
    "tied": cases.Case(tied, SHARED, "load_model: set() []"),
    "same-layer": cases.Case(same_layer, SHARED, "in the file: ['0.bias'"),
    "trainer": cases.Case(trainer, SHARED, "resumed: 2"),
    "pretrained": cases.Case(pretrained, "trying to be saved contained shared tensors", "tied again: True"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
