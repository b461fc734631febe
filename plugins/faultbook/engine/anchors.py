"""Choose the anchors of templates: short texts by which the lines are found that a template may match."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from faultbook.engine.rarity import LONG, SHORT, Rarity

LONGEST, SHORTEST = 16, 6
GATE = 15
"""So many bytes hold a whole aligned group of 8 wherever they stand, and half as many one of 4."""
_OTHERS = 4
"""Lines as which another template counts that has the same gram."""
# What JSON may escape would not be found in a log of JSON lines: Go and dockerd escape angle brackets and ampersands.
_RUN = re.compile(rf"[ !#-%'-;=?-\[\]-~]{{{SHORTEST},}}")


@dataclass(frozen=True)
class Anchors:
    """The anchors of a template, the rarest first, and the healthy lines that hold that one if they are too many."""

    texts: tuple[str, ...]
    lines: int = 0


class _Window(NamedTuple):
    """A part of a run; the least one is the best."""

    common: int
    """Healthy lines that hold it at most, or 0 if these are within the budget."""
    size: int
    """0 if it is found by groups of 8, 1 by groups of 4, 2 if only by those that happen to lie well."""
    gate: int
    """Healthy lines that hold one of the groups by which it is looked for."""
    bits: float
    """How rare its grams are, below zero."""
    run: int
    start: int
    end: int

    def apart(self, other: _Window) -> bool:
        """Whether the two do not overlap."""
        return self.run != other.run or self.start >= other.end or self.end <= other.start


def anchor_runs(literal: str) -> list[str]:
    """The parts of a literal in which an anchor can lie."""
    return _RUN.findall(literal)


def choose_anchors(templates: Sequence[Sequence[str]], rarity: Rarity) -> list[Anchors]:
    """The anchors of templates, each given by its literals; none for one without a run that is long enough."""
    runs = [[run.encode() for literal in literals for run in anchor_runs(literal)] for literals in templates]
    shared: Counter[bytes] = Counter()
    for found in runs:
        shared.update({run[at : at + SHORT] for run in found for at in range(len(run) - SHORT + 1)})
    bits = _Bits(rarity)
    return [_chosen(found, shared, bits) for found in runs]


class _Bits(dict[int, float]):
    """The rarity in bits by the number of lines, computed once each."""

    def __init__(self, rarity: Rarity) -> None:
        super().__init__()
        self.rarity = rarity

    def __missing__(self, lines: int) -> float:
        self[lines] = found = self.rarity.bits(lines)
        return found


def _chosen(runs: Sequence[bytes], shared: Mapping[bytes, int], bits: _Bits) -> Anchors:
    windows = sorted(window for number, run in enumerate(runs) for window in _windows(number, run, shared, bits))
    if not windows:
        return Anchors(())
    best = windows[0][:3]
    limit = bits.rarity.allowed
    # A second one may not slow the search: it is long, or nothing in it is common.
    seconds = [window for window in windows if not window.common and (not window.size or window.gate <= limit)]
    for first in windows:
        if first[:3] != best:
            break
        # A second anchor finds lines that are wrapped within the first, so a pair comes before the rarest window.
        if second := next((window for window in seconds if window.apart(first)), None):
            return Anchors((_text(runs, first), _text(runs, second)), first.common)
    return Anchors((_text(runs, windows[0]),), windows[0].common)


def _text(runs: Sequence[bytes], window: _Window) -> str:
    return runs[window.run][window.start : window.end].decode()


def _windows(number: int, run: bytes, shared: Mapping[bytes, int], bits: _Bits) -> list[_Window]:
    """Every window of the longest length that the run has room for; of a short run the whole."""
    rarity = bits.rarity
    length = min(len(run), LONGEST)
    grams = [run[at : at + SHORT] for at in range(len(run) - SHORT + 1)]
    counts = [rarity.short.get(gram, 0) for gram in grams]
    sums = [0.0, *accumulate([bits[n + _OTHERS * (shared[gram] - 1)] for n, gram in zip(counts, grams, strict=True)])]
    long = [rarity.long.get(run[at : at + LONG], 0) for at in range(len(run) - LONG + 1)]
    size = 0 if length >= GATE else 1 if length > SHORTEST else 2
    group, groups = (SHORT, counts) if size else (LONG, long)
    gates = [0, *accumulate(groups)]
    windows = []
    for start in range(len(run) - length + 1):
        end = start + length
        gate = gates[end - group + 1] - gates[start]
        common = 0
        if gate > rarity.allowed and 0 not in long[start : end - LONG + 1]:
            lines = min(min(counts[start : end - SHORT + 1]), min(long[start : end - LONG + 1], default=rarity.lines))
            common = lines if lines > rarity.allowed else 0
        windows.append(_Window(common, size, gate, sums[start] - sums[end - SHORT + 1], number, start, end))
    return windows
