#!/usr/bin/env python3
"""Download weights from an address that answers with a web page, and load them. Some seconds a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is hub
exit:  0 the expected outcome was seen, 1 it was not, 77 torch, curl or unprivileged user namespaces are missing
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import pathlib
import shutil
import subprocess
import sys
import threading
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("torch")
cases.isolate(__file__)

import torch  # noqa: E402 - isolated first

PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to go on</body></html>"


@functools.cache
def weights() -> bytes:
    """A checkpoint, as bytes."""
    file = io.BytesIO()
    torch.save({"weights": torch.ones(1024)}, file)
    return file.getvalue()


class Site(http.server.BaseHTTPRequestHandler):
    """Gives the weights under /raw, a page for everything else, and status 404 with the page under /gone."""

    def do_GET(self) -> None:
        """Answer one request."""
        body = weights() if self.path.startswith("/raw/") else PAGE
        self.send_response(404 if self.path.startswith("/gone/") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing of requests."""


def serve() -> str:
    """Start the site, and return its address."""
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{site.server_port}"


def hub(fixed: bool) -> None:
    """torch.hub with the address of a page. Fix: the address of the file."""
    folder = "raw" if fixed else "blob"
    state = torch.hub.load_state_dict_from_url(f"{serve()}/{folder}/model.pt", progress=False)
    print("loaded", list(state))


def cached(fixed: bool) -> None:
    """The address was put right, and the page is still in the cache. Fix: move it out of the cache."""
    site = serve()
    try:
        torch.hub.load_state_dict_from_url(f"{site}/blob/model.pt", progress=False)
    except Exception as error:
        print(type(error).__name__)
    if fixed:
        kept = pathlib.Path(torch.hub.get_dir()) / "checkpoints" / "model.pt"
        kept.rename("model.page")
    print("loaded", list(torch.hub.load_state_dict_from_url(f"{site}/raw/model.pt", progress=False)))


def check_hash(fixed: bool) -> None:
    """check_hash=True refuses a page before it is kept. Fix: the address of the file."""
    name = f"model-{hashlib.sha256(weights()).hexdigest()[:8]}.pt"
    url = f"{serve()}/{'raw' if fixed else 'blob'}/{name}"
    try:
        print("loaded", list(torch.hub.load_state_dict_from_url(url, progress=False, check_hash=True)))
    except RuntimeError as error:
        print("RuntimeError:", error)
        print(list(pathlib.Path(torch.hub.get_dir()).rglob("*.pt")))


def curl(fixed: bool) -> None:
    """Curl keeps the page of an error 404, and ends with success. Fix: -f, with which it ends with 22."""
    if not shutil.which("curl"):
        cases.cannot("curl is missing")
    options = ["-fsSL"] if fixed else ["-sSL"]
    run = subprocess.run(["curl", *options, "-o", "model.pt", f"{serve()}/gone/model.pt"])
    print("curl ended with", run.returncode, flush=True)
    if run.returncode == 0:
        torch.load("model.pt")


CASES = {
    "hub": cases.Case(hub, "invalid load key, '<'", "loaded ['weights']"),
    "cached": cases.Case(cached, "invalid load key, '<'", "loaded ['weights']"),
    "check-hash": cases.Case(check_hash, "invalid hash value (expected", "loaded ['weights']", diagnosed=False),
    "curl": cases.Case(curl, "Unsupported operand 60", "The requested URL returned error: 404"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
