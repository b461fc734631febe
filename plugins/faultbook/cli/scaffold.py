"""Commands that begin an entry: new, from-log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from faultbook.cli.compiled import load
from faultbook.cli.corpus import readable_corpus
from faultbook.cli.edit import own_project
from faultbook.cli.group import entries_option
from faultbook.cli.inputs import UnreadableInput, fault, open_inputs
from faultbook.corpus import load_corpus, shown_path
from faultbook.edit.files import replace_file
from faultbook.engine.diagnose import diagnose
from faultbook.project import find_project
from faultbook.scaffold.draft import Vocabulary, draft_text
from faultbook.scaffold.skeleton import begin, refusal, wanted_like
from faultbook.violations import printable


@click.command()
@click.argument("name", metavar="CATEGORY/SLUG")
@entries_option
def new(name: str, directories: tuple[Path, ...]) -> None:
    """Write a commented skeleton of an entry, which is valid as a draft.

    A slug of _wanted.yaml gives its title, and is removed there.

    \b
    Example:
      faultbook new launch/rendezvous-env-missing
    """
    _write(name, None, directories)


def _write(name: str, draft: str | None, directories: tuple[Path, ...]) -> None:
    """Write a draft, or the skeleton, under a name that may be taken."""
    project = own_project(directories)
    category, slash, slug = name.removesuffix(".yaml").partition("/")
    if not slash or "/" in slug:
        raise click.UsageError(f"'{printable(name)}' is no name; write it as CATEGORY/SLUG")
    corpus, _ = readable_corpus(project)
    if reason := refusal(corpus, category, slug):
        click.echo(printable(reason), err=True)
        sys.exit(1)
    made = begin(corpus, project, category, slug, draft)
    made.path.parent.mkdir(exist_ok=True)
    with made.path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(made.text)
    shown = printable(shown_path(made.path, Path.cwd()))
    click.echo(f"wrote {shown}")
    if made.wanted is not None:
        replace_file(made.wanted, made.wanted_text.encode("utf-8"))
        click.echo(f"removed '{slug}' from {printable(shown_path(made.wanted, Path.cwd()))}")
    click.echo(f"next: write it, then 'faultbook check {shown}' and 'faultbook doctor {slug}'")


@click.command(name="from-log")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--as", "name", metavar="CATEGORY/SLUG", help="Write it as this entry, as 'new' does.")
@entries_option
def from_log(files: tuple[str, ...], name: str | None, directories: tuple[Path, ...]) -> None:
    """Print a proposed entry for the error lines of a log that no entry describes.

    Several files are one incident. '-' reads a pipe. Secrets are masked, nothing leaves this machine.

    \b
    Exit codes: 0 a draft was printed, 1 there is nothing to describe, 64 usage, 66 a file cannot be read
    Example:
      faultbook from-log rank0.log --as host/swap-full
    """
    inputs = open_inputs(files)
    compiled = load(directories)
    try:
        answer = diagnose(inputs, compiled.index).answer
    except OSError as error:
        raise UnreadableInput(fault(error.filename, error)) from error
    corpus, _ = load_corpus(find_project(directories).entries, Path.cwd())
    titles = {slug: record.entry.title for slug, record in corpus.records.items()}
    category = (name or "").partition("/")[0]
    known = Vocabulary({tag: words.group for tag, words in corpus.tags.items()}, category)
    draft = draft_text(answer, titles, compiled.index.rules, known)
    if draft is None:
        click.echo(_nothing(answer), err=True)
        sys.exit(1)
    if name is not None:
        _write(name, draft, directories)
    else:
        click.echo(draft, nl=False)
        for slug in wanted_like(corpus, [str(row["text"]) for row in answer["error_lines"]]):
            wanted = corpus.wanted[slug]
            click.echo(f"wanted, perhaps this one: {wanted.category}/{slug}, {printable(wanted.title)}", err=True)
    if answer["verdict"] == "match":
        click.echo(f"this log is diagnosed as '{answer['findings'][0]['entry']}'; read that entry first", err=True)


def _nothing(answer: dict[str, Any]) -> str:
    if answer["verdict"] == "no-failure":
        return "no failure was found in the log; give the log of the rank that failed, from its first line"
    if answer["error_lines"]:
        return "no error line has words enough for a template; give more of the log, or write the entry with 'new'"
    slugs = ", ".join(f"'{row['entry']}'" for row in answer["findings"][:3])
    return f"every error line is described already, by {slugs}; give more of the log if that is not the cause"


COMMANDS: dict[str, Any] = {"new": new, "from-log": from_log}
"""The commands of this module by name."""
