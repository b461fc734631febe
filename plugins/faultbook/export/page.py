"""An entry as blocks, in the order in which somebody with a dead job needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from faultbook.blocks import Block, Figure, Heading, Items, Paragraph, Prose, Voice, counted, named, shell
from faultbook.corpus import Corpus, Record
from faultbook.export.page_lists import lists
from faultbook.links import REPRODUCTION, Links
from faultbook.schema import Command, Entry, Fix, Signature, Status
from faultbook.words import SCOPE, WHO


def page(record: Record, corpus: Corpus, links: Links | None = None, voice: Voice | None = None) -> list[Block]:
    """The whole entry; with links also what leads to it, and with a voice its links and texts in that way."""
    entry = record.entry
    labels = {reference.id: str(number) for number, reference in enumerate(entry.references, 1)}
    voice = voice or Voice()
    plain = replace(voice, fixes={fix.id: voice.bare(fix.title) for fix in entry.fix})
    text = replace(plain, labels=labels | {REPRODUCTION: "R"})

    def typed(command: Command) -> Block:
        return shell(vars(command), text)

    if entry.status is Status.WITHDRAWN:
        # Neither its references nor its fixes are shown.
        return [*_head(record, plain), *_withdrawn(entry, plain)]
    parts = (
        _head(record, text),
        _checklist(entry, text, typed),
        _quick_fix(entry, text, typed),
        _tell_apart(entry, text),
        *(_fix(fix, text, typed) for fix in entry.fix),
        _symptoms(entry, text),
        _mechanism(entry, text),
        lists(record, corpus, links, text),
    )
    return [block for part in parts for block in part]


def _head(record: Record, text: Voice) -> Iterator[Block]:
    entry = record.entry
    yield Heading(text(entry.title), 1)
    facts = [
        ("Name", ", ".join([record.slug, *entry.aliases])),
        ("Impact", f"{', '.join(impact.replace('-', ' ') for impact in entry.impact)} ({SCOPE[entry.scope]})"),
        ("Fixed by", ", ".join(dict.fromkeys(WHO[fix.who] for fix in entry.fix))),
        ("Evidence", entry.evidence.level if entry.evidence else ""),
        ("Reviewed", entry.reviewed or ""),
    ]
    yield Items(tuple((name, value) for name, value in facts if value))
    if entry.status is Status.DRAFT:
        yield Paragraph("Not reviewed, matches no log.", "Draft.")
    yield Paragraph(text(entry.summary))
    if entry.kind == "wrapper":
        yield Paragraph("This message only reports another failure. The checks lead to the one that came first.")


def _withdrawn(entry: Entry, text: Voice) -> Iterator[Block]:
    reason = text(entry.withdrawn.reason) if entry.withdrawn else Prose("")
    date = f" on {entry.withdrawn.date}" if entry.withdrawn else ""
    yield Paragraph(reason, f"Withdrawn{date}.")
    if entry.superseded_by:
        now = f"`faultbook show {entry.superseded_by}`" if text.link is named else text.link(entry.superseded_by, None)
        yield Paragraph(Prose(f"What holds now: {now}."))


def _checklist(entry: Entry, text: Voice, typed: Callable[[Command], Block]) -> Iterator[Block]:
    if not entry.checklist:
        return
    yield Heading("First checks" if entry.kind == "wrapper" else "Is it this?")
    for number, check in enumerate(entry.checklist, 1):
        yield Heading(Prose(f"{number}. {text(check.check)}"), 3)
        if check.command:
            yield typed(check.command)
        yield Items((("Yes", text(check.if_yes)), ("No", text(check.if_no))))


def _quick_fix(entry: Entry, text: Voice, typed: Callable[[Command], Block]) -> Iterator[Block]:
    if entry.quick_fix is None:
        return
    yield Heading("Quick fix")
    yield Paragraph(text(entry.quick_fix.text))
    yield from map(typed, entry.quick_fix.commands)
    if entry.quick_fix.caveat:
        yield Paragraph(text(entry.quick_fix.caveat), "Limit.")


def _tell_apart(entry: Entry, text: Voice) -> Iterator[Block]:
    if entry.tell_apart:
        yield Heading("Looks alike")
        yield Items(tuple((Prose(text.link(other.entry, None)), text(other.how)) for other in entry.tell_apart))


def _fix(fix: Fix, text: Voice, typed: Callable[[Command], Block]) -> Iterator[Block]:
    yield Heading(Prose(f"Fix: {text(fix.title)}"))
    facts = [("For", text(fix.when) if fix.when else ""), ("Kind", fix.kind), ("Who", WHO[fix.who])]
    yield Items(tuple((name, value) for name, value in facts if value))
    for number, step in enumerate(fix.steps, 1):
        yield Paragraph(text(step.text), f"{number}." if len(fix.steps) > 1 else "")
        if step.command:
            yield typed(step.command)
    if fix.verify:
        yield Paragraph(text(fix.verify.text) if fix.verify.text else "", "Verify.")
        if fix.verify.command:
            yield typed(fix.verify.command)
    if fix.rollback:
        yield Paragraph(text(fix.rollback), "Roll back.")


def _symptoms(entry: Entry, text: Voice) -> Iterator[Block]:
    yield Heading("Symptoms and signatures")
    for symptom in entry.symptoms:
        yield Items(((text(symptom.observed), text(symptom.means)),))
        for signature in symptom.signatures:
            yield Figure("\n".join([*signature.templates, *_conditions(signature)]))


def _conditions(signature: Signature) -> Sequence[str]:
    role = "" if signature.role == "cause" else f"({signature.role})"
    within = f"(all within {counted(signature.within, 'line')})" if signature.all else ""
    unless = f"(not if near: {'; '.join(signature.unless)})" if signature.unless else ""
    only = f"(only if {' and '.join(signature.only_if)})" if signature.only_if else ""
    return [part for part in (role, within, only, unless) if part]


def _mechanism(entry: Entry, text: Voice) -> Iterator[Block]:
    if entry.mechanism:
        yield Heading("Mechanism")
        yield Paragraph(text(entry.mechanism))
