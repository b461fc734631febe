"""Post the report of a workflow that ran code of a pull request, as a comment on that pull request.

The report is not trusted. It is one file of bounded size, read without being unpacked to disk, and stands in the
comment as text in a fence that it cannot close. Which pull request it belongs to is asked of GitHub, not read from the
report.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

ARTIFACT, MEMBER = "corpus-report", "report.md"
MARK = "<!-- corpus-report -->"
AUTHOR = "github-actions[bot]"
LIMIT = 50_000
"""So many characters of a report are shown; a comment holds 65,536."""
MOST_BYTES = 5_000_000
MOST_PAGES = 10


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Leaves redirections to the caller: the token must not follow one to another host."""

    def redirect_request(self, *args: Any) -> None:
        return None


class Api:
    """GitHub's REST interface for one repository."""

    def __init__(self, root: str, repository: str, token: str) -> None:
        self._base = f"{root}/repos/{repository}"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def call(self, method: str, path: str, data: Mapping[str, Any] | None = None) -> Any:
        """The answer to a request, as data."""
        body = None if data is None else json.dumps(data).encode("utf-8")
        with self._opener.open(self._request(method, path, body), timeout=30) as answer:
            return json.loads(answer.read(MOST_BYTES))

    def download(self, path: str) -> bytes | None:
        """The bytes that a redirection leads to; nothing if there are too many."""
        try:
            with self._opener.open(self._request("GET", path, None), timeout=30) as answer:
                found = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            if error.code not in (301, 302, 303, 307, 308):
                raise
            place = error.headers["Location"]
            if urllib.parse.urlsplit(place).scheme != urllib.parse.urlsplit(self._base).scheme:
                return None
            with urllib.request.urlopen(place, timeout=60) as answer:
                found = answer.read(MOST_BYTES + 1)
        return found if len(found) <= MOST_BYTES else None

    def pages(self, path: str) -> Iterator[Any]:
        """The items of a list that comes in pages."""
        for page in range(1, MOST_PAGES + 1):
            items = self.call("GET", f"{path}{'&' if '?' in path else '?'}per_page=100&page={page}")
            yield from items
            if len(items) < 100:
                return

    def _request(self, method: str, path: str, body: bytes | None) -> urllib.request.Request:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        return urllib.request.Request(self._base + path, body, headers, method=method)


def find_pull(api: Api, run: Mapping[str, Any]) -> int | None:
    """The number of the open pull request whose newest commit the run was for, if there is exactly one."""
    owner = ((run.get("head_repository") or {}).get("owner") or {}).get("login")
    if not owner:
        return None
    head = urllib.parse.quote(f"{owner}:{run['head_branch']}", safe="")
    found = [
        int(pull["number"])
        for pull in api.pages(f"/pulls?state=open&head={head}")
        if pull["head"]["sha"] == run["head_sha"]
    ]
    return found[0] if len(found) == 1 else None


def read_report(api: Api, run_id: int) -> str | None:
    """The report that a run left; nothing if there is none, or if it is no text of bounded size."""
    listed = api.call("GET", f"/actions/runs/{int(run_id)}/artifacts?name={ARTIFACT}")["artifacts"]
    if len(listed) != 1 or listed[0]["expired"]:
        return None
    packed = api.download(f"/actions/artifacts/{int(listed[0]['id'])}/zip")
    if packed is None:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive, archive.open(MEMBER) as member:
            found = member.read(4 * LIMIT + 1)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error):
        return None
    return found.decode("utf-8", "replace")


def comment(report: str, address: str) -> str:
    """The comment: the report as text, in a fence longer than any run of backticks in it."""
    text = "".join(char for char in report if char == "\n" or char.isprintable())
    if len(text) > LIMIT:
        text = text[:LIMIT].rpartition("\n")[0] + "\n(cut)"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    said = f"The checks of this change made the following report; its [run]({address}) shows it with its headings."
    return f"{MARK}\n{said}\n\n{fence}markdown\n{text.strip()}\n{fence}\n"


def publish(api: Api, pull: int, body: str) -> str:
    """Write the comment, or bring the one of an earlier run up to date."""
    for old in api.pages(f"/issues/{pull}/comments"):
        if old["user"]["login"] == AUTHOR and old["body"].startswith(MARK):
            if old["body"].strip() == body.strip():
                return "the comment says so already"
            api.call("PATCH", f"/issues/comments/{int(old['id'])}", {"body": body})
            return "brought the comment up to date"
    api.call("POST", f"/issues/{pull}/comments", {"body": body})
    return "wrote a comment"


def main(environment: Mapping[str, str]) -> int:
    """Post the report of the run that the event names."""
    with open(environment["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        run = json.load(file)["workflow_run"]
    api = Api(environment["GITHUB_API_URL"], environment["GITHUB_REPOSITORY"], environment["GITHUB_TOKEN"])
    pull = find_pull(api, run)
    if pull is None:
        print("no open pull request has this commit as its newest; nothing to do")
        return 0
    report = read_report(api, run["id"])
    if report is None:
        print("the run left no report that can be read; nothing to do")
        return 0
    print(f"pull request {pull}: {publish(api, pull, comment(report, run['html_url']))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
