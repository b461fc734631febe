#!/usr/bin/env python3
"""Load a model and a data set by name on a node that does not reach the hub. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is model
exit:  0 the expected outcome was seen, 1 it was not, 77 transformers, datasets or unprivileged user namespaces missing
"""

from __future__ import annotations

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hub, ranks

cases.needs("torch", "transformers", "datasets")

SHARED = pathlib.Path("shared/huggingface")
"""The cache that a node with access has filled."""


def model(fixed: bool) -> None:
    """Nothing is in the cache. Fix: a cache that was filled before, and offline mode."""
    fill()
    train("load-model", SHARED if fixed else pathlib.Path("empty"), HF_HUB_OFFLINE=str(int(fixed)))


def other_cache(fixed: bool) -> None:
    """Offline mode is on, and the job looks into another cache than the one that was filled. Fix: the same HF_HOME."""
    fill()
    train("load-model", SHARED if fixed else pathlib.Path("empty"), HF_HUB_OFFLINE="1")


def copied(fixed: bool) -> None:
    """The cache was copied without the folder refs. Fix: with it."""
    fill(refs=fixed)
    train("load-model", SHARED, HF_HUB_OFFLINE="1")


def dataset(fixed: bool) -> None:
    """A data set is named by its repository. Fix: by a file on disk."""
    pathlib.Path("train.jsonl").write_text(json.dumps({"text": "the cat"}) + "\n")
    train("load-file" if fixed else "load-data", pathlib.Path("empty"))


def fill(refs: bool = True) -> None:
    """What hf download leaves in HF_HOME for a model with a config only."""
    folder = SHARED / "hub/models--org--tiny"
    snapshot = folder / "snapshots" / hub.COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_bytes(hub.CONFIG)
    if refs:
        (folder / "refs").mkdir()
        (folder / "refs/main").write_text(hub.COMMIT)


def train(role: str, home: pathlib.Path, **variables: str) -> None:
    """Start a job that loads something, with a cache of its own."""
    ranks.report(train=ranks.start(ranks.again(__file__, role), HF_HOME=str(home.resolve()), **variables))


CASES = {
    "model": cases.Case(model, "OSError: We couldn't connect to 'https://huggingface.co'", "hidden size 8"),
    "other-cache": cases.Case(other_cache, "outgoing traffic has been disabled", "hidden size 8"),
    "copied": cases.Case(copied, "outgoing traffic has been disabled", "hidden size 8"),
    "dataset": cases.Case(dataset, "ConnectionError: Couldn't reach 'org/texts' on the Hub", "rows 1"),
}
ROLES = {"load-model": hub.load_model, "load-data": hub.load_data, "load-file": hub.load_file}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
