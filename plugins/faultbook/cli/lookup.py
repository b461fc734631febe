"""Find and read entries: `faultbook search` and `faultbook show`."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from faultbook.blocks import Block, Items, Lines, Paragraph, Prose, Row, prose
from faultbook.cli.group import echo_json, entries_option, format_option
from faultbook.cli.output import echo_blocks
from faultbook.engine.mask import mask_with_spans
from faultbook.violations import printable, shorten

_KINDS = {"slug": "this is its name", "line": "a line of it fits", "words": "by words"}


class _Query(click.Command):
    """A command whose words may begin with hyphens, as flags and many error lines do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what is no option of this command for words of the query."""
        known = {name: option for option in self.get_params(ctx) for name in option.opts if name.startswith("-")}
        options: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for argument in rest:
            name, equals, _ = argument.partition("=")
            if argument == "--":
                words += rest
            elif name not in known:
                words.append(argument)
            else:
                flag = getattr(known[name], "is_flag", False)
                options += [argument] if flag or equals else [argument, *itertools.islice(rest, 1)]
        return super().parse_args(ctx, [*options, "--", *words])


@click.command(cls=_Query)
@click.argument("query", nargs=-1, required=True)
@format_option("text", "json")
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="How many entries to list at most (default 10).")
@entries_option
def search(query: tuple[str, ...], form: str, limit: int, directories: tuple[Path, ...]) -> None:
    """Find entries by words, by a name, or by an error line.

    \b
    Exit codes: 0 something was found, 1 nothing
    Examples:
      faultbook search port 29500
      faultbook search "name: EADDRINUSE, message: address already in use"
    """
    from faultbook.cli.compiled import load
    from faultbook.engine.textsearch import search as run_search

    text = " ".join(query)
    compiled = load(directories)
    rows = run_search(compiled.index, text, limit)
    if form == "json":
        echo_json(rows)
    elif rows:
        echo_blocks(_found(rows, text), form)
    else:
        click.echo(f"nothing found for '{printable(shorten(text))}'; other words may help", err=True)
    sys.exit(0 if rows else 1)


def _found(rows: list[dict[str, Any]], query: str) -> list[Block]:
    shown = tuple((Prose(f"`{row['entry']}`"), Prose(f"{prose(row['title'])} ({_KINDS[row['kind']]})")) for row in rows)
    blocks: list[Block] = [Items(shown, numbered=True)]
    fitting = next((row["spans"] for row in rows if row["spans"]), None)
    if fitting:
        blocks.append(Lines("what fits of it:", tuple(_fitting(*mask_with_spans(query, fitting)))))
    return [*blocks, Paragraph(Prose(f"Read one with `faultbook show {rows[0]['entry']}`."))]


def _fitting(query: str, spans: Sequence[Sequence[int]]) -> Iterator[Row]:
    """The lines of a query that hold spans."""
    start = 0
    for line in query.split("\n"):
        end = start + len(line)
        within = [(max(first, start) - start, min(last, end) - start) for first, last in spans]
        within = [(first, last) for first, last in within if first < last]
        if within:
            yield Row(None, line, True, tuple(within))
        start = end + 1


@click.command()
@click.argument("slug")
@format_option("text", "json", "markdown")
@entries_option
def show(slug: str, form: str, directories: tuple[Path, ...]) -> None:
    """Show an entry, by its slug or one of its other names.

    \b
    Example:
      faultbook show master-port-in-use
    """
    from faultbook.cli.corpus import readable_corpus
    from faultbook.export import entry_payload
    from faultbook.export.page import page
    from faultbook.project import reading_project
    from faultbook.violations import did_you_mean

    corpus, _ = readable_corpus(reading_project(directories))
    aliases = corpus.aliases()
    record = corpus.records.get(aliases.get(slug, slug))
    if record is None:
        near = did_you_mean(slug, [*corpus.records, *aliases])
        click.echo(f"there is no entry '{printable(shorten(slug))}'{near}; 'faultbook search' finds some", err=True)
        sys.exit(1)
    if form == "json":
        echo_json(entry_payload(record))
    else:
        echo_blocks(page(record, corpus), form)


COMMANDS: dict[str, Any] = {"search": search, "show": show}
"""The commands of this module by name."""
