"""What launchers, collectors, terminals and editors do to the lines of a log, as functions from lines to bytes."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence

Lines = Sequence[str]
Mutation = Callable[[Lines], bytes]

_WORD = re.compile("[A-Za-z]{8,}")
_DAY = "2026-11-30"
_BAR = " 50%|█████     | 5/10 [00:01<00:01,  4.31it/s]"


def joined(lines: Lines, end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


def _before(prefix: str) -> Mutation:
    return lambda lines: joined([prefix + line for line in lines])


def _voted(prefix: str) -> Mutation:
    """Before each line, of which there are enough for a vote."""
    return lambda lines: joined([prefix + line for line in ("epoch 1", "epoch 2", "epoch 3", *lines)])


def _each(change: Callable[[int, str], str]) -> Mutation:
    return lambda lines: joined([change(number, line) for number, line in enumerate(lines)])


def _within_words(_: int, line: str) -> str:
    return _WORD.sub(lambda word: f"{word[0][:4]}\x1b[31m{word[0][4:]}\x1b[0m", line)


def _wrapped(width: int) -> Mutation:
    """Broken at a width; a line before and after shows that it is not chance."""
    around = f"[rank0] {'progress of the epoch and its words '.ljust(width * 2 - 8, '.')}"[: width * 2 - 8]
    return lambda lines: joined(
        [
            part
            for line in (around, *lines, around)
            for part in [line[at : at + width] for at in range(0, len(line), width)]
        ]
    )


def _boxed(lines: Lines) -> bytes:
    width = max([74, *map(len, lines)])
    head = " Traceback (most recent call last) ".center(width + 2, "─")
    return joined([f"╭{head}╮", *(f"│ {line.ljust(width)} │" for line in lines), f"╰{'─' * (width + 2)}╯"])


def _docker(number: int, line: str) -> str:
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": f"{_DAY}T12:00:{number % 60:02}.5Z"})


def _structured(number: int, line: str) -> str:
    return json.dumps({"timestamp": f"{_DAY}T12:00:{number % 60:02}Z", "level": "error", "message": line, "rank": 3})


def _long(lines: Lines) -> bytes:
    """In the middle of a log of which only parts are kept, with the end of a process."""
    before = [f"step {number} loss 0.{number}" for number in range(900)]
    after = [f"process {number} is told to end" for number in range(900)]
    return joined([*before, *lines, *after, "srun: error: node-1: task 3: Exited with exit code 1"])


MUTATIONS: dict[str, Mutation] = {
    "plain": joined,
    "no end of the last line": lambda lines: "\n".join(lines).encode(),
    "crlf": lambda lines: joined(lines, "\r\n"),
    "blank lines between": lambda lines: joined(lines, "\n\n"),
    "indented": _before("    "),
    "blanks at the end": lambda lines: joined([line.ljust(150) for line in lines]),
    "colour of each line": _each(lambda _, line: f"\x1b[1;31m{line}\x1b[0m"),
    "colour within words": _each(_within_words),
    "colour without escape bytes": _each(lambda _, line: f"[31m{line}[0m"),
    "[rank3]:": _before("[rank3]: "),
    "[default3]:": _before("[default3]:"),
    "[default3]:[rank3]:": _before("[default3]:[rank3]: "),
    "srun -l": _voted("3: "),
    "pdsh": _voted("worker-1: "),
    "mpirun": _before("[1,3]<stderr>:"),
    "horovodrun": _before("[3]<stderr>:"),
    "Ray": _before("(RayTrainWorker pid=5823, ip=10.164.227.153) "),
    "Ray in colour": _before("\x1b[36m(WorkerDict pid=5823)\x1b[0m "),
    "Ray in colour without escape bytes": _before("[36m(WorkerDict pid=5823)[0m "),
    "repeated across the cluster": _each(lambda _, line: f"(WorkerDict pid=5823) {line} [repeated 14x across cluster]"),
    "cri": _each(lambda number, line: f"{_DAY}T12:00:{number % 60:02}.123456789Z stderr F {line}"),
    "docker": _each(_docker),
    "structured": _each(_structured),
    "structured within docker": _each(lambda number, line: _docker(number, _structured(number, line))),
    "structured behind cri": _each(lambda number, line: f"{_DAY}T12:00:01Z stderr F {_structured(number, line)}"),
    "one record": lambda lines: joined([json.dumps({"event": "training failed", "exc_info": "\n".join(lines)})]),
    "GitHub": _each(lambda number, line: f"{_DAY}T12:00:{number % 60:02}.1234567Z {line}"),
    "kubectl": _before("[pod/trainer-0/pytorch] "),
    "stern": _voted("trainer-0 pytorch "),
    "compose": _voted("trainer-1  | "),
    "journald": _each(lambda number, line: f"Nov 30 12:00:{number % 60:02} node7 run_job[4211]: {line}"),
    "ts": _each(lambda number, line: f"Nov 30 12:00:{number % 60:02} {line}"),
    "stream": _before("stderr: "),
    "clock": _before("[12:00:01] "),
    "bar of progress and CR": lambda lines: f"{_BAR}\r{_BAR}\r".encode() + joined(lines),
    "glued to a bar of progress": lambda lines: _BAR.encode() + joined(lines),
    "broken at 80": _wrapped(80),
    "broken at 120": _wrapped(120),
    "box of rich": _boxed,
    "logging": _each(lambda number, line: f"{_DAY} 12:00:{number % 60:02},123 - trainer - ERROR - {line}"),
    "loguru": _each(lambda number, line: f"{_DAY} 12:00:{number % 60:02}.123 | ERROR    | a:b:12 - {line}"),
    "utf-16 le": lambda lines: b"\xff\xfe" + joined(lines, "\r\n").decode().encode("utf-16-le"),
    "utf-16 be": lambda lines: b"\xfe\xff" + joined(lines, "\r\n").decode().encode("utf-16-be"),
    "utf-16 le without a mark": lambda lines: joined(lines, "\r\n").decode().encode("utf-16-le"),
    "utf-8 with a mark": lambda lines: b"\xef\xbb\xbf" + joined(lines),
    "gzip": lambda lines: gzip.compress(joined(lines), mtime=0),
    "in a long log": _long,
    "in a long log of ranks": lambda lines: _long([f"[rank3]: {line}" for line in lines]),
}
"""The same lines in other forms, by the name of the form."""
