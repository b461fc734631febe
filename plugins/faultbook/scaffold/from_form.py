"""A draft, or a sample, from a filled issue form; nothing that somebody typed becomes more than text.

What a field of an entry can hold goes there; what has no place without a judgement stands in comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from faultbook.corpus import Corpus
from faultbook.engine.mask import mask
from faultbook.engine.rules import Rules
from faultbook.marks import scan_text
from faultbook.scaffold.draft import Vocabulary, sample_rows, tags_for, template_for
from faultbook.scaffold.form import Form
from faultbook.scaffold.spelling import STANDS, quoted
from faultbook.scaffold.templating import fits
from faultbook.schema import Entry
from faultbook.violations import printable, shorten

_LINES, _SOURCES, _COMMENT, _TEMPLATES = 60, 8, 40, 4
_URL = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#-;=?-\[\]_a-z~]*)?")
# What could act as Markdown, as HTML or as a mark of ours, and what stands for it.
_TAME = str.maketrans({"<": "‹", ">": "›", "[": "(", "]": ")", "`": "'", "&": "+"})
_HYPHENATED = re.compile("[a-z0-9]+(?:-[a-z0-9]+)+")
_TITLE = "Cause of the failure, as short as it can be said"
_SUMMARY = "What happens and why, in one or two sentences of at least sixty characters together."


@dataclass(frozen=True)
class Maker:
    """What a draft is made with: the entries that there are, and the rules for logs."""

    corpus: Corpus
    rules: Rules

    def draft(self, form: Form, answer: Mapping[str, Any]) -> str:
        """The draft of a new failure; ``answer`` is the diagnosis of its log."""
        lines = [str(row["text"]) for row in answer["error_lines"]][:_LINES]
        templates = list(dict.fromkeys(found for line in lines if (found := template_for(line, self.rules))))
        sources = list(dict.fromkeys(url.rstrip(".,") for url in _URL.findall(form.value("Sources"))))[:_SOURCES]
        shown = [mask(line) for line in lines]
        rows = [*self._head(form), *self._fields(form, shown), *self._symptom(form, templates, sources)]
        if sources:
            rows += ["", "references:"]
            rows += [
                f"  - {{id: source-{at}, title: {quoted(_title(url))}, url: {quoted(url)}}}"
                for at, url in _numbered(sources)
            ]
        rows += [*self._samples(form, shown if templates else [], templates), *_comments(form)]
        return "\n".join(rows) + "\n"

    def sample(self, form: Form) -> str | None:
        """The sample that a false match adds to an entry; nothing if there is no such entry, or no log."""
        record = self.corpus.records.get(_slug(form.value("Entry that was named")))
        if record is None or not form.log("Log"):
            return None
        right = _slug(form.value("Entry that is right"))
        known = right in self.corpus.records or right in self.corpus.wanted
        rows = sample_rows([mask(line) for line in form.log("Log")[:_LINES]])[2:]
        rows[0] = "  - expect: no-match"
        if known and right != record.slug:
            rows.insert(1, f"    belongs_to: {right}")
        head = [f"# For {record.source.shown}, below 'samples:'.", *_comment("What it was", form.value("What it was"))]
        return "\n".join([*head, *rows]) + "\n"

    def _head(self, form: Form) -> Iterator[str]:
        category = form.value("Category").strip()
        place = category if category in self.corpus.categories else "CATEGORY"
        yield "# yaml-language-server: $schema=../_schema.json"
        yield f"# A draft from an issue form. Save it as entries/{place}/SLUG.yaml, with a slug that names the cause."
        yield "# Read each line: what varies is a guess, and secrets are masked by rules that do not know them all."
        yield "# 'faultbook doctor SLUG' says what is missing."

    def _fields(self, form: Form, shown: Sequence[str]) -> Iterator[str]:
        known = {name: tag.group for name, tag in self.corpus.tags.items()}
        words = [*shown, form.value("Cause"), form.value("Systems and versions")]
        tags = tags_for(words, Vocabulary(known))
        near = sorted(known, key=lambda tag: known[tag] != form.value("Category").strip())
        tags = [*tags, *(tag for tag in near if tag not in tags)][: max(2, len(tags))]
        (impacts, _), scopes = (get_args(Entry.model_fields[name].annotation) for name in ("impact", "scope"))
        impact = [word for word in dict.fromkeys(form.choices("Impact")) if word in get_args(impacts)][:3]
        scope = form.value("Scope").strip()
        yield f"title: {quoted(self.prose(form.value('Cause'), 80, _TITLE, 8))}"
        yield f"summary: {quoted(self.prose(form.value('Quick answer'), 240, _SUMMARY))}"
        yield "status: draft"
        yield f"tags: [{', '.join(tags)}] # a guess; two to eight of entries/_tags.yaml"
        yield f"impact: [{', '.join(impact or ['crash'])}]"
        yield f"scope: {scope if scope in scopes else 'job'}"

    def _symptom(self, form: Form, templates: Sequence[str], sources: Sequence[str]) -> Iterator[str]:
        cited = "".join(f" [@source-{at}]" for at, _ in _numbered(sources))
        yield ""
        yield "symptoms:"
        yield f"  - observed: {quoted(self.prose(form.value('What is seen'), 400, 'What the reader sees.'))}"
        means = self.prose(form.value("What it means"), 1000, "What it says about the cause.")
        yield f"    means: {quoted(means + cited)}"
        if templates:
            yield "    signatures:"
            yield f"      - text: {quoted(templates[0])}"
            yield from (f"      # - text: {quoted(template)}" for template in templates[1 : _TEMPLATES + 1])
        else:
            yield "    # No error line of the log gives a template; write one, with placeholders for what varies."

    def _samples(self, form: Form, shown: Sequence[str], templates: Sequence[str]) -> list[str]:
        if not shown:
            return []
        rows = sample_rows(shown)
        alike = [mask(line) for line in form.log("Log that looks alike")[:_LINES]]
        if alike and not any(fits(templates[0], line) for line in alike):
            other = sample_rows(alike)[2:]
            rows += [other[0].replace("match", "no-match"), *other[1:]]
        elif alike:
            rows += _comment("The signature matches the log that looks alike, too", "\n".join(alike))
        return rows

    def prose(self, text: str, limit: int, otherwise: str, least: int = 1) -> str:
        """Text of somebody as prose of an entry: one paragraph, without marks, names of entries as code."""
        line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
        if not STANDS.fullmatch(line):
            line = "".join(char for char in line if STANDS.fullmatch(char))
        if re.search(r"[<>\[\]&]", scan_text(line).bare) or line.count("`") % 2 or "``" in line or "[" in line:
            line = line.translate(_TAME)
        if any(self._is_name(found[0]) for found in _HYPHENATED.finditer(scan_text(line).bare)):
            line = _HYPHENATED.sub(self._as_code, line.replace("`", "'"))
        line = shorten(line, limit)
        if line.count("`") % 2:
            line = line.replace("`", "'")
        return line if least <= len(line) else otherwise

    def _as_code(self, found: re.Match[str]) -> str:
        return f"`{found[0]}`" if self._is_name(found[0]) else found[0]

    def _is_name(self, word: str) -> bool:
        return word in self.corpus.records or word in self.corpus.wanted or word in self.corpus.unreadable


def _numbered(sources: Sequence[str]) -> Iterator[tuple[int, str]]:
    return enumerate(sources, 1)


def _title(url: str) -> str:
    return shorten(url.removeprefix("https://"), 120)


def _slug(text: str) -> str:
    """The slug in what somebody typed: itself, a path, or the address of its page."""
    words = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.strip().lower().removesuffix(".yaml")[:300])
    return words[-1] if words else ""


def _comments(form: Form) -> Iterator[str]:
    for label in ("How to make sure", "Fix", "Systems and versions"):
        yield from _comment(label, form.value(label))


def _comment(label: str, text: str) -> list[str]:
    """What somebody wrote, as comments; nothing if it is empty."""
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if not lines:
        return []
    rows = ["", f"# {label}, as the form says:"]
    rows += [f"#   {shorten(printable(line), 200)}" for line in lines[:_COMMENT]]
    return rows + (["#   ..."] if len(lines) > _COMMENT else [])
