"""Cut text into the terms under which entries are found; only ASCII classes, so that every engine cuts alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)+|[0-9A-Za-z]+(?:[_-]+[0-9A-Za-z]+)*")
_PARTS = re.compile("[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*")
_DOTTED = re.compile("[0-9.]+")
_BREAK = re.compile("[_-]+")
_FOLDERS = re.compile("(?:/[0-9A-Za-z_.+~@-]{1,255}){1,64}/")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_ADDRESS = re.compile("0x[0-9a-f]+|(?=.*[0-9])[0-9a-f]{8,}")
_LONGEST = 40


class Token(NamedTuple):
    """A word as it stands in a text, with the terms that it gives: itself in small letters, then its parts."""

    start: int
    end: int
    terms: tuple[str, ...]


def tokens(text: str) -> Iterator[Token]:
    """The words of a text; those joined by ``-``, ``_`` or a change of case also give their parts."""
    for found in _TOKEN.finditer(text):
        yield Token(found.start(), found.end(), _terms(found[0]))


def all_terms(texts: Iterable[str]) -> Iterator[str]:
    """Every term of every word of some texts."""
    return chain.from_iterable(map(_terms, _TOKEN.findall("\n".join(texts))))


class TermsAmong:
    """Finds given terms in texts, each by the words that give it."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = frozenset(known)
        self.words = {word: term for term in self.known for word in _plain_words(term)}

    def of(self, texts: Iterable[str]) -> set[str]:
        """The terms of all words of some texts."""
        words = set(_TOKEN.findall("\n".join(texts)))
        # Nearly all are in small letters or numbers, and those are found without being cut.
        others = [word for word in words if not word.isalnum() or word != word.lower() or len(word) > _LONGEST]
        found = set(map(self.words.__getitem__, words & self.words.keys()))
        return found.union(self.known.intersection(chain.from_iterable(map(_terms, others))))


def _plain_words(term: str) -> Iterator[str]:
    """Every word of small letters and digits that gives a term."""
    for word in (term, f"{term}s", f"{term}es", f"{term[:-1]}ies"):
        if word.isalnum() and word == word.lower() and _terms(word) == (term,):
            yield word


def masked_tokens(text: str, telling: Collection[str]) -> Iterator[Token]:
    """The words of an error line but for what varies: addresses, folders, numbers unless a telling word precedes."""
    # The folders become blanks one by one, so that the places of the other words stay.
    before = ""
    for token in tokens(_FOLDERS.sub(lambda found: " " * len(found[0]), text)):
        word = token.terms[0]
        if not (_ADDRESS.fullmatch(word) or (_NUMBER.fullmatch(word) and before not in telling)):
            yield token
        before = word


@lru_cache(maxsize=1 << 15)
def _terms(word: str) -> tuple[str, ...]:
    # Most words are in letters of one size, and a regular expression would cost more than all else here.
    if word.isalnum() and (word.islower() or word.isupper() or word.isdigit()):
        return (_folded(word),)
    pieces = _BREAK.split(word)
    whole = _folded("".join(pieces))
    if _DOTTED.fullmatch(word):
        return (whole,)
    parts = [_folded(part) for piece in pieces for part in _parts(piece)]
    return tuple(dict.fromkeys([whole, *(part for part in parts if len(part) > 1)]))


def _parts(piece: str) -> list[str]:
    parts = _PARTS.findall(piece)
    return parts if len(parts) < 2 else [piece, *parts]


def _folded(word: str) -> str:
    """The word in small letters, without the ending of a plural, cut where nobody reads on."""
    word = word.lower()[:_LONGEST]
    if len(word) < 4 or not word.endswith("s") or word[-2] in "sui0123456789":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "shes", "tches")) else word[:-1]
