"""What the entries are compiled to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, OTHER, load_written, write_corpus
from faultbook.corpus import Corpus, Record, load_corpus
from faultbook.engine.compiler import compile_index, index_data
from faultbook.engine.index import Index
from faultbook.engine.match import match
from faultbook.engine.normalise import normalise
from faultbook.engine.scan import Piece
from faultbook.project import default_entries
from faultbook.schema import Signature, Symptom
from faultbook.signatures import TYPES, Placeholder, form_faults, parse_template
from hypothesis import given, settings
from hypothesis import strategies as st

Compile = Callable[..., dict[str, Any]]


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles files, of which each is completed; by default the first with the given signatures."""

    def run(*signatures: str, files: Mapping[str, str] | None = None, also: tuple[str, ...] = (), **fields: str) -> Any:
        text = "".join(f"{name}: {value}\n" for name, value in fields.items())
        if signatures:
            rows = "".join(f"      - {{{signature}}}\n" for signature in signatures)
            text += f"symptoms:\n  - observed: It dies.\n    means: It was hit.\n    signatures:\n{rows}"
        return compile_index(load_written(write_corpus(tmp_path, files or {MAIN: text})), also)

    return run


@pytest.fixture(scope="module")
def packaged() -> dict[str, Any]:
    """The compiled entries of the project."""
    corpus, violations = load_corpus([default_entries()])
    assert violations == []
    return compile_index(corpus)


def templates(index: Mapping[str, Any]) -> list[Any]:
    return [parts for parts, _, _ in index["templates"]]


def number(index: Mapping[str, Any], name: str) -> int:
    return [name for name, _ in index["types"]].index(name)


def test_parts_are_literals_numbers_of_types_and_names(compiled: Compile) -> None:
    index = compiled("text: 'rank <int:rank> of <host> <*> failed with <*:rest> code <int>'")["index"]
    whole, host = number(index, "int"), number(index, "host")
    assert templates(index) == [["rank ", [whole, "rank"], " of ", host, " ", 0, " failed with ", 0, " code ", whole]]
    assert index["types"][0] == ["*", ""]


def test_defaults_are_left_out(compiled: Compile) -> None:
    index = compiled(
        "text: worker dies now", "text: worker comes back, role: notice, unless: [worker stays], within: 9"
    )
    assert index["index"]["signatures"] == [
        {"e": 0, "t": [0]},
        {"e": 0, "t": [1], "within": 9, "unless": [2], "role": "notice"},
    ]


def test_all_asks_for_every_template(compiled: Compile) -> None:
    index = compiled("all: [worker dies now, parent goes on]")["index"]
    assert index["signatures"] == [{"e": 0, "t": [0, 1], "all": True}]
    assert index["entries"][0]["id"] == "shm-exhausted"


def test_equal_templates_stand_once(compiled: Compile) -> None:
    index = compiled("text: ['worker  dies', '<*> worker dies <*>', other words]", "text: worker dies, role: notice")
    assert templates(index["index"]) == [["worker dies"], ["other words"]]
    assert [row["t"] for row in index["index"]["signatures"]] == [[0, 1], [0]]


def test_wrapper_has_no_role(compiled: Compile) -> None:
    (entry,) = compiled(kind="wrapper")["index"]["entries"]
    assert entry["kind"] == "wrapper"


@pytest.mark.parametrize(
    ("template", "comparison", "row"),
    [
        ("port <port:port> is taken", "port != 0", [["capture", "port"], "!=", ["constant", "0"], "number"]),
        (
            "needs <size:need>, has <size:free>",
            "need > free",
            [["capture", "need"], ">", ["capture", "free"], "number"],
        ),
        ("needs <size:need> today", "2.5 GiB < need", [["constant", "2.5 GiB"], "<", ["capture", "need"], "number"]),
        ("loaded <ver:a> for <ver:b> here", "a != b", [["capture", "a"], "!=", ["capture", "b"], "version"]),
        ("loaded <ver:a> of it", "a < 12.4", [["capture", "a"], "<", ["constant", "12.4"], "version"]),
        ("loaded <tok:a> of it", "a < 12.4.1", [["capture", "a"], "<", ["constant", "12.4.1"], "version"]),
        ("exits with <tok:code>", "code == 5", [["capture", "code"], "==", ["constant", "5"], "number"]),
        ("kernel <word:a> or <word:b>", "a == b", [["capture", "a"], "==", ["capture", "b"], "text"]),
        ("kernel <word:a> at work", 'a == "oom"', [["capture", "a"], "==", ["constant", "oom"], "text"]),
    ],
)
def test_comparison_says_how_its_sides_are_read(
    compiled: Compile, template: str, comparison: str, row: list[Any]
) -> None:
    signature = f"text: '{template}', only_if: ['{comparison}']"
    assert compiled(signature)["index"]["signatures"][0]["if"] == [row]


@pytest.mark.parametrize(
    "signature",
    [
        "text: 'a \"b\" <int>'",
        "text: 'failed <int:n> of <int:n>'",
        "text: worker dies, only_if: ['port = 0']",
        "all: [worker dies, 'a <int>']",
    ],
)
def test_what_can_never_match_is_left_out(compiled: Compile, signature: str) -> None:
    index = compiled(signature, "text: worker lives")["index"]
    assert templates(index)[-1] == ["worker lives"]
    assert [templates(index)[position] for row in index["signatures"] for position in row["t"]] == [["worker lives"]]


def test_drafts_and_withdrawn_entries_are_left_out(compiled: Compile) -> None:
    withdrawn = 'status: withdrawn\nwithdrawn: {date: "2026-01-01", reason: It was wrong.}\n'
    files = {MAIN: "status: draft\n", OTHER: "", "host/gone-by.yaml": withdrawn}
    found = compiled(files=files)
    assert [entry["id"] for entry in found["index"]["entries"]] == ["open-files-limit"]
    assert list(found["cards"]) == ["open-files-limit"]
    assert {row["e"] for row in found["index"]["signatures"]} == {0}


def test_draft_is_added_if_it_is_tried_out(compiled: Compile) -> None:
    found = compiled(files={MAIN: "status: draft\n", OTHER: ""}, also=("shm-exhausted",))
    assert [entry["id"] for entry in found["index"]["entries"]] == ["open-files-limit", "shm-exhausted"]


APART = "tell_apart:\n  - {entry: %s, short: By the `errno`, how: 'Read the line. [@linux]'}\n"


def test_look_alikes_are_those_of_the_index(compiled: Compile) -> None:
    files = {MAIN: APART % "open-files-limit", OTHER: "status: draft\n" + APART % "shm-exhausted"}
    found = compiled(files=files)
    assert found["index"]["entries"][0]["alike"] == []
    assert found["cards"]["shm-exhausted"]["alike"] == []
    found = compiled(files=files, also=("open-files-limit",))
    assert found["index"]["entries"][1]["alike"] == [["open-files-limit", "By the `errno`"]]
    assert found["cards"]["shm-exhausted"]["alike"] == [
        {
            "entry": "open-files-limit",
            "title": found["cards"]["open-files-limit"]["title"],
            "short": "By the `errno`",
            "how": "Read the line. [@linux]",
        }
    ]


CHECKLIST = """checklist:
  - {check: Is it a Monday?, if_yes: Wait., if_no: Go on.}
  - check: Is it full?
    command: {run: df -h /dev/shm, expect: A line with 100 %, where: training-host, tested: run}
    if_yes: It is this. [[#raise-limit]]
    if_no: It is another.
"""


def test_card_begins_with_the_first_check_that_has_a_command(compiled: Compile) -> None:
    found = compiled(files={MAIN: CHECKLIST})
    assert found["index"]["entries"][0]["check"] == "Is it full?"
    assert found["cards"]["shm-exhausted"]["check"] == {
        "text": "Is it full?",
        "command": {"run": "df -h /dev/shm", "where": "training-host", "expect": "A line with 100 %"},
        "if_yes": "It is this. [[#raise-limit]]",
        "if_no": "It is another.",
    }


QUICK = """quick_fix:
  text: Remount it.
  commands:
    - run: mount -o remount /dev/shm
      danger: disruptive
      affects: [node]
      warning: Others lose their files.
      needs: root
  caveat: Not in a container.
"""


def test_card_tells_the_quick_fix_with_its_danger(compiled: Compile) -> None:
    assert compiled(files={MAIN: QUICK})["cards"]["shm-exhausted"]["quick_fix"] == {
        "text": "Remount it.",
        "commands": [
            {
                "run": "mount -o remount /dev/shm",
                "needs": "root",
                "danger": "disruptive",
                "affects": ["node"],
                "warning": "Others lose their files.",
            }
        ],
        "caveat": "Not in a container.",
    }


def test_card_has_the_fields_that_the_manual_lists(compiled: Compile) -> None:
    manual = (Path(__file__).parents[1] / "docs" / "engine.md").read_text("utf-8")
    form = manual.split("## Cards")[1].split("```")[1]
    card = compiled(files={MAIN: QUICK + CHECKLIST})["cards"]["shm-exhausted"]
    for name in (*card, *card["check"], *card["quick_fix"]):
        assert f'"{name}":' in form


def test_result_is_plain_json_and_the_same_each_time(compiled: Compile) -> None:
    files = {MAIN: APART % "open-files-limit", OTHER: APART % "shm-exhausted"}
    first, second = (json.dumps(compiled(files=files)) for _ in range(2))
    assert first == second


def test_every_template_can_be_found_by_its_anchors(packaged: Mapping[str, Any]) -> None:
    for parts, anchors, weight in packaged["index"]["templates"]:
        literals = [part for part in parts if isinstance(part, str)]
        assert anchors
        assert weight > 0
        assert all(any(anchor in literal for literal in literals) for anchor in anchors)


def test_index_can_be_read(packaged: Mapping[str, Any]) -> None:
    index = Index.load(packaged["index"], packaged["search"])
    for position, (parts, _, _) in enumerate(index.templates):
        line = "".join(part if isinstance(part, str) else " " for part in parts if isinstance(part, str) or part == 0)
        assert index.segments(position)
        if all(isinstance(part, str) for part in parts):
            assert position in index.candidates(line, index.grams(line))


def test_names_that_other_programs_read_are_kept(packaged: Mapping[str, Any]) -> None:
    manual = (Path(__file__).parents[1] / "docs" / "engine.md").read_text("utf-8")
    for part, heading in (("index", "## `index.json`"), ("search", "## `search.json`")):
        table = manual.split(heading)[1].split("\n## ")[0]
        assert sorted(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE)) == sorted(packaged[part])


EXAMPLES = {
    "int": "-12",
    "num": "1.5e-3",
    "hex": "0x7f3a",
    "ip": "10.0.0.7",
    "port": "29500",
    "host": "gpu-04",
    "addr": "[::1]:80",
    "path": "/data/a.py",
    "word": "ALLREDUCE",
    "name": "torch.nn.Linear",
    "tok": "(x)",
    "str": "any words",
    "size": "20.00 MiB",
    "shape": "torch.Size([3, 4])",
    "ver": "2.13.0",
    "*": " anything: 4 <x> ",
}
HOLES = st.sampled_from([f"<{name}>" for name in TYPES])
TEXTS = st.sampled_from([" then ", ", ", " (", '" of "', "\\<", " <module> ", " Größe ", ""])


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    corpus = load_written(write_corpus(tmp_path_factory.mktemp("record"), {MAIN: ""}))
    return corpus.records["shm-exhausted"]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.sampled_from(["worker failed: ", 'w"or"ker ']), st.lists(st.tuples(HOLES, TEXTS), max_size=5))
def test_every_template_matches_what_it_was_written_for(
    record: Record, start: str, rest: list[tuple[str, str]]
) -> None:
    text = start + "".join(hole + literal for hole, literal in rest)
    symptom = Symptom(observed="It dies.", means="It was hit.", signatures=(Signature(text=(text,)),))
    entry = record.entry.model_copy(update={"symptoms": (symptom,)})
    index = Index.load(index_data(Corpus({record.slug: replace(record, entry=entry)})))
    template = parse_template(text)
    if not index.templates:
        assert not any(re.search("[ !#-%'-;=?-\\[\\]-~]{6}", literal) for literal in template.literals)
        return
    line = "".join(EXAMPLES[part.type] if isinstance(part, Placeholder) else part for part in template.parts)
    events = normalise([Piece(0, 1, f"RuntimeError: {line} <".encode())], index.rules)
    if not list(form_faults(template)):
        assert [hit.signature for hit in match(events, index)] == [0]
