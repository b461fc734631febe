"""Print a JSON Schema: `faultbook schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

import faultbook.engine
from faultbook.cli.group import echo_json


@click.command()
@click.option("--answer", is_flag=True, help="That of the answer of 'faultbook diagnose --format json' instead.")
@click.option("--snippets", is_flag=True, help="The snippets of its parts instead, for Visual Studio Code.")
def schema(answer: bool, snippets: bool) -> None:
    """Print the JSON Schema of an entry, for editors."""
    if answer:
        echo_json(answer_schema())
    elif snippets:
        from faultbook.export.snippets import snippets as entry_snippets

        echo_json(entry_snippets())
    else:
        from faultbook.export import entry_schema

        echo_json(entry_schema())


def answer_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of an answer."""
    file = Path(faultbook.engine.__file__).with_name("answer.schema.json")
    found: dict[str, Any] = json.loads(file.read_bytes())
    return found


COMMANDS: dict[str, Any] = {"schema": schema}
"""The commands of this module by name."""
