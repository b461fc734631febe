"""Commands on the entries themselves: check, entries, explain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from faultbook.checks import Explanation, explain, explanations, run_checks
from faultbook.cli.annotations import echo_annotations
from faultbook.cli.group import echo_json, entries_option, format_option
from faultbook.corpus import Corpus, load_corpus
from faultbook.export import entries_payload
from faultbook.links import build_links
from faultbook.project import Project, find_project, reading_project
from faultbook.violations import (
    Violation,
    did_you_mean,
    format_count,
    format_json,
    format_violation,
    printable,
    sort_violations,
)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@format_option("text", "json", "github")
@click.option("--fix", is_flag=True, help="Mend first what a machine can mend for certain.")
@entries_option
def check(paths: tuple[Path, ...], form: str, fix: bool, directories: tuple[Path, ...]) -> None:
    """Check all entries and report every violation; with PATHS, only those in these files or directories.

    \b
    Example:
      faultbook check entries/launch/master-port-in-use.yaml
    """
    project = find_project(directories) if fix else reading_project(directories)
    if paths:
        _require(paths, project)

    def found() -> tuple[Corpus, list[Violation]]:
        corpus, violations = load_corpus(project.entries, Path.cwd())
        violations = sort_violations([*violations, *run_checks(corpus, build_links(corpus), root=project.root)])
        return corpus, [violation for violation in violations if not paths or _within(violation, paths)]

    corpus, violations = found()
    if fix and violations:
        from faultbook.cli.mending import mend

        corpus, violations = mend(corpus, violations, found, project, directories)
    _print_violations(violations, form, corpus)
    sys.exit(1 if violations else 0)


def _require(paths: Sequence[Path], project: Project) -> None:
    """Refuse paths of which nothing was checked, since silence about them would read as praise."""
    directories = [directory.resolve() for directory in project.entries]
    for path in paths:
        name = f"'{printable(str(path))}'"
        if not path.exists():
            raise click.UsageError(f"there is no {name}; give files or directories of entries")
        place = path.resolve()
        if not any(place.is_relative_to(folder) or folder.is_relative_to(place) for folder in directories):
            raise click.UsageError(f"{name} lies outside of the entries; name their directory with --entries")


def _within(violation: Violation, paths: Sequence[Path]) -> bool:
    place = (Path.cwd() / violation.location.path).resolve()
    return any(place.is_relative_to(path.resolve()) for path in paths)


def _print_violations(violations: Sequence[Violation], form: str, corpus: Corpus) -> None:
    if form == "json":
        click.echo(format_json(violations).encode("utf-8"))
        return
    if form == "github":
        echo_annotations(violations)
    else:
        for violation in violations:
            click.echo(format_violation(violation))
    count = len(corpus.records)
    click.echo(f"{count} {'entry' if count == 1 else 'entries'}: {format_count(violations)}", err=bool(violations))


@click.command()
@format_option("text", "json")
@click.option("--due", is_flag=True, help="Only published entries whose last review is over twelve months old.")
@entries_option
def entries(form: str, due: bool, directories: tuple[Path, ...]) -> None:
    """List all entries, of every status.

    \b
    Exit codes: 0 all were read, 1 violations; with --due: 0 nothing is due, 1 something is
    """
    corpus, violations = readable_corpus(reading_project(directories))
    rows = entries_payload(corpus)
    if due:
        rows = _due(rows, corpus)
    if form == "json":
        echo_json(rows)
    elif due:
        for row in rows:
            click.echo(f"{row['reviewed']}  {row['path']}: {printable(str(row['title']))}")
        click.echo(f"{len(rows)} of {len(corpus.published())} published entries due for review", err=bool(rows))
    else:
        _echo_rows(rows)
    sys.exit(1 if violations or (due and rows) else 0)


def _due(rows: Sequence[dict[str, str | None]], corpus: Corpus) -> list[dict[str, str | None]]:
    """The rows of entries that are due for review, with the date of the last one, oldest first."""
    from faultbook.export.past import review_due
    from faultbook.history import build_day

    today = build_day()
    records = {slug: record for slug, record in corpus.records.items() if review_due(record, today)}
    found = [{**row, "reviewed": records[str(row["id"])].entry.reviewed} for row in rows if row["id"] in records]
    return sorted(found, key=lambda row: (row["reviewed"] or "", row["id"] or ""))


def _echo_rows(rows: Sequence[dict[str, str | None]]) -> None:
    width = max((len(str(row["id"])) for row in rows), default=0)
    for row in rows:
        mark = "" if row["status"] == "published" else f" ({row['status']})"
        click.echo(f"{row['id']:<{width}}  {printable(str(row['title']))}{mark}")


def readable_corpus(project: Project) -> tuple[Corpus, list[Violation]]:
    """The corpus, after a word on standard error about each file that could not be read."""
    corpus, violations = load_corpus(project.entries, Path.cwd())
    for violation in violations:
        click.echo(format_violation(violation), err=True)
    if violations:
        click.echo(f"{format_count(violations)}; the list below lacks what could not be read", err=True)
    return corpus, violations


@click.command(name="explain")
@click.argument("code", required=False)
def explain_code(code: str | None) -> None:
    """Say what a violation means and how to mend it; without CODE, list all codes."""
    if code is None:
        for explanation in explanations():
            click.echo(f"{explanation.code:<24} {explanation.what}")
        return
    found = explain(code)
    if found is None:
        near = did_you_mean(code, [explanation.code for explanation in explanations()])
        click.echo(f"'{printable(code)}' is no code{near}; 'faultbook explain' lists them", err=True)
        sys.exit(1)
    click.echo(_explained(found))


def _explained(explanation: Explanation) -> str:
    parts = [f"{explanation.code} ({explanation.level.value})", explanation.what, explanation.why]
    for title, example in (("Fails", explanation.failing), ("Passes", explanation.passing)):
        if example:
            parts.append(f"{title}:\n\n" + "\n".join(f"    {line}" for line in example.rstrip().splitlines()))
    return "\n\n".join(part for part in parts if part)


COMMANDS = {"check": check, "entries": entries, "explain": explain_code}
"""The commands of this module by name."""
