"""The page of codes: exit codes, errno, Xid numbers, variables and flags, with the entries that use them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from faultbook.corpus import Corpus, Record
from faultbook.reader import read_source
from faultbook.render.page import Marks
from faultbook.schema import texts

# Each expression begins with plain characters and looks behind them afterwards, so that the search skips ahead.
_CAPITALS = re.compile(r"[A-Z](?<![A-Za-z0-9_][A-Z])[A-Z0-9_]+(?![A-Za-z0-9_])")
_VARIABLE = re.compile(
    r"(?:(?:NCCL|TORCH|PYTORCH|TORCHELASTIC|PET|GLOO|CUDA|CUDNN|CUBLAS|HIP|ROCR|NVIDIA|OMP|MKL|OMPI|UCX"
    r"|HF|TRANSFORMERS|TOKENIZERS|ACCELERATE|DS|DEEPSPEED|SLURM|RAY|XLA|JAX|TF|HOROVOD|WANDB|FI|OFI|GRPC|PYTHON)_[A-Z0-9_]*[A-Z0-9]"
    r"|MASTER_ADDR|MASTER_PORT|LOCAL_RANK|LOCAL_WORLD_SIZE|WORLD_SIZE|LD_LIBRARY_PATH|LD_PRELOAD|PYTHONUNBUFFERED)"
)
_FLAG = re.compile(r"--(?<![\w-]--)[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?![\w])")
_CODE_SPAN = re.compile(r"`([^`]+)`")
# torchrun pads: 'exitcode  : 1 (pid: 4711)'. A code has eight bits, a signal shows as a negative number.
_EXIT = re.compile(
    r"(?:exit ?(?:code|status)|exited with(?: code| status)?)[ :=]{1,5}\(?(-\d{1,2}|25[0-5]|2[0-4]\d|1?\d{1,2})\b"
)
_ERRNO = re.compile(r"errno(?<!\werrno)[ :=]{0,2}(\d{1,3})\b")
_ERRNO_OF_PYTHON = re.compile(r"Errno(?<!\wErrno) (\d{1,3})\b")
_XID = re.compile(r"Xid(?<!\wXid)\b[^0-9\n]{0,24}?(\d{1,3})\b")
_ERROR_NAME = re.compile(r"E(?<!\wE)[A-Z0-9]{3,15}\b")
_SIGNAL_NAME = re.compile(r"SIG(?<!\wSIG)[A-Z0-9]{2,8}\b")


@dataclass(frozen=True)
class CodeRow:
    """A code, what it means, and links to the entries that speak of it."""

    anchor: str
    name: str
    number: str
    text: str
    entries: list[Markup]


@dataclass(frozen=True)
class CodeSection:
    """A table of the page of codes."""

    id: str
    title: str
    head: str
    rows: list[CodeRow]
    note: str = ""
    meanings: bool = False


@cache
def known_codes() -> dict[str, Any]:
    """Meanings of numbers that the package knows: ``{exit, errno, xid: {number: {name, text, entry?}}, source}``."""
    source, violations = read_source(Path(__file__).parents[1] / "codes.yaml", "codes.yaml")
    assert source is not None, violations
    data: dict[str, Any] = source.data
    return data


def code_sections(corpus: Corpus) -> list[CodeSection]:
    """The tables of the page, from the known codes and from what published entries use."""
    uses = _uses(corpus.published())
    marks = Marks(corpus, "../")
    number_heads = (
        (
            "exit",
            "Exit codes",
            "Exit code",
            "A shell shows 128 plus the signal; torchrun shows the signal as a negative number.",
        ),
        ("errno", "Error numbers (errno)", "errno", "Numbers of Linux."),
        ("xid", "Xid numbers", "Xid", "Printed by the NVIDIA driver into the kernel log."),
    )
    sections = [
        CodeSection(kind, title, head, list(_number_rows(kind, uses, corpus, marks)), note, meanings=True)
        for kind, title, head, note in number_heads
    ]
    for kind, title, head in (("variables", "Environment variables", "Variable"), ("flags", "Flags", "Flag")):
        rows = [
            CodeRow(f"{kind}-{name.strip('-')}", name, "", "", [marks.entry(slug) for slug in sorted(slugs)])
            for name, slugs in sorted(uses[kind].items())
        ]
        sections.append(CodeSection(kind, title, head, rows))
    return sections


def _number_rows(kind: str, uses: dict[str, dict[str, set[str]]], corpus: Corpus, marks: Marks) -> Iterator[CodeRow]:
    known = known_codes()[kind]
    numbers = sorted({*known, *uses[kind]}, key=_order)
    for number in numbers:
        meaning = known.get(number, {})
        name = str(meaning.get("name") or "")
        slugs = uses[kind].get(number, set()) | (uses["names"].get(name, set()) if name else set())
        entry = meaning.get("entry")
        links = [marks.entry(slug) for slug in sorted(slugs)]
        if entry and entry not in slugs and (entry in corpus.records or entry in corpus.wanted):
            links.insert(0, marks.entry(entry))
        if meaning or links:
            yield CodeRow(f"{kind}-{number}", name, number, str(meaning.get("text") or ""), links)


def _order(number: str) -> tuple[int, int]:
    found = re.search(r"-?\d+", number)
    value = int(found[0]) if found else 0
    return (value < 0, abs(value))


def _uses(records: Iterable[Record]) -> dict[str, dict[str, set[str]]]:
    """For each kind of code the slugs of the entries that use it."""
    uses: dict[str, dict[str, set[str]]] = {
        kind: defaultdict(set) for kind in ("exit", "errno", "xid", "names", "variables", "flags")
    }
    for record in records:
        code, prose = _texts(record)
        found = {
            "exit": _EXIT.findall(prose.lower()),
            "errno": _ERRNO.findall(prose) + _ERRNO_OF_PYTHON.findall(prose),
            "xid": _XID.findall(prose),
            "names": _ERROR_NAME.findall(prose) + _SIGNAL_NAME.findall(prose),
            "variables": filter(_VARIABLE.fullmatch, _CAPITALS.findall(code)),
            "flags": _FLAG.findall(code),
        }
        for kind, names in found.items():
            for name in names:
                uses[kind][name].add(record.slug)
    return uses


def _texts(record: Record) -> tuple[str, str]:
    """The code of an entry (commands, examples, code spans), and the rest: its prose, search keys and templates."""
    entry = record.entry
    prose = "\n".join(texts(entry))
    templates = "\n".join(text for signature in entry.signatures().values() for text in signature.templates)
    commands = [command.run for command in entry.commands().values()]
    code = "\n".join([*commands, *(example.code for example in entry.examples), *_CODE_SPAN.findall(prose)])
    wrong = {span for pitfall in entry.pitfalls for span in _CODE_SPAN.findall(pitfall.wrong)}
    code = "\n".join(line for line in code.split("\n") if line not in wrong)
    return code, f"{prose}\n{templates}"
