"""Print blocks."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from faultbook.blocks import Block


def echo_blocks(blocks: Iterable[Block], form: str) -> None:
    """Print blocks as ``text`` or as ``markdown``."""
    if form == "markdown":
        from faultbook.blocks.markdown import markdown_text

        click.echo(markdown_text(blocks), nl=False)
    else:
        from faultbook.cli.terminal import style_of, terminal_text

        style = style_of(sys.stdout)
        click.echo(terminal_text(blocks, style), nl=False, color=style.colour)
