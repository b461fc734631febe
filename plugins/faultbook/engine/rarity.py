"""How common letters and words are in logs in which nothing failed: a table of grams with line counts, no text.

``tests/healthy/make_table.py`` counts them; its result is ``healthy.bin`` beside this module.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files

SHORT, LONG = 4, 8
"""Lengths of the grams that are counted; the engine looks for anchors by groups of these lengths."""
BUDGET = 10_000
"""An anchor should stand on no more than one of so many healthy lines."""
_WORD = re.compile("[0-9A-Za-z_]+")
_MAGIC = b"FBR1"


@dataclass(frozen=True)
class Rarity:
    """Counts of healthy lines that hold a gram; each is exact to a factor of two, and none is kept for rare grams."""

    lines: int
    short: Mapping[bytes, int]
    long: Mapping[bytes, int]
    """Only grams that stand on more lines than the budget allows."""

    @cached_property
    def allowed(self) -> float:
        """Lines on which an anchor may stand."""
        return self.lines / BUDGET

    def weight(self, literals: tuple[str, ...]) -> float:
        """How specific literal texts are: the rarity of their words in bits, added up."""
        known = self._words
        total = 0.0
        for literal in literals:
            for word in _WORD.findall(literal):
                if word not in known:
                    known[word] = self._bits(word)
                total += known[word]
        return round(total, 1)

    @cached_property
    def _words(self) -> dict[str, float]:
        """The rarity of words that were asked for."""
        return {}

    def _bits(self, word: str) -> float:
        """A word is at most as common as the rarest gram of it, the blanks around included."""
        padded = f" {word} ".encode()
        grams = [padded[at : at + SHORT] for at in range(len(padded) - SHORT + 1)]
        return self.bits(min((self.short.get(gram, 0) for gram in grams), default=self.lines))

    def bits(self, lines: float) -> float:
        """The rarity in bits of what stands on so many lines."""
        return math.log2((self.lines + 1) / (lines + 0.5))


@lru_cache(maxsize=1)
def load_rarity() -> Rarity:
    """The table that comes with the package."""
    return decode((files("faultbook.engine") / "healthy.bin").read_bytes())


def encode(rarity: Rarity) -> bytes:
    """The table as bytes: counts as powers of two, grams in columns, which pack to half the size."""
    body = bytearray(rarity.lines.to_bytes(4, "big"))
    for size, counts in ((SHORT, rarity.short), (LONG, rarity.long)):
        grams = sorted(counts)
        body += len(grams).to_bytes(4, "big")
        for column in range(size):
            body += bytes(gram[column] for gram in grams)
        body += bytes(counts[gram].bit_length() for gram in grams)
    return _MAGIC + zlib.compress(bytes(body), 9)


def decode(data: bytes) -> Rarity:
    """The table that `encode` wrote; a count comes back as the middle of its power of two."""
    if data[: len(_MAGIC)] != _MAGIC:
        raise ValueError("is no table of grams")
    body = zlib.decompress(data[len(_MAGIC) :])
    lines, at = int.from_bytes(body[:4], "big"), 4
    middles = [0, *(3 << power >> 2 for power in range(1, 256))]
    tables = []
    for size in (SHORT, LONG):
        count = int.from_bytes(body[at : at + 4], "big")
        columns = [body[at + 4 + i * count : at + 4 + (i + 1) * count] for i in range(size + 1)]
        at += 4 + (size + 1) * count
        grams = map(bytes, zip(*columns[:size], strict=True))
        tables.append(dict(zip(grams, map(middles.__getitem__, columns[size]), strict=True)))
    return Rarity(lines, *tables)
