"""Commands around a repository of entries: compare, from-form, init."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from faultbook.cli.group import echo_json, format_option
from faultbook.compare import compare as compare_entries
from faultbook.compare.report import comparison_text

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("base", type=_DIRECTORY)
@click.argument("head", type=_DIRECTORY)
@format_option("markdown", "json")
def compare(base: Path, head: Path, form: str) -> None:
    """Say what a change does to the corpus: BASE and HEAD are the directories of entries before and after it.

    \b
    Example:
      git worktree add ../before main && faultbook compare ../before/entries entries
    """
    found = compare_entries(base, head)
    if form == "json":
        echo_json(found)
    else:
        click.echo(comparison_text(found).encode("utf-8"), nl=False)


COMMANDS: dict[str, Any] = {"compare": compare}
"""The commands of this module by name."""
