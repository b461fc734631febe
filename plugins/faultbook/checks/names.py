"""Checks of names from the vocabulary, and of the ids that an entry gives to its own parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.texts import read_texts
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.violations import Violation, did_you_mean, shorten


class UnknownTag(Check):
    """A tag is not in the vocabulary.

    Tags group entries only if everybody uses the same ones. Take a tag of `_tags.yaml`; a new one is added there with
    its meaning, and should fit several entries.
    """

    code = "unknown-tag"
    failing = Example("tags: [dataloader, shared-memry]\n")
    passing = Example("tags: [dataloader, shared-memory]\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each unknown tag."""
        known = context.corpus.tags
        for i, tag in enumerate(record.entry.tags):
            if tag not in known and "_tags.yaml" not in context.corpus.incomplete:
                message = f"the tag '{tag}' is not in _tags.yaml{did_you_mean(tag, known)}; use one that is"
                yield self.at(record, ("tags", i), message)


class UnknownTagGroup(Check):
    """The group of a tag is no category.

    Tags are listed by the category whose subject they are nearest to. Name a category of `_categories.yaml`.
    """

    code = "unknown-tag-group"
    failing = Example(beside=(("_tags.yaml", "swap:\n  group: hosts\n  text: The host moves memory to its disk.\n"),))
    passing = Example(beside=(("_tags.yaml", "swap:\n  group: host\n  text: The host moves memory to its disk.\n"),))

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each unknown group."""
        known = context.corpus.categories
        for name, tag in context.corpus.tags.items():
            if tag.group not in known and "_categories.yaml" not in context.corpus.incomplete:
                message = f"the category '{tag.group}' is not in _categories.yaml{did_you_mean(tag.group, known)}"
                yield self.in_vocabulary(context, "_tags.yaml", (name, "group"), message, key=False)


class UnknownSystem(Check):
    """An affected system is not in the vocabulary.

    Each system has a page that lists its failures. Take an id of `_systems.yaml`; a new one is added there first.
    """

    code = "unknown-system"
    failing = Example("affected_systems:\n  - {system: pytorhc, when: The DataLoader has workers.}\n")
    passing = Example("affected_systems:\n  - {system: pytorch, when: The DataLoader has workers.}\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each unknown system."""
        known = context.corpus.systems
        for i, affected in enumerate(record.entry.affected_systems):
            if affected.system not in known and "_systems.yaml" not in context.corpus.incomplete:
                near = did_you_mean(affected.system, known)
                message = f"the system '{affected.system}' is not in _systems.yaml{near}; add it there"
                yield self.at(record, ("affected_systems", i, "system"), message)


class UnknownFix(Check):
    """A link or a scenario names a fix that the entry does not have.

    `[[#id]]` leads to the fix of that id on the same page. Correct the id, or write the fix.
    """

    code = "unknown-fix"
    failing = Example("perspectives:\n  on_call: Do [[#enlarge-shmem]] first.\n")
    passing = Example("perspectives:\n  on_call: Do [[#enlarge-shm]] first.\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each unknown fix."""
        known = {fix.id for fix in record.entry.fix}
        named: dict[tuple[KeyPath, str], str] = {
            (placed.path, placed.mark.target): f"[[#{placed.mark.target}"
            for placed in read_texts(record).marks
            if placed.mark.kind == "fix"
        }
        for i, scenario in enumerate(record.entry.scenarios):
            named |= {(("scenarios", i, "fix", j), fix): "" for j, fix in enumerate(scenario.fix)}
        for (path, fix), near in named.items():
            if fix not in known:
                message = f"this entry has no fix '{shorten(fix, 60)}'{did_you_mean(fix, known)}; write the id of one"
                yield self.at(record, path, message, near=near)


class DuplicateId(Check):
    """Two parts of an entry have the same id.

    An id is the anchor of its part, and an anchor leads to one place. Checks, fixes and signatures count apart. Choose
    another id for the second.
    """

    code = "duplicate-id"
    _signature = "Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"
    _symptom = "symptoms:\n  - observed: A worker of the DataLoader dies.\n    means: It got SIGBUS.\n    signatures:\n"
    failing = Example(
        f"{_symptom}      - {{id: bus-error, text: {_signature}}}\n"
        "      - {id: bus-error, text: is killed by signal bus error}\n"
    )
    passing = Example(
        f"{_symptom}      - {{id: bus-error, text: {_signature}}}\n"
        "      - {id: killed, text: is killed by signal bus error}\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the second of the two."""
        entry = record.entry
        groups: list[list[tuple[KeyPath, str | None]]] = [
            [(("checklist", i), check.id) for i, check in enumerate(entry.checklist)],
            [(("fix", i), fix.id) for i, fix in enumerate(entry.fix)],
            [(path, signature.id) for path, signature in entry.signatures().items()],
        ]
        for group in groups:
            seen: set[str] = set()
            for path, name in group:
                if name is not None and name in seen:
                    yield self.at(record, (*path, "id"), f"the id '{name}' is taken in this entry; choose another")
                seen.add(name or "")


class DuplicateValue(Check):
    """A list names the same value twice.

    Tags, impacts, search keys and what a command affects are sets, and the page would show the value twice. Remove one.
    """

    code = "duplicate-value"
    failing = Example("tags: [dataloader, shared-memory, dataloader]\n")
    passing = Example("tags: [dataloader, shared-memory]\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each value that stands before already."""
        entry = record.entry
        lists: dict[KeyPath, Sequence[str]] = {
            ("tags",): entry.tags,
            ("impact",): entry.impact,
            ("search_keys",): entry.search_keys,
        }
        lists |= {(*path, "affects"): command.affects for path, command in entry.commands().items() if command.affects}
        for path, values in lists.items():
            if len(set(values)) < len(values):
                for i, value in enumerate(values):
                    if value in values[:i]:
                        yield self.at(record, (*path, i), f"'{value}' stands in '{path[-1]}' twice; remove one")


CHECKS: tuple[Check, ...] = (
    UnknownTag(),
    UnknownTagGroup(),
    UnknownSystem(),
    UnknownFix(),
    DuplicateId(),
    DuplicateValue(),
)
