"""Checks of sources: every citation has one, every source is cited, and the mechanism rests on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.texts import read_texts
from faultbook.corpus import Record
from faultbook.links import REPRODUCTION
from faultbook.violations import Violation, did_you_mean, shorten

_DOCS = '  - {id: docs, title: "PyTorch, torch.utils.data", url: "https://docs.pytorch.org/docs/stable/data.html"}\n'
_SHM = "https://man7.org/linux/man-pages/man7/shm_overview.7.html"
_TMPFS = "https://man7.org/linux/man-pages/man5/tmpfs.5.html"
EVIDENCE = (
    "evidence:\n  level: reproduced\n  reproduction:\n    path: reproductions/shm-exhausted/reproduce.py\n"
    "    shows: A worker that fills a small tmpfs\n"
)
"""What an entry with a script says of it, for examples."""


class UnknownCitation(Check):
    """A citation names no reference of its entry.

    Each citation becomes a link to its source at the end of the page. Add the source to `references`, or correct the
    id. `[@reproduction]` is always known and stands for the script under `evidence`.
    """

    code = "unknown-citation"
    failing = Example("perspectives:\n  lead: Containers get 64 MB of shared memory by default. [@doc]\n")
    passing = Example("perspectives:\n  lead: Containers get 64 MB of shared memory by default. [@docs]\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each citation without source."""
        known = {reference.id for reference in record.entry.references}
        seen = set()
        for placed in read_texts(record).marks:
            cited = placed.mark.target
            if placed.mark.kind != "citation" or cited in known or cited == REPRODUCTION:
                continue
            if (placed.path, cited) not in seen:
                seen.add((placed.path, cited))
                near = did_you_mean(cited, known)
                message = f"no reference has the id '{shorten(cited, 40)}'{near}; add it to 'references'"
                yield self.at(record, placed.path, message, near=f"[@{cited}]")


class UncitedReference(Check):
    """A reference is cited nowhere.

    A source that no statement rests on leaves the reader to guess what it is for. Cite it with `[@id]` where it says
    what the text says, name it as `ref` of a sample, or remove it.
    """

    code = "uncited-reference"
    failing = Example(f"references:\n{_DOCS}  - {{id: shm, title: shm_overview(7), url: {_SHM}}}\n")
    passing = Example(f"references:\n{_DOCS}")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each reference that nothing names."""
        used = {placed.mark.target for placed in read_texts(record).marks if placed.mark.kind == "citation"}
        used |= {sample.ref for sample in record.entry.samples if sample.ref}
        for i, reference in enumerate(record.entry.references):
            if reference.id not in used:
                message = f"'{reference.id}' is not cited; write [@{reference.id}] where it is the source, or remove it"
                yield self.at(record, ("references", i, "id"), message)


class UncitedParagraph(Check):
    """A paragraph of the mechanism does not end in citations.

    The mechanism explains, and an explanation without source cannot be checked by its reader. End the paragraph, or
    the last item of its list, with `[@id]` of what it rests on.
    """

    code = "uncited-paragraph"
    _told = (
        "The main process and its workers share batches through files in /dev/shm. A worker that writes to a page\n"
        "  which the file system cannot supply gets SIGBUS, because a store to memory has no return value.\n"
    )
    failing = Example(f"mechanism: |\n  {_told}\n  Docker gives a container 64 MB. [@docs]\n")
    passing = Example(f"mechanism: |\n  {_told}  [@docs]\n\n  Docker gives a container 64 MB. [@docs]\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each paragraph of a published entry that cites nothing at its end."""
        if not record.published or record.entry.mechanism is None:
            return
        for paragraph in _paragraphs(record.entry.mechanism):
            if not _CITED.search(paragraph):
                words = paragraph.split("\n", 1)[0]
                message = f"the paragraph '{shorten(words, 40)}' does not end in a citation; add [@id] of its source"
                yield self.at(record, ("mechanism",), message, near=words)


_CITED = re.compile(r"\[@[^\]\n]+\][\s.;,]*\Z")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]|[ \t]{2,}")


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text; a list belongs to the paragraph before it."""
    current = ""
    for block in re.split(r"\n[ \t]*\n", text.strip()):
        if current and not _ITEM.match(block):
            yield current
            current = block
        else:
            current = f"{current}\n\n{block}" if current else block
    if current:
        yield current


class DuplicateReference(Check):
    """Two references have the same id or the same address.

    A citation must lead to one source, and a source has one number on the page. Merge the two and cite the one that
    stays.
    """

    code = "duplicate-reference"
    failing = Example(
        "perspectives:\n  lead: POSIX shared memory is a tmpfs. [@shm] [@overview]\n"
        f"references:\n{_DOCS}  - {{id: shm, title: shm_overview(7), url: {_SHM}}}\n"
        f"  - {{id: overview, title: Overview of shared memory, url: {_SHM}}}\n"
    )
    passing = Example(
        "perspectives:\n  lead: POSIX shared memory is a tmpfs. [@shm] [@tmpfs]\n"
        f"references:\n{_DOCS}  - {{id: shm, title: shm_overview(7), url: {_SHM}}}\n"
        f"  - {{id: tmpfs, title: tmpfs(5), url: {_TMPFS}}}\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the later of the two."""
        ids: set[str] = set()
        urls: dict[str, str] = {}
        for i, reference in enumerate(record.entry.references):
            if reference.id in ids:
                message = f"the id '{reference.id}' is taken by another reference; choose another"
                yield self.at(record, ("references", i, "id"), message)
            elif reference.url in urls:
                message = f"'{urls[reference.url]}' has the same address; merge the two"
                yield self.at(record, ("references", i, "url"), message)
            ids.add(reference.id)
            urls.setdefault(reference.url, reference.id)


class ReservedId(Check):
    """A reference has the id `reproduction`.

    `[@reproduction]` stands for the script under `evidence`. Give the reference another id.
    """

    code = "reserved-id"
    failing = Example(
        "perspectives:\n  lead: POSIX shared memory is a tmpfs. [@reproduction]\n"
        f"references:\n{_DOCS}  - {{id: reproduction, title: shm_overview(7), url: {_SHM}}}\n"
        f"{EVIDENCE}"
    )
    passing = Example(
        "perspectives:\n  lead: POSIX shared memory is a tmpfs. [@shm]\n"
        f"references:\n{_DOCS}  - {{id: shm, title: shm_overview(7), url: {_SHM}}}\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the id."""
        for i, reference in enumerate(record.entry.references):
            if reference.id == REPRODUCTION:
                message = f"'{REPRODUCTION}' is the citation of the script under 'evidence'; choose another id"
                yield self.at(record, ("references", i, "id"), message)


class UnknownSampleRef(Check):
    """`ref` of a sample names no reference of its entry.

    The reference tells where the log was published. Add it to `references`, or correct the id.
    """

    code = "unknown-sample-ref"
    _sample = "  - {expect: no-match, origin: reproduced, log: Killed}\n"
    _match = "    log: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory\n"
    failing = Example(f"samples:\n  - expect: match\n    origin: reported\n    ref: doc\n{_match}{_sample}")
    passing = Example(f"samples:\n  - expect: match\n    origin: reported\n    ref: docs\n{_match}{_sample}")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the `ref`."""
        known = {reference.id for reference in record.entry.references}
        for i, sample in enumerate(record.entry.samples):
            if sample.ref is not None and sample.ref not in known:
                message = f"no reference has the id '{sample.ref}'{did_you_mean(sample.ref, known)}; add it"
                yield self.at(record, ("samples", i, "ref"), message)


class ReproductionMissing(Check):
    """The entry speaks of a reproduction that is not there.

    `[@reproduction]` leads to the script of this entry, which lies at `reproductions/<slug>/`. Name it under
    `evidence.reproduction`, add the file, or cite another source.
    """

    code = "reproduction-missing"
    failing = Example("perspectives:\n  lead: The worker ends within a second. [@reproduction]\n")
    passing = Example(f"perspectives:\n  lead: The worker ends within a second. [@reproduction]\n{EVIDENCE}")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the citation, or at the path of the script."""
        evidence = record.entry.evidence
        reproduction = evidence.reproduction if evidence else None
        if reproduction is None:
            for placed in read_texts(record).marks:
                if placed.mark.kind == "citation" and placed.mark.target == REPRODUCTION:
                    message = "the entry has no 'evidence.reproduction'; name the script there, or cite another source"
                    yield self.at(record, placed.path, message, near=f"[@{REPRODUCTION}]")
            return
        at = ("evidence", "reproduction", "path")
        if reproduction.path.split("/")[1] != record.slug:
            yield self.at(record, at, f"the script of this entry lies in 'reproductions/{record.slug}/'; move it there")
        elif context.has_reproductions and record.script(context.root) is None:
            yield self.at(record, at, f"there is no file '{reproduction.path}'; add it")


CHECKS: tuple[Check, ...] = (
    UnknownCitation(),
    UncitedReference(),
    UncitedParagraph(),
    DuplicateReference(),
    ReservedId(),
    UnknownSampleRef(),
    ReproductionMissing(),
)
