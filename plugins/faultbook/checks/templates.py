"""Checks of the form of signatures; what they match is judged with the samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.signatures import Fault, form_faults, parse_template
from faultbook.violations import Violation, shorten


def _signature(fields: str) -> str:
    """A second symptom beside that of the entry, with one signature."""
    return (
        "symptoms:\n"
        "  - observed: A worker of the DataLoader dies.\n"
        "    means: It got SIGBUS.\n"
        "    signatures:\n"
        "      - text: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory\n"
        f"      - {fields}\n"
    )


def _text(template: str) -> Example:
    return Example(_signature(f"text: '{template}'"))


@lru_cache(maxsize=1)
def _faults(record: Record) -> tuple[tuple[KeyPath, str, Fault], ...]:
    """Every fault of form in the templates of an entry; kept while one check after the other asks for its own."""
    return tuple(
        (path, template, fault) for path, template in entry_templates(record) for fault in template_faults(template)
    )


def entry_templates(record: Record) -> Iterator[tuple[KeyPath, str]]:
    """Every template of an entry with the way to it; one text alone has no position."""
    for path, signature in record.entry.signatures().items():
        for name in ("text", "all", "unless"):
            for i, template in enumerate(getattr(signature, name) or ()):
                yield (*path, name, i), template


@lru_cache(maxsize=4096)
def template_faults(template: str) -> tuple[Fault, ...]:
    """The faults of form of one template."""
    return tuple(form_faults(parse_template(template)))


class _Form(Check):
    """Base of the checks of form, which all read the same list of faults."""

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each template that has this fault."""
        for path, template, fault in _faults(record):
            if fault.code == self.code:
                yield self.at(record, path, _message(template, fault))


def _message(template: str, fault: Fault) -> str:
    shown = f"'{shorten(template, 40)}'"
    return f"in {shown} {fault.message}" if fault.message.startswith("<") else f"{shown} {fault.message}"


class TemplateOpen(_Form):
    """A template has no literal part that is long enough.

    Lines are found by the words that never vary. Without a run of six letters the template would match lines of other
    programs, and every log would have to be read for it. Keep more of the line's own words.
    """

    code = "template-open"
    failing = _text("rank <int> died <word>")
    passing = _text("worker <int> died <word>")


class TemplateStart(_Form):
    """A part of a template starts with a placeholder.

    The matcher looks for the literal text at the start of the template, and after each gap `<*>`; from there it reads
    on. Begin with the first word that never varies: templates match anywhere in a line.
    """

    code = "template-start"
    failing = _text("<int> workers died of a bus error")
    passing = _text("workers died of a bus error")


class TemplateTouching(_Form):
    """Two placeholders touch.

    Where one ends and the next begins would be a guess. Use one placeholder for both, or put the text between them
    that the line has.
    """

    code = "template-touching"
    failing = _text("worker died with status <int><word>")
    passing = _text("worker died with status <int>, <word>")


class TemplateGaps(_Form):
    """A template has too many gaps.

    Each `<*>` matches anything, so that a template of gaps matches what it was not meant for. Use typed placeholders
    such as `<int>` or `<path>` for what varies.
    """

    code = "template-gaps"
    failing = _text("worker <*> died <*> with <*> of <*> in <*> after")
    passing = _text("worker <int> died <*> with <*> of <*> in <*> after")


class TemplateName(_Form):
    """Two placeholders of a template have the same name.

    A name stands for one value, which `only_if` compares and the page shows. Give each placeholder its own name.
    """

    code = "template-name"
    failing = _text("worker <int:rank> waits for worker <int:rank>")
    passing = _text("worker <int:rank> waits for worker <int:other>")


class TemplateSlip(_Form):
    """Words in angle brackets look like a placeholder and are none.

    An unknown type is literal text, so that a slip makes a template that never matches. Correct the type; what the
    program really prints in angle brackets is written with a backslash before it.
    """

    code = "template-slip"
    failing = _text("worker <itn> died of a bus error")
    passing = _text("worker <int> died of a bus error")


class WithinUnused(Check):
    """`within` is set where it has no effect.

    It says how near `all` and `unless` look for their lines. A signature with one line and no `unless` looks at that
    line alone. Remove `within`.
    """

    code = "within-unused"
    failing = Example(_signature("{text: worker died of a bus error, within: 3}"))
    passing = Example(_signature("{text: worker died of a bus error, unless: [worker starts again], within: 3}"))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at `within`."""
        for path, signature in record.entry.signatures().items():
            if "within" in signature.model_fields_set and signature.all is None and not signature.unless:
                message = "'within' has no effect without 'all' or 'unless'; remove it"
                yield self.at(record, (*path, "within"), message, key=True)


class WrapperRole(Check):
    """A signature of a wrapper has a role.

    An entry with `kind: wrapper` describes a message that only reports another failure, so that all its signatures have
    the same weight: the least. Remove the role.
    """

    code = "wrapper-role"
    failing = Example("kind: wrapper\n" + _signature("{text: worker died of a bus error, role: cause}"))
    passing = Example("kind: wrapper\n" + _signature("{text: worker died of a bus error}"))

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the role."""
        if record.entry.kind != "wrapper":
            return
        for path, signature in record.entry.signatures().items():
            if "role" in signature.model_fields_set:
                message = "signatures of a wrapper have no role; remove it"
                yield self.at(record, (*path, "role"), message, key=True)


CHECKS: tuple[Check, ...] = (
    TemplateOpen(),
    TemplateStart(),
    TemplateTouching(),
    TemplateGaps(),
    TemplateName(),
    TemplateSlip(),
    WithinUnused(),
    WrapperRole(),
)
