"""The second half of an entry: what is worth knowing once the job runs again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from faultbook.blocks import Block, Figure, Heading, Items, Paragraph, Prose, Voice, named
from faultbook.blocks.markdown import web_link
from faultbook.corpus import Corpus, Record
from faultbook.links import Links
from faultbook.schema import Entry

Rows = Iterable[tuple[str, str]]


def lists(record: Record, corpus: Corpus, links: Links | None, text: Voice) -> Iterator[Block]:
    """Scenarios, systems, examples, pitfalls and so on, as far as the entry has them."""
    entry = record.entry
    yield from _listed("Scenarios", _scenarios(entry, text))
    yield from _listed("Affected systems", _systems(entry, corpus, text))
    yield from _examples(entry, text)
    yield from _listed("Pitfalls", ((text(pitfall.wrong), text(pitfall.right)) for pitfall in entry.pitfalls))
    yield from _listed("Prevention", (("", text(paragraph)) for paragraph in entry.prevention))
    yield from _monitoring(entry, text)
    yield from _listed("Who needs to know what", _perspectives(entry, text))
    yield from _listed("Questions", ((question.q, text(question.a)) for question in entry.faq))
    yield from _listed("Related", _related(record, corpus, links, text))
    yield from _references(record, text)


def _listed(title: str, rows: Rows) -> Iterator[Block]:
    found = tuple(rows)
    if found:
        yield Heading(title)
        yield Items(found)


def _scenarios(entry: Entry, text: Voice) -> Rows:
    titles = {fix.id: fix.title for fix in entry.fix}
    for scenario in entry.scenarios:
        fixes = " or ".join(f"'{titles.get(fix, fix)}'" for fix in scenario.fix)
        whole = f"{scenario.cause} Shown by: {scenario.check} Fix: {fixes}."
        yield text(scenario.when), text(whole)


def _systems(entry: Entry, corpus: Corpus, text: Voice) -> Rows:
    for affected in entry.affected_systems:
        system = corpus.systems.get(affected.system)
        versions = [
            f"Versions `{found.range}`" + (f": {text(found.note)}" if found.note else ".")
            for found in affected.versions
        ]
        yield system.title if system else affected.system, Prose(" ".join([text(affected.when), *versions]))


def _examples(entry: Entry, text: Voice) -> Iterator[Block]:
    if entry.examples:
        yield Heading("Examples")
    for example in entry.examples:
        yield Heading(f"{example.stack}: {example.title}", 3)
        yield Figure(example.code.strip("\n"), example.lang)
        yield Paragraph(text(example.why))


def _monitoring(entry: Entry, text: Voice) -> Iterator[Block]:
    if entry.monitoring:
        yield Heading("Monitoring")
    for alert in entry.monitoring:
        yield Paragraph(text(alert.note) if alert.note else "", f"{alert.name} ({alert.severity}).")
        yield Figure(alert.expr.strip("\n"))


def _perspectives(entry: Entry, text: Voice) -> Rows:
    readers = entry.perspectives
    if readers is None:
        return
    for name, words in (("On call", readers.on_call), ("Engineer", readers.engineer), ("Lead", readers.lead)):
        if words:
            yield name, text(words)


def _related(record: Record, corpus: Corpus, links: Links | None, text: Voice) -> Rows:
    for link in record.entry.related:
        other = corpus.records.get(link.entry)
        title = text.bare(other.entry.title) if other else "not written yet"
        # A link that can be followed holds the title already.
        what = [link.relation.replace("-", " "), *([title] if text.link is named else [])]
        note = f". {text(link.note)}" if link.note else ""
        yield Prose(text.link(link.entry, None)), Prose("; ".join(what) + note)
    for back in links.related.get(record.slug, ()) if links else ():
        yield Prose(text.link(back.slug, None)), Prose(back.relation.replace("-", " "))
    for slug in links.mentions.get(record.slug, ()) if links else ():
        yield Prose(text.link(slug, None)), Prose("linked from")


def _references(record: Record, text: Voice) -> Iterator[Block]:
    entry, run = record.entry, record.reproduced
    if entry.references:
        yield Heading("References")
        yield Items(tuple(_reference(found.title, found.url, text) for found in entry.references), numbered=True)
    evidence = entry.evidence
    if evidence and evidence.note:
        yield Paragraph(text.bare(evidence.note), "Evidence.")
    if evidence and evidence.reproduction:
        found = evidence.reproduction
        last = f" Last run {run.ran}: {run.summary}." if run else ""
        yield Paragraph(f"{found.path}. {found.shows}.{last}", "[R] Reproduction.")


def _reference(title: str, url: str, text: Voice) -> tuple[str, str]:
    return (title, url) if text.link is named else ("", web_link(title, url))
