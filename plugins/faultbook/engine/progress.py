"""Failures that the training got over: it went on after them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from faultbook.engine.index import Index
from faultbook.engine.match import Hit
from faultbook.engine.normalise import Event
from faultbook.engine.rules import Rules
from faultbook.engine.signs import Signs

ENOUGH = 3
"""Growing steps after a line that show that training went on; other ranks may finish one or two after a failure."""

Stream = tuple[int, int | None]
Steps = tuple[float, ...]
END: Steps = (1e9,)
"""What stands for the end of training: it comes after all steps, whose numbers have nine digits at most."""


def overcome(
    events: Sequence[Event], positions: Iterable[int], hits: Sequence[Hit], signs: Signs, index: Index
) -> set[int]:
    """The entries whose hits in an attempt all have steps of training of the same file and rank after them.

    One step and the end of training are enough; a script may say that it ended whatever came before.
    Steps that begin anew are those of another run, whose start proves nothing about the one before.
    """
    went_on = _went_on(events, positions, index.rules) if hits else {}
    over: set[int] = set()
    standing: set[int] = set()
    for hit in hits:
        event = events[hit.at]
        starts = went_on.get((event.file, event.rank), [])
        place = bisect_right(starts, (hit.end, True))
        passed = place < len(starts) and starts[place][1] and hit.at not in signs.outside
        (over if passed else standing).add(index.signatures[hit.signature].entry)
    return over - standing


def _went_on(events: Sequence[Event], positions: Iterable[int], rules: Rules) -> dict[Stream, list[tuple[int, bool]]]:
    """By file and rank the lines that give a step, and whether enough growing ones begin there, as none before did."""
    steps: dict[Stream, list[tuple[int, Steps]]] = {}
    for at in positions:
        found = _steps(events[at].text, rules)
        of_rank = steps.setdefault((events[at].file, events[at].rank), [])
        if found and not (of_rank and of_rank[-1][1] == found):
            of_rank.append((at, found))
    return {stream: _starts(found) for stream, found in steps.items()}


def _starts(steps: Sequence[tuple[int, Steps]]) -> list[tuple[int, bool]]:
    starts = []
    growing = 0
    for place in range(len(steps) - 1, -1, -1):
        at, found = steps[place]
        growing = growing + 1 if place + 1 < len(steps) and found < steps[place + 1][1] else 1
        growing = ENOUGH - 1 if found == END else growing
        after = place == 0 or steps[place - 1][1] < found
        starts.append((at, growing >= ENOUGH and after))
    return starts[::-1]


def _steps(text: str, rules: Rules) -> Steps:
    """The numbers of epochs and steps in a line that measures training, or none."""
    if rules.pattern("finished").match(text):
        return END
    if not rules.pattern("progress").search(text):
        return ()
    found = rules.pattern("step").finditer(text)
    return tuple(float(number) for match in found for number in match.groups() if number)
