#!/usr/bin/env python3
"""Load a model and a data set from a hub that answers 429. CPU processes, seconds a case.

The hub is one on this machine, with the status and the headers of the documented limit.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is model
exit:  0 the expected outcome was seen, 1 it was not, 77 transformers, datasets or unprivileged user namespaces missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hub, ranks

cases.needs("torch", "transformers", "datasets")

RANKS = 4
ENOUGH = 3
"""Requests that the hub answers; one rank needs all of them."""


def model(fixed: bool) -> None:
    """The limit is used up, and nothing is in the cache. Fix: a cache that was filled before, and offline mode."""
    limited = hub.Hub(quota=ENOUGH if fixed else 0)
    variables = {"HF_ENDPOINT": limited.start(), "HF_HOME": os.path.abspath("cache")}
    if fixed:
        ranks.report(login_node=ranks.start(ranks.again(__file__, "download"), **variables))
        variables["HF_HUB_OFFLINE"] = "1"
    ranks.report(train=ranks.start(ranks.again(__file__, "load-model"), **variables))


def plain(fixed: bool) -> None:
    """A 429 without headers, as from a mirror or a proxy. Fix: requests below the limit."""
    address = hub.Hub(quota=None if fixed else 0, headers=False).start()
    ranks.report(train=ranks.start(ranks.again(__file__, "load-model"), HF_ENDPOINT=address))


def dataset(fixed: bool) -> None:
    """A data set is named by its repository. Fix: by a file on disk."""
    pathlib.Path("train.jsonl").write_text('{"text": "the cat"}\n')
    address = hub.Hub(quota=0).start()
    ranks.report(train=ranks.start(ranks.again(__file__, "load-file" if fixed else "load-data"), HF_ENDPOINT=address))


def all_at_once(fixed: bool) -> None:
    """Four ranks use up a limit that is enough for one. Fix: rank 0 first; the cache serves the others."""
    address, home = hub.Hub(quota=ENOUGH).start(), os.path.abspath("cache")
    command = ranks.again(__file__, "download")
    homes = {f"rank{number}": home if fixed else f"{home}{number}" for number in range(RANKS)}
    if fixed:
        ranks.report(rank0=ranks.start(command, HF_ENDPOINT=address, HF_HOME=homes.pop("rank0")))
    ranks.report(**{name: ranks.start(command, HF_ENDPOINT=address, HF_HOME=home) for name, home in homes.items()})


def download() -> None:
    """One file."""
    hub.impatient()
    import huggingface_hub

    print("file", pathlib.Path(huggingface_hub.hf_hub_download("org/tiny", "config.json")).name, flush=True)


CASES = {
    "model": cases.Case(model, "429 Too Many Requests: you have reached your 'resolvers' rate limit.", "hidden size 8"),
    "plain": cases.Case(plain, "HfHubHTTPError: 429 Too Many Requests for url", "hidden size 8"),
    "dataset": cases.Case(dataset, "HTTP Error 429 thrown while requesting HEAD", "rows 1"),
    "all-at-once": cases.Case(all_at_once, "HfHubHTTPError: 429 Too Many Requests", "--- rank3\nfile config.json"),
}
ROLES = {
    "download": download,
    "load-model": hub.load_model,
    "load-data": hub.load_data,
    "load-file": hub.load_file,
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
