"""Checks of what signatures compare, and of templates that two entries claim."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.schema import Signature
from faultbook.signatures import Fault, Placeholder, format_template, parse_comparison, parse_template
from faultbook.violations import Violation, did_you_mean, shorten

_SYMPTOM = (
    "symptoms:\n"
    "  - observed: A worker of the DataLoader dies.\n"
    "    means: It got SIGBUS.\n"
    "    signatures:\n"
    "      - text: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory\n"
)


def _only_if(comparison: str) -> Example:
    return Example(f"{_SYMPTOM}      - text: cannot allocate <int:size> bytes\n        only_if: ['{comparison}']\n")


class ComparisonForm(Check):
    """A comparison of `only_if` cannot be read.

    Each is one comparison such as `port != 0`: a named placeholder, one of `== != < <= > >=`, and another named
    placeholder or a number, size, version or quoted text. There is no and, or, or arithmetic; several items of the list
    must all hold.
    """

    code = "comparison"
    failing = _only_if("size = 0")
    passing = _only_if("size == 0")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such comparison."""
        for path, signature in record.entry.signatures().items():
            for i, text in enumerate(signature.only_if):
                if isinstance(fault := parse_comparison(text), Fault):
                    yield self.at(record, (*path, "only_if", i), fault.message)


class UnknownCapture(Check):
    """A comparison uses a name that the templates do not give.

    A name is given in the template, as in `<int:size>`, and by every wording of `text`: a value that is missing never
    compares, so that the signature would not match. Name the placeholder, or correct the comparison.
    """

    code = "unknown-capture"
    failing = _only_if("bytes == 0")
    passing = _only_if("size == 0")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each comparison with an unknown name."""
        for path, signature in record.entry.signatures().items():
            if not signature.only_if:
                continue
            given, everywhere = _names(signature)
            for i, text in enumerate(signature.only_if):
                comparison = parse_comparison(text)
                unknown = () if isinstance(comparison, Fault) else sorted(comparison.names - everywhere)
                for name in unknown:
                    if name in given:
                        message = f"not every wording names a placeholder '{name}'; add '<type:{name}>' to each"
                    else:
                        near = did_you_mean(name, given)
                        message = f"no placeholder has the name '{name}'{near}; write '<type:{name}>' in the template"
                    yield self.at(record, (*path, "only_if", i), message)


def _names(signature: Signature) -> tuple[set[str], set[str]]:
    """The names that some template gives, and those that are there in every match; a gap gives none."""
    groups = [
        {
            part.name
            for part in parse_template(text).parts
            if isinstance(part, Placeholder) and part.type != "*" and part.name
        }
        for text in signature.templates
    ]
    some = set().union(*groups)
    return some, some if signature.all is not None else set.intersection(*groups)


class SharedTemplate(Check):
    """Two signatures have the same template.

    A line cannot name two causes. Where it has several, both entries give their signature the role `ambiguous` and
    list each other in `tell_apart`; otherwise narrow the template, or tell the two apart with `only_if` or `unless`.
    Within one entry the second is superfluous.
    """

    code = "shared-template"
    _line = "      - text: Resource temporarily unavailable for worker <int>\n"
    _ambiguous = f"{_SYMPTOM}{_line}        role: ambiguous\n"
    _other = (
        "symptoms:\n  - observed: An open call fails.\n    means: The limit is reached.\n    signatures:\n"
        '      - text: "OSError: [Errno 24] Too many open files"\n'
    )
    failing = Example(_SYMPTOM + _line, beside=(("host/open-files-limit.yaml", _other + _line),))
    passing = Example(
        f"{_ambiguous}tell_apart:\n"
        "  - {entry: open-files-limit, short: Counts files, how: There the error says Too many open files.}\n",
        beside=(
            (
                "host/open-files-limit.yaml",
                f"{_other}{_line}        role: ambiguous\ntell_apart:\n"
                "  - {entry: shm-exhausted, short: Names SIGBUS, how: There the worker dies of SIGBUS.}\n",
            ),
        ),
    )

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at the later of the two, by slug and place."""
        claims: dict[object, list[_Claim]] = defaultdict(list)
        for record in context.corpus.published():
            for path, signature in record.entry.signatures().items():
                for key, text in dict(_keys(signature)).items():
                    claims[key].append(_Claim(record, path, signature, text))
        for claimed in claims.values():
            for position, claim in enumerate(claimed[1:_MOST], 1):
                conflicts = (_conflict(claim, other) for other in claimed[:position])
                if message := next((text for text in conflicts if text), None):
                    yield self.at(claim.record, claim.path, f"'{shorten(claim.text, 40)}' {message}")


_MOST = 20
_NAMED = re.compile(r"<([a-z]+|\*):[A-Za-z_]{1,40}>")


@dataclass(frozen=True)
class _Claim:
    record: Record
    path: KeyPath
    signature: Signature
    text: str


def _keys(signature: Signature) -> Iterator[tuple[object, str]]:
    """What makes two signatures the same, with the text to show; names count only where they are compared."""
    condition = (frozenset(signature.only_if), frozenset(signature.unless))
    texts = signature.templates
    keys = [_key(text if signature.only_if else _NAMED.sub(r"<\1>", text)) for text in texts]
    if signature.all is not None:
        yield (condition, frozenset(keys)), texts[0]
    else:
        yield from (((condition, key), text) for key, text in zip(keys, texts, strict=True))


def _key(text: str) -> str:
    """A text that equal templates have in common: without outer gaps, with single blanks, escapes only where needed."""
    if "\\" in text:
        return format_template(parse_template(text))
    text = " ".join(text.split())
    return _OUTER_GAPS.sub("", text) if "<*>" in text else text


_OUTER_GAPS = re.compile(r"^(?:<\*> ?)+|(?: ?<\*>)+$")


def _conflict(claim: _Claim, other: _Claim) -> str | None:
    """Why two signatures may not be the same, unless they may."""
    if claim.record is other.record:
        return "is a signature of this entry already; remove one"
    pair = (claim, other)
    ambiguous = all(one.signature.role == "ambiguous" and one.record.entry.kind == "cause" for one in pair)
    if ambiguous and _lists(claim.record, other.record) and _lists(other.record, claim.record):
        return None
    return f"is a signature of '{other.record.slug}' too; make both 'ambiguous' and tell them apart, or narrow one"


def _lists(record: Record, other: Record) -> bool:
    return any(item.entry == other.slug for item in record.entry.tell_apart)


CHECKS: tuple[Check, ...] = (ComparisonForm(), UnknownCapture(), SharedTemplate())
