"""Write the corpus in another form: `faultbook export markdown`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from faultbook.cli.corpus import readable_corpus
from faultbook.cli.group import USAGE, entries_option
from faultbook.export.past import Facts
from faultbook.export.site import markdown_site
from faultbook.history import build_day, read_history
from faultbook.links import build_links
from faultbook.project import find_project
from faultbook.violations import printable


@click.group()
def export() -> None:
    """Write the entries in another form."""


@export.command()
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", default="Faultbook", help="The name of the site (default Faultbook).")
@click.option("--url", default="", help="The address at which it will stand.")
@entries_option
def markdown(target: Path, name: str, url: str, directories: tuple[Path, ...]) -> None:
    """Write the site as Markdown with a mkdocs.yml into DIR, for Zensical and other generators.

    \b
    Example:
      faultbook export markdown out
      cd out
      zensical build
    """
    if target.exists() and any(target.iterdir()):
        click.echo(f"'{printable(str(target))}' is not empty; give a new directory", err=True)
        sys.exit(USAGE)
    project = find_project(directories)
    corpus, violations = readable_corpus(project)
    if violations:
        click.echo("nothing was written", err=True)
        sys.exit(1)
    facts = Facts(url, build_day(), read_history(project.entries, corpus))
    count = 0
    for path, text in markdown_site(corpus, build_links(corpus), facts, name=name, url=url):
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        count += 1
    click.echo(f"{count} files in {printable(str(target))}")


COMMANDS: dict[str, Any] = {"export": export}
"""The commands of this module by name."""
