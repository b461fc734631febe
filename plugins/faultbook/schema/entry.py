"""The entry itself; the docstring under a field is its description in the JSON Schema and on the format page."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Literal

from pydantic import Field

from faultbook.schema.actions import Check, Example, Fix, Monitor, QuickFix, Scenario
from faultbook.schema.commands import Command
from faultbook.schema.fields import (
    Date,
    Mechanism,
    Model,
    OtherEntry,
    Paragraph,
    Phrase,
    Sentence,
    Short,
    Slug,
    Summary,
    Title,
    Words,
)
from faultbook.schema.signature import Signature, Symptom, VersionRange
from faultbook.schema.sources import Evidence, Reference, Sample

Impact = Literal["fails-to-start", "crash", "hang", "slowdown", "wrong-results", "data-loss", "resource-leak"]
Scope = Literal["rank", "job", "node", "cluster"]
Who = Literal["user", "node-admin", "cluster-admin", "vendor"]
Relation = Literal["causes", "caused-by", "looks-like", "occurs-with", "see-also"]


class Status(str, Enum):
    """Where an entry stands."""

    DRAFT = "draft"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"


class TellApart(Model):
    """An entry that looks the same, and how to decide."""

    entry: OtherEntry
    """The other entry."""
    short: Short
    """The difference in at most 60 characters, for the top of the page."""
    how: Paragraph
    """How to tell which of the two it is."""


class AffectedSystem(Model):
    """A system in which the failure happens."""

    system: Annotated[Slug, Field(examples=["pytorch"])]
    """Its id in `_systems.yaml`."""
    when: Sentence
    """Under which condition."""
    versions: Annotated[tuple[VersionRange, ...], Field(max_length=8)] = ()
    """Version ranges, if they matter."""


class Pitfall(Model):
    """Wrong advice that circulates."""

    wrong: Sentence
    """The advice."""
    right: Paragraph
    """Why it is wrong, and what is right."""


class Question(Model):
    """A question that people ask about this failure."""

    q: Words
    """The question, with its question mark."""
    a: Paragraph
    """The answer."""


class Perspectives(Model):
    """The same failure for three readers."""

    on_call: Paragraph | None = None
    """For the one who must get the job running."""
    engineer: Paragraph | None = None
    """For the one who owns the code."""
    lead: Paragraph | None = None
    """For the one who answers for the cluster."""


class Related(Model):
    """A link to another entry; the inverse is computed."""

    entry: OtherEntry
    """The other entry."""
    relation: Relation
    """What this failure is to the other: this one `causes` it, is `caused-by` it, and so on."""
    note: Sentence | None = None
    """What connects them."""


class Withdrawn(Model):
    """Why and when an entry was withdrawn."""

    date: Date
    """When."""
    reason: Paragraph
    """Why, and what holds instead."""


class Entry(Model):
    """One failure: how it shows, why it happens, how to find out and what to do."""

    title: Annotated[Title, Field(examples=["Rendezvous port already in use (EADDRINUSE on MASTER_PORT)"])]
    """Names the cause, as short as it can be said."""
    summary: Summary
    """The quick answer, in one or two sentences."""
    kind: Literal["cause", "wrapper"] = "cause"
    """`wrapper`: a message that only reports another failure."""
    status: Status
    """Drafts and withdrawn entries keep a page but stay out of lists and matching."""
    superseded_by: OtherEntry | None = None
    """The entry that takes the place of a withdrawn one."""
    withdrawn: Withdrawn | None = None
    """Needed if the status is withdrawn."""
    aliases: Annotated[tuple[Slug, ...], Field(max_length=20)] = ()
    """Former slugs and other names; each gets a page that leads here."""
    tags: Annotated[tuple[Slug, ...], Field(min_length=2, max_length=8, examples=[["rendezvous", "tcp-port"]])]
    """Two to eight tags of `_tags.yaml`."""
    impact: Annotated[tuple[Impact, ...], Field(min_length=1, max_length=3)]
    """What happens to the run."""
    scope: Scope
    """What it takes down with it."""
    silent: Annotated[bool, Field(strict=True)] = False
    """True for a failure that prints nothing; it then needs no signature and no sample that matches."""
    symptoms: Annotated[tuple[Symptom, ...], Field(min_length=1, max_length=12)]
    """What the reader sees."""
    search_keys: Annotated[tuple[Phrase, ...], Field(max_length=15, examples=[["port 29500 already in use"]])] = ()
    """What people type to find it, beyond title and signatures."""
    tell_apart: Annotated[tuple[TellApart, ...], Field(max_length=12)] = ()
    """Entries that look the same."""
    mechanism: Mechanism | None = None
    """Why it happens; every paragraph ends in citations."""
    affected_systems: Annotated[tuple[AffectedSystem, ...], Field(max_length=12)] = ()
    """Where it happens."""
    checklist: Annotated[tuple[Check, ...], Field(max_length=12)] = ()
    """Questions that decide, cheapest first."""
    quick_fix: QuickFix | None = None
    """The shortest way to a running job."""
    fix: Annotated[tuple[Fix, ...], Field(max_length=10)] = ()
    """Ways to remove it."""
    scenarios: Annotated[tuple[Scenario, ...], Field(max_length=10)] = ()
    """Situations with causes of their own, where checklist and fixes are not enough."""
    prevention: Annotated[tuple[Paragraph, ...], Field(max_length=8)] = ()
    """How to keep it from coming back."""
    examples: Annotated[tuple[Example, ...], Field(max_length=12)] = ()
    """Code that does it right."""
    pitfalls: Annotated[tuple[Pitfall, ...], Field(max_length=12)] = ()
    """Wrong advice that circulates."""
    faq: Annotated[tuple[Question, ...], Field(max_length=10)] = ()
    """Questions about this failure alone."""
    monitoring: Annotated[tuple[Monitor, ...], Field(max_length=6)] = ()
    """Alerts."""
    perspectives: Perspectives | None = None
    """The failure for three readers."""
    related: Annotated[tuple[Related, ...], Field(max_length=12)] = ()
    """Other entries, with the relation."""
    references: Annotated[tuple[Reference, ...], Field(max_length=30)] = ()
    """Sources that were read."""
    evidence: Evidence | None = None
    """What the entry rests on."""
    samples: Annotated[tuple[Sample, ...], Field(max_length=40)] = ()
    """Logs that must match, and logs that must not."""
    reviewed: Date | None = None
    """When somebody last went through the entry with its sources."""
    authors: Annotated[tuple[Phrase, ...], Field(max_length=20)] = ()
    """Who wrote it."""

    def commands(self) -> Mapping[tuple[str | int, ...], Command]:
        """Every command of the entry by the way to it, in the order of the page."""
        found: dict[tuple[str | int, ...], Command] = {}
        for i, check in enumerate(self.checklist):
            if check.command:
                found["checklist", i, "command"] = check.command
        for i, command in enumerate(self.quick_fix.commands if self.quick_fix else ()):
            found["quick_fix", "commands", i] = command
        for i, fix in enumerate(self.fix):
            for j, step in enumerate(fix.steps):
                if step.command:
                    found["fix", i, "steps", j, "command"] = step.command
            if fix.verify and fix.verify.command:
                found["fix", i, "verify", "command"] = fix.verify.command
        return found

    def signatures(self) -> Mapping[tuple[str | int, ...], Signature]:
        """Every signature of the entry by the way to it."""
        return {
            ("symptoms", i, "signatures", j): signature
            for i, symptom in enumerate(self.symptoms)
            for j, signature in enumerate(symptom.signatures)
        }
