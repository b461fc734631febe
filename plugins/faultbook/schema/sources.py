"""What an entry rests on: references, a reproduction, sample logs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from faultbook.schema.fields import Date, Https, Log, Model, OtherEntry, ReferenceId, Sentence, Words

ReferenceKind = Literal["docs", "source", "issue", "pull-request", "man-page", "paper"]


class Reference(Model):
    """A source that was read."""

    id: ReferenceId
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

    path: Annotated[
        str,
        Field(
            max_length=120,
            pattern=r"^reproductions/[a-z0-9-]+/[a-z0-9_.-]+$",
            examples=["reproductions/master-port-in-use/reproduce.py"],
        ),
    ]
    """Its path in the repository."""
    shows: Sentence
    """What its cases show."""


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
    ref: ReferenceId | None = None
    """The reference that shows it; needed unless it was reproduced."""
    belongs_to: OtherEntry | None = None
    """The entry that must rank first instead, for `no-match`."""
    log: Log | None = None
    """The lines."""
    file: (
        Annotated[
            str,
            Field(
                max_length=120,
                pattern=r"^logs/[a-z0-9][a-z0-9.-]*\.log$",
                examples=["logs/master-port-in-use-two-jobs.log"],
            ),
        ]
        | None
    ) = None
    """A longer log beside the entry, `logs/<slug>-<name>.log`."""

    @model_validator(mode="after")
    def _one_log(self) -> Sample:
        if (self.log is None) == (self.file is None):
            raise PydanticCustomError("one_log", "a sample has either 'log' or 'file'; give one of the two")
        return self
