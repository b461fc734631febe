"""Places at which a check is wrong, each with its reason; one that hides nothing is a violation itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exemption:
    """A check that is not held against one entry, and why."""

    code: str
    slug: str
    reason: str


EXEMPTIONS: tuple[Exemption, ...] = ()
