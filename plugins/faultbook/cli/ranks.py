"""In which order the ranks of a job failed, as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faultbook.blocks import listed

_NAMED, _CLUSTERS = 4, 4
_TOGETHER = 1.0
"""Seconds; ranks that failed within them of each other are told as one."""


def first_failures(rows: Sequence[Mapping[str, Any]], world: int | None) -> str:
    """Which rank failed first and when the others followed; empty for fewer than two ranks."""
    if len(rows) < 2:
        return ""
    timed = [row for row in rows if row["seconds"] is not None]
    parts = [_ordered(timed)] if len(timed) == len(rows) else [f"A failure was printed by {_ranks(rows)}."]
    if world and len(rows) < world:
        silent = sorted(set(range(world)) - {row["rank"] for row in rows})
        parts.append(f"No failure was printed by {_numbers(silent)} of {world}.")
    return " ".join(parts)


def _ordered(rows: Iterable[Mapping[str, Any]]) -> str:
    clusters: list[list[Mapping[str, Any]]] = []
    for row in sorted(rows, key=lambda row: (row["seconds"], row["rank"])):
        near = clusters and len(clusters) > 1 and row["seconds"] - clusters[-1][-1]["seconds"] <= _TOGETHER
        near = near or (clusters and row["seconds"] == clusters[-1][-1]["seconds"])
        if near or len(clusters) >= _CLUSTERS:
            clusters[-1].append(row)
        else:
            clusters.append([row])
    parts = [f"{_ranks(clusters[0])} failed first", *(f"{_ranks(group)} {_after(group)}" for group in clusters[1:])]
    text = ", ".join(parts)
    return text[0].upper() + text[1:] + "."


def _ranks(rows: Sequence[Mapping[str, Any]]) -> str:
    if len(rows) == 1 and rows[0]["node"]:
        return f"rank {rows[0]['rank']} (node {rows[0]['node']})"
    return _numbers(sorted(row["rank"] for row in rows))


def _after(rows: Sequence[Mapping[str, Any]]) -> str:
    first, last = rows[0]["seconds"], rows[-1]["seconds"]
    return f"after {first:,.1f} s" if first == last else f"after {first:,.1f} to {last:,.1f} s"


def _numbers(ranks: Sequence[int]) -> str:
    """Ranks in words: ``rank 3``, ``ranks 0 to 4, 6 and 7``, or how many they are."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    if len(runs) > _NAMED:
        return f"{len(ranks)} ranks"
    words = [str(run[0]) if len(run) == 1 else f"{run[0]} {'and' if len(run) == 2 else 'to'} {run[-1]}" for run in runs]
    return f"rank{'s' if len(ranks) > 1 else ''} {listed(words)}"
