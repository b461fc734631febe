"""A filled issue form as data: GitHub writes each field as a heading with its label, and the value below."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NEW_FAILURE = "New failure"
FALSE_MATCH = "False match"
WRONG_ENTRY = "Wrong or outdated entry"
LABELS: Mapping[str, tuple[str, ...]] = {
    NEW_FAILURE: (
        "Cause",
        "Category",
        "Quick answer",
        "Impact",
        "Scope",
        "What is seen",
        "What it means",
        "Log",
        "Log that looks alike",
        "How to make sure",
        "Fix",
        "Systems and versions",
        "Sources",
        "Terms",
    ),
    FALSE_MATCH: ("Entry that was named", "Entry that is right", "Log", "What it was", "Terms"),
    WRONG_ENTRY: ("Entry", "Part of the page", "What is wrong", "What is right", "Sources", "Harm"),
}
"""The labels of each form in its order, as in the files under ``.github/ISSUE_TEMPLATE/``."""
LIMIT = 200_000
"""So many characters of a form are read; GitHub takes 65,536."""
_EMPTY = "_No response_"


@dataclass(frozen=True)
class Form:
    """A filled form: its name, and the value of each field that is filled in."""

    name: str
    values: Mapping[str, str]

    def value(self, label: str) -> str:
        """The value of a field; empty if nothing was filled in."""
        return self.values.get(label, "")

    def log(self, label: str) -> list[str]:
        """The lines of a field that GitHub puts into a fence, without the fence."""
        lines = self.value(label).split("\n")
        if lines[0].startswith("```"):
            lines = lines[1:-1] if len(lines) > 1 and lines[-1].startswith("```") else lines[1:]
        return [line for line in lines if line.strip()]

    def choices(self, label: str) -> list[str]:
        """The values of a field of which several may be chosen."""
        return [word for word in re.split(r"[,\s]+", self.value(label)) if word]


def parse_form(text: str) -> Form | None:
    """The form that a text was made by; nothing if it is none.

    A heading counts only as the next label of the form that is due or a later one, so that a value with the same words
    takes the place of no field before it.
    """
    lines = text[:LIMIT].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((line[4:].strip() for line in lines if line.startswith("### ")), "")
    name = next((name for name, labels in LABELS.items() if labels[0] == first), None)
    if name is None:
        return None
    due = list(LABELS[name])
    values: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        label = line[4:].strip() if line.startswith("### ") else ""
        if label in due:
            del due[: due.index(label) + 1]
            current = values.setdefault(label, [])
        else:
            current.append(line)
    filled = {label: "\n".join(rows).strip("\n") for label, rows in values.items()}
    return Form(name, {label: value for label, value in filled.items() if value.strip() not in ("", _EMPTY)})
