"""Count the grams of logs in which nothing failed, and write the table that the package ships.

usage: make_table.py DIRECTORY...

Logs that quote or document errors do not belong in: their lines are no sign that an anchor is common.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import faultbook
from faultbook.engine.rarity import BUDGET, LONG, SHORT, Rarity, encode

TABLE = Path(faultbook.__file__).parent / "engine" / "healthy.bin"
_LONGEST = 16_384
_UNFIT = re.compile(rb'[\x00-\x1f"\\\x7f]')


def lines(folders: Sequence[Path]) -> Iterator[bytes]:
    """Every line of every log, with single blanks, as the engine matches it."""
    for path in sorted(path for folder in folders for path in folder.rglob("*.log")):
        for line in re.split(rb"[\r\n]+", path.read_bytes()):
            if line := re.sub(rb"[ \t]+", b" ", line.strip())[:_LONGEST]:
                yield line


def count(rows: Iterable[bytes], size: int) -> Counter[bytes]:
    """The lines that hold each gram of a size."""
    counts: Counter[bytes] = Counter()
    for row in rows:
        counts.update({row[at : at + size] for at in range(len(row) - size + 1)})
    return counts


def fit(gram: bytes) -> bool:
    """Whether a gram could be part of an anchor; those of numbers could not, since numbers vary."""
    return not _UNFIT.search(gram) and sum(48 <= byte <= 57 for byte in gram) < 3


def table(folders: Sequence[Path]) -> Rarity:
    """The counts of all logs, without the grams whose absence says the same."""
    rows = list(lines(folders))
    short = {gram: n for gram, n in count(rows, SHORT).items() if n > 1 and fit(gram)}
    long = {gram: n for gram, n in count(rows, LONG).items() if n > len(rows) / BUDGET and fit(gram)}
    return Rarity(len(rows), short, long)


if __name__ == "__main__":
    given = [Path(name) for name in sys.argv[1:]]
    if not given or not all(path.is_dir() for path in given):
        sys.exit(__doc__)
    TABLE.write_bytes(encode(table(given)))
