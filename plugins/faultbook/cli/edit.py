"""Commands that change entries: fmt, rename."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from faultbook.checks import run_checks
from faultbook.cli.group import entries_option
from faultbook.corpus import load_corpus, shown_path
from faultbook.edit.apply import apply, new_violations
from faultbook.edit.files import replace_file
from faultbook.edit.fmt import Formatted, entry_files, format_file
from faultbook.edit.rename import Refused, mentions, plan_rename
from faultbook.links import build_links
from faultbook.project import Project, find_project
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
    folders = paths or own_project(directories).entries
    results = [format_file(path, Path.cwd()) for path in entry_files(folders)]
    if not results and any(path.is_dir() for path in folders):
        raise click.UsageError("there is no entry in what was named; an entry lies at <category>/<slug>.yaml")
    for result in results:
        _report(result, check_only)
    changed = sum(result.changed for result in results)
    left = sum(bool(result.violations) for result in results)
    failed = bool(left or (changed and check_only))
    words = [f"{changed} {'not formatted' if check_only else 'formatted'}"] if changed else []
    words += [f"{left} left alone"] if left else []
    count = f"{len(results)} {'entry' if len(results) == 1 else 'entries'}"
    click.echo(f"{count}: {', '.join(words) or 'all formatted'}", err=failed)
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


@click.command()
@click.argument("old")
@click.argument("new")
@entries_option
def rename(old: str, new: str, directories: tuple[Path, ...]) -> None:
    """Give an entry another slug; the old one becomes an alias, so that its address still leads to the page.

    Files of the entry are moved, and every place in the entries that names it is changed. It is all tried on a copy
    first; nothing is written if anything is unclear.

    \b
    Example:
      faultbook rename master-port-in-use rendezvous-port-taken
    """
    project = own_project(directories)
    corpus, violations = load_corpus(project.entries, Path.cwd())
    try:
        plan = plan_rename(corpus, project, old, new)
    except Refused as error:
        click.echo(printable(str(error)), err=True)
        sys.exit(1)
    before = [*violations, *run_checks(corpus, build_links(corpus), root=project.root)]
    if added := new_violations(project, plan.texts, plan.moves, before):
        for violation in added:
            click.echo(format_violation(violation))
        click.echo("nothing was changed, since the new slug would bring these violations", err=True)
        sys.exit(1)
    apply(plan.texts, plan.moves)
    for source, target in plan.moves.items():
        click.echo(f"moved {_shown(source)} to {_shown(target)}")
    for path in plan.texts:
        click.echo(f"changed {_shown(plan.moves.get(path, path))}")
    for place in mentions(project, old):
        click.echo(f"{printable(place)}: still names '{old}'; see whether it should")


def _shown(path: Path) -> str:
    return printable(shown_path(path, Path.cwd()))


def own_project(directories: tuple[Path, ...]) -> Project:
    """The project whose files may be changed: the one that was named, or the one around the working directory."""
    project = find_project(directories)
    if not directories and not Path.cwd().is_relative_to(project.root):
        message = "there is no project here, and the packaged entries are not changed; name a directory with --entries"
        raise click.UsageError(message)
    return project


COMMANDS: dict[str, Any] = {"fmt": fmt, "rename": rename}
"""The commands of this module by name."""
