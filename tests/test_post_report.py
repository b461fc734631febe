"""The script that posts the report of a pull request, against a server that answers as GitHub does."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import ROOT

SHA = "a" * 40
TOKEN = "the-token"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("post_report", ROOT / ".github/scripts/post_report.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load()


def packed(files: dict[str, bytes]) -> bytes:
    """An archive of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target.getvalue()


class GitHub:
    """The part of GitHub's interface that the script uses, with what was asked of it."""

    def __init__(self) -> None:
        self.pulls: list[Any] = [{"number": 7, "head": {"sha": SHA}}]
        self.artifacts: list[Any] = [{"id": 5, "expired": False}]
        self.archive = packed({"report.md": b"# Report\n\n- added `x`\n"})
        self.comments: list[Any] = []
        self.asked: list[tuple[str, str]] = []
        self.written: list[tuple[str, str, str]] = []
        self.tokens: list[tuple[str, str | None]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size)
                server.tokens.append((self.path, self.headers.get("Authorization")))
                server.asked.append((self.command, self.path))
                status, headers, data = server.reply(self.command, self.path, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = answer

            def log_message(self, *arguments: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def reply(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        place, query = urlsplit(path).path, parse_qs(urlsplit(path).query)
        if method != "GET":
            self.written.append((method, place, json.loads(body)["body"]))
            return 201, {}, b"{}"
        if place == "/store/report.zip":
            return 200, {}, self.archive
        if place.endswith("/zip"):
            return 302, {"Location": f"{self.root}/store/report.zip"}, b""
        page = int(query.get("page", ["1"])[0])
        found: Any = {"/repos/o/r/pulls": self.pulls, "/repos/o/r/issues/7/comments": self.comments}.get(place)
        rows = {"artifacts": self.artifacts} if found is None else found[100 * (page - 1) : 100 * page]
        return 200, {}, json.dumps(rows).encode("utf-8")


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    yield server
    server.http.shutdown()
    server.http.server_close()


def run(github: GitHub, tmp_path: Path, **changes: Any) -> None:
    """Run the script for the end of a run; it must end well."""
    event = {
        "id": 11,
        "head_sha": SHA,
        "head_branch": "new-entry",
        "head_repository": {"owner": {"login": "somebody"}},
        "html_url": "https://example.org/runs/11",
        **changes,
    }
    (tmp_path / "event.json").write_text(json.dumps({"workflow_run": event}))
    environment = {
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_API_URL": github.root,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": TOKEN,
    }
    assert SCRIPT.main(environment) == 0


def test_report_is_written_as_text_on_the_pull_request_of_the_commit(github: GitHub, tmp_path: Path) -> None:
    run(github, tmp_path)
    assert github.written == [
        (
            "POST",
            "/repos/o/r/issues/7/comments",
            "<!-- corpus-report -->\n"
            "The checks of this change made the following report; its [run](https://example.org/runs/11) shows it with "
            "its headings.\n\n```markdown\n# Report\n\n- added `x`\n```\n",
        )
    ]
    assert ("GET", "/repos/o/r/pulls?state=open&head=somebody%3Anew-entry&per_page=100&page=1") in github.asked


def test_token_does_not_follow_the_redirection(github: GitHub, tmp_path: Path) -> None:
    run(github, tmp_path)
    sent = dict(github.tokens)
    assert sent.pop("/store/report.zip") is None
    assert set(sent.values()) == {f"Bearer {TOKEN}"}


def test_comment_of_an_earlier_run_is_brought_up_to_date(github: GitHub, tmp_path: Path) -> None:
    noise = [{"id": n, "user": {"login": "somebody"}, "body": "words"} for n in range(120)]
    forged = {"id": 300, "user": {"login": "somebody"}, "body": "<!-- corpus-report -->\nforged"}
    github.comments = [
        *noise,
        forged,
        {"id": 301, "user": {"login": SCRIPT.AUTHOR}, "body": "<!-- corpus-report -->\n"},
    ]
    run(github, tmp_path)
    assert [(method, place) for method, place, _ in github.written] == [("PATCH", "/repos/o/r/issues/comments/301")]
    github.comments[-1]["body"] = github.written[0][2].strip()
    github.written.clear()
    run(github, tmp_path)
    assert github.written == []


@pytest.mark.parametrize(
    "pulls",
    [
        pytest.param([], id="none"),
        pytest.param([{"number": 7, "head": {"sha": "b" * 40}}], id="newer commit"),
        pytest.param([{"number": 7, "head": {"sha": SHA}}, {"number": 8, "head": {"sha": SHA}}], id="two"),
    ],
)
def test_nothing_is_written_unless_one_pull_request_has_the_commit(
    github: GitHub, tmp_path: Path, pulls: list[Any]
) -> None:
    github.pulls = pulls
    run(github, tmp_path)
    assert github.written == []


def test_nothing_is_asked_if_the_fork_is_gone(github: GitHub, tmp_path: Path) -> None:
    run(github, tmp_path, head_repository=None)
    assert github.asked == []


def test_branch_name_stays_within_its_parameter(github: GitHub, tmp_path: Path) -> None:
    run(github, tmp_path, head_branch="x&state=closed#/../../../user")
    (path,) = [path for method, path in github.asked if "/pulls?" in path]
    assert parse_qs(urlsplit(path).query)["head"] == ["somebody:x&state=closed#/../../../user"]
    assert parse_qs(urlsplit(path).query)["state"] == ["open"]


BAD_ARCHIVES = {
    "no archive": b"not a zip",
    "no report": packed({"other.md": b"x"}),
    "way out of the folder": packed({"../report.md": b"x"}),
    "empty": b"",
    "cut": packed({"report.md": b"words " * 5000})[:-60],
}


@pytest.mark.parametrize("archive", BAD_ARCHIVES.values(), ids=BAD_ARCHIVES)
def test_archives_without_a_report_are_let_be(github: GitHub, tmp_path: Path, archive: bytes) -> None:
    github.archive = archive
    run(github, tmp_path)
    assert github.written == []


def test_damaged_data_are_let_be(github: GitHub, tmp_path: Path) -> None:
    whole = bytearray(packed({"report.md": bytes(range(256)) * 20}))
    whole[60:90] = b"\xff" * 30
    github.archive = bytes(whole)
    run(github, tmp_path)
    assert github.written == []


def test_archive_that_unpacks_to_much_more_is_read_in_part(github: GitHub, tmp_path: Path) -> None:
    github.archive = packed({"report.md": b"- a line\n" * 20_000_000})
    assert len(github.archive) < 1_000_000
    run(github, tmp_path)
    ((_, _, body),) = github.written
    assert len(body) < 65_536
    assert body.endswith("- a line\n(cut)\n```\n")


def test_archive_over_the_limit_is_not_read(github: GitHub, tmp_path: Path) -> None:
    github.archive += b"\0" * SCRIPT.MOST_BYTES
    run(github, tmp_path)
    assert github.written == []


@pytest.mark.parametrize("artifacts", [[], [{"id": 5, "expired": True}], [{"id": 5, "expired": False}] * 2])
def test_run_without_one_report_is_let_be(github: GitHub, tmp_path: Path, artifacts: list[Any]) -> None:
    github.artifacts = artifacts
    run(github, tmp_path)
    assert github.written == []


@given(st.text(st.sampled_from("`~ab\n\r\t <>@#[]()!\x1b\u202e\u2028\x00"), max_size=80))
def test_nothing_leaves_the_fence(report: str) -> None:
    body = SCRIPT.comment(report, "https://example.org/runs/11")
    head, fence, rest = re.split(r"^(`{3,})markdown\n", body, maxsplit=1, flags=re.MULTILINE)
    assert "@" not in head
    inner = rest.removesuffix(f"{fence}\n")
    assert rest != inner
    assert not re.search(rf"^ {{0,3}}{fence}", inner, re.MULTILINE)
    assert all(char == "\n" or char.isprintable() for char in body)
