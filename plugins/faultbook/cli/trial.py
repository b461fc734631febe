"""Commands that try out one entry: test, doctor."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from faultbook.checks import CHECKS, Context
from faultbook.checks.judged import Fault, sample_faults
from faultbook.cli.corpus import readable_corpus
from faultbook.cli.group import entries_option
from faultbook.corpus import Corpus, Record
from faultbook.links import build_links
from faultbook.project import Project, find_project
from faultbook.scaffold.skeleton import left_over
from faultbook.schema import Sample, Status
from faultbook.violations import Violation, did_you_mean, format_violation, printable, shorten


@click.command()
@click.argument("slug")
@entries_option
def test(slug: str, directories: tuple[Path, ...]) -> None:
    """Try the samples of an entry, and say where it ranks for each.

    A draft is tried against the published entries and itself.

    \b
    Example:
      faultbook test master-port-in-use
    """
    project = find_project(directories)
    corpus, _ = readable_corpus(project)
    record = record_of(corpus, slug)
    if record.entry.status is Status.WITHDRAWN:
        click.echo(f"'{record.slug}' is withdrawn, and its samples are not tried")
        return
    context = Context(corpus, build_links(corpus), project.root)
    faults = sample_faults(record, context)
    for number, sample in enumerate(record.entry.samples):
        own = [fault for fault in faults if fault.sample == number]
        click.echo(printable(_row(record, number, sample, own, context)))
        for fault in own:
            place = record.source.locate(("samples", number, fault.field))
            click.echo(format_violation(Violation(place, fault.code, fault.message)))
    failed = len({fault.sample for fault in faults})
    count = len(record.entry.samples)
    tried = f"{count} sample{'' if count == 1 else 's'}"
    click.echo(f"{record.slug}: {tried}, " + (f"{failed} failed" if failed else "none failed" if count else "add one"))
    sys.exit(1 if failed or not count else 0)


def _row(record: Record, number: int, sample: Sample, faults: Sequence[Fault], context: Context) -> str:
    """One line on a sample: what was expected, what came of it, and the first line of the log."""
    log = record.log(sample)
    if log is None:
        return f"{number + 1:>3}  {sample.expect:<8}  unread  {sample.file}"
    verdict, ranking = context.trial.ranking(record, context.trial.events(log))
    place = f"{ranking.index(record.slug) + 1} of {len(ranking)}" if record.slug in ranking else "not found"
    first = f", first '{ranking[0]}'" if ranking and ranking[0] != record.slug else ""
    line = next((line.strip() for line in log.splitlines() if line.strip()), "")
    result = "FAILED" if faults else "ok"
    return f"{number + 1:>3}  {sample.expect:<8}  {result:<6}  {place}{first} ({verdict}): {line[:60]}"


@click.command()
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@entries_option
def doctor(slugs: tuple[str, ...], directories: tuple[Path, ...]) -> None:
    """List what a draft lacks to be published; without SLUG, for every draft.

    \b
    Example:
      faultbook doctor rendezvous-env-missing
    """
    project = find_project(directories)
    corpus, _ = readable_corpus(project)
    drafts = [record.slug for record in corpus.records.values() if record.entry.status is Status.DRAFT]
    lacking = 0
    for slug in slugs or drafts:
        record = record_of(corpus, slug)
        found = list(_lacking(record, corpus, project))
        for violation in found:
            click.echo(format_violation(violation))
        lacking += len(found)
        click.echo(f"{record.slug}: {_summary(record, len(found))}")
    if not slugs and not drafts:
        click.echo("there is no draft")
    sys.exit(1 if lacking else 0)


def _summary(record: Record, count: int) -> str:
    if count:
        return f"lacks {count} thing{'' if count == 1 else 's'} to be published"
    return "is complete" + ("" if record.published else "; set 'status: published'")


def _lacking(record: Record, corpus: Corpus, project: Project) -> Iterator[Violation]:
    """The violations that the entry would have if it were published as it is."""
    as_published = replace(record, entry=record.entry.model_copy(update={"status": Status.PUBLISHED}))
    tried = replace(corpus, records={**corpus.records, record.slug: as_published})
    context = Context(tried, build_links(tried), project.root)
    found = [violation for check in CHECKS for violation in check.entry(as_published, context)]
    shown = record.source.shown
    found += [v for check in CHECKS for v in check.corpus(context) if v.location.path == shown]
    for path, text in left_over(record.entry):
        message = f"still says '{shorten(text, 40)}', as the skeleton does; write what holds for this failure"
        found.append(record.violation(path, "unfinished", message))
    # Sorting is stable, so that what is missing altogether comes in the order of the fields.
    yield from sorted(dict.fromkeys(found), key=lambda violation: violation.location)


def record_of(corpus: Corpus, name: str) -> Record:
    """The entry of a slug, of an alias, or of the path to its file."""
    slug = Path(name).stem if name.endswith(".yaml") else name
    slug = corpus.aliases().get(slug, slug)
    if slug not in corpus.records:
        near = did_you_mean(slug, corpus.records)
        click.echo(f"there is no entry '{printable(slug)}'{near}", err=True)
        sys.exit(1)
    return corpus.records[slug]


COMMANDS: dict[str, Any] = {"test": test, "doctor": doctor}
"""The commands of this module by name."""
