"""Commands that change entries: fmt, rename."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from faultbook.cli.group import entries_option
from faultbook.edit.files import replace_file
from faultbook.edit.fmt import Formatted, entry_files, format_file
from faultbook.project import find_project
from faultbook.violations import format_violation, printable


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", "check_only", is_flag=True, help="Change nothing; exit with 1 if something is not formatted.")
@entries_option
def fmt(paths: tuple[Path, ...], check_only: bool, directories: tuple[Path, ...]) -> None:
    """Bring entries into the canonical form; with PATHS, only these files or directories.

    The data stay the same, and so do comments. A file with violations is left alone.

    \b
    Example:
      faultbook fmt entries/launch/master-port-in-use.yaml
    """
    for path in paths:
        if not path.exists():
            raise click.UsageError(f"there is no '{printable(str(path))}'; give files or directories of entries")
    results = [format_file(path, Path.cwd()) for path in entry_files(paths or find_project(directories).entries)]
    for result in results:
        _report(result, check_only)
    changed = sum(result.changed for result in results)
    left = sum(bool(result.violations) for result in results)
    words = f"{changed} {'not formatted' if check_only else 'formatted'}" if changed else "all formatted"
    count = f"{len(results)} {'entry' if len(results) == 1 else 'entries'}"
    failed = bool(left or (changed and check_only))
    click.echo(f"{count}: {words}" + (f", {left} left alone" if left else ""), err=failed)
    sys.exit(1 if failed else 0)


def _report(result: Formatted, check_only: bool) -> None:
    for violation in result.violations:
        click.echo(format_violation(violation))
    if not result.changed:
        return
    if check_only:
        click.echo(format_violation(result.unformatted()))
    else:
        replace_file(result.path, result.new)
        click.echo(f"formatted {printable(result.shown)}")


COMMANDS: dict[str, Any] = {"fmt": fmt}
"""The commands of this module by name."""
