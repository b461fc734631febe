"""Runs the command line within the process of the tests."""

from __future__ import annotations

from click.testing import CliRunner, Result
from faultbook.cli import main


def faultbook(*arguments: object, data: bytes | str | None = None) -> Result:
    """Run a command, with what its standard input holds; an exception that is a traceback is the test's own failure."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=data, prog_name="faultbook")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
