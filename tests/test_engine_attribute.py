"""In a cascade over many ranks the one that failed first is named, whatever launcher wrote the log."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from faultbook.engine.diagnose import diagnose
from faultbook.engine.read import Input
from test_vectors import MADE

INDEX = MADE["attribute", "job"]
RANKS = 32
CAUSE = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
TIMEOUT = (
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE) ran for 600013 milliseconds"
)
RESET = "RuntimeError: Connection reset by peer"
END = "srun: error: node-1: task 3: Exited with exit code 1"

Row = tuple[int, float, str]
"""Rank, seconds, words."""
Form = Callable[[Sequence[Row]], list[Input]]


def stamp(seconds: float) -> str:
    return f"2026-11-30 12:{int(seconds // 60):02}:{int(seconds % 60):02},{int(seconds * 1000 % 1000):03}"


def one_file(line: Callable[[int, float, str], str]) -> Form:
    return lambda rows: [Input("log", ["".join(f"{line(*row)}\n" for row in rows).encode()])]


def file_of_each_rank(rows: Sequence[Row]) -> list[Input]:
    texts: dict[int, str] = {}
    for rank, seconds, words in rows:
        texts[rank] = texts.get(rank, "") + f"{stamp(seconds)} {words}\n"
    order = sorted(texts, key=lambda rank: (rank * 7) % RANKS)
    return [Input(f"rank{rank}.log", [texts[rank].encode()]) for rank in order]


FORMS: dict[str, Form] = {
    "torchrun": one_file(lambda rank, _, words: f"[rank{rank}]: {words}"),
    "srun -l": one_file(lambda rank, _, words: f"{rank:2}: {words}"),
    "mpirun": one_file(lambda rank, _, words: f"[1,{rank}]<stderr>:{words}"),
    "c10": one_file(lambda rank, _, words: f"[rank{rank}]:[E1130 12:00:00.5 ProcessGroupNCCL.cpp:616] {words}"),
    "times": one_file(lambda rank, seconds, words: f"[rank{rank}]: {stamp(seconds)} {words}"),
    "a file a rank": file_of_each_rank,
}
TIMED = ("times", "a file a rank")


def cascade(dice: random.Random, failed: int) -> list[Row]:
    """Steps of all ranks, the cause on one of them, and what the others then see, in the order of time."""
    rows = [(rank, step + rank / 100, f"step {step}") for step in range(12) for rank in range(RANKS)]
    rows += [(failed, 20, "Traceback (most recent call last):"), (failed, 20.1, CAUSE)]
    others = [rank for rank in range(RANKS) if rank != failed]
    rows += [(rank, 30 + dice.random() * 20, dice.choice([TIMEOUT, RESET])) for rank in others]
    return sorted(rows, key=lambda row: row[1])


def named(inputs: list[Input]) -> list[tuple[str, str, int | None]]:
    answer = diagnose(inputs, INDEX).answer
    assert answer["verdict"] == "match"
    return [(finding["entry"], finding["role"], finding["rank"]) for finding in answer["findings"]]


@pytest.mark.parametrize("form", FORMS)
def test_first_rank_of_a_cascade_is_named(form: str) -> None:
    dice = random.Random(form)
    for _ in range(4):
        failed = dice.randrange(RANKS)
        first, *rest = named(FORMS[form](cascade(dice, failed)))
        assert first == ("oom", "initiating", failed)
        assert {(entry, role) for entry, role, _ in rest} == {("watchdog", "downstream"), ("peer-reset", "downstream")}


@pytest.mark.parametrize("form", FORMS)
def test_cause_that_is_written_below_what_follows_from_it_is_named(form: str) -> None:
    """Each rank has its own buffer, so lines of one rank come in order, and ranks in any order."""
    dice = random.Random(form)
    for _ in range(4):
        failed = dice.randrange(RANKS)
        rows = cascade(dice, failed)
        order = dice.sample(range(RANKS), RANKS)
        buffered = sorted(rows, key=lambda row: (row[1] >= 20, order[row[0]] if row[1] >= 20 else row[1], row[1]))
        assert named(FORMS[form](buffered))[0] == ("oom", "initiating", failed)


@pytest.mark.parametrize("form", TIMED)
def test_of_two_causes_the_earlier_in_time_is_named(form: str) -> None:
    dice = random.Random(form)
    for _ in range(4):
        one, other = dice.sample(range(RANKS), 2)
        rows = cascade(dice, one)
        rows.append((other, 19, "RuntimeError: Address already in use: port 29500"))
        dice.shuffle(rows)
        rows.append((other, 60, END))
        assert named(FORMS[form](rows))[:2] == [("port-in-use", "initiating", other), ("oom", "downstream", one)]


@pytest.mark.parametrize("form", FORMS)
def test_silent_rank_is_what_is_missing(form: str) -> None:
    dice = random.Random(form)
    for _ in range(4):
        silent = dice.randrange(RANKS)
        rows = [(rank, 1.0, "step 1") for rank in range(RANKS)]
        rows += [(rank, 30 + dice.random(), TIMEOUT) for rank in dice.sample(range(RANKS), RANKS) if rank != silent]
        answer = diagnose(FORMS[form](rows), INDEX).answer
        assert answer["verdict"] == "unknown"
        assert answer["missing"] == (
            f"The output of rank {silent}, which did not report the timeout that the others report."
        )


@pytest.mark.parametrize("form", FORMS)
def test_error_on_all_ranks_is_of_all_ranks(form: str) -> None:
    dice = random.Random(form)
    rows = [(rank, 1 + dice.random(), CAUSE) for rank in dice.sample(range(RANKS), RANKS)]
    (finding,) = diagnose(FORMS[form](rows), INDEX).answer["findings"]
    assert (finding["entry"], finding["rank"], finding["all_ranks"], finding["count"]) == ("oom", None, True, RANKS)
