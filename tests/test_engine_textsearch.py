"""Finding entries by name, by an error line and by words; the vectors hold the twin in JavaScript to the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, OTHER, load_written, write_corpus
from faultbook.engine.compiler import compile_index
from faultbook.engine.index import Index
from faultbook.engine.textsearch import search, similar
from faultbook.engine.tokens import masked_tokens, tokens
from hypothesis import given
from hypothesis import strategies as st
from test_vectors import WHOLE, load

VECTORS = load("search.json")


def each(kind: str, name: str) -> Any:
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=lambda vector: repr(vector[name][:60]))


@each("terms", "text")
def test_words_give_themselves_and_their_parts(vector: dict[str, Any]) -> None:
    assert [list(token.terms) for token in tokens(vector["text"])] == vector["terms"]


@each("masked", "text")
def test_what_varies_in_error_lines_is_masked(vector: dict[str, Any]) -> None:
    text = vector["text"]
    masked = masked_tokens(text, WHOLE.search["telling"] if WHOLE.search else ())
    assert [text[token.start : token.end] for token in masked] == vector["words"]


@each("search", "query")
def test_search_vector(vector: dict[str, Any]) -> None:
    rows = search(WHOLE, vector["query"], vector["limit"])
    assert [[row["entry"], row["kind"], row["score"], row["spans"]] for row in rows] == vector["rows"]


@each("similar", "text")
def test_similar_vector(vector: dict[str, Any]) -> None:
    assert [[row["entry"], row["score"]] for row in similar(WHOLE, vector["text"])] == vector["rows"]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Two entries: a full shared memory, and too many open files."""
    compiled = compile_index(load_written(write_corpus(tmp_path, {MAIN: "aliases: [dev-shm-full]\n", OTHER: ""})))
    return Index.load(compiled["index"], compiled["search"])


def found(index: Index, query: str) -> list[tuple[str, str]]:
    return [(row["entry"], row["kind"]) for row in search(index, query)]


@pytest.mark.parametrize("query", ["shm-exhausted", "SHM exhausted", "shm_exhausted", "dev/shm full", " Dev-SHM_full "])
def test_slug_or_alias_is_found_in_any_spelling(index: Index, query: str) -> None:
    assert found(index, query)[0] == ("shm-exhausted", "slug")


@pytest.mark.parametrize("query", ["shm", "SHM_exh", "shm-exhauste", "dev-shm", "Dev shm fu"])
def test_entry_whose_name_begins_with_the_query_comes_first(index: Index, query: str) -> None:
    assert found(index, query)[0] == ("shm-exhausted", "words")


def test_name_that_is_begun_by_a_word_that_says_nothing_is_found(tmp_path: Path) -> None:
    compiled = compile_index(load_written(write_corpus(tmp_path, {MAIN: "aliases: [not-enough-shm]\n"})))
    alone = Index.load(compiled["index"], compiled["search"])
    assert search(alone, "not-")[0]["score"] == 0.1
    assert search(alone, "no")[0]["entry"] == "shm-exhausted"
    assert not found(alone, "no-")


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("master-p", "master-port-in-use"),
        ("master-port", "master-port-in-use"),
        ("EADDRINUSE", "master-port-in-use"),
        ("errno 98", "master-port-in-use"),
        ("rendezvous endpoint unreachable", "master-addr-unreachable"),
        ("orphan", "gpu-memory-held-by-orphan"),
        ("NCCL_SOCKET_IFNAME", "nccl-wrong-network-interface"),
        ("EACCES", "privileged-port-denied"),
        ("TIME_WAIT", "ephemeral-ports-exhausted"),
        ("truncated checkpoint", "checkpoint-truncated"),
        ("truncated shard", "tar-shard-truncated"),
        ("truncated image", "image-file-corrupt"),
    ],
)
def test_shipped_entry_is_found_first(shipped: Index, query: str, slug: str) -> None:
    assert found(shipped, query)[0][0] == slug


def test_words_that_entries_only_mention_are_found_last(shipped: Index) -> None:
    assert {"ephemeral-ports-exhausted", "nccl-wrong-network-interface"} <= {
        slug for slug, _ in found(shipped, "firewall")
    }


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: x",
        "RuntimeError: Error",
        "TimeoutError",
        "PackageqwError: qwx",
        'Traceback (most recent call last):\n  File "/home/u/a.py", line 3, in <module>\nKeyError: 7',
    ],
)
def test_name_of_an_exception_alone_is_similar_to_nothing(shipped: Index, text: str) -> None:
    assert similar(shipped, text) == []


def test_row_holds_what_a_list_shows(index: Index) -> None:
    (row, *_) = search(index, "open-files-limit")
    assert row == {
        "entry": "open-files-limit",
        "title": index.entries[0]["title"],
        "url": "entries/open-files-limit/",
        "kind": "slug",
        "score": 1.0,
        "spans": [],
    }


def test_line_with_other_numbers_is_found_with_its_place(index: Index) -> None:
    query = "[rank7]: OSError: [Errno 24] Too many open files: 'x'"
    (row, *_) = search(index, query)
    assert (row["entry"], row["kind"]) == ("open-files-limit", "line")
    assert [query[start:end] for start, end in row["spans"]] == ["OSError: [Errno 24] Too many open files"]


def test_each_entry_is_listed_once(index: Index) -> None:
    entries = [row["entry"] for row in search(index, "OSError: [Errno 24] Too many open files in shared memory")]
    assert len(entries) == len(set(entries))


def test_longer_prefix_never_finds_more(index: Index) -> None:
    word = "exhausted"
    counts = [len(search(index, word[:size])) for size in range(2, len(word) + 1)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= 1


def test_word_that_is_followed_by_a_blank_is_not_completed(index: Index) -> None:
    assert found(index, "exhaus")
    assert not found(index, "exhaus ")


def test_limit_is_kept(index: Index) -> None:
    assert len(search(index, "files memory", 1)) == 1
    assert search(index, "files memory", 0) == []


def test_index_without_words_still_finds_names_and_lines(index: Index) -> None:
    bare = Index.load(
        {
            "entries": index.entries,
            "templates": index.templates,
            "signatures": [],
            "types": [],
            "rules": index.rules.data,
        }
    )
    assert found(bare, "shm-exhausted") == [("shm-exhausted", "slug")]
    assert found(bare, "memory") == []
    assert similar(bare, "memory") == []


def test_entry_without_published_neighbours_is_found(tmp_path: Path) -> None:
    compiled = compile_index(load_written(write_corpus(tmp_path, {MAIN: ""})))
    alone = Index.load(compiled["index"], compiled["search"])
    assert [row["entry"] for row in similar(alone, "a bus error in the shared memory")] == ["shm-exhausted"]


def test_empty_corpus_finds_nothing(tmp_path: Path) -> None:
    compiled = compile_index(load_written(write_corpus(tmp_path, {MAIN: "status: draft\n"})))
    empty = Index.load(compiled["index"], compiled["search"])
    assert search(empty, "shared memory") == similar(empty, "shared memory") == []


def test_words_of_an_entry_stay_small(tmp_path: Path) -> None:
    size = len(gzip.compress(json.dumps(WHOLE.search, separators=(",", ":")).encode()))
    assert size / len(WHOLE.entries) < 400


@given(st.text(max_size=200))
def test_any_text_is_searched(text: str) -> None:
    for row in search(WHOLE, text):
        assert 0 < row["score"] <= 1
        assert all(0 <= start < end <= len(text) for start, end in row["spans"])
    assert all(0.1 <= row["score"] <= 1 for row in similar(WHOLE, text))


@given(st.text(alphabet="ab-_AB01. /", max_size=60))
def test_words_lie_in_the_text_in_order(text: str) -> None:
    places = [(token.start, token.end) for token in tokens(text)]
    assert places == sorted(places)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in places)
    assert {(token.start, token.end) for token in masked_tokens(text, ())} <= set(places)
