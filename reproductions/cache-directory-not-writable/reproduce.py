#!/usr/bin/env python3
"""Use caches that the job may not write. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is home
exit:  0 the expected outcome was seen, 1 it was not, 77 datasets or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hub, ranks

cases.needs("torch", "datasets", "transformers")

ORDINARY = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""Take away what lets root pass over permissions; so the job is an ordinary user of its files."""


def home(fixed: bool) -> None:
    """HOME belongs to somebody else. Fix: HF_HOME."""
    start("load-data", HOME=folder("home"), **({"HF_HOME": os.path.abspath("own")} if fixed else {}))


def torch_hub(fixed: bool) -> None:
    """Weights of torch.hub. Fix: TORCH_HOME."""
    start("load-weights", HOME=folder("home"), **({"TORCH_HOME": os.path.abspath("own")} if fixed else {}))


def inductor(fixed: bool) -> None:
    """The cache of torch.compile was made by another user. Fix: a folder of its own."""
    shared = folder("torchinductor_user")
    start("inductor", TORCHINDUCTOR_CACHE_DIR=os.path.abspath("own") if fixed else f"{shared}/cache")


def shared(fixed: bool) -> None:
    """A shared cache of the hub lacks a file, and only its owner may add it. Fix: the owner downloads all."""
    cache, address = pathlib.Path("shared").absolute(), hub.Hub({"config.json": hub.CONFIG, "vocab.txt": b"a"}).start()
    variables = {"HF_HOME": str(cache), "HF_ENDPOINT": address}
    for name in ["config.json", "vocab.txt"] if fixed else ["config.json"]:
        ranks.report(owner=ranks.start(ranks.again(__file__, "download"), LAB_FILE=name, **variables))
    cases.sh(f"chmod -R a-w {cache}")
    start("download", LAB_FILE="vocab.txt", **variables)


def folder(name: str) -> str:
    """A folder that the job may enter and not write."""
    path = pathlib.Path(name).absolute()
    path.mkdir()
    path.chmod(0o555)
    return str(path)


def start(role: str, **variables: str) -> None:
    """Start a job that may do what an ordinary user may."""
    ranks.report(train=ranks.start([*ORDINARY, *ranks.again(__file__, role)], **variables))


def load_data() -> None:
    """A data set from a file, which Datasets converts in its cache."""
    import datasets

    pathlib.Path("train.jsonl").write_text('{"text": "the cat"}\n')
    rows = datasets.load_dataset("json", data_files="train.jsonl", split="train")
    print("rows", len(rows), flush=True)


def load_weights() -> None:
    """A file of weights."""
    import torch

    pathlib.Path("weights.pth").touch()
    torch.save({"weight": torch.zeros(2)}, "weights.pth")
    url = pathlib.Path("weights.pth").absolute().as_uri()
    print("weights", torch.hub.load_state_dict_from_url(url, progress=False)["weight"].shape, flush=True)


def compile_cache() -> None:
    """What the compiler does before it writes a kernel."""
    from torch._inductor.runtime import cache_dir_utils

    print("cache in", pathlib.Path(cache_dir_utils.cache_dir()).name, flush=True)


def download() -> None:
    """One file from the hub."""
    import huggingface_hub

    print("file", pathlib.Path(huggingface_hub.hf_hub_download("org/tiny", os.environ["LAB_FILE"])).name, flush=True)


CASES = {
    "home": cases.Case(home, "PermissionError: [Errno 13] Permission denied: '/scratch/home/.cache'", "rows 1"),
    "torch-hub": cases.Case(torch_hub, "PermissionError: [Errno 13] Permission denied", "weights torch.Size([2])"),
    "inductor": cases.Case(inductor, "PermissionError: [Errno 13] Permission denied", "cache in own"),
    "shared": cases.Case(shared, "PermissionError: [Errno 13] Permission denied", "--- train\nfile vocab.txt"),
}
ROLES = {"load-data": load_data, "load-weights": load_weights, "inductor": compile_cache, "download": download}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
