"""What all commands share: loading on demand, exit codes, the option for entries, output of JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from faultbook.violations import printable

USAGE = 64
"""Exit code for a call that makes no sense (``EX_USAGE`` of sysexits)."""
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and exits with 64 after a usage error.

    click exits with 2 after one, which `diagnose` uses for an answer.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = modules
        # click lists and suggests commands by these names; what stands behind them comes with `get_command`.
        self.commands = {name: click.Command(name) for name in modules}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in self._modules:
            return None
        module = import_module(f"faultbook.cli.{self._modules[cmd_name]}")
        command: click.Command = module.COMMANDS[cmd_name]
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line and exit."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # A terminal that lacks a character of a title still shows the rest.
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.Exit as error:
            sys.exit(error.exit_code)
        except click.Abort:
            click.echo("stopped", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            error.show()
            sys.exit(USAGE if isinstance(error, click.UsageError) else error.exit_code)
        except BrokenPipeError:
            # The reader has seen enough; without this Python would complain about what is still to be written.
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            sys.exit(1)
        except OSError as error:
            click.echo(f"Error: {printable(error.strerror or str(error))}", err=True)
            sys.exit(1)


def entries_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option ``--entries``, given to a command as ``directories``."""
    return click.option(
        "--entries",
        "directories",
        multiple=True,
        type=click.Path(path_type=Path),
        help="A directory of entries; may be given several times. "
        "Default: the one of the nearest mkdocs.yml upward, else the packaged entries.",
    )(command)


def format_option(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--format`` with these values, the first by default, given to a command as ``form``."""
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0], help="How to print.")


def echo_json(data: Any) -> None:
    """Print data as JSON in UTF-8, which it always is, whatever the terminal speaks."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    click.echo("\n".join(map(_harmless, text.split("\n"))).encode("utf-8"))


def _harmless(line: str) -> str:
    """JSON with everything that a terminal could act on as an escape; the values stay the same."""
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)
