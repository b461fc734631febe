"""What `faultbook check --fix` does before it reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import click

from faultbook.cli.edit import own_project
from faultbook.corpus import Corpus
from faultbook.edit.files import replace_file
from faultbook.edit.fix import mended
from faultbook.project import Project
from faultbook.violations import Violation, format_violation

Found = tuple[Corpus, list[Violation]]


def mend(
    corpus: Corpus,
    violations: list[Violation],
    again: Callable[[], Found],
    project: Project,
    directories: tuple[Path, ...],
) -> Found:
    """Mend one violation after the other, and say so; one whose remedy would bring another violation stays.

    ``again`` reads and checks the entries anew.
    """
    own_project(directories)
    left: set[tuple[str, str]] = set()
    while True:
        step = next((step for step in mended(corpus, violations) if _name(step[0]) not in left), None)
        if step is None:
            return corpus, violations
        violation, path, text = step
        before = path.read_bytes()
        replace_file(path, text.encode("utf-8"))
        after = again()
        # A text that names an alias twice has one violation, before and after the first is mended.
        if Counter(one.code for one in after[1]) <= Counter(one.code for one in violations):
            click.echo(f"mended {format_violation(violation)}", err=True)
            corpus, violations = after
        else:
            replace_file(path, before)
            left.add(_name(violation))


def _name(violation: Violation) -> tuple[str, str]:
    return str(violation.location), violation.code
