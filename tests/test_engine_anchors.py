"""Anchors of templates, and the table of what is common in healthy logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from faultbook.engine.anchors import GATE, LONGEST, SHORTEST, choose_anchors
from faultbook.engine.rarity import Rarity, decode, encode, load_rarity
from faultbook.signatures import parse_template
from healthy.make_table import table
from hypothesis import given
from hypothesis import strategies as st

PLAIN = Rarity(100_000, {}, {})
"""A table of logs in which nothing is common."""


def anchors(*templates: str, rarity: Rarity = PLAIN) -> list[tuple[str, ...]]:
    return [found.texts for found in choose_anchors([parse_template(text).literals for text in templates], rarity)]


def counted(folder: Path, *lines: str) -> Rarity:
    """The table of one log."""
    (folder / "one.log").write_text("\n".join(lines) + "\n", "utf-8")
    return table([folder])


def test_long_literal_gives_two_anchors_that_do_not_overlap() -> None:
    text = "Expected to have finished reduction in the prior iteration before starting a new one"
    (found,) = anchors(text)
    assert [len(anchor) for anchor in found] == [LONGEST, LONGEST]
    places = sorted(text.index(anchor) for anchor in found)
    assert places[1] - places[0] >= LONGEST


def test_two_literals_give_an_anchor_each() -> None:
    (found,) = anchors("unexpected end of the file, <int> bytes are missing there")
    assert sorted(text in " bytes are missing there" for text in found) == [False, True]


def test_short_literal_is_an_anchor_as_a_whole() -> None:
    assert anchors("Broken pipe", "rank <int> aborts") == [("Broken pipe",), (" aborts",)]


@pytest.mark.parametrize("mark", ['"', "\\", "<", ">", "&", "\x1b", "ü"])
def test_characters_that_json_may_escape_are_in_no_anchor(mark: str) -> None:
    (found,) = anchors(f"cannot open the archive {mark}weights{mark} of this checkpoint at all")
    assert found
    assert not any(mark in anchor for anchor in found)


def test_template_without_six_plain_characters_in_a_row_has_no_anchor() -> None:
    assert anchors('a"bc"def"ghijk') == [()]


def test_common_words_are_avoided(tmp_path: Path) -> None:
    rarity = counted(tmp_path, *["starting the worker process now"] * 50, *["other line"] * 50)
    (found,) = anchors("starting the worker process now: gradients overflowed", rarity=rarity)
    assert found[0] in ": gradients overflowed"
    assert "starting" not in "".join(found)


def test_common_anchor_is_taken_and_told_where_there_is_no_other(tmp_path: Path) -> None:
    rarity = counted(tmp_path, *["starting the worker process now"] * 50, *["other line"] * 50)
    (found,) = choose_anchors([("starting the worker process",)], rarity)
    assert len(found.texts) == 1
    assert 25 <= found.lines <= 100


def test_words_of_other_templates_are_avoided() -> None:
    shared = "The client socket has failed to connect"
    found = anchors(f"{shared} to port zero", *(f"{shared} {word}" for word in ("anew", "today", "twice", "ever")))
    assert any("port zero"[:6] in anchor for anchor in found[0])


def test_choice_does_not_depend_on_the_order_of_templates() -> None:
    texts = [
        "No route to host <host> from here",
        "GPU has fallen off the bus",
        "Broken pipe",
        "Received Signals.SIGHUP",
    ]
    assert anchors(*texts) == list(reversed(anchors(*reversed(texts))))


@given(st.lists(st.text(alphabet='ab cdefgh"<é', max_size=60), max_size=4))
def test_anchors_stand_in_a_literal_and_keep_the_limits(literals: list[str]) -> None:
    (found,) = choose_anchors([literals], PLAIN)
    assert len(found.texts) <= 2
    for anchor in found.texts:
        assert SHORTEST <= len(anchor.encode()) <= LONGEST
        assert any(anchor in literal for literal in literals)
    if any(len(anchor) < GATE for anchor in found.texts[:1]):
        assert all(
            len(run) < GATE for literal in literals for run in literal.replace("<", '"').replace("é", '"').split('"')
        )


def test_table_survives_being_written(tmp_path: Path) -> None:
    rarity = counted(tmp_path, *["step 1 of 2 done"] * 40, "unique words here")
    read = decode(encode(rarity))
    assert (read.lines, read.short.keys(), read.long.keys()) == (41, rarity.short.keys(), rarity.long.keys())
    assert all(count / 2 <= read.short[gram] <= count * 2 for gram, count in rarity.short.items())


def test_something_else_is_no_table() -> None:
    with pytest.raises(ValueError, match="no table"):
        decode(b"PK\x03\x04")


def test_packaged_table_knows_what_every_run_prints() -> None:
    rarity = load_rarity()
    assert rarity.lines > 10_000
    common, rare = (choose_anchors([(text,)], rarity)[0].lines for text in (" INFO ", "CANCELLED AT"))
    assert common > rarity.allowed
    assert rare == 0


def test_specific_words_weigh_more() -> None:
    weight = load_rarity().weight
    assert weight(("the process",)) < weight(("NCCL watchdog",)) < weight(("NCCL watchdog", " thread terminated"))
    assert weight(("<>: ",)) == 0
