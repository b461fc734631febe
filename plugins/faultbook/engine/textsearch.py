"""Find entries by name, by an error line, or by words; `docs/engine.md` says how words are scored."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faultbook.engine.index import Index
from faultbook.engine.lines import line_hits
from faultbook.engine.tokens import Token, masked_tokens, tokens

MANY = 7
"""Words from which on a query is taken for an error line, of which what varies is left out."""
LEAST = 10
"""Hundredths of the full score from which on an entry counts as similar to an error line."""
MENTION = 1
"""The level of a term that an entry only mentions, which makes the term no less rare."""
SHORTEST = 2
"""Characters from which on an unfinished word is completed."""


def search(index: Index, query: str, limit: int = 10) -> list[dict[str, Any]]:
    """Entries for a query: named by it, matching a line of it, or sharing words with it, in this order.

    Of those of the last kind the ones come first whose names begin with the query.

    Each row has ``entry``, ``title``, ``url``, ``kind`` (``slug``, ``line`` or ``words``), ``score`` and ``spans``, the
    places of the query that a template matches.
    """
    rows: dict[int, tuple[str, int, list[list[int]]]] = {}
    named, begun = _named(index, query)
    if named is not None:
        rows[named] = ("slug", 100, [])
    for hit in line_hits(index, query):
        rows.setdefault(hit.entry, ("line", 100, hit.spans))
    scores = dict(_by_words(index, query))
    for entry in [*begun, *scores]:
        rows.setdefault(entry, ("words", scores.get(entry, LEAST), []))
    return [_row(index, entry, *found) for entry, found in list(rows.items())[:limit]]


def similar(index: Index, text: str, limit: int = 3) -> list[dict[str, Any]]:
    """The entries whose words are nearest to those of error lines: ``{"entry", "score"}``, the best first."""
    if not index.search:
        return []
    near = _by_masked(index.search, text, index.search["generic"])[:limit]
    return [{"entry": index.entries[entry]["id"], "score": score / 100} for entry, score in near]


def _row(index: Index, entry: int, kind: str, score: int, spans: list[list[int]]) -> dict[str, Any]:
    slug = index.entries[entry]["id"]
    title, url = index.entries[entry]["title"], f"entries/{slug}/"
    return {"entry": slug, "title": title, "url": url, "kind": kind, "score": score / 100, "spans": spans}


def _named(index: Index, query: str) -> tuple[int | None, list[int]]:
    """The entry whose slug or alias the query is, with any mark or blank between the words, and those it begins."""
    found = list(tokens(query))
    name = "-".join(term for token in found for term in _pieces(query, token))
    begin = name if found and found[-1].end == len(query) else f"{name}-"
    aliases = index.search["aliases"] if index.search else []
    names = [*((entry["id"], position) for position, entry in enumerate(index.entries)), *aliases]
    begun = [position for own, position in names if len(name) >= SHORTEST and own.startswith(begin)]
    return next((position for own, position in names if own == name), None), begun


def _pieces(query: str, token: Token) -> list[str]:
    return query[token.start : token.end].lower().replace("_", "-").replace(".", "-").split("-")


def _by_words(index: Index, query: str) -> list[tuple[int, int]]:
    if not index.search:
        return []
    found = list(tokens(query))
    if len(found) >= MANY:
        return _by_masked(index.search, query)
    unfinished = bool(found) and found[-1].end == len(query)
    return _Words(index.search).scores(found, unfinished)


def _by_masked(data: Mapping[str, Any], text: str, silent: Sequence[str] = ()) -> list[tuple[int, int]]:
    words = _Words(data, silent)
    found = [token for token in masked_tokens(text, data["telling"]) if token.terms[0] not in words.stop]
    scores = words.scores(found)
    return [(entry, score) for entry, score in scores if score >= LEAST]


class _Words:
    """The words of an index."""

    def __init__(self, data: Mapping[str, Any], silent: Sequence[str] = ()) -> None:
        self.terms: Sequence[str] = data["terms"].split(" ")
        self.postings: Sequence[Sequence[int]] = data["postings"]
        self.worth: Sequence[int] = data["worth"]
        self.levels: int = data["levels"]
        self.stop = frozenset((*data["stop"], *silent))

    def scores(self, queried: Sequence[Token], unfinished: bool = False) -> list[tuple[int, int]]:
        """Entries with the hundredths that they have of the score in which each word says the most, best first."""
        last = queried[-1].terms if queried and unfinished else ()
        seen: set[str] = set()
        sums: dict[int, int] = {}
        full = 0
        for token in queried:
            most = 0
            for term in token.terms:
                if term in seen or term in self.stop:
                    continue
                seen.add(term)
                worth, gains = self._gains(term, unfinished=term in last)
                most += worth
                for entry, gain in gains.items():
                    sums[entry] = sums.get(entry, 0) + gain
            full += (most or self.worth[0] * (token.terms[0] not in self.stop)) * self.levels
        ranked = sorted(sums.items(), key=lambda row: (-row[1], row[0]))
        return [(entry, (200 * gain + full) // (2 * full)) for entry, gain in ranked]

    def _gains(self, term: str, unfinished: bool) -> tuple[int, dict[int, int]]:
        """What a term is worth, and what each entry gains by it; a completed term counts seven tenths."""
        worth = 0
        gains: dict[int, int] = {}
        for at in self._places(term, unfinished):
            posting = self.postings[at]
            telling = sum(packed % (self.levels + 1) > MENTION for packed in posting)
            own = self.worth[telling or len(posting)]
            worth = max(worth, own)
            entry = 0
            for packed in posting:
                gap, level = divmod(packed, self.levels + 1)
                entry += gap
                gain = own * level if self.terms[at] == term else own * level * 7 // 10
                gains[entry] = max(gains.get(entry, 0), gain)
        return worth, gains

    def _places(self, term: str, unfinished: bool) -> Iterator[int]:
        at = bisect_left(self.terms, term)
        if unfinished and len(term) >= SHORTEST:
            while at < len(self.terms) and self.terms[at].startswith(term):
                yield at
                at += 1
        elif at < len(self.terms) and self.terms[at] == term:
            yield at
