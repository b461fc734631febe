"""The compiled entries that a command works with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from faultbook.engine.cache import load_compiled
from faultbook.engine.index import Index
from faultbook.project import Project, reading_project

_SITE = re.compile(r"^site_url:[ \t]*[\"']?(?P<url>https://[^\s\"'#]+)", re.MULTILINE)


@dataclass(frozen=True)
class Compiled:
    """What the engine matches against, what is shown of the entries, and where their pages are."""

    index: Index
    cards: Mapping[str, Mapping[str, Any]]
    site: str
    """Address of the site with a slash at its end; empty if the project names none."""


def load(directories: Sequence[Path]) -> Compiled:
    """The entries of these directories, or those of the project around the working directory.

    A line on standard error names each that cannot be read.

    Raises:
        UsageError: there is none.
    """
    project = reading_project(directories)
    data = load_compiled(project)
    for line in data["violations"]:
        click.echo(line, err=True)
    if not data["cards"]:
        raise click.UsageError("no published entry was found; name a directory that holds some with --entries")
    if data["violations"]:
        click.echo("entries with errors are left out; 'faultbook check' lists all errors", err=True)
    return Compiled(Index.load(data["index"], data["search"]), data["cards"], site_address(project))


def site_address(project: Project) -> str:
    """The setting ``site_url`` of the project, if its site is one of this plugin."""
    # Without a YAML library, which would take as long to load as the diagnosis takes.
    try:
        text = (project.root / "mkdocs.yml").read_text("utf-8", "replace")
    except OSError:
        return ""
    found = _SITE.search(text) if "faultbook" in text else None
    # This project's own setting is a placeholder until it has a home; nobody is sent there.
    return found["url"].rstrip("/") + "/" if found and "//your-org." not in found["url"] else ""
