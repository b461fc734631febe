"""The page that diagnoses logs, and the samples that can be tried on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname
from typing import Any

from jinja2 import Environment

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.render.page import Document, Heading, Rendered, plain_title

URL = "diagnose/"
SAMPLES_URL = "assets/faultbook/samples/"
STYLES = "assets/faultbook/diagnose.css"
SAMPLES = 6
SECTIONS = {
    "cause": "Cause",
    "possible": "Possible causes",
    "missing": "What is missing",
    "errors": "First error lines",
    "downstream": "Only downstream",
    "ranks": "First failure per rank",
    "unmatched": "Unmatched error lines",
    "similar": "Similar, not a match",
    "notices": "Harmless notices",
    "episodes": "Attempts in this log",
}
"""The sections of an answer, by anchor, in the order of the page."""


@dataclass(frozen=True)
class SampleLog:
    """A sample of a published entry that can be tried."""

    slug: str
    title: str
    text: str

    @property
    def url(self) -> str:
        """Its address, relative to the root of the site."""
        return f"{SAMPLES_URL}{self.slug}.txt"

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())


def sample_logs(corpus: Corpus) -> list[SampleLog]:
    """The longest sample of some entries, featured entries first."""
    records = {record.slug: record for record in corpus.published()}
    order = dict.fromkeys([*(slug for slug in corpus.featured if slug in records), *records])
    found = (_longest(records[slug]) for slug in order)
    return [sample for sample in found if sample is not None][:SAMPLES]


def _longest(record: Record) -> SampleLog | None:
    texts = [record.log(sample) for sample in record.entry.samples if sample.expect == "match"]
    longest = max((text for text in texts if text), key=len, default=None)
    return SampleLog(record.slug, plain_title(record.entry.title), longest) if longest else None


def sample_files(corpus: Corpus) -> Mapping[str, str]:
    """The text of each sample by its address."""
    return {sample.url: sample.text for sample in sample_logs(corpus)}


def diagnose_document(corpus: Corpus, environment: Environment, edit: str = "") -> Document:
    """The page; a script fills its sections with an answer and shows those that have something to say.

    ``edit`` is the address before the files of the repository where they are edited, if there is one.
    """

    def render() -> Rendered:
        samples = sample_logs(corpus)
        html = environment.get_template("diagnose.html").render(
            root="../", samples=samples, sections=SECTIONS, entry_url=entry_url, **_drafting(corpus, edit)
        )
        return Rendered(html, tuple(Heading(name, text) for name, text in SECTIONS.items()))

    description = "Finds the failure that came first in a log of a training run. The log is read in your browser only."
    return Document(URL, "Diagnose a log", render, description, styles=STYLES, answers=True)


def _drafting(corpus: Corpus, edit: str) -> dict[str, Any]:
    """What the page needs to make a draft: tags with their categories, and where a new file goes."""
    vocabulary = corpus.vocabulary.get("_tags.yaml")
    folder = dirname(vocabulary.shown) if vocabulary else ""
    here = bool(folder) and not folder.startswith(("/", ".."))
    start = edit.removesuffix("/edit/main/")
    return {
        "tags": {name: tag.group for name, tag in corpus.tags.items()},
        "folder": folder if here else "entries",
        "new_file": f"{start}/new/main" if here and start != edit else "",
    }
