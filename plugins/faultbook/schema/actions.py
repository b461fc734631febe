"""What a reader does: checks, fixes, examples, alerts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from faultbook.schema.commands import AnyCommand
from faultbook.schema.fields import Code, FixId, Model, Paragraph, Sentence, Slug, Title, Words

Who = Literal["user", "node-admin", "cluster-admin", "vendor"]


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

    id: FixId
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
    fix: Annotated[tuple[FixId, ...], Field(min_length=1, max_length=4)]
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
