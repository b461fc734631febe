"""What git knows of the entries: when each came, when it changed, and who wrote at it."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from pathlib import Path

from faultbook.corpus import Corpus
from faultbook.export.past import Past

SECONDS = 30
"""How long git may take; a history that takes longer counts as none."""
COMMITS = 50_000
"""How many commits are looked at, the newest first."""
_COMMIT, _FIELD = "\x1e", "\x1f"
_LOG = (
    *("git", "--no-pager", "--no-optional-locks", "-c", "core.quotePath=off", "-c", "log.showSignature=false"),
    *("-c", "diff.renameLimit=2000", "-c", "diff.relative=false", "log", f"--max-count={COMMITS}", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--find-renames", "--name-status", "--relative"),
    *("--format=%x1e%ct%x1f%P%x1f%aN", "--", "."),
)
_SHALLOW = ("git", "--no-optional-locks", "rev-parse", "--is-shallow-repository")


@dataclass
class _Seen:
    """What commits say of one entry, the newest first."""

    newest: int
    oldest: int
    whole: bool = True
    """Whether the commit that brought it was seen."""
    names: Counter[str] = field(default_factory=Counter)


def read_history(directories: Sequence[Path], corpus: Corpus) -> Mapping[str, Past]:
    """The history of each entry by its slug; none without git, without a repository, and for files not in it."""
    found: dict[str, Past] = {}
    for directory in directories:
        slugs = {
            record.source.path.relative_to(directory).as_posix(): record.slug
            for record in corpus.records.values()
            if record.source.path.is_relative_to(directory)
        }
        found |= parse_log(_git(_LOG, directory), slugs, cut=_git(_SHALLOW, directory).strip() == "true")
    return found


def build_day() -> date:
    """The day of the build in UTC: that of ``SOURCE_DATE_EPOCH`` if it is set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), timezone.utc) if epoch.isdigit() else datetime.now(timezone.utc)
    return now.date()


def parse_log(text: str, slugs: Mapping[str, str], *, cut: bool = False) -> dict[str, Past]:
    """The history from the output of `git log`; in a history that is cut off, its first commit says nothing."""
    # Read from the newest commit on, so that a file is known by its present name until a commit renamed it.
    paths = dict(slugs)
    seen: dict[str, _Seen] = {}
    for commit in text.split(_COMMIT)[1:]:
        head, *lines = commit.split("\n")
        time, parents, name = [*head.split(_FIELD, 2), "", ""][:3]
        if not time.isdigit():
            continue
        first = cut and not parents
        for path, former in _changes(lines):
            slug = paths.get(path)
            if slug is None:
                continue
            if first:
                if slug in seen:
                    seen[slug].whole = False
                continue
            one = seen.setdefault(slug, _Seen(int(time), int(time)))
            one.newest, one.oldest = max(one.newest, int(time)), min(one.oldest, int(time))
            one.names[name] += 1
            if former is not None:
                paths[former] = paths.pop(path)
    return {slug: _past(one) for slug, one in sorted(seen.items())}


def _changes(lines: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """The path of each file that a commit changed, and its former path if the commit renamed it."""
    for line in lines:
        status, *paths = line.split("\t")
        if len(paths) == 2 and status.startswith("R"):
            yield paths[1], paths[0]
        elif len(paths) == 1 and status != "D":
            yield paths[0], None


def _past(seen: _Seen) -> Past:
    names = sorted(seen.names.items(), key=lambda item: (-item[1], item[0]))
    added = _stamp(seen.oldest) if seen.whole else None
    return Past(added, _stamp(seen.newest), tuple(name for name, _ in names if name))


def _stamp(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _git(command: Sequence[str], directory: Path) -> str:
    """What a command of git prints; nothing if it fails, which it does where there is no git or no repository."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
