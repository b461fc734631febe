"""Runs all checks over a corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from faultbook.checks import (
    captures,
    code,
    commands,
    completeness,
    duplicates,
    healthy,
    identity,
    judged,
    known,
    links,
    names,
    pairs,
    prose,
    references,
    reproduced,
    samples,
    templates,
)
from faultbook.checks.base import Check, Context
from faultbook.checks.exemptions import EXEMPTIONS, Exemption
from faultbook.corpus import Corpus
from faultbook.links import Links
from faultbook.violations import Location, Violation, sort_violations

CHECKS: tuple[Check, ...] = (
    *identity.CHECKS,
    *names.CHECKS,
    *completeness.CHECKS,
    *references.CHECKS,
    *reproduced.CHECKS,
    *links.CHECKS,
    *pairs.CHECKS,
    *templates.CHECKS,
    *captures.CHECKS,
    *healthy.CHECKS,
    *samples.CHECKS,
    *judged.CHECKS,
    *commands.CHECKS,
    *code.CHECKS,
    *known.CHECKS,
    *prose.CHECKS,
    *duplicates.CHECKS,
)
"""Every check, in the order of their groups."""

STALE = "stale-exemption"
_MOST = 100
"""So many violations of one check are reported of one entry; each costs a parse of its file to find the place."""
_MOST_IN_ALL = 1000
"""The same for checks that see all entries together."""


def run_checks(
    corpus: Corpus,
    links: Links,
    *,
    root: Path,
    ignore: Collection[str] = (),
    exemptions: Collection[Exemption] = EXEMPTIONS,
) -> list[Violation]:
    """Every violation of the checks, sorted by place.

    ``root`` is the directory to which paths of reproductions are relative; ``ignore`` holds codes of checks to leave
    out.
    """
    checks = [check for check in CHECKS if check.code not in ignore]
    context = Context(corpus, links, root)
    found = list(_found(checks, context))
    kept = _not_exempt(found, corpus, exemptions)
    stale = _stale(found, corpus, [exemption for exemption in exemptions if exemption.code not in ignore])
    return sort_violations([*kept, *stale])


def _found(checks: Collection[Check], context: Context) -> Iterator[Violation]:
    for record in context.corpus.records.values():
        for check in checks:
            yield from islice(check.entry(record, context), _MOST)
    for check in checks:
        yield from islice(check.corpus(context), _MOST_IN_ALL)


def _not_exempt(found: Collection[Violation], corpus: Corpus, exemptions: Collection[Exemption]) -> Iterator[Violation]:
    hidden = {(exemption.code, _shown(corpus, exemption.slug)) for exemption in exemptions}
    return (violation for violation in found if (violation.code, violation.location.path) not in hidden)


def _stale(found: Collection[Violation], corpus: Corpus, exemptions: Collection[Exemption]) -> Iterator[Violation]:
    """A violation for each exemption that hides nothing; those of entries of another corpus stay silent."""
    hit = {(violation.code, violation.location.path) for violation in found}
    for exemption in exemptions:
        path = _shown(corpus, exemption.slug)
        if path and (exemption.code, path) not in hit:
            message = f"the exemption from '{exemption.code}' hides nothing; remove it from checks/exemptions.py"
            yield Violation(Location(path), STALE, message)


def _shown(corpus: Corpus, slug: str) -> str | None:
    record = corpus.records.get(slug)
    return record.source.shown if record else None
