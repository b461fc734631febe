"""The command line; the only layer that prints."""

from __future__ import annotations

import click

from faultbook import __version__
from faultbook.cli.group import LazyGroup

MODULES = {
    "diagnose": "diagnose",
    "check": "corpus",
    "compare": "project",
    "entries": "corpus",
    "doctor": "trial",
    "explain": "corpus",
    "export": "export",
    "fmt": "edit",
    "from-form": "project",
    "from-log": "scaffold",
    "init": "project",
    "new": "scaffold",
    "rename": "edit",
    "reproduce": "reproduce",
    "schema": "schema",
    "search": "lookup",
    "show": "lookup",
    "test": "trial",
}
"""The module of each command; it is imported when the command is called, so that `diagnose` starts at once."""


@click.group(cls=LazyGroup, modules=MODULES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="faultbook")
def main() -> None:
    """Diagnose, look up, check and list failures of machine-learning training runs."""
