"""Checks of names that must stay what they are: categories, aliases, wanted, released and superseded slugs."""

from __future__ import annotations

from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import Source
from faultbook.schema import Status
from faultbook.violations import Violation, did_you_mean


class UnknownCategory(Check):
    """The directory of an entry, or the category of a wanted one, is no category.

    The directory decides under which category the entry is listed. Move the file to a directory that
    `_categories.yaml` names; a new category is added there first.
    """

    code = "unknown-category"
    failing = Example(path="dta/shm-exhausted.yaml")
    passing = Example()

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the top of the file."""
        known = context.corpus.categories
        if record.category not in known and "_categories.yaml" not in context.corpus.incomplete:
            near = did_you_mean(record.category, known)
            message = f"the category '{record.category}' is not in _categories.yaml{near}; move the file"
            yield self.at(record, (), message)

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at the category of a wanted entry."""
        known = context.corpus.categories
        for slug, wanted in context.corpus.wanted.items():
            if wanted.category not in known and "_categories.yaml" not in context.corpus.incomplete:
                near = did_you_mean(wanted.category, known)
                message = f"the category '{wanted.category}' is not in _categories.yaml{near}; name one that is"
                yield self.in_vocabulary(context, "_wanted.yaml", (slug, "category"), message, key=False)


class AliasTaken(Check):
    """An alias is the slug of an entry, the alias of another one, or stands twice.

    Each alias gets a page that leads to its entry, and one address cannot lead to two places. Remove the alias, or
    choose another name.
    """

    code = "alias-taken"
    failing = Example("aliases: [open-files-limit]\n", beside=(("host/open-files-limit.yaml", ""),))
    passing = Example("aliases: [dev-shm-full]\n", beside=(("host/open-files-limit.yaml", ""),))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each alias that is taken."""
        aliases = record.entry.aliases
        for i, alias in enumerate(aliases):
            if alias == record.slug:
                message = f"'{alias}' is the slug of this entry; remove the alias"
            elif alias in context.corpus.records or alias in context.corpus.unreadable:
                message = f"'{alias}' is the slug of another entry; remove the alias"
            elif (owner := context.aliases[alias]) != record.slug:
                message = f"'{alias}' is an alias of '{owner}' already; remove it from one of the two"
            elif alias in aliases[:i]:
                message = f"'{alias}' stands here twice; remove one"
            else:
                continue
            yield self.at(record, ("aliases", i), message)


class WantedExists(Check):
    """A wanted entry has been written.

    `_wanted.yaml` lists what is missing, and links to a wanted slug are shown as plain words. Remove the slug from the
    list once an entry has it as slug or alias.
    """

    code = "wanted-exists"
    _wanted = "  title: Too many open files\n  category: host\n"
    failing = Example(
        beside=(("_wanted.yaml", f"open-files-limit:\n{_wanted}"), ("host/open-files-limit.yaml", "")),
    )
    passing = Example(beside=(("_wanted.yaml", f"open-files-limit:\n{_wanted}"),))

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each slug of the list that is no longer wanted."""
        for slug in context.corpus.wanted:
            if slug in context.corpus.records or slug in context.corpus.unreadable:
                message = f"the entry '{slug}' exists; remove it from _wanted.yaml"
            elif owner := context.aliases.get(slug):
                message = f"'{slug}' is an alias of '{owner}'; remove it from _wanted.yaml"
            else:
                continue
            yield self.in_vocabulary(context, "_wanted.yaml", (slug,), message)


class ReleasedVanished(Check):
    """An entry that was public is gone.

    Slugs are permanent: people have linked to the page and quoted its name. Bring the file back with
    `status: withdrawn`, or add the slug to `aliases` of the entry that took its place.
    """

    code = "released-vanished"
    failing = Example(beside=(("_released.yaml", "- shm-exhausted\n- dev-shm-full\n"),))
    passing = Example("aliases: [dev-shm-full]\n", beside=(("_released.yaml", "- shm-exhausted\n- dev-shm-full\n"),))

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each slug of `_released.yaml` that leads nowhere."""
        corpus = context.corpus
        known = corpus.records.keys() | corpus.unreadable | context.aliases.keys()
        for slug in corpus.released:
            if slug not in known:
                position = _position(corpus.vocabulary.get("_released.yaml"), slug)
                message = f"'{slug}' was public and is gone; withdraw it, or make it an alias of what took its place"
                yield self.in_vocabulary(context, "_released.yaml", (position,), message)


def _position(source: Source | None, name: str) -> int:
    return source.data.index(name) if source and name in source.data else 0


_WITHDRAWN = 'status: withdrawn\nwithdrawn: {date: "2026-11-30", reason: It describes another failure.}\n'


class SupersededBy(Check):
    """`superseded_by` does not name a published entry.

    The page of a withdrawn entry sends its readers on, and it must not send them to another withdrawn page, in a circle
    or nowhere. Name the published entry that holds today.
    """

    code = "superseded-by"
    failing = Example(f"{_WITHDRAWN}superseded_by: open-file-limit\n", beside=(("host/open-files-limit.yaml", ""),))
    passing = Example(f"{_WITHDRAWN}superseded_by: open-files-limit\n", beside=(("host/open-files-limit.yaml", ""),))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at `superseded_by`."""
        slug = record.entry.superseded_by
        if slug is None or slug in context.corpus.unreadable:
            return
        records = context.corpus.records
        if alias_of := context.aliases.get(slug):
            message = f"'{slug}' is an alias; write '{alias_of}'"
        elif slug not in records:
            message = f"the entry '{slug}' does not exist{did_you_mean(slug, records)}; name a published one"
        elif _in_circle(record.slug, context):
            message = f"'{slug}' leads back to this entry; name the published entry that holds today"
        elif not records[slug].published:
            message = (
                f"'{slug}' has the status '{records[slug].entry.status.value}'; name the published entry that holds now"
            )
        else:
            return
        yield self.at(record, ("superseded_by",), message)


def _in_circle(slug: str, context: Context) -> bool:
    """Whether following `superseded_by` comes back to where it began."""
    seen: set[str] = set()
    at: str | None = slug
    while at is not None and at not in seen:
        seen.add(at)
        record = context.corpus.records.get(at)
        at = record.entry.superseded_by if record else None
    return at == slug


class WithdrawnFields(Check):
    """`status`, `withdrawn` and `superseded_by` contradict each other.

    A withdrawn entry says since when and why, on the page that stays for its readers; another entry has nothing to say
    of that kind. Add `withdrawn` with date and reason, or remove the fields.
    """

    code = "withdrawn"
    failing = Example("status: withdrawn\n")
    passing = Example(_WITHDRAWN)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the field that is too much, or at the status."""
        entry = record.entry
        if entry.status is Status.WITHDRAWN:
            if entry.withdrawn is None:
                yield self.at(record, ("status",), "'withdrawn' is missing; give the date and the reason")
            return
        for name in ("withdrawn", "superseded_by"):
            if getattr(entry, name) is not None:
                message = f"'{name}' goes with 'status: withdrawn' only; the status is '{entry.status.value}'"
                yield self.at(record, (name,), message, key=True)


CHECKS: tuple[Check, ...] = (
    UnknownCategory(),
    AliasTaken(),
    WantedExists(),
    ReleasedVanished(),
    SupersededBy(),
    WithdrawnFields(),
)
