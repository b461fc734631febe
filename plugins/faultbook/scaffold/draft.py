"""A proposed entry from the answer to a log. Its twin is `assets/engine/draft.js`.

It is valid as a draft, and says in its comments what is to be done with it. Nothing of the log stands in it unmasked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from faultbook.engine.mask import mask
from faultbook.engine.normalise import normalise
from faultbook.engine.rules import Rules
from faultbook.engine.scan import Piece
from faultbook.scaffold.spelling import literal, quoted
from faultbook.scaffold.templating import fits, template_of

_FURTHER, _NEAR, _TAGS, _FEWEST = 4, 5, 4, 2


@dataclass(frozen=True)
class Vocabulary:
    """The tags of the corpus, each with the category that it is nearest to."""

    tags: Mapping[str, str]
    category: str = ""
    """The category that the draft is written for, if that is known."""


def draft_text(answer: Mapping[str, Any], titles: Mapping[str, str], rules: Rules, known: Vocabulary) -> str | None:
    """The draft for the error lines that no entry describes; nothing if none of them gives a template.

    ``titles`` holds the titles of the entries that the answer names.
    """
    lines = [str(row["text"]) for row in answer["error_lines"]]
    templates = list(dict.fromkeys(found for line in lines if (found := template_for(line, rules))))
    if not templates:
        return None
    shown = [mask(line) for line in lines]
    tags = tags_for(shown, known)
    rows = [
        *_head(tags, known),
        *_near(answer, titles),
        *_fields(tags, known),
        *_symptoms(templates),
        *sample_rows(shown),
    ]
    return "\n".join(rows) + "\n"


def template_for(line: str, rules: Rules) -> str | None:
    """The template of a line without its prefixes, if it matches the line and keeps the rules of form."""
    events = normalise([Piece(0, 1, line.encode("utf-8", "replace"))], rules)
    found = template_of(mask(events[0].text), rules) if events else None
    return found if found is not None and fits(found, line) else None


def _head(tags: Sequence[str], known: Vocabulary) -> list[str]:
    place = known.tags[tags[0]] if tags else "CATEGORY"
    begin = ["# yaml-language-server: $schema=../_schema.json"]
    if known.category:
        return [
            *begin,
            "# A draft from a log. Read each line: what varies is a guess, and secrets are masked by rules that do not",
            "# know them all. 'faultbook doctor SLUG' says what is missing; below stands how each field looks.",
        ]
    return [
        *begin,
        f"# A draft from a log. Save it as entries/{place}/SLUG.yaml, with a slug that names the cause. Read each",
        "# line: what varies is a guess, and secrets are masked by rules that do not know them all.",
        "# 'faultbook doctor SLUG' says what is missing.",
    ]


def _near(answer: Mapping[str, Any], titles: Mapping[str, str]) -> list[str]:
    """The entries that the log comes nearest to, as a comment."""
    rows = [*answer["findings"], *answer["similar"]]
    slugs = dict.fromkeys(str(row["entry"]) for row in rows)
    near = [slug for slug in slugs if slug in titles][:_NEAR]
    if not near:
        return []
    question = "# Is it one of these? Then the lines belong there, as a signature and a sample."
    return ["#", question, *(f"# - {slug}: {' '.join(titles[slug].split())}" for slug in near)]


def tags_for(lines: Sequence[str], known: Vocabulary) -> list[str]:
    """The tags of which every word stands in the lines, those of several words first."""
    words = set(re.findall("[a-z0-9]+", "\n".join(lines).lower()))
    found = [tag for tag in sorted(known.tags) if words.issuperset(tag.split("-"))]
    return sorted(found, key=lambda tag: -len(tag.split("-")))[:_TAGS]


def _fields(tags: Sequence[str], known: Vocabulary) -> list[str]:
    category = known.category or (known.tags[tags[0]] if tags else "")
    others = sorted(set(known.tags).difference(tags), key=lambda tag: (known.tags[tag] != category, tag))
    filled = [*tags, *others][: max(_FEWEST, len(tags))]
    words = "their words stand in the lines" if len(tags) >= _FEWEST else "REPLACE what does not fit"
    return [
        'title: "Cause of the failure, as short as it can be said"',
        "summary: >-",
        "  What happens and why, in one or two sentences of at least sixty characters together.",
        "status: draft",
        f"tags: [{', '.join(filled)}] # {words}; two to eight of entries/_tags.yaml",
        "impact: [crash] # fails-to-start, crash, hang, slowdown, wrong-results, data-loss, resource-leak",
        "scope: job # rank, job, node, cluster",
    ]


def _symptoms(templates: Sequence[str]) -> list[str]:
    first, *others = templates
    rows = [
        "",
        "symptoms:",
        "  - observed: What the reader sees.",
        "    means: What it says about the cause.",
        "    signatures:",
        f"      - text: {quoted(first)}",
    ]
    if others:
        rows.append("      # Later error lines. One that only follows from the cause gets 'role: downstream'.")
    return rows + [f"      # - text: {quoted(template)}" for template in others[:_FURTHER]]


def sample_rows(lines: Sequence[str]) -> list[str]:
    """The sample of these lines, as the rows of an entry."""
    log = "".join(f"{line}\n" for line in lines)
    first, *rest = literal(log, 6) or [quoted(log)]
    return ["", "samples:", "  - expect: match", "    origin: reported", f"    log: {first}", *rest]
