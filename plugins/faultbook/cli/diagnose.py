"""Diagnose logs: `faultbook diagnose`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from faultbook.cli.compiled import Compiled, load
from faultbook.cli.group import echo_json, entries_option, format_option
from faultbook.cli.inputs import Progress, UnreadableInput, fault, open_inputs, total_size
from faultbook.cli.masking import masked
from faultbook.cli.output import echo_blocks
from faultbook.engine.diagnose import Diagnosis
from faultbook.engine.diagnose import diagnose as run_engine

EXIT = {"match": 0, "unknown": 1, "no-failure": 2}
"""Exit code for each verdict."""


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option("text", "json", "markdown", "sarif")
@click.option("--context", type=click.IntRange(0, 50), default=2, help="Lines around each evidence line (default 2).")
@click.option("--all", "everything", is_flag=True, help="Show every finding, what is downstream, and all evidence.")
@click.option("--no-mask", is_flag=True, help="Show tokens, passwords and mail addresses as they stand in the log.")
@entries_option
def diagnose(
    files: tuple[str, ...], form: str, context: int, everything: bool, no_mask: bool, directories: tuple[Path, ...]
) -> None:
    """Say what failed first in a log, why, and what to do.

    Several files are one incident, such as one log for each rank. '-' reads a pipe. Files may be gzipped. Nothing
    leaves this machine.

    \b
    Exit codes: 0 an entry fits, 1 unknown, 2 no failure found, 64 usage, 66 a file cannot be read
    Example:
      faultbook diagnose rank*.log
    """
    if files.count("-") > 1:
        raise click.UsageError("'-' is given twice; standard input can be read only once")
    inputs = open_inputs(files)
    compiled = load(directories)
    progress = Progress(total_size(files))
    try:
        diagnosis = run_engine(progress.over(inputs), compiled.index, context=context)
    except OSError as error:
        raise UnreadableInput(fault(error.filename, error)) from error
    finally:
        progress.clear()
    answer, details = (part if no_mask else masked(part) for part in (diagnosis.answer, diagnosis.details))
    _print(Diagnosis(answer, details), form, compiled, len(files), everything)
    sys.exit(EXIT[answer["verdict"]])


def _print(found: Diagnosis, form: str, compiled: Compiled, files: int, everything: bool) -> None:
    if form == "json":
        echo_json(found.answer)
    elif form == "sarif":
        from faultbook.cli.sarif import sarif

        echo_json(sarif(found.answer, compiled.cards, compiled.site))
    else:
        from faultbook.cli.report import Report

        echo_blocks(
            Report(found.answer, found.details, compiled.cards, files, compiled.site, everything).blocks(), form
        )


COMMANDS: dict[str, Any] = {"diagnose": diagnose}
"""The commands of this module by name."""
