"""Logs that are none: a clear answer, bounded memory, never a crash."""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import random
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from faultbook.blocks.markdown import markdown_text
from faultbook.cli.compiled import Compiled, load
from faultbook.cli.masking import masked
from faultbook.cli.report import Report
from faultbook.cli.sarif import sarif
from faultbook.cli.schema import answer_schema
from faultbook.cli.terminal import Style, terminal_text
from faultbook.engine.diagnose import diagnose
from faultbook.engine.read import Input
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sites import ROOT

PORT = (
    b"torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. "
    b"port: 45003, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n"
)
STEP = b"step 7 loss 2.017 lr 1e-4 412 ms\n"
MOST_MB = 100
"""Megabytes that the process may take, the interpreter included."""


@dataclass(frozen=True)
class Outcome:
    """What a diagnosis of a pipe ended with."""

    code: int
    answer: dict[str, Any]
    errors: str
    megabytes: float


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache away from the user's, with the compiled entries, so that compiling takes no part in what is measured."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAULTBOOK_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
        piped([STEP])
        yield


# What a process used before it became this program counts in its usage: the memory of the tests, which started it.
MEASURED = """
import re, resource, sys
from pathlib import Path
from faultbook.cli import main
try:
    main(["diagnose", "-", "--format", "json"])
finally:
    status = Path("/proc/self/status")
    peak = int(re.search(r"VmHWM:[ \t]+([0-9]+)", status.read_text())[1]) if status.exists() else 0
    print("peak", peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000, file=sys.stderr)
"""


def piped(chunks: Iterable[bytes]) -> Outcome:
    """Diagnose what is written into a pipe, in a process of its own whose memory is measured."""
    command = [sys.executable, "-c", MEASURED]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/")
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    writer = threading.Thread(target=_write, args=(child.stdin, chunks))
    writer.start()
    output, errors = child.stdout.read(), child.stderr.read()
    child.wait()
    writer.join()
    told, _, peak = errors.decode().rpartition("peak ")
    return Outcome(child.returncode, json.loads(output or b"{}"), told, int(peak) / 1000)


def _write(stream: Any, chunks: Iterable[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError), stream:
        for chunk in chunks:
            stream.write(chunk)


def packed(data: Iterable[bytes]) -> Iterator[bytes]:
    pack = zlib.compressobj(9, wbits=31)
    for chunk in data:
        yield pack.compress(chunk)
    yield pack.flush()


def repeated(chunk: bytes, times: int) -> Iterator[bytes]:
    for _ in range(times):
        yield chunk


def noise(count: int) -> bytes:
    return random.Random(7).randbytes(count)


MEGABYTE = 1 << 20
ODD: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "no-failure", "- is empty."),
    "line breaks": (b"\r\n\n\r\r\n" * 1000, "no-failure", ""),
    "binary": (noise(300_000), "no-failure", "- does not look like text."),
    "an ELF file": (
        Path(sys.executable).resolve().read_bytes()[:2_000_000],
        "no-failure",
        "- does not look like text.",
    ),
    "zeros": (bytes(300_000), "no-failure", "- does not look like text."),
    "zeros before the error": (bytes(100_000) + PORT, "match", "- does not look like text."),
    "invalid UTF-8": (b"\xff\xfe\xfd" + PORT.replace(b": ", b": \xc3"), "no-failure", ""),
    "UTF-16": (PORT.decode().encode("utf-16"), "match", ""),
    "UTF-16 without its mark": (PORT.decode().encode("utf-16-be"), "match", ""),
    "UTF-16 of odd length": (PORT.decode().encode("utf-16") + b"x", "match", ""),
    "UTF-8 with its mark": (b"\xef\xbb\xbf" + PORT, "match", ""),
    "no line break": (PORT.strip(), "match", ""),
    "error at the end of a long line": (b"x" * 15_000 + b" " + PORT, "match", ""),
    "progress bar": (b"".join(b"\r%d%%|##" % n for n in range(9999)) + b"\r" + PORT, "match", ""),
    "gzip, truncated": (
        gzip.compress(PORT + noise(90_000).hex().encode())[:-5000],
        "match",
        "- ends in the middle of its compressed data",
    ),
    "gzip, damaged": (gzip.compress(PORT * 9)[:30] + b"\0" * 99, "no-failure", "- has damaged compressed data"),
    "gzip, only its head": (b"\x1f\x8b", "no-failure", "- ends in the middle of its compressed data"),
    "gzip, with a tail": (gzip.compress(PORT) + noise(99), "match", "- has damaged compressed data"),
    "gzip, several members": (gzip.compress(STEP) + gzip.compress(PORT) + bytes(512), "match", ""),
    "gzip, members without content": (gzip.compress(b"") * 20_000 + gzip.compress(PORT), "match", ""),
    "gzip in gzip": (gzip.compress(gzip.compress(PORT)), "no-failure", "- does not look like text."),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_logs_get_an_answer(name: str) -> None:
    data, verdict, remark = ODD[name]
    found = piped([data])
    assert found.errors == ""
    assert found.answer["verdict"] == verdict
    assert found.code == {"match": 0, "unknown": 1, "no-failure": 2}[verdict]
    remarks = found.answer["remarks"]
    assert remarks[0].startswith(remark) if remark else not remarks
    assert found.megabytes < MOST_MB


LARGE: dict[str, tuple[Iterable[bytes], str]] = {
    "one line of 200 MB": ([PORT.strip() + b" ", *repeated(b"x" * MEGABYTE, 200)], "match"),
    "one line of 200 MB, then the error": ([*repeated(b"x" * MEGABYTE, 200), b"\n" + PORT], "match"),
    "one line of 200 MB of error words": (repeated(PORT.replace(b"\n", b" ") * 5000, 200), "match"),
    "zeros, 200 MB": (repeated(bytes(MEGABYTE), 200), "no-failure"),
    "the same error 50,000 times": (repeated(PORT * 1000, 50), "match"),
    "a bomb of 256 MB": (packed([PORT, *repeated(bytes(MEGABYTE), 256)]), "match"),
    "a bomb of steps": (packed(repeated(STEP * 30_000, 100)), "no-failure"),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_logs_take_bounded_memory(name: str) -> None:
    chunks, verdict = LARGE[name]
    found = piped(chunks)
    assert (found.errors, found.answer["verdict"]) == ("", verdict)
    assert found.megabytes < MOST_MB


def test_many_different_errors_take_bounded_memory() -> None:
    dice = random.Random(3)
    words = ["error", "failed", "Exception", "Traceback", "NCCL", "CUDA", "timeout", "rank", "torch", "killed"]

    def lines() -> Iterator[bytes]:
        for _ in range(400):
            block = (f"{' '.join(dice.choices(words, k=20))} {'x' * dice.randrange(400)}" for _ in range(500))
            yield "\n".join(block).encode() + b"\n"

    found = piped(lines())
    assert found.errors == ""
    assert found.code in (1, 2)
    assert found.megabytes < 2 * MOST_MB


PARTS = st.one_of(
    st.sampled_from(
        [PORT, STEP, b"\r", b"\n", b"\0", b"\x1b[31m", b"[rank3]: ", b"\xff", b"```", b"Traceback (most recent"]
    ),
    st.binary(max_size=40),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


@functools.cache
def entries() -> Compiled:
    return load([ROOT / "entries"])


@given(st.lists(st.lists(PARTS, max_size=20), min_size=1, max_size=3), st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_give_an_answer_that_can_be_shown(logs: list[list[bytes]], everything: bool) -> None:
    compiled = entries()
    inputs = [Input(f"{number}.log", parts) for number, parts in enumerate(logs)]
    found = diagnose(inputs, compiled.index)
    answer, details = masked(found.answer), masked(found.details)
    Draft202012Validator(answer_schema()).validate(answer)
    blocks = Report(answer, details, compiled.cards, len(logs), everything=everything).blocks()
    for text in (terminal_text(blocks, Style(60)), markdown_text(blocks)):
        assert not [char for char in text if not char.isprintable() and char != "\n"]
    json.dumps(sarif(answer, compiled.cards))
