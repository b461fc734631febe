"""Compile the words of the entries, with what each is worth for each entry, so that a search only adds numbers."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from faultbook.corpus import Record
from faultbook.engine.textsearch import MENTION
from faultbook.engine.tokens import TermsAmong, all_terms
from faultbook.marks import parse_marks
from faultbook.schema import Kind, texts
from faultbook.signatures import parse_template

LEVELS = 48
"""Steps of how much a term says of an entry."""
_STEP = LEVELS + 1
"""Position and level are one number while all are gathered: a pair would take three times the memory."""
_STOP = (
    "a an and are as at be but by can did do does for from had has have how in into is it its no not of on or so than "
    "that the their them then there this to was what when which while why will with you your"
)
"""Words that say nothing about any entry."""
_TELLING = "code errno exitcode signal status xid"
"""Words before a number that is no variable."""
_GENERIC = (
    "above another call called during error exception fail failed failure file following handling last line main "
    "message module most occurred py raise raised recent stack traceback unexpected unknown warning arithmeticerror "
    "assertionerror attributeerror baseexception blockingioerror brokenpipeerror buffererror childprocesserror "
    "connectionabortederror connectionerror connectionrefusederror connectionreseterror deprecationwarning eoferror "
    "exceptiongroup fileexistserror filenotfounderror floatingpointerror futurewarning importerror indexerror "
    "interruptederror ioerror isadirectoryerror keyboardinterrupt keyerror lookuperror memoryerror modulenotfounderror "
    "nameerror notadirectoryerror notimplementederror oserror overflowerror permissionerror processlookuperror "
    "recursionerror referenceerror resourcewarning runtimeerror runtimewarning stopiteration syntaxerror systemerror "
    "systemexit timeouterror typeerror unboundlocalerror unicodedecodeerror unicodeencodeerror unicodeerror "
    "userwarning valueerror zerodivisionerror"
)
"""Words that say nothing of an error line by themselves: any may hold them, or they name an exception of Python."""
_WEIGHTS = {
    "title": 4.0,
    "names": 3.0,
    "keys": 3.0,
    "signatures": 2.0,
    "summary": 1.5,
    "observed": 1.0,
    "tags": 0.5,
    "code": 0.6,
}
_ONCE = ("signatures", "code")
"""Fields in which a term counts once, since the wordings of one message repeat its words."""
_NAMING = ("title", "names", "tags")
"""Fields whose words are looked for in the prose of all entries."""
_CODE = re.compile("`([^`]*)`")
_SHARED = 0.1
"""The share of entries above which a word of the prose tells none from the others."""
_FEW = 8
"""Entries up to which a word is never too common: of a small corpus each has its share."""
_SATURATION = 1.2
"""The weighted count at which a term has half of its worth."""
_LENGTH = 0.6
"""How much longer fields than the average one count less."""


def search_data(records: Sequence[Record]) -> dict[str, Any]:
    """The content of ``search.json`` for these entries."""
    prose = [texts(record.entry, Kind.PROSE) for record in records]
    shared: dict[str, str] = {}
    fields = [
        {name: _field(found, shared) for name, found in _fields(record, said).items()}
        for record, said in zip(records, prose, strict=True)
    ]
    mentions = _mentions(prose, fields)
    lengths = {name: _average([entry[name] for entry in fields]) for name in _WEIGHTS}
    postings: dict[str, list[int]] = {}
    for position, entry in enumerate(fields):
        levels = dict.fromkeys(mentions[position], MENTION) | _levels(entry, lengths)
        for term, level in levels.items():
            postings.setdefault(term, []).append(position * _STEP + level)
    terms = sorted(postings)
    most = max(map(len, postings.values()), default=0)
    return {
        "schema": 1,
        "levels": LEVELS,
        "stop": _STOP.split(" "),
        "telling": _TELLING.split(" "),
        "generic": _GENERIC.split(" "),
        "aliases": [[alias, position] for position, record in enumerate(records) for alias in record.entry.aliases],
        "worth": [_worth(count, len(records)) for count in range(most + 1)],
        "terms": " ".join(terms),
        "postings": [_packed(postings[term]) for term in terms],
    }


def _fields(record: Record, prose: Iterable[str]) -> dict[str, list[str]]:
    entry = record.entry
    return {
        "title": [_plain(entry.title)],
        "names": [record.slug, *entry.aliases],
        "keys": list(entry.search_keys),
        "signatures": [
            literal
            for signature in entry.signatures().values()
            for text in signature.templates
            for literal in parse_template(text).literals
        ],
        "summary": [_plain(entry.summary)],
        "observed": [_plain(symptom.observed) for symptom in entry.symptoms],
        "tags": list(entry.tags),
        "code": [found for text in prose for found in _CODE.findall(text)],
    }


class _Field(NamedTuple):
    """How often each term stands in a field of an entry; small, since those of all entries are kept until the end."""

    terms: tuple[str, ...]
    counts: array[int]


def _mentions(prose: Sequence[Iterable[str]], fields: Sequence[Mapping[str, _Field]]) -> list[tuple[str, ...]]:
    """Of the prose of each entry what some entry is named or tagged with and few speak of: all would be too much."""
    among = TermsAmong({term for entry in fields for name in _NAMING for term in entry[name].terms})
    said = [tuple(among.of(map(_plain, found))) for found in prose]
    spread = Counter(chain.from_iterable(said))
    most = max(_FEW, _SHARED * len(prose))
    return [tuple(term for term in terms if spread[term] <= most) for terms in said]


def _packed(found: Iterable[int]) -> list[int]:
    """Gap to the entry before and level as one number each, which compresses better than positions."""
    packed, before = [], 0
    for value in found:
        packed.append(value - before)
        before = value - value % _STEP
    return packed


def _plain(text: str) -> str:
    """The text without citations, and with the words of links."""
    if "[" not in text:
        return text
    parts, at = [], 0
    for mark in parse_marks(text):
        parts += [text[at : mark.start], "" if mark.kind == "citation" else mark.words or mark.target]
        at = mark.end
    return "".join([*parts, text[at:]])


def _field(found: Iterable[str], shared: dict[str, str]) -> _Field:
    """The terms of some texts; each term is one text in memory, however many entries have it."""
    counts = Counter(all_terms(found))
    for term in [term for term in counts if term in _STOPPED or (len(term) == 1 and not term.isdigit())]:
        del counts[term]
    return _Field(tuple(map(shared.setdefault, counts, counts)), array("I", counts.values()))


_STOPPED = frozenset(_STOP.split(" "))


def _average(fields: Sequence[_Field]) -> float:
    return sum(sum(field.counts) for field in fields) / max(len(fields), 1) or 1.0


def _levels(fields: Mapping[str, _Field], lengths: Mapping[str, float]) -> dict[str, int]:
    """What each term is worth for an entry: its counts weighted by field, the more of them the less each adds."""
    weighted: dict[str, float] = {}
    for name, (terms, counts) in fields.items():
        factor = _WEIGHTS[name] / (1 - _LENGTH + _LENGTH * sum(counts) / lengths[name]) if terms else 0.0
        for term, count in zip(terms, counts, strict=True):
            weighted[term] = weighted.get(term, 0.0) + (1 if name in _ONCE else count) * factor
    return {term: max(MENTION + 1, round(LEVELS * sum_ / (sum_ + _SATURATION))) for term, sum_ in weighted.items()}


def _worth(count: int, entries: int) -> int:
    """What a term is worth that so many entries have, in hundredths: the rarer the more."""
    return round(100 * math.log(1 + (entries - count + 0.5) / (count + 0.5)))
