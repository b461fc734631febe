"""Violations for a pull request on GitHub: the first as annotations of lines, all in the summary of the step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from faultbook.violations import Level, Violation, format_count, format_github, format_violation

# GitHub shows ten annotations of a level for each step, and drops the others without a word.
_SHOWN = 10
_ROWS = 500


def echo_annotations(violations: Sequence[Violation]) -> None:
    """Annotate ten violations, errors before warnings; print the others, and write all to ``$GITHUB_STEP_SUMMARY``."""
    ordered = sorted(violations, key=lambda violation: violation.level is not Level.ERROR)
    shown = {id(violation) for violation in ordered[:_SHOWN]}
    for violation in violations:
        click.echo(format_github(violation) if id(violation) in shown else format_violation(violation))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and violations:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(summary_text(violations))


def summary_text(violations: Sequence[Violation]) -> str:
    """The violations as Markdown; as indented code, so that nothing that stands in them becomes markup."""
    lines = [f"    {format_violation(violation)}" for violation in violations[:_ROWS]]
    rest = len(violations) - _ROWS
    if rest > 0:
        lines.append(f"    and {rest} more")
    return f"## Violations: {format_count(violations)}\n\n" + "\n".join(lines) + "\n\n"
