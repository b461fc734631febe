"""Commands around a repository of entries: compare, from-form, init."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from faultbook.cli.compiled import load
from faultbook.cli.group import echo_json, entries_option, format_option
from faultbook.compare import compare as compare_entries
from faultbook.compare.report import comparison_text
from faultbook.corpus import load_corpus
from faultbook.engine.diagnose import diagnose
from faultbook.engine.read import Input
from faultbook.project import reading_project
from faultbook.scaffold.form import FALSE_MATCH, LIMIT, NEW_FAILURE, parse_form
from faultbook.scaffold.from_form import Maker
from faultbook.scaffold.own import own_files
from faultbook.violations import printable

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("base", type=_DIRECTORY)
@click.argument("head", type=_DIRECTORY)
@format_option("markdown", "json")
def compare(base: Path, head: Path, form: str) -> None:
    """Say what a change does to the corpus: BASE and HEAD are the directories of entries before and after it.

    \b
    Example:
      git worktree add ../before main && faultbook compare ../before/entries entries
    """
    found = compare_entries(base, head)
    if form == "json":
        echo_json(found)
    else:
        click.echo(comparison_text(found).encode("utf-8"), nl=False)


@click.command(name="from-form")
@click.argument("file", type=click.File("rb"))
@entries_option
def from_form(file: BinaryIO, directories: tuple[Path, ...]) -> None:
    """Turn a filled issue form into a draft, or a false match into a sample; FILE holds its text, '-' is a pipe.

    \b
    Example:
      gh issue view 12 --json body --jq .body | faultbook from-form - > draft.yaml
    """
    form = parse_form(file.read(4 * LIMIT).decode("utf-8", "replace"))
    if form is None:
        click.echo("this is no filled form; give the text of the issue as GitHub shows it for editing", err=True)
        sys.exit(1)
    compiled = load(directories)
    corpus, _ = load_corpus(reading_project(directories).entries, Path.cwd())
    maker = Maker(corpus, compiled.index.rules)
    log = "".join(f"{line}\n" for line in form.log("Log"))
    answer = diagnose([Input("the log", [log.encode("utf-8", "replace")])], compiled.index).answer
    if form.name == NEW_FAILURE:
        click.echo(maker.draft(form, answer).encode("utf-8"), nl=False)
    elif form.name == FALSE_MATCH and (text := maker.sample(form)):
        click.echo(text.encode("utf-8"), nl=False)
    else:
        click.echo(_by_hand(form.name), err=True)
        sys.exit(1)
    if answer["verdict"] == "match":
        click.echo(f"the log is diagnosed as '{answer['findings'][0]['entry']}'; read that entry first", err=True)


def _by_hand(name: str) -> str:
    if name == FALSE_MATCH:
        return "the form names no entry that exists, or holds no log; ask for it"
    return f"the form '{name}' changes an entry that is there; edit its file by hand"


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--with-public", is_flag=True, help="Put the public entries, which come with the package, beside yours.")
def init(directory: Path, with_public: bool) -> None:
    """Begin an encyclopedia of one's own in DIRECTORY, which must be empty or new.

    \b
    Example:
      faultbook init our-failures --with-public
    """
    if directory.is_dir() and any(directory.iterdir()):
        click.echo(f"'{printable(str(directory))}' is not empty; name a new directory", err=True)
        sys.exit(1)
    for name, text in own_files(public=with_public).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        click.echo(f"wrote {printable(str(path))}")
    click.echo(f"next: 'cd {printable(str(directory))}', then 'faultbook check' and 'mkdocs serve'")


COMMANDS: dict[str, Any] = {"compare": compare, "from-form": from_form, "init": init}
"""The commands of this module by name."""
