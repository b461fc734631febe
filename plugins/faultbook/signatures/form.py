"""The rules of form that keep templates precise and matching linear; they need no log."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator

from faultbook.signatures.template import TYPES, Fault, Placeholder, Template

MAX_GAPS = 4
LEAST_LETTERS = 6
# Lines are found by what stands between characters that a log of JSON lines may escape.
_ESCAPED = re.compile(r'["\\<>&]|[^ -~]')
_SLIP = re.compile(r"(?<!\\)<(?P<type>[A-Za-z]{2,12})(?::(?P<name>[^<>\s]{0,60}))?>")


def form_faults(template: Template) -> Iterator[Fault]:
    """Everything that is wrong with the form of a template."""
    yield from _slips(template)
    parts = template.parts
    runs = [run for literal in template.literals for run in _ESCAPED.split(literal)]
    if not any(len(re.findall("[A-Za-z]", run)) >= LEAST_LETTERS for run in runs):
        yield Fault(
            "template-open", f"has no literal part of {LEAST_LETTERS} letters; keep more of the line's own words"
        )
    if parts and isinstance(parts[0], Placeholder):
        yield Fault("template-start", f"starts with {parts[0]}; begin with the first word that never varies")
    for left, right in itertools.pairwise(parts):
        if isinstance(left, Placeholder) and isinstance(right, Placeholder):
            yield Fault("template-touching", f"{left} and {right} touch; use one of them, or put text between")
        if left == Placeholder("*") and right == " ":
            yield Fault("template-start", "a segment after <*> holds a blank only; remove the gap")
    for gap, follower in _after_gaps(template):
        if isinstance(follower, Placeholder):
            yield Fault("template-start", f"{gap} is followed by {follower}; a segment starts with literal text")
    gaps = sum(part == Placeholder("*") for part in parts)
    if gaps > MAX_GAPS:
        yield Fault("template-gaps", f"has {gaps} gaps <*>, at most {MAX_GAPS} are allowed; use typed placeholders")
    names = [part.name for part in parts if isinstance(part, Placeholder) and part.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Fault("template-name", f"names two placeholders '{name}'; give each its own name")


def _after_gaps(template: Template) -> Iterator[tuple[Placeholder, object]]:
    """What comes after each gap, apart from a single blank."""
    parts = template.parts
    for position, part in enumerate(parts):
        if isinstance(part, Placeholder) and part.type == "*":
            rest = [other for other in parts[position + 1 : position + 3] if other != " "]
            if rest and rest[0] != parts[position + 1]:
                yield part, rest[0]


def _slips(template: Template) -> Iterator[Fault]:
    """Words in angle brackets that look like a known placeholder and are none."""
    for found in _SLIP.finditer(template.text):
        kind, name = found["type"], found["name"]
        if kind in TYPES and name is not None and not re.fullmatch("[A-Za-z_]{1,40}", name):
            message = f"{found[0]} is no placeholder; a name has 1 to 40 letters and underscores"
            yield Fault("template-slip", f"{message}. A literal one is written \\{found[0]}")
        elif kind not in TYPES and (near := difflib.get_close_matches(kind.lower(), TYPES, n=1, cutoff=0.65)):
            message = f"<{kind}> is no placeholder; did you mean <{near[0]}>? A literal one is written \\<{kind}>"
            yield Fault("template-slip", message)
