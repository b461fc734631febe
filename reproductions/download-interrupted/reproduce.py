#!/usr/bin/env python3
"""Download over a connection that breaks off half-way. One CPU process, seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is hub
exit:  0 the expected outcome was seen, 1 it was not, 77 huggingface_hub, requests, curl or user namespaces are missing
"""

from __future__ import annotations

import hashlib
import io
import os
import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, hub, ranks

cases.needs("torch", "huggingface_hub", "requests")

ALWAYS = 1000
CURL = 'for i in 1 2 3; do curl -fsSL -C - -o "{file}" "{url}" && break; done'


def hub_download(fixed: bool) -> None:
    """Each connection to the hub breaks off, until the client gives up. Fix: one that breaks off once is resumed."""
    address = serve(1 if fixed else ALWAYS)
    ranks.report(train=ranks.start(ranks.again(__file__, "from-hub"), HF_ENDPOINT=address, HF_HOME="cache"))


def with_requests(fixed: bool) -> None:
    """A script that reads with requests. Fix: curl goes on where it broke off."""
    fetch("with-requests", serve(1), fixed)


def urlretrieve(fixed: bool) -> None:
    """A script that calls urlretrieve. Fix: curl goes on where it broke off."""
    fetch("urlretrieve", serve(1), fixed)


def torch_hub(fixed: bool) -> None:
    """torch.hub, with the hash in the name. Fix: curl goes on where it broke off."""
    fetch("torch-hub", serve(1), fixed)


def no_hash(fixed: bool) -> None:
    """torch.hub without the hash keeps half a file and says nothing. Fix: with it, and curl."""
    fetch("torch-hub" if fixed else "no-hash", serve(1), fixed)


def weights() -> bytes:
    """A state dict as torch writes it, of 400 kB."""
    import torch

    buffer = io.BytesIO()
    torch.save({"weight": torch.zeros(100_000)}, buffer)
    return buffer.getvalue()


def serve(cuts: int) -> str:
    """A hub that has these weights, under a name with their hash."""
    content = weights()
    name = f"model-{hashlib.sha256(content).hexdigest()[:8]}.pth"
    os.environ["LAB_FILE"] = name
    return hub.Hub({name: content}, cuts=cuts).start()


def fetch(role: str, address: str, fixed: bool) -> None:
    """Start a script that fetches the weights, or fetch them with curl and let torch.hub find them."""
    name = os.environ["LAB_FILE"]
    url = f"{address}/org/tiny/resolve/main/{name}"
    if fixed:
        if not shutil.which("curl"):
            cases.cannot("curl is missing")
        folder = pathlib.Path("torch/hub/checkpoints")
        folder.mkdir(parents=True)
        cases.sh(CURL.format(file=folder / name, url=url))
    run = ranks.again(__file__, "torch-hub" if fixed else role)
    ranks.report(train=ranks.start(run, LAB_URL=url, TORCH_HOME=os.path.abspath("torch")))


def from_hub() -> None:
    """One file."""
    time.sleep = lambda _: None
    import huggingface_hub

    report(huggingface_hub.hf_hub_download("org/tiny", os.environ["LAB_FILE"]))


def read_with_requests() -> None:
    """What many download scripts do."""
    import requests

    with requests.get(os.environ["LAB_URL"], stream=True, timeout=30) as answer, open("model.pth", "wb") as file:
        for chunk in answer.iter_content(1 << 16):
            file.write(chunk)
    report("model.pth")


def retrieve() -> None:
    """What others do."""
    import urllib.request

    report(urllib.request.urlretrieve(os.environ["LAB_URL"], "model.pth")[0])


def load_torch_hub(check: bool = True) -> None:
    """What torchvision does."""
    import torch

    torch.hub.load_state_dict_from_url(os.environ["LAB_URL"], check_hash=check, progress=False)
    report(f"torch/hub/checkpoints/{os.environ['LAB_FILE']}")


def load_unchecked() -> None:
    """What happens without the hash."""
    import torch

    folder = pathlib.Path("torch/hub/checkpoints")
    folder.mkdir(parents=True)
    torch.hub.download_url_to_file(os.environ["LAB_URL"], str(folder / os.environ["LAB_FILE"]), progress=False)
    report(str(folder / os.environ["LAB_FILE"]))


def report(path: str) -> None:
    """What was kept."""
    print("kept", "all" if pathlib.Path(path).stat().st_size == len(weights()) else "a part", flush=True)


CASES = {
    "hub": cases.Case(hub_download, "RemoteProtocolError: peer closed connection", "kept all"),
    "requests": cases.Case(with_requests, "ChunkedEncodingError: ('Connection broken: IncompleteRead(", "kept all"),
    "urlretrieve": cases.Case(urlretrieve, "ContentTooShortError: <urlopen error retrieval incomplete", "kept all"),
    "torch-hub": cases.Case(torch_hub, "RuntimeError: invalid hash value", "kept all", diagnosed=False),
    "no-hash": cases.Case(no_hash, "kept a part", "kept all", False),
}
ROLES = {
    "from-hub": from_hub,
    "with-requests": read_with_requests,
    "urlretrieve": retrieve,
    "torch-hub": load_torch_hub,
    "no-hash": load_unchecked,
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
