"""Samples of every entry, as other programs print and collect them, still lead to the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from faultbook.checks.trial import Trial
from faultbook.corpus import Corpus, load_corpus
from faultbook.engine import diagnose as module
from faultbook.engine.compiler import compile_index
from faultbook.engine.diagnose import diagnose
from faultbook.engine.gate import Finder, python_finder
from faultbook.engine.index import Index
from faultbook.engine.read import Input
from faultbook.engine.walker import Span, walk
from faultbook.signatures import PATTERNS
from mutations import MUTATIONS, joined

ENTRIES = Path(__file__).resolve().parents[1] / "entries"
TELLS: dict[str, dict[str, Any]] = {
    "[rank3]:": {"rank": 3},
    "[default3]:[rank3]:": {"rank": 3},
    "srun -l": {"rank": 3},
    "mpirun": {"rank": 3},
    "horovodrun": {"rank": 3},
    "structured": {"rank": 3},
    "structured within docker": {"rank": 3},
    "structured behind cri": {"rank": 3},
    "in a long log of ranks": {"rank": 3},
    "pdsh": {"node": "worker-1"},
    "Ray": {"node": "10.164.227.153"},
    "kubectl": {"node": "trainer-0"},
    "stern": {"node": "trainer-0"},
    "compose": {"node": "trainer-1"},
    "journald": {"node": "node7"},
}
"""What a form tells of the first finding, where the sample itself does not tell it."""
EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Why a form of the samples of an entry does not lead to it, by entry and form."""
DIGIT = re.compile("[0-9](?!(?<=0)x[0-9a-f])")
BAR = re.compile(r"[0-9]%\|")
RANK = re.compile(r"\brank ?[0-9]", re.IGNORECASE)
VALUES = {"ip": "10.77.0.5", "host": "node-77.example.org", "path": "/mnt/other/run_7/file.bin", "word": "another"}
"""Other values of placeholders; in those of the other types only the digits change."""
TYPES = ["*", *PATTERNS]


@lru_cache(maxsize=1)
def corpus() -> Corpus:
    found, violations = load_corpus([ENTRIES])
    assert not violations
    return found


@lru_cache(maxsize=1)
def index() -> Index:
    compiled = compile_index(corpus())
    return Index.load(compiled["index"], compiled["search"])


@pytest.fixture(autouse=True)
def one_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The anchors are the same in each test, so what finds them is made once."""
    monkeypatch.setattr(module, "finder", cached_finder)


def cached_finder(anchors: Sequence[str]) -> Finder:
    return made_finder(tuple(anchors))


@lru_cache(maxsize=1)
def made_finder(anchors: tuple[str, ...]) -> Finder:
    return python_finder([anchor.encode() for anchor in anchors])


def samples() -> Iterator[Any]:
    """The samples that must lead to their entry, as `sample-not-first` wants it."""
    trial = Trial(corpus())
    for slug, record in corpus().records.items():
        for number, sample in enumerate(record.entry.samples if record.published else ()):
            log = record.log(sample)
            if log is None or sample.expect != "match" or sample.first is False:
                continue
            rows = (trial.index.signatures[hit.signature] for hit in trial.hits(record, trial.events(log)))
            if sample.first or (record.entry.kind == "cause" and any(row.role == "cause" for row in rows)):
                yield pytest.param(slug, log.splitlines(), id=f"{slug}-{number}")


SAMPLES = list(samples())


def first_finding(log: bytes) -> dict[str, Any] | None:
    answer = diagnose([Input("log", [log])], index()).answer
    return answer["findings"][0] if answer["findings"] and answer["verdict"] != "no-failure" else None


# All forms of all samples take minutes: each sample meets a quarter of the forms, each form a quarter of the samples.
TURNS = [pytest.param(*found.values, number % 4, id=str(found.id)) for number, found in enumerate(SAMPLES)]


@pytest.mark.parametrize(("slug", "lines", "turn"), TURNS)
def test_sample_in_other_forms_leads_to_its_entry(slug: str, lines: list[str], turn: int) -> None:
    plain = first_finding(joined(lines))
    assert plain
    assert plain["entry"] == slug
    for form, mutation in islice(MUTATIONS.items(), turn, None, 4):
        found = first_finding(mutation(lines))
        lost = found is None or found["entry"] != slug
        assert lost == ((slug, form) in EXCEPTIONS), form
        if found and not lost:
            whole = "\n".join(lines)
            # In front of a bar the name of a node looks like what the bar is about.
            silent = {"rank": not RANK.search(whole), "node": not BAR.search(whole)}
            told = {key: value for key, value in TELLS.get(form, {}).items() if plain[key] is None and silent[key]}
            assert found["all_ranks"] or {key: found[key] for key in told} == told, form


@pytest.mark.parametrize(("slug", "lines"), SAMPLES)
def test_sample_with_other_values_leads_to_its_entry(slug: str, lines: list[str]) -> None:
    other = [with_other_values(line, slug) for line in lines]
    found = first_finding(joined(other))
    assert found, other
    assert found["entry"] == slug, other


def test_other_values_change_what_varies_and_no_more() -> None:
    line = "The server socket has failed to bind to [::]:39085 (errno: 98 - Address already in use)."
    assert with_other_values(line, "privileged-port-denied") == line
    byte = "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position 7: ordinal not in range(128)"
    changed = with_other_values(byte, "locale-encoding-error")
    assert changed == byte.replace("0xc3", "0xc7").replace("position 7", "position 2")
    changed = with_other_values("connect to 172.17.0.1<38847> failed : x", "nccl-wrong-network-interface")
    assert changed == "connect to 172.17.0.1<73382> failed : x"


def with_other_values(line: str, slug: str) -> str:
    """The line with other values at the free placeholders of the templates of an entry that it matches."""
    own = {
        template for row in index().signatures if index().entries[row.entry]["id"] == slug for template in row.templates
    }
    places: list[tuple[int, int, str]] = []
    spans: list[Span] = []
    for template in sorted(own, key=lambda template: (-index().templates[template][2], len(holders(template)))):
        span = walk(index().segments(template), line)
        # What a less specific one leaves open may be what the more specific one is about.
        if span and not any(span.start < other.end and other.start < span.end for other in spans):
            spans.append(span)
            places += free_places(template, line)
    for start, end, value in sorted(places, reverse=True):
        line = line[:start] + value + line[end:]
    return line


def holders(template: int) -> list[Any]:
    """The placeholders of a template."""
    return [part for part in index().templates[template][0] if not isinstance(part, str)]


def free_places(template: int, line: str) -> Iterator[tuple[int, int, str]]:
    """Where a template that matches has placeholders that no comparison can bind, with other values for them."""
    at = 0
    for segment in split(index().templates[template][0]):
        holders = [part for part in segment if not isinstance(part, str)]
        found = re.compile("".join(map(pattern, segment)), re.DOTALL).search(line, at)
        assert found
        at = found.end()
        for number, part in enumerate(holders, 1):
            if isinstance(part, int):
                value = VALUES.get(TYPES[part]) or DIGIT.sub(other_digit, found[number])
                yield (*found.span(number), value)


def split(parts: Sequence[Any]) -> list[list[Any]]:
    segments: list[list[Any]] = [[]]
    for part in parts:
        if part == 0:
            segments.append([])
        else:
            segments[-1].append(part)
    return [segment for segment in segments if segment]


def pattern(part: Any) -> str:
    if isinstance(part, str):
        return re.escape(part)
    return f"({index().patterns[part if isinstance(part, int) else part[0]]})"


def other_digit(digit: re.Match[str]) -> str:
    """Another digit, which is never 0, so that a number stays as long."""
    return str((int(digit[0]) + 3) % 9 + 1)
