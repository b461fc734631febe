"""The commented skeleton of a new entry, and whether its name may be taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from faultbook.corpus import Corpus
from faultbook.project import Project, default_templates
from faultbook.reader import KeyPath, Source, read_source
from faultbook.scaffold.spelling import quoted
from faultbook.schema import SLUG, Entry, text_fields, texts
from faultbook.violations import did_you_mean

_NAME = "new-entry.yaml"


@dataclass(frozen=True)
class Beginning:
    """A new entry: where it goes, its text, and what becomes of the list of wanted ones."""

    path: Path
    text: str
    wanted: Path | None = None
    """The list that names the slug, if one does."""
    wanted_text: str = ""
    """The list without it."""


def refusal(corpus: Corpus, category: str, slug: str) -> str | None:
    """Why there can be no such entry, unless there can."""
    if category not in corpus.categories:
        near = did_you_mean(category, corpus.categories)
        return f"'{category}' is no category{near}; a new one is added to _categories.yaml first"
    if not SLUG.fullmatch(slug) or not 2 <= len(slug) <= 60:
        return f"'{slug}' is no slug; use 2 to 60 small letters, digits and single hyphens"
    if slug in corpus.records:
        return f"the entry '{slug}' exists; edit {corpus.records[slug].source.shown}"
    if slug in corpus.unreadable:
        return f"there is a file for '{slug}', and it cannot be read; 'faultbook check' says why"
    if owner := corpus.aliases().get(slug):
        return f"'{slug}' is an alias of '{owner}', and slugs are never used again; choose another name"
    if slug in corpus.released:
        return f"'{slug}' was public before, and slugs are never used again; choose another name"
    wanted = corpus.wanted.get(slug)
    if wanted is not None and wanted.category != category:
        return f"'{slug}' is wanted in the category '{wanted.category}'; write '{wanted.category}/{slug}'"
    return None


def begin(corpus: Corpus, project: Project, category: str, slug: str, draft: str | None = None) -> Beginning:
    """The draft, or else the skeleton, under a name that may be taken; nothing is written."""
    path = project.entries[0] / category / f"{slug}.yaml"
    skeleton = _skeleton(corpus, project, category)
    text = skeleton if draft is None else f"{draft}\n{_further(skeleton)}".rstrip("\n") + "\n"
    wanted = corpus.wanted.get(slug)
    if wanted is None:
        return Beginning(path, text)
    title = quoted(wanted.title)
    text = re.sub(r"^title: .*$", lambda _: f"title: {title}", text, count=1, flags=re.MULTILINE)
    if wanted.kind == "wrapper":
        text = re.sub(r"^(?=status: )", "kind: wrapper\n", text, count=1, flags=re.MULTILINE)
    source = corpus.vocabulary["_wanted.yaml"]
    return Beginning(path, text, source.path, without_key(source, slug))


def _skeleton(corpus: Corpus, project: Project, category: str) -> str:
    own = project.root / "templates" / _NAME
    text = (own if own.is_file() else default_templates() / _NAME).read_text("utf-8")
    tags = [name for name, tag in corpus.tags.items() if tag.group == category]
    tags = [*tags, *(name for name in corpus.tags if name not in tags)][:2]
    return re.sub(r"^tags: \[[^\]\n]*\]", f"tags: [{', '.join(tags)}]", text, count=1, flags=re.MULTILINE)


def _further(skeleton: str) -> str:
    """The commented fields of the skeleton, without the samples, which a draft has."""
    comments = skeleton.rpartition("\n\n")[2]
    if not all(line.startswith("#") for line in comments.splitlines()):
        return ""
    return re.sub(r"^# samples:\n(?:#   .*\n)*#\n", "", comments, flags=re.MULTILINE)


def wanted_like(corpus: Corpus, lines: Sequence[str]) -> list[str]:
    """The slugs of wanted entries that share at least two words with some lines; rare words count most."""
    said = set(_WORD.findall("\n".join(lines).lower()))
    words = {slug: set(_WORD.findall(f"{slug} {wanted.title}".lower())) for slug, wanted in corpus.wanted.items()}
    often = Counter(word for own in words.values() for word in own)
    worth = {slug: sum(1 / often[word] for word in own & said) for slug, own in words.items() if len(own & said) > 1}
    return sorted(worth, key=lambda slug: (-worth[slug], slug))[:3]


_WORD = re.compile(r"[a-z][a-z0-9]{3,}")


def left_over(entry: Entry) -> Iterator[tuple[KeyPath, str]]:
    """The texts of an entry that are still those of the skeleton, each with the way to it."""
    known = _skeleton_texts()
    for path, text, _, _ in text_fields(entry):
        if text in known:
            yield path, text
    for path, signature in entry.signatures().items():
        if any(text in known for text in signature.templates):
            yield path, signature.templates[0]


@cache
def _skeleton_texts() -> frozenset[str]:
    path = default_templates() / _NAME
    source, _ = read_source(path, _NAME)
    if source is None:
        return frozenset()
    entry = Entry.model_validate(source.data)
    templates = [text for signature in entry.signatures().values() for text in signature.templates]
    return frozenset((*texts(entry), *templates))


def without_key(source: Source, name: str) -> str:
    """The text of a vocabulary file without one of its names; comments stay."""
    lines = source.text.splitlines(keepends=True)
    start = source.locate((name,), key=True).line - 1
    end = start + 1
    while end < len(lines) and lines[end].startswith((" ", "\t")):
        end += 1
    return "".join(lines[:start] + lines[end:])
