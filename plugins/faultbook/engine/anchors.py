"""Choose the anchors of templates: short texts by which the lines are found that a template may match."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat

from faultbook.engine.rarity import LONG, SHORT, Rarity

LONGEST, SHORTEST = 16, 6
GATE, HALF, QUARTER = 15, 11, 7
"""So many bytes hold, wherever they stand, a group of 8 at a multiple of 8, one of 4 at a multiple of 8, or of 4."""
_OTHERS = 4
"""Lines as which another template counts that has the same gram."""
# What JSON may escape would not be found in a log of JSON lines: Go and dockerd escape angle brackets and ampersands.
_RUN = re.compile(rf"[ !#-%'-;=?-\[\]-~]{{{SHORTEST},}}")


@dataclass(frozen=True)
class Anchors:
    """The anchors of a template, the rarest first, and the healthy lines that hold that one if they are too many."""

    texts: tuple[str, ...]
    lines: int = 0


_Window = tuple[int, int, int, float, int, int, int]
"""A part of a run, the least the best; a plain tuple, since a corpus has some hundred thousand.

Its values: the healthy lines that hold it, or 0 if these are within the budget; how many of the lengths that ease
the search it falls short of; the healthy lines that hold a group by which it is found; how rare its grams are, below
zero; the number of the run; where it starts and where it ends.
"""


def anchor_runs(literal: str) -> list[str]:
    """The parts of a literal in which an anchor can lie."""
    return _RUN.findall(literal)


def choose_anchors(templates: Sequence[Sequence[str]], rarity: Rarity) -> list[Anchors]:
    """The anchors of templates, each given by its literals; none for one without a run that is long enough."""
    runs = [[run.encode() for literal in literals for run in anchor_runs(literal)] for literals in templates]
    shared: Counter[bytes] = Counter()
    for found in runs:
        shared.update({gram for run in found for gram in _grams(run, SHORT)})
    worth: dict[int, float] = {}
    bits = {}
    for gram, count in shared.items():
        lines = rarity.short.get(gram, 0) + _OTHERS * (count - 1)
        bits[gram] = worth[lines] if lines in worth else worth.setdefault(lines, rarity.bits(lines))
    return [_chosen(found, bits, rarity) for found in runs]


def healthy_lines(literals: Sequence[str], rarity: Rarity) -> int:
    """On how many healthy lines the best anchor of a template stands at most; 0 if these are within the budget."""
    best = 0
    for run in (run.encode() for literal in literals for run in anchor_runs(literal)):
        for at in range(max(1, len(run) - LONGEST + 1)):
            lines = _common(run[at : at + LONGEST], rarity)
            if not lines:
                return 0
            best = min(best or lines, lines)
    return best


def _grams(run: bytes, size: int) -> list[bytes]:
    return [run[at : at + size] for at in range(len(run) - size + 1)]


def _chosen(runs: Sequence[bytes], bits: Mapping[bytes, float], rarity: Rarity) -> Anchors:
    windows = sorted(window for number, run in enumerate(runs) for window in _windows(number, run, bits, rarity))
    if not windows:
        return Anchors(())
    best = windows[0][:3]
    # A second one may not slow the search: it is long, or nothing in it is common.
    seconds = [window for window in windows if not window[0] and (not window[1] or window[2] <= rarity.allowed)]
    several = len({window[4] for window in seconds}) > 1
    last_start = max((window[5] for window in seconds), default=0)
    first_end = min((window[6] for window in seconds), default=len(runs[0]))
    for first in windows:
        if first[:3] != best:
            break
        # A second anchor finds lines that are wrapped within the first, so a pair comes before the rarest window.
        if several or (seconds and (last_start >= first[6] or first_end <= first[5] or seconds[0][4] != first[4])):
            second = next(window for window in seconds if _apart(first, window))
            return Anchors((_text(runs, first), _text(runs, second)), first[0])
    return Anchors((_text(runs, windows[0]),), windows[0][0])


def _apart(one: _Window, other: _Window) -> bool:
    return one[4] != other[4] or one[5] >= other[6] or one[6] <= other[5]


def _text(runs: Sequence[bytes], window: _Window) -> str:
    return runs[window[4]][window[5] : window[6]].decode()


def _windows(number: int, run: bytes, bits: Mapping[bytes, float], rarity: Rarity) -> list[_Window]:
    """Every window of the longest length that the run has room for; of a short run the whole."""
    length = min(len(run), LONGEST)
    size = sum(length < enough for enough in (GATE, HALF, QUARTER))
    sums = list(accumulate(map(bits.__getitem__, _grams(run, SHORT)), initial=0.0))
    grams = length - SHORT + 1
    starts = range(len(run) - length + 1)
    short = list(map(rarity.short.get, _grams(run, SHORT), repeat(0)))
    long = list(map(rarity.long.get, _grams(run, LONG), repeat(0)))
    counts, groups = (short, grams) if size else (long, length - LONG + 1)
    if not any(counts):
        return [(0, size, 0, sums[at] - sums[at + grams], number, at, at + length) for at in starts]
    gates = list(accumulate(counts, initial=0))
    return [
        (
            0
            if 0 in counts[at : at + groups]
            else _over(min(short[at : at + grams] + long[at : at + length - LONG + 1]), rarity),
            size,
            gates[at + groups] - gates[at],
            sums[at] - sums[at + grams],
            number,
            at,
            at + length,
        )
        for at in starts
    ]


def _common(text: bytes, rarity: Rarity) -> int:
    """The healthy lines that hold a text at most, by the rarest of its grams; 0 if they are within the budget."""
    short = [rarity.short.get(gram, 0) for gram in _grams(text, SHORT)]
    return _over(min([*short, *(rarity.long.get(gram, 0) for gram in _grams(text, LONG))]), rarity)


def _over(lines: int, rarity: Rarity) -> int:
    return lines if lines > rarity.allowed else 0
