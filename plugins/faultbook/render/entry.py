"""The page of one entry."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from jinja2 import Environment
from markupsafe import Markup

from faultbook.corpus import Corpus, Record
from faultbook.engine.cards import deciding_check
from faultbook.export import entry_url
from faultbook.export.api import api_url, entry_json
from faultbook.export.past import BARE, Facts
from faultbook.export.twin import entry_markdown, twin_url
from faultbook.links import REPRODUCTION, Backlink, Links, parse_marks
from faultbook.render.around import Repository, around
from faultbook.render.page import Document, Heading, Marks, Rendered, plain_title, unlinked
from faultbook.render.prose import render_blocks, render_inline
from faultbook.render.references import References
from faultbook.render.structured import structured
from faultbook.schema import Entry, Lack, Signature, Status, Symptom, lacks
from faultbook.words import WHO

ROOT = "../../"
"""The way from the page of an entry to the root of the site."""


@dataclass(frozen=True)
class PlacedSignature:
    """A signature with its anchor on the page and the words for its conditions."""

    signature: Signature
    number: int
    anchor: str
    conditions: str


@dataclass(frozen=True)
class PlacedSymptom:
    """A symptom with its signatures."""

    symptom: Symptom
    signatures: tuple[PlacedSignature, ...]


def entry_document(
    record: Record, corpus: Corpus, links: Links, environment: Environment, repository: Repository, facts: Facts
) -> Document:
    """The page of an entry; drafts and withdrawn ones are kept out of search engines."""
    title = plain_title(record.entry.title)
    mark = {Status.DRAFT: "Draft: ", Status.WITHDRAWN: "Withdrawn: "}.get(record.entry.status, "")
    return Document(
        url=entry_url(record.slug),
        title=mark + title,
        description=plain_title(record.entry.summary),
        noindex=not record.published,
        source=record.source.shown,
        render=partial(render_entry, record, corpus, links, environment, repository, facts),
        beside={
            twin_url(record.slug): partial(entry_markdown, record, corpus, links),
            api_url(record.slug): partial(entry_json, record, links, facts),
        },
        markdown=twin_url(record.slug),
        data=structured(record, corpus, facts) if record.published and facts.site_url else (),
    )


def render_entry(
    record: Record,
    corpus: Corpus,
    links: Links,
    environment: Environment,
    repository: Repository,
    facts: Facts = BARE,
) -> Rendered:
    """The content of the page of an entry."""
    entry = record.entry
    references = References(record)
    fix_titles = _fix_titles(entry)
    marks = _marks(entry, corpus, references, fix_titles)
    related = _related(record, links)
    mentioned = [slug for slug in links.mentions.get(record.slug, ()) if slug not in {link.slug for link in related}]
    headings = tuple(_headings(entry, bool(related or mentioned)))
    html = environment.get_template("entry.html").render(
        e=entry,
        root=ROOT,
        md=partial(render_inline, marks=marks),
        blocks=partial(render_blocks, marks=marks),
        unlinked=unlinked,
        link=marks.entry,
        first=deciding_check(entry),
        first_heading=_first_heading(entry),
        headings=headings,
        checks_of=_checks_of(entry),
        fix_titles=defaultdict(str, fix_titles),
        fixed_by=", ".join(dict.fromkeys(WHO[fix.who] for fix in entry.fix)),
        symptoms=_placed(entry),
        has_signatures=bool(entry.signatures()),
        related=_grouped(related),
        mentioned=mentioned,
        note=partial(_note, record=record, corpus=corpus, marks=marks),
        cited=[cited for cited in references.by_id.values() if cited.reference],
        reproduction=references.by_id.get(REPRODUCTION),
        missing=[_lack_row(lack) for lack in lacks(entry)] if entry.status is Status.DRAFT else [],
        **around(record, corpus, repository, facts, ROOT),
    )
    return Rendered(html, () if entry.status is Status.WITHDRAWN else headings)


def _marks(entry: Entry, corpus: Corpus, references: References, fix_titles: dict[str, str]) -> Marks:
    if entry.status is Status.WITHDRAWN:
        # Its page shows neither references nor fixes.
        return Marks(corpus, ROOT, None, fix_titles, fixes_at=None)
    return Marks(corpus, ROOT, references, fix_titles)


def _first_heading(entry: Entry) -> str:
    """A wrapper is known by its message; what its first check asks is what came before."""
    return "First check" if entry.kind == "wrapper" else "Is it this?"


def _checks_of(entry: Entry) -> dict[str, list[str]]:
    """For each fix the checks of which an answer leads to it, by their anchors."""
    found: dict[str, list[str]] = {fix.id: [] for fix in entry.fix}
    for position, check in enumerate(entry.checklist, 1):
        targets = {
            mark.target for text in (check.if_yes, check.if_no) for mark in parse_marks(text) if mark.kind == "fix"
        }
        for target in targets & found.keys():
            found[target].append(check.id or str(position))
    return found


def _placed(entry: Entry) -> list[PlacedSymptom]:
    count = itertools.count(1)
    return [
        PlacedSymptom(symptom, tuple(_placed_signature(signature, next(count)) for signature in symptom.signatures))
        for symptom in entry.symptoms
    ]


def _placed_signature(signature: Signature, number: int) -> PlacedSignature:
    conditions = []
    if signature.all:
        conditions.append(f"All of these within {signature.within} lines of each other.")
    if signature.only_if:
        conditions.append(f"Only if {' and '.join(signature.only_if)}.")
    if signature.unless:
        conditions.append(f"Not if this stands within {signature.within} lines: {'; '.join(signature.unless)}")
    return PlacedSignature(signature, number, f"signature-{signature.id or number}", " ".join(conditions))


def _related(record: Record, links: Links) -> list[Backlink]:
    """What the entry says of others, then what others say of it."""
    own = [Backlink(related.entry, related.relation, related.note) for related in record.entry.related]
    return [*own, *links.related.get(record.slug, ())]


def _fix_titles(entry: Entry) -> dict[str, str]:
    return {fix.id: plain_title(fix.title) for fix in entry.fix}


def _note(link: Backlink, record: Record, corpus: Corpus, marks: Marks) -> Markup:
    """The note of a relation; one that another entry wrote speaks of the references and fixes of that entry."""
    if link.slug not in {related.entry for related in record.entry.related}:
        other = corpus.records[link.slug].entry
        marks = Marks(corpus, ROOT, None, _fix_titles(other), ROOT + entry_url(link.slug))
    return Markup(render_inline(link.note or "", marks).strip())


def _grouped(related: Iterable[Backlink]) -> list[tuple[str, list[Backlink]]]:
    groups: dict[str, list[Backlink]] = {}
    for link in related:
        groups.setdefault(link.relation, []).append(link)
    return list(groups.items())


def _headings(entry: Entry, related: bool) -> Iterable[Heading]:
    """The sections that the page has, in its order."""
    sections = (
        ("is-it-this", _first_heading(entry), entry.checklist),
        ("quick-fix", "Quick fix", entry.quick_fix),
        ("looks-alike", "Looks alike", entry.tell_apart),
        ("tell-apart", "Tell apart", entry.tell_apart),
        ("checklist", "Checklist", entry.checklist),
        ("fix", "Fix", entry.fix),
        ("symptoms", "Symptoms and signatures", entry.symptoms),
        ("mechanism", "Mechanism", entry.mechanism),
        ("scenarios", "Scenarios", entry.scenarios),
        ("affected", "Affected systems", entry.affected_systems),
        ("examples", "Examples per stack", entry.examples),
        ("pitfalls", "Pitfalls", entry.pitfalls),
        ("prevention", "Prevention", entry.prevention),
        ("monitoring", "Monitoring", entry.monitoring),
        ("perspectives", "Who needs to know what", entry.perspectives),
        ("faq", "Questions", entry.faq),
        ("related", "Related", related),
        ("references", "References", entry.references),
        ("evidence", "Evidence", entry.evidence),
        ("history", "History", True),
    )
    return (Heading(anchor, name) for anchor, name, present in sections if present)


def _lack_row(lack: Lack) -> dict[str, str]:
    return {"path": ".".join(str(step) for step in lack.path), "message": lack.message}
