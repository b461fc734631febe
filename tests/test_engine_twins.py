"""The engine in Python and its twin in JavaScript give the same answer for logs that nobody wrote by hand."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from faultbook.corpus import load_corpus
from faultbook.engine.compiler import compile_index
from faultbook.engine.diagnose import diagnose
from faultbook.engine.gate import finder
from faultbook.engine.index import Index
from faultbook.engine.mask import mask_with_spans
from faultbook.engine.read import Input
from faultbook.engine.rules import compiled_bytes
from faultbook.engine.scan import scan
from faultbook.engine.textsearch import search
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
NODE = shutil.which("node")
SEED = 20261130
ROUNDS = 20
"""Groups of mutated logs; each is a test of its own, so that a failure names its seed."""
LOGS = 50
CORPUS, _ = load_corpus([ROOT / "entries"])
COMPILED = compile_index(CORPUS)
INDEX = Index.load(COMPILED["index"], COMPILED["search"])
SAMPLES = [record.log(sample) for record in CORPUS.records.values() for sample in record.entry.samples]
HEALTHY = [path.read_text("utf-8") for path in sorted((ROOT / "tests" / "healthy").glob("*.log"))]

pytestmark = pytest.mark.skipif(NODE is None, reason="Node.js is missing")


class Twin:
    """The engine in JavaScript, as a process that answers one line for each that it gets."""

    def __init__(self) -> None:
        assert NODE
        self.process = subprocess.Popen(
            [NODE, str(ROOT / "tests" / "js" / "twin.js")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.ask({"index": COMPILED["index"], "search": COMPILED["search"]})

    def ask(self, question: dict[str, Any]) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(timeout=10)


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    found = Twin()
    yield found
    found.close()


Files = Sequence[tuple[str, bytes]]


def here(files: Files, chunk: int, context: int) -> dict[str, Any]:
    inputs = [Input(name, [data[at : at + chunk] for at in range(0, len(data), chunk)]) for name, data in files]
    diagnosis = diagnose(inputs, INDEX, context=context)
    return without_time({"answer": diagnosis.answer, "details": diagnosis.details})


def there(twin: Twin, files: Files, chunk: int, context: int) -> dict[str, Any]:
    encoded = [[name, base64.b64encode(data).decode()] for name, data in files]
    return without_time(twin.ask({"files": encoded, "chunk": chunk, "context": context}))


def without_time(told: dict[str, Any]) -> dict[str, Any]:
    assert "error" not in told, told["error"]
    told["answer"]["stats"].pop("seconds")
    return dict(json.loads(json.dumps(told)))


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two answers differ, the one of JavaScript first."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}[{at}]")
    elif one != other:
        yield f"{path}: {one!r} != {other!r}"


def lines_changed(change: Callable[[random.Random, str], str]) -> Callable[[random.Random, str], str]:
    return lambda dice, text: "\n".join(change(dice, line) for line in text.split("\n"))


PREFIXES = (
    "[rank{rank}]: ",
    "[rank{rank}]:[E1130 12:00:0{digit}.{number} ProcessGroupNCCL.cpp:{number}] [PG ID 0 PG GUID 0 Rank {rank}] ",
    "[default{rank}]:",
    "{rank}: ",
    "worker-{rank}: ",
    "[1,{rank}]<stderr>:",
    "(TrainWorker pid={number}, ip=10.0.0.{rank}) ",
    "2026-11-30T12:00:0{digit}.123456789Z stderr F ",
    "2026-11-30 12:00:0{digit},{number} - ERROR - ",
    "Nov 30 12:00:0{digit} gpu-0{digit} slurmd[{number}]: ",
    "gpu-0{digit}:{number}:{number} [{digit}] NCCL WARN ",
    "[  {number}.123456] ",
    "W1130 12:00:0{digit}.123 {number} torch/distributed/run.py:{number}] ",
    "\u2502 ",
)


def prefix(dice: random.Random) -> str:
    form = dice.choice(PREFIXES)
    return form.format(rank=dice.randrange(16), digit=dice.randrange(10), number=dice.randrange(100, 100_000))


def prefixed(dice: random.Random, text: str) -> str:
    """One prefix on all lines, or one of its own on each."""
    same = prefix(dice)
    return lines_changed(lambda dice, line: (same if dice.random() < 0.8 else prefix(dice)) + line)(dice, text)


def coloured(dice: random.Random, text: str) -> str:
    escape = dice.choice(["\x1b", "", "\x1b[0m\x1b"])
    words = text.split(" ")
    for at in dice.sample(range(len(words)), len(words) // 3):
        words[at] = f"{escape}[{dice.randrange(30, 48)}m{words[at]}{escape}[0m"
    return " ".join(words)


def wrapped(dice: random.Random, text: str) -> str:
    width = dice.choice([60, 80, 100, 120, 250])
    return "\n".join(line[at : at + width] for line in text.split("\n") for at in range(0, max(len(line), 1), width))


def renumbered(dice: random.Random, text: str) -> str:
    return "".join(str(dice.randrange(10)) if char in "0123456789" and dice.random() < 0.5 else char for char in text)


def in_json(dice: random.Random, text: str) -> str:
    key, rank = dice.choice(["log", "message", "msg"]), dice.choice([0, 7, 3.0, 2.5, True, "1", 10**7])
    known = {"level": dice.choice(["error", "INFO", "x"]), "rank": rank}
    own: dict[str, object] = dice.choice(
        [{}, known, {"time": "2026-11-30T12:00:00Z", "host": "n\u00e9"}, {"kubernetes": {"pod_name": "p-0"}}]
    )
    return lines_changed(lambda dice, line: json.dumps({key: line + "\n", **own}))(dice, text)


def with_bars(dice: random.Random, text: str) -> str:
    bars = "".join(f"\r {at}%|\u2588\u258c  | {at}/100 [00:0{at}<00:00, 2.3it/s]" for at in range(dice.randrange(1, 9)))

    def barred(dice: random.Random, line: str) -> str:
        return bars + dice.choice(["", "\r"]) + line if dice.random() < 0.2 else line

    return lines_changed(barred)(dice, text)


def boxed(dice: random.Random, text: str) -> str:
    edge = "\u2500" * 30
    inside = lines_changed(lambda dice, line: f"\u2502 {line:60} \u2502")(dice, text)
    return f"\u256d{edge} Traceback (most recent call last) {edge}\u256e\n{inside}\n\u2570{edge}{edge}\u256f"


ODD = ("", "\t", "  ", "\u00a0", "\U0001f525", "\x00", "\u2028", "\ufeff", "\x85", "\x1c", "[", '"', "\udc80")
"""What is put into texts; the last is no character, and becomes a question mark in UTF-8."""


def damaged(dice: random.Random, text: str) -> str:
    """Some characters taken out, doubled, exchanged, or put in from elsewhere."""
    chars = list(text)
    for _ in range(dice.randrange(1, 8)):
        at = dice.randrange(len(chars) + 1)
        chars[at : at + dice.randrange(3)] = dice.choice(ODD)
    return "".join(chars)


def shuffled(dice: random.Random, text: str) -> str:
    lines = text.split("\n")
    dice.shuffle(lines)
    return "\n".join(lines)


def repeated(dice: random.Random, text: str) -> str:
    return "\n".join([text] * dice.randrange(2, 40))


def among_healthy(dice: random.Random, text: str) -> str:
    before, after = dice.choice(HEALTHY), dice.choice(HEALTHY)
    return "\n".join([before * dice.randrange(1, 4), text, after])


def with_other(dice: random.Random, text: str) -> str:
    return "\n".join([text, dice.choice(SAMPLES)])


def restarted(dice: random.Random, text: str) -> str:
    return f"{text}\nI run.py:1] 1/3 attempts left; will restart worker group\n{dice.choice(SAMPLES)}"


MUTATIONS: Sequence[Callable[[random.Random, str], str]] = (
    prefixed,
    prefixed,
    coloured,
    wrapped,
    renumbered,
    in_json,
    with_bars,
    boxed,
    damaged,
    shuffled,
    repeated,
    among_healthy,
    with_other,
    restarted,
    lambda dice, text: text.replace("\n", "\r\n"),
    lambda dice, text: text[dice.randrange(max(len(text), 1)) :],
    lambda dice, text: text + "x" * dice.choice([10, 16_384, 20_000, 70_000]) + "\n" + text,
)

ENCODINGS: Sequence[Callable[[random.Random, str], bytes]] = (
    lambda dice, text: text.encode("utf-16"),
    lambda dice, text: text.encode("utf-16-le"),
    lambda dice, text: text.encode("utf-16-be"),
    lambda dice, text: b"\xef\xbb\xbf" + text.encode(),
    lambda dice, text: text.encode("latin-1", "replace"),
    lambda dice, text: gzip.compress(text.encode(), dice.randrange(10)),
    lambda dice, text: b"".join([*(gzip.compress(part.encode()) for part in (text, text)), bytes(dice.randrange(20))]),
    lambda dice, text: (packed := gzip.compress(text.encode()))[: dice.randrange(len(packed))],
    lambda dice, text: with_bad_sum(gzip.compress(text.encode())),
    lambda dice, text: text.encode() + dice.randbytes(dice.randrange(60)),
)


def with_bad_sum(packed: bytes) -> bytes:
    return packed[:-8] + (zlib.crc32(packed) & 0xFFFFFFFF).to_bytes(4, "little") + packed[-4:]


def mutated(dice: random.Random) -> bytes:
    text = dice.choice(SAMPLES)
    for _ in range(dice.choice([0, 1, 1, 2, 2, 3])):
        text = dice.choice(MUTATIONS)(dice, text)
        if len(text) > 300_000:
            break
    text = text.encode("utf-8", "replace").decode()
    return dice.choice(ENCODINGS)(dice, text) if dice.random() < 0.3 else text.encode()


@pytest.mark.parametrize("group", range(ROUNDS))
def test_answers_agree_on_mutated_samples(twin: Twin, group: int) -> None:
    dice = random.Random(SEED + group)
    for _ in range(LOGS):
        files = [(f"rank{at}.log", mutated(dice)) for at in range(dice.choice([1, 1, 1, 1, 2, 3]))]
        chunk, context = dice.choice([1, 7, 1000, 65_536, 1 << 20]), dice.choice([0, 2, 5])
        chunk = max(chunk, max(len(data) for _, data in files) // 5000)
        assert list(differences(there(twin, files, chunk, context), here(files, chunk, context))) == []


def letters(dice: random.Random, most: int) -> str:
    return "".join(dice.choices("abcdefgh", k=dice.randrange(most)))


LARGE: dict[str, Callable[[random.Random, int], str]] = {
    "more shapes than are told apart": lambda dice, at: f"Error: {letters(dice, 9)} {at}",
    "few shapes": lambda dice, at: f"{dice.choice(['Error: a', 'Error: b', 'fine', 'Exception: '])} {at}",
    "more candidates than are kept": lambda dice, at: f"Error: {'ab#'[at % 3] * dice.randrange(1, 400)} {at}",
    "more bytes than are kept": lambda dice, at: f"Error: {chr(97 + at % 26) * dice.randrange(40_000)} {at}",
    "bars and colours": lambda dice, at: dice.choice(
        ["", "\r", "x\ry", "\x1b[31mError: q", "e\x08f", "7" * 99, "ERROR: \0"]
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_as_much_is_kept_of_large_logs(twin: Twin, name: str) -> None:
    dice = random.Random(SEED)
    log = gzip.compress(
        "\n".join(LARGE[name](dice, at) for at in range(4_000 if "bytes" in name else 25_000)).encode(), 1
    )
    scanned = scan(Input("log", [log]), finder(INDEX.anchors()), compiled_bytes(INDEX.rules.data["ansi"]))
    total = hashlib.sha256()
    for piece in scanned.pieces:
        total.update(b"%d %d %d %b" % (piece.number, piece.line, len(piece.data), piece.data))
    here = [len(scanned.pieces), scanned.lines, scanned.reading.bytes, total.hexdigest()]
    assert twin.ask({"kept": base64.b64encode(log).decode(), "chunk": 70_001}) == here


@pytest.mark.parametrize("group", range(4))
def test_searches_agree_on_mutated_lines(twin: Twin, group: int) -> None:
    dice = random.Random(SEED + group)
    for _ in range(100):
        lines = [line for line in dice.choice(SAMPLES).split("\n") if line]
        query = damaged(dice, renumbered(dice, "\n".join(dice.sample(lines, min(len(lines), dice.randrange(1, 3))))))
        query = query[: dice.choice([5, 20, 80, 1000])]
        assert twin.ask({"query": query, "limit": 10}) == search(INDEX, query, 10), query


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=3000), st.sampled_from([1, 7, 4096]))
def test_answers_agree_on_any_bytes(twin: Twin, data: bytes, chunk: int) -> None:
    files = [("any.log", data)]
    assert list(differences(there(twin, files, chunk, 2), here(files, chunk, 2))) == []


LOG_WORDS = (
    *(
        "Error: ",
        "[rank",
        "]: ",
        "Traceback (most recent call last):",
        "\n",
        "\r",
        "{",
        "}",
        '"',
        " ",
        "\x1b[",
        "m",
        "\x08",
    ),
    *("9", "-", "\u2502", "\u2500", "\U0001f525", "12:00:00", "2026-11-30", "|", ":", "INFO", '{"log": "'),
)
SECRET_WORDS = ("token=", "hf_", "abcDEF123", "@", "://user:", "Bearer ", "AKIA", " ", "\n", "\U0001f525", "key: ", '"')


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.sampled_from(LOG_WORDS), st.text(max_size=5)), max_size=200))
def test_answers_agree_on_words_of_logs(twin: Twin, words: list[str]) -> None:
    files = [("words.log", "".join(words).encode("utf-8", "replace"))]
    assert list(differences(there(twin, files, 50, 2), here(files, 50, 2))) == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.sampled_from(SECRET_WORDS), st.text(max_size=4)), max_size=30),
    st.lists(st.integers(0, 200), min_size=2, max_size=2),
)
def test_secrets_are_masked_alike(twin: Twin, words: list[str], span: list[int]) -> None:
    text = "".join(words)
    spans = [sorted(min(at, len(text)) for at in span)]
    masked, moved = mask_with_spans(text, spans)
    assert twin.ask({"mask": text, "spans": spans}) == {"text": masked, "spans": moved}
