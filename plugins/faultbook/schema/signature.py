"""Symptoms, and the templates of the lines that show them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from faultbook.schema.fields import Comparison, Model, Paragraph, Sentence, Slug, Template, Templates, Versions, Words

Role = Literal["cause", "ambiguous", "downstream", "notice"]


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
