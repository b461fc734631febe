"""A hub on this machine that limits requests and breaks off transfers, and what jobs load from such a one."""

from __future__ import annotations

import dataclasses
import http.server
import json
import socket
import threading
import time

COMMIT = "0123456789abcdef0123456789abcdef01234567"
"""The commit of the branch main."""
CONFIG = json.dumps({"model_type": "bert", "hidden_size": 8}).encode()


@dataclasses.dataclass
class Hub:
    """What it has and how it behaves; `start` gives its address.

    Args:
        files: by name, of whatever repository is asked for.
        quota: requests that it answers before it sends 429; none is no limit.
        headers: whether a 429 comes with the headers that name the limit.
        cuts: how many downloads it breaks off half-way.
    """

    files: dict[str, bytes] = dataclasses.field(default_factory=lambda: {"config.json": CONFIG})
    quota: int | None = None
    headers: bool = True
    cuts: int = 0
    asked: int = 0

    def start(self) -> str:
        """Serve until the process ends."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://localhost:{server.server_port}"

    def refuses(self) -> bool:
        """Count a request, and say whether it is one too many."""
        self.asked += 1
        return self.quota is not None and self.asked > self.quota

    def cuts_now(self) -> bool:
        """Count a download, and say whether it is to break off."""
        self.cuts -= 1
        return self.cuts >= 0


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    hub: Hub

    def do_GET(self) -> None:
        """Give a file, the part of it that is asked for, or a refusal."""
        content = self.hub.files.get(self.path.rpartition("/resolve/")[2].partition("/")[2])
        if self.hub.refuses():
            limit = {"RateLimit": '"resolvers";r=0;t=1', "RateLimit-Policy": '"fixed window";"resolvers";q=3000;w=300'}
            self._send(429, b"", limit if self.hub.headers else {})
        elif content is None:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
        else:
            about = {"X-Repo-Commit": COMMIT, "ETag": f'"{len(content):040}"', "Accept-Ranges": "bytes"}
            start = int(self.headers.get("Range", "bytes=0-")[6:].partition("-")[0])
            if start:
                about["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._send(206 if start else 200, content[start:], about)

    do_HEAD = do_GET

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = bool(content) and self.hub.cuts_now()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Say nothing of the requests."""


def impatient() -> None:
    """Leave out what the client waits between its tries, up to 23 seconds."""
    time.sleep = lambda _: None


def load_model() -> None:
    """What most training scripts begin with."""
    impatient()
    import transformers

    print("hidden size", transformers.AutoConfig.from_pretrained("org/tiny").hidden_size, flush=True)


def load_data() -> None:
    """A data set from the hub."""
    impatient()
    import datasets

    print("rows", len(datasets.load_dataset("org/texts", split="train")), flush=True)


def load_file() -> None:
    """A data set from a file on disk."""
    import datasets

    print("rows", len(datasets.load_dataset("json", data_files="train.jsonl", split="train")), flush=True)
