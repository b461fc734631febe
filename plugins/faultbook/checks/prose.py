"""Checks of prose: what it is made of, and that it says something of this entry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.texts import read_texts
from faultbook.corpus import Record
from faultbook.violations import Level, Violation, shorten


class InsecureLink(Check):
    """A link in prose leads somewhere else than to an https address.

    The site links to https alone: other addresses can be changed on the way, run code, or mean another page after a
    move. Use the https address of the source, better as a reference that is cited.
    """

    code = "insecure-link"
    failing = Example("perspectives:\n  lead: See [the manual](http://docs.kernel.org/) of the kernel.\n")
    passing = Example("perspectives:\n  lead: See [the manual](https://docs.kernel.org/) of the kernel.\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such link."""
        texts = read_texts(record)
        if "](" not in texts.bare and "]:" not in texts.bare and "<" not in texts.bare:
            return
        for found in _LINK.finditer(texts.bare):
            url = found[1] or found[2] or found[3] or ""
            if not re.match(r"https://[A-Za-z0-9]", url):
                message = f"the link leads to '{shorten(url, 60)}'; use an https address"
                yield self.at(record, texts.path_at(found.end(found.lastindex or 0)), message, near=url)


_LINK = re.compile(
    r"\]\([ \t\n]*<?([^\s)>\0]*)"
    r"|(?:^|(?<=\0))[ ]{0,3}\[[^\]\n\0]+\]:[ \t]*<?([^\s>\0]+)>?[ \t]*(?=[\"'(\n\0]|\Z)"
    r"|<([a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>\0]*)>",
    re.MULTILINE,
)


class HtmlInText(Check):
    """Prose holds an HTML tag or entity.

    Prose is Markdown without HTML, and a tag is shown as it stands. Put code, such as `<int>` or `<device>`, between
    backticks; write emphasis and lists in Markdown, and characters such as a dash as themselves.
    """

    code = "html-in-text"
    failing = Example("perspectives:\n  lead: Set <b>shm-size</b> for each container.\n")
    passing = Example("perspectives:\n  lead: Set `shm-size` for each container.\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each tag and entity."""
        texts = read_texts(record)
        if "<" not in texts.bare and "&" not in texts.bare:
            return
        for found in _HTML.finditer(texts.bare):
            message = f"'{shorten(found[0], 40)}' is HTML; put code between backticks, else write Markdown"
            yield self.at(record, texts.path_at(found.start()), message, near=found[0])


_HTML = re.compile(
    r"</?[A-Za-z][A-Za-z0-9-]*(?:[ \t\n/][^<>\0]*)?>|<[!?][^<>\0]*>"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
)


class Filler(Check):
    """Prose holds a phrase that carries no fact.

    The reader's job is dead; every sentence stands between them and the cause. Delete the phrase, or say what is meant:
    which step, which number, which source.
    """

    code = "filler"
    level = Level.WARNING
    failing = Example("perspectives:\n  lead: It is important to note that a container has 64 MB of it.\n")
    passing = Example("perspectives:\n  lead: A container has 64 MB of it.\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each phrase in a published entry."""
        if not record.published:
            return
        texts = read_texts(record)
        lower = texts.lower
        for phrase, inner in _FILLER.items():
            start = lower.find(phrase) if inner is None or inner in texts.words else -1
            while start >= 0:
                end = start + len(phrase)
                if not _is_letter(lower, start - 1) and not _is_letter(lower, end):
                    message = f"'{phrase}' carries no fact; delete it, or say what is meant"
                    yield self.at(record, texts.path_at(start), message, near=texts.bare[start:end])
                start = lower.find(phrase, end)


def _is_letter(text: str, position: int) -> bool:
    return 0 <= position < len(text) and (text[position].isalnum() or text[position] in "-_")


_PHRASES = """
a wide range of
a wide variety of
and much more
as we all know
best practice
best practices
crucial role
cutting-edge
delve into
game changer
hope this helps
in conclusion
in order to ensure
in production this failure
in the realm of
in today's
in today’s
industry-standard
it goes without saying
it is crucial to
it is essential to
it is important to
it is recommended that you
it is worth noting
it should be noted
it's important to
it's worth noting
leverage
leverages
leveraging
make sure that you
make sure to
needless to say
please note
robust solution
seamless
seamlessly
state-of-the-art
there are several reasons
there are various reasons
when it comes to
"""
_FILLER = {
    phrase: max(inner, key=len) if (inner := phrase.split()[1:-1]) else None for phrase in _PHRASES.strip().split("\n")
}
"""Each phrase with a word from its middle, which stands between blanks wherever the phrase does."""


class FaqGeneric(Check):
    """An answer of the FAQ names nothing of its entry.

    An answer that shares no word with title, summary, signatures, mechanism and tags is true of any failure, and helps
    with none. Say what holds for this one, or remove the question.
    """

    code = "faq-generic"
    level = Level.WARNING
    failing = Example(
        "faq:\n  - q: How do I debug this?\n    a: Read every message carefully, then restart everything.\n"
    )
    passing = Example(
        "faq:\n  - q: Is it lost?\n    a: No. Shared memory holds batches alone, and a restart makes them new.\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each answer that is about nothing."""
        if not record.entry.faq:
            return
        entry = record.entry
        own = [entry.title, entry.summary, entry.mechanism or "", *entry.tags]
        own += [text for signature in entry.signatures().values() for text in signature.templates]
        subject = " ".join(own).lower()
        for i, question in enumerate(entry.faq):
            words = (word.rstrip("s") for word in re.findall(r"[a-z0-9_]{5,}", question.a.lower()))
            if not any(word in subject for word in words if len(word) >= 5 and word not in _COMMON):
                message = "the answer names nothing of this entry; say what holds for it, or remove the question"
                yield self.at(record, ("faq", i, "a"), message)


_COMMON_WORDS = (
    "about above after again alway another because before being below between cannot could different doing during "
    "either error every first found going great however issue known later least message might multiple never often "
    "other please possible problem really right several should since something sometime still their there therefore "
    "these thing think those through under until using usually value where whether which while without would wrong "
    "yourself"
)
_COMMON = frozenset(_COMMON_WORDS.split())


class SummaryRepeatsTitle(Check):
    """The summary says little more than the title.

    The summary is the quick answer: what happens, why, and what ends it, in one or two sentences. Say what the title
    leaves out.
    """

    code = "summary-repeats-title"
    level = Level.WARNING
    failing = Example(
        "title: Shared memory too small for DataLoader workers\n"
        "summary: The shared memory is too small for the workers of the DataLoader, it is much too small.\n"
    )
    passing = Example(
        "title: Shared memory too small for DataLoader workers\n"
        "summary: Workers hand batches over in /dev/shm. When it is full, a write to it ends the worker with SIGBUS.\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the summary."""
        entry = record.entry
        title, summary = (set(re.findall(r"\w{4,}", text.lower())) for text in (entry.title, entry.summary))
        if record.published and len(summary - title) < _LEAST_NEW:
            message = "the summary says little more than the title; say what happens, why, and what ends it"
            yield self.at(record, ("summary",), message)


_LEAST_NEW = 4

CHECKS: tuple[Check, ...] = (
    InsecureLink(),
    HtmlInText(),
    Filler(),
    FaqGeneric(),
    SummaryRepeatsTitle(),
)
