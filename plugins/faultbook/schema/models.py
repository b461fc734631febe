"""The models of an entry; the docstring under a field is its description in the JSON Schema and on the format page."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from faultbook.schema.fields import (
    Code,
    Comparison,
    Date,
    Https,
    Log,
    Mechanism,
    Model,
    Output,
    Paragraph,
    Phrase,
    Sentence,
    Short,
    Slug,
    Summary,
    Template,
    Templates,
    Title,
    Versions,
    Words,
)

Impact = Literal["fails-to-start", "crash", "hang", "slowdown", "wrong-results", "data-loss", "resource-leak"]
Scope = Literal["rank", "job", "node", "cluster"]
Role = Literal["cause", "ambiguous", "downstream", "notice"]
Who = Literal["user", "node-admin", "cluster-admin", "vendor"]
Relation = Literal["causes", "caused-by", "looks-like", "occurs-with", "see-also"]
ReferenceKind = Literal["docs", "source", "issue", "pull-request", "man-page", "paper"]


class Status(str, Enum):
    """Where an entry stands."""

    DRAFT = "draft"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"


class Danger(str, Enum):
    """What a command can do to others or to stored data."""

    REVERSIBLE = "reversible"
    DISRUPTIVE = "disruptive"
    DESTRUCTIVE = "destructive"


class VersionRange(Model):
    """Versions for which something holds."""

    range: Versions
    """Versions as PEP 440 writes them, such as `>=2.4,<2.12`."""
    note: Sentence | None = None
    """What is different in these versions."""


class Signature(Model):
    """A line that software prints, as a template: the line itself with placeholders for what varies."""

    id: Slug | None = None
    """Name of its anchor on the page; without one it is the position."""
    text: Templates | None = None
    """The template, or a list of wordings of the same line, such as those of older versions."""
    all: Annotated[tuple[Template, ...], Field(min_length=2, max_length=4)] | None = None
    """Two to four templates that must all match near each other, instead of `text`; the first is the evidence."""
    within: Annotated[int, Field(strict=True, ge=1, le=50)] = 5
    """How many lines, before or after, count as near, for `all` and `unless`."""
    unless: Annotated[tuple[Template, ...], Field(max_length=6)] = ()
    """Templates that take the match back when they match nearby."""
    only_if: Annotated[tuple[Comparison, ...], Field(max_length=6)] = ()
    """Comparisons between named placeholders and constants, such as `port != 0`; all must hold."""
    role: Role = "cause"
    """`cause` names this failure, `ambiguous` several, `downstream` what follows from another, `notice` is harmless."""
    versions: VersionRange | None = None
    """The versions that print this wording."""
    printed_by: Words | None = None
    """The program or part of it that prints the line."""

    @model_validator(mode="after")
    def _one_form(self) -> Signature:
        if (self.text is None) == (self.all is None):
            raise PydanticCustomError("one_form", "a signature has either 'text' or 'all'; give one of the two")
        return self

    @property
    def templates(self) -> tuple[str, ...]:
        """The templates that make the match: the wordings of `text`, or all of `all`."""
        return self.text or self.all or ()


class Symptom(Model):
    """Something that the reader sees, what it means, and the lines that show it."""

    observed: Sentence
    """What is seen."""
    means: Paragraph
    """What it says about the cause."""
    signatures: Annotated[tuple[Signature, ...], Field(max_length=20)] = ()
    """The lines that show this symptom."""


def _command(value: Any) -> Any:
    return {"run": value} if isinstance(value, str) else value


class Command(Model):
    """A command; text alone is the same as `run`. A value to fill in is written `{PID}`, in bash only."""

    run: Code
    """The command as it is typed."""
    lang: Literal["bash", "python", "yaml", "text", "ini", "toml", "json"] = "bash"
    """Its language."""
    where: Literal["training-host", "rank0-host", "every-host", "login-node", "container"] | None = None
    """The machine on which it is typed."""
    needs: Literal["root", "gpu"] | None = None
    """What it needs to work."""
    output: Output | None = None
    """What it prints, to the letter."""
    expect: Sentence | None = None
    """What to look for in what it prints."""
    danger: Danger | None = None
    """Nothing for a command that reads, or starts only the reader's own job."""
    affects: Annotated[
        tuple[Literal["own-job", "other-users", "node", "cluster", "stored-data"], ...], Field(max_length=5)
    ] = ()
    """Who or what is hit."""
    warning: Sentence | None = None
    """What to know before it is typed; shown before the copy button works."""
    undo: Code | None = None
    """How to take a reversible command back."""
    tested: Literal["run", "parsed"] | None = None
    """`run`: was run with real values. `parsed`: only its syntax was checked."""


AnyCommand = Annotated[Command, BeforeValidator(_command)]


class TellApart(Model):
    """An entry that looks the same, and how to decide."""

    entry: Slug
    """The other entry."""
    short: Short
    """The difference in at most 60 characters, for the top of the page."""
    how: Paragraph
    """How to tell which of the two it is."""


class AffectedSystem(Model):
    """A system in which the failure happens."""

    system: Slug
    """Its id in `_systems.yaml`."""
    when: Sentence
    """Under which condition."""
    versions: Annotated[tuple[VersionRange, ...], Field(max_length=8)] = ()
    """Version ranges, if they matter."""


class Check(Model):
    """A question that decides something."""

    id: Slug | None = None
    """Name of its anchor on the page; without one it is the position."""
    check: Sentence
    """The question."""
    command: AnyCommand | None = None
    """The command that answers it."""
    if_yes: Paragraph
    """What to do or to conclude after a yes."""
    if_no: Paragraph
    """What to do or to conclude after a no."""


class QuickFix(Model):
    """The shortest way to a running job."""

    text: Paragraph
    """What to do."""
    commands: Annotated[tuple[AnyCommand, ...], Field(max_length=3)] = ()
    """Harmless commands first."""
    caveat: Sentence | None = None
    """Where it does not help."""


class Step(Model):
    """One step of a fix."""

    text: Paragraph
    """What to do and why."""
    command: AnyCommand | None = None
    """The command of this step."""


class Verify(Model):
    """How to see that a fix worked."""

    text: Paragraph | None = None
    """What to look at."""
    command: AnyCommand | None = None
    """The command that shows it."""

    @model_validator(mode="after")
    def _something(self) -> Verify:
        if self.text is None and self.command is None:
            raise PydanticCustomError("empty_verify", "verify says nothing; give 'text', 'command' or both")
        return self


class Fix(Model):
    """One way to remove the failure."""

    id: Slug
    """Name of its anchor; checks and links name it."""
    title: Title
    """What it does."""
    when: Sentence | None = None
    """For which situation; needed where there are several fixes."""
    kind: Literal["permanent", "workaround", "mitigation"]
    """`permanent` removes the cause, `workaround` avoids it, `mitigation` makes it rarer."""
    who: Who
    """Who has the rights to do it."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=12)]
    """The steps in order."""
    verify: Verify | None = None
    """How to see that it worked."""
    rollback: Paragraph | None = None
    """How to take it back."""


class Scenario(Model):
    """A situation with its own cause."""

    when: Sentence
    """The situation."""
    cause: Sentence
    """What causes the failure in it."""
    check: Sentence
    """How to see that it is this one."""
    fix: Annotated[tuple[Slug, ...], Field(min_length=1, max_length=4)]
    """Ids of fixes of this entry."""


class Example(Model):
    """Code that does it right, for one stack."""

    stack: Words
    """The stack, such as PyTorch or DeepSpeed."""
    title: Words
    """What the code does."""
    lang: Literal["bash", "python", "yaml", "ini", "toml", "json"] = "python"
    """Its language."""
    code: Code
    """The code."""
    why: Paragraph
    """Why it avoids the failure."""
    tested: Literal["run", "parsed"] | None = None
    """`run`: was run. `parsed`: only its syntax was checked."""


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


class Monitor(Model):
    """An alert for this failure."""

    name: Words
    """Name of the alert."""
    expr: Code
    """Its expression, in the language of Prometheus unless the note says otherwise."""
    severity: Literal["page", "ticket", "info"]
    """Whom it should reach."""
    note: Sentence | None = None
    """What it shows and what it misses."""


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

    entry: Slug
    """The other entry."""
    relation: Relation
    """What this failure is to the other: this one `causes` it, is `caused-by` it, and so on."""
    note: Sentence | None = None
    """What connects them."""


class Reference(Model):
    """A source that was read."""

    id: Slug
    """The name by which `[@id]` cites it."""
    title: Words
    """Title, with version or section where it matters."""
    url: Https
    """Its address."""
    kind: ReferenceKind | None = None
    """Derived from the address where that can be."""
    accessed: Date | None = None
    """When it was read; the date of the review if nothing is said."""


class Reproduction(Model):
    """The script that makes the failure happen."""

    path: Annotated[str, Field(max_length=120, pattern=r"^reproductions/[a-z0-9-]+/[a-z0-9_.-]+$")]
    """Its path in the repository."""
    shows: Sentence
    """What its cases show."""
    environment: Words
    """Versions and kernel of the last run."""
    last_run: Date
    """Date of the last run."""


class Evidence(Model):
    """What the entry rests on."""

    level: Literal["reproduced", "documented", "reported"]
    """`reproduced`: a script makes it happen. `documented`: manuals or source say so. `reported`: only reports do."""
    note: Sentence | None = None
    """What the evidence does not cover."""
    reproduction: Reproduction | None = None
    """The script; its citation is `[@reproduction]`."""


class Sample(Model):
    """A log that must match, or must not."""

    expect: Literal["match", "no-match"]
    """`no-match`: no signature of this entry fires on it."""
    first: Annotated[bool, Field(strict=True)] | None = None
    """Whether this entry must rank first in the whole corpus; true where a cause signature matches."""
    origin: Literal["reproduced", "reported", "source"]
    """Where the log comes from."""
    ref: Slug | None = None
    """The reference that shows it; needed unless it was reproduced."""
    belongs_to: Slug | None = None
    """The entry that must rank first instead, for `no-match`."""
    log: Log | None = None
    """The lines."""
    file: Annotated[str, Field(max_length=120, pattern=r"^logs/[a-z0-9][a-z0-9.-]*\.log$")] | None = None
    """A longer log beside the entry, `logs/<slug>-<name>.log`."""

    @model_validator(mode="after")
    def _one_log(self) -> Sample:
        if (self.log is None) == (self.file is None):
            raise PydanticCustomError("one_log", "a sample has either 'log' or 'file'; give one of the two")
        return self


class Withdrawn(Model):
    """Why and when an entry was withdrawn."""

    date: Date
    """When."""
    reason: Paragraph
    """Why, and what holds instead."""


class Entry(Model):
    """One failure: how it shows, why it happens, how to find out and what to do."""

    title: Title
    """Names the cause, as short as it can be said."""
    summary: Summary
    """The quick answer, in one or two sentences."""
    kind: Literal["cause", "wrapper"] = "cause"
    """`wrapper`: a message that only reports another failure."""
    status: Status
    """Drafts and withdrawn entries keep a page but stay out of lists and matching."""
    superseded_by: Slug | None = None
    """The entry that takes the place of a withdrawn one."""
    withdrawn: Withdrawn | None = None
    """Needed if the status is withdrawn."""
    aliases: Annotated[tuple[Slug, ...], Field(max_length=20)] = ()
    """Former slugs and other names; each gets a page that leads here."""
    tags: Annotated[tuple[Slug, ...], Field(min_length=2, max_length=8)]
    """Two to eight tags of `_tags.yaml`."""
    impact: Annotated[tuple[Impact, ...], Field(min_length=1, max_length=3)]
    """What happens to the run."""
    scope: Scope
    """What it takes down with it."""
    silent: Annotated[bool, Field(strict=True)] = False
    """True for a failure that prints nothing; it then needs no signature and no sample that matches."""
    symptoms: Annotated[tuple[Symptom, ...], Field(min_length=1, max_length=12)]
    """What the reader sees."""
    search_keys: Annotated[tuple[Phrase, ...], Field(max_length=15)] = ()
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
