"""Checks that published entries have what they need, that search keys add to it, and that a check can be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.schema import lacks
from faultbook.violations import Level, Violation, shorten


class Unfinished(Check):
    """A published entry lacks something that a published entry must have.

    Readers rely on every published entry to explain, to decide and to mend. Add what is missing, or set
    `status: draft`: a draft may lack anything that is not required of all entries.
    """

    code = "unfinished"
    failing = Example("reviewed: null\n")
    passing = Example("status: draft\nreviewed: null\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation for each thing that is lacking, where it belongs."""
        if record.published:
            for lack in lacks(record.entry):
                yield self.at(record, lack.path, _message(lack.path, lack.message))


def _message(path: KeyPath, message: str) -> str:
    """The message with the name of the field in front, if it does not say it itself."""
    if not message.startswith(("has ", "is ")):
        return message
    last = path[-1]
    name = last if isinstance(last, str) else f"{path[-2]} {last + 1}"
    return f"'{name}' {message}"


class SuperfluousKey(Check):
    """A search key says what title or signatures say already.

    The search reads title, summary, symptoms and signatures by themselves. Search keys are for what people type beyond
    that: other names, numbers, half-remembered words. Remove the key, or use other words.
    """

    code = "superfluous-key"
    level = Level.WARNING
    failing = Example("search_keys: [Unexpected bus error, docker shm-size]\n")
    passing = Example("search_keys: [dataloader bus error, docker shm-size]\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each key that is contained in the title or in a template."""
        entry = record.entry
        templates = [text for signature in entry.signatures().values() for text in signature.templates]
        known = "\n".join((entry.title, *templates)).lower()
        for i, key in enumerate(entry.search_keys):
            if key.lower() in known:
                message = f"'{shorten(key)}' is contained in the title or a signature; remove it, or use other words"
                yield self.at(record, ("search_keys", i), message)


_OPEN = re.compile(
    r"(?:^|[.:] )((?:(?:at|by|for|from|in|of|on|to|with) )?(?:what|where|which|who|whose|why|how|when)\b[^.?]*\?)",
    re.IGNORECASE,
)


class OpenQuestion(Check):
    """A check of the checklist asks what yes and no cannot answer.

    Its two answers stand below Yes and No. Ask whether something is so: not "Which process holds it?", but "Does a
    process hold it?". What the command prints tells the rest.
    """

    code = "open-question"
    _answers = "    if_yes: Go on.\n    if_no: Go on.\n"
    failing = Example(f"checklist:\n  - check: Which process maps the file?\n{_answers}")
    passing = Example(f"checklist:\n  - check: Does a process map the file? Which one is shown.\n{_answers}")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each check that asks for more than yes or no."""
        for i, item in enumerate(record.entry.checklist):
            if found := _OPEN.search(" ".join(item.check.split())):
                message = f"'{shorten(found[1], 40)}' has no yes and no; ask whether something is so"
                yield self.at(record, ("checklist", i, "check"), message)


CHECKS: tuple[Check, ...] = (Unfinished(), SuperfluousKey(), OpenQuestion())
