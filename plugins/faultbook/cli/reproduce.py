"""Make failures happen: `faultbook reproduce`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from faultbook.checks.reproduced import lack
from faultbook.checks.trial import Trial
from faultbook.cli.corpus import readable_corpus
from faultbook.cli.group import INTERRUPTED, echo_json, entries_option, format_option
from faultbook.cli.trial import record_of
from faultbook.corpus import Corpus, Record
from faultbook.lab.attempt import Bench, Result, Wanted, attempt
from faultbook.lab.judge import Half
from faultbook.lab.record import keep_records
from faultbook.lab.run import CANNOT_RUN, Runner
from faultbook.lab.scripts import ScriptCase
from faultbook.project import find_project
from faultbook.violations import printable


@click.command()
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@click.option("--all", "everything", is_flag=True, help="Every entry that has a reproduction.")
@click.option("--stale", is_flag=True, help="Those without a good record of their script as it is now.")
@click.option("--case", metavar="NAME", help="Only this case; prints its log and leaves the record as it is.")
@click.option("--fixed", is_flag=True, help="Only with the fix in place; leaves the record as it is.")
@click.option("--log", is_flag=True, help="Print what each run printed.")
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=Path(sys.executable),
    envvar="FAULTBOOK_LAB_PYTHON",
    help="The Python that has torch and the like. Default: the one of this command, or FAULTBOOK_LAB_PYTHON.",
)
@click.option("--jobs", type=click.IntRange(1, 16), default=1, help="How many scripts run at a time (default 1).")
@format_option("text", "json")
@entries_option
def reproduce(
    slugs: tuple[str, ...],
    everything: bool,
    stale: bool,
    case: str | None,
    fixed: bool,
    log: bool,
    python: Path,
    jobs: int,
    form: str,
    directories: tuple[Path, ...],
) -> None:
    """Make the failure of an entry happen, without and with its fix, and record the run.

    Each case runs in namespaces of its own and for a bounded time. Its log must be diagnosed as the entry, and the fix
    must remove the failure. The record goes into '_reproduced.yaml' beside the entries. This runs code of the project.

    \b
    Exit codes: 0 all as claimed, 1 something was not, 77 nothing could run here, 64 usage
    Examples:
      faultbook reproduce static-rendezvous-port-zero
      faultbook reproduce --all --jobs 2
    """
    project = find_project(directories)
    corpus, _ = readable_corpus(project)
    chosen = _chosen(corpus, project.root, slugs, everything, stale)
    wanted = Wanted(case, (True,) if fixed else (False, True))
    runner = Runner(python.absolute())
    tell = partial(_tell, log=log or case is not None) if form == "text" else _say_nothing
    bench = Bench(project.root, runner, Trial(corpus), tell)
    with _ended_by_signals(runner):
        results = list(_kept(_results(chosen, bench, wanted, jobs), project.entries[0], form))
    if form == "json":
        echo_json({"schema": 1, "results": [_row(result) for result in sorted(results, key=lambda r: r.slug)]})
    else:
        click.echo(_summary(results))
    if any(result.failed for result in results):
        sys.exit(1)
    sys.exit(CANNOT_RUN if results and all(result.skipped for result in results) else 0)


def _kept(results: Iterable[Result], entries: Path, form: str) -> Iterator[Result]:
    """The same results; the record of each is written when it is there, so that an interruption loses none."""
    for result in results:
        if result.record is not None:
            keep_records(entries, {result.slug: result.record})
        told = f"skipped: {result.skipped}" if result.skipped else ", ".join(result.faults)
        if told and form == "text":
            click.echo(printable(f"{result.slug}: {told}"))
        yield result


def _chosen(corpus: Corpus, root: Path, slugs: Sequence[str], everything: bool, stale: bool) -> list[Record]:
    """The entries that are meant.

    Raises:
        UsageError: none is named, or one has no reproduction.
    """
    if bool(slugs) + everything + stale != 1:
        raise click.UsageError("name one or more entries, or give --all or --stale")
    if slugs:
        records = [record_of(corpus, slug) for slug in slugs]
        for record in records:
            if record.script(root) is None:
                raise click.UsageError(f"'{record.slug}' names no script that exists under 'evidence.reproduction'")
        return records
    found = [record for record in corpus.records.values() if record.script(root)]
    return [record for record in found if not stale or _stale(record, root)]


def _stale(record: Record, root: Path) -> bool:
    script = record.script(root)
    return script is None or bool(lack(record.reproduced, script.read_bytes()))


@contextmanager
def _ended_by_signals(runner: Runner) -> Iterator[None]:
    """Within it, Ctrl-C and SIGTERM end what runs before they end the command; threads would go on otherwise."""

    def stop(number: int, _: object) -> NoReturn:
        runner.stop()
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _results(records: Sequence[Record], bench: Bench, wanted: Wanted, jobs: int) -> Iterator[Result]:
    """What came of each entry, in the order in which they end."""
    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(attempt, record, bench, wanted) for record in records]
        try:
            yield from (task.result() for task in as_completed(tasks))
        except InterruptedError:
            sys.exit(INTERRUPTED)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _say_nothing(slug: str, case: ScriptCase, half: Half) -> None:
    pass


def _tell(slug: str, case: ScriptCase, half: Half, log: bool) -> None:
    """One line on a run, behind what it printed if that is wanted."""
    name = f"{case.name} --fixed" if half.fixed else case.name
    told = "the failure stayed away" if half.fixed else "it failed as claimed"
    if not half.fixed and case.diagnosed and not half.faults:
        told = "it failed and was diagnosed"
    shown = f"FAILED: {'; '.join(half.faults)}" if half.faults else told
    text = [
        *(half.outcome.log.rstrip().split("\n") if log else ()),
        f"{slug}: {name}: {shown} ({half.outcome.seconds:.1f} s)",
    ]
    click.echo("\n".join(map(printable, text)))


def _row(result: Result) -> dict[str, Any]:
    """A result as JSON."""
    runs = [
        {
            "case": case.name,
            "fixed": half.fixed,
            "exit": half.outcome.code,
            "seconds": round(half.outcome.seconds, 1),
            "verdict": half.verdict,
            "found": half.found,
            "faults": half.faults,
        }
        for case, halves in result.runs.items()
        for half in halves
    ]
    return {"entry": result.slug, "skipped": result.skipped or None, "faults": result.faults, "runs": runs}


def _summary(results: Sequence[Result]) -> str:
    failed = [result.slug for result in results if result.failed]
    skipped = sum(bool(result.skipped) for result in results)
    cases, good = sum(len(result.runs) for result in results), len(results) - len(failed) - skipped
    entries = "1 entry" if good == 1 else f"{good} entries"
    text = f"{entries} reproduced ({cases} case{'' if cases == 1 else 's'}), {len(failed)} failed, {skipped} skipped"
    return f"{text}\nfailed: {', '.join(sorted(failed))}" if failed else text


COMMANDS: dict[str, Any] = {"reproduce": reproduce}
"""The commands of this module by name."""
