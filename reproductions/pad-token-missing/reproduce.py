#!/usr/bin/env python3
"""Pad with a tokenizer that has no padding token. A tiny tokenizer and random weights, one CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is tokenizer
exit:  0 the expected outcome was seen, 1 it was not, 77 transformers or unprivileged user namespaces are missing
"""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch", "transformers")

if TYPE_CHECKING:
    import transformers

WORDS = ("<unk>", "<s>", "</s>", "<reserved>", "the", "cat", "sat", "on", "mat")
TEXTS = ["the cat", "the cat sat on the mat"]


def tokenizer(fixed: bool) -> None:
    """Two texts of different length are padded. Fix: a token that the vocabulary has in reserve."""
    made = make_tokenizer("<reserved>" if fixed else None)
    print("batch", tuple(made(TEXTS, padding=True, return_tensors="pt")["input_ids"].shape), flush=True)


def classifier(fixed: bool) -> None:
    """The tokenizer has a padding token, but the config of the model does not know it. Fix: tell it."""
    import transformers

    made = make_tokenizer("<reserved>")
    config = transformers.GPT2Config(vocab_size=len(made), n_embd=8, n_layer=1, n_head=1)
    model = transformers.GPT2ForSequenceClassification(config)
    if fixed:
        model.config.pad_token_id = made.pad_token_id
    print("scores", tuple(model(**made(TEXTS, padding=True, return_tensors="pt")).logits.shape), flush=True)


def not_resized(fixed: bool) -> None:
    """A new token is added, and the embedding has no row for it. Fix: resize."""
    import transformers

    made = make_tokenizer(None)
    config = transformers.GPT2Config(vocab_size=len(made), n_embd=8, n_layer=1, n_head=1)
    model = transformers.GPT2LMHeadModel(config)
    made.add_special_tokens({"pad_token": "[PAD]"})
    if fixed:
        model.resize_token_embeddings(len(made))
    print("logits", tuple(model(**made(TEXTS, padding=True, return_tensors="pt")).logits.shape), flush=True)


def end_masked(fixed: bool) -> None:
    """With the end token as padding token, the real ends are taken out of the labels. Fix: another token."""
    import transformers

    made = make_tokenizer("<reserved>" if fixed else "</s>")
    collate = transformers.DataCollatorForLanguageModeling(made, mlm=False)
    batch = collate([made(f"{text} </s>") for text in TEXTS])
    print("labels of the longer text:", batch["labels"][1].tolist(), flush=True)


def make_tokenizer(pad: str | None) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer of words; as that of many language models, it has an end token and no padding token."""
    import tokenizers
    import transformers

    words = tokenizers.models.WordLevel({word: number for number, word in enumerate(WORDS)}, "<unk>")
    raw = tokenizers.Tokenizer(words)
    raw.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token=pad
    )


CASES = {
    "tokenizer": cases.Case(tokenizer, "Asking to pad but the tokenizer does not have a padding token", "batch (2, 6)"),
    "classifier": cases.Case(classifier, "Cannot handle batch sizes > 1 if no padding token", "scores (2, 2)"),
    "not-resized": cases.Case(not_resized, "IndexError: index out of range in self", "logits (2, 6, 10)", False),
    "end-masked": cases.Case(end_masked, "4, 8, -100]", "4, 8, 2]", False),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
