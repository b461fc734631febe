"""The check of flags and environment variables against lists that were taken from the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.shell import Started, read_script
from faultbook.checks.texts import entry_code, read_texts
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.violations import Violation, did_you_mean


@cache
def known_names(suffix: str) -> frozenset[str]:
    """The names of the lists whose file names end so: ``variables`` or ``flags``."""
    found: set[str] = set()
    for file in files("faultbook").joinpath("known").iterdir():
        if file.name.endswith(f"-{suffix}.txt"):
            lines = file.read_text("utf-8").splitlines()
            found.update(line.split("\t")[0].strip() for line in lines if line and not line.startswith("#"))
    return frozenset(found)


class UnknownName(Check):
    """A torchrun option or an environment variable does not exist.

    An invented variable is ignored without a word, so that advice which rests on one does nothing. Correct the name.
    One that exists and is not in the lists of `plugins/faultbook/known/` is added there, with its source. A name that
    circulates and is wrong may stand in `wrong` of a pitfall.
    """

    code = "unknown-name"
    _text = "quick_fix:\n  text: Look at what NCCL does.\n  commands:\n"
    failing = Example(f"{_text}    - NCCL_DEBUGG=INFO torchrun --nproc-per-node=2 train.py\n")
    passing = Example(f"{_text}    - NCCL_DEBUG=INFO torchrun --nproc-per-node=2 train.py\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each unknown name, once in a text."""
        seen: set[tuple[KeyPath, str]] = set()
        for path, text, is_bash in _texts(record):
            for name, message in (*_unknown_variables(text), *(_unknown_options(text) if is_bash else ())):
                if (path, name) not in seen:
                    seen.add((path, name))
                    yield self.at(record, path, message, near=name)


def _texts(record: Record) -> Iterator[tuple[KeyPath, str, bool]]:
    """Code and code spans, but for the wrong advice of pitfalls; whether bash can be in them."""
    for code in entry_code(record):
        yield code.path, code.text, code.lang == "bash"
    for path, span in read_texts(record).spans:
        if not (path[0] == "pitfalls" and path[-1] == "wrong"):
            yield path, span, True


# A name with a gap (`NCCL_IB_*`) is a pattern, one before a bracket a macro of the source.
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9_.])(?:NCCL|TORCH|TORCHELASTIC|TORCHINDUCTOR|TORCHDYNAMO|PYTORCH|PET|GLOO|CUDA|CUBLAS)_[A-Z0-9_]+"
    r"(?![A-Za-z0-9_*{<(…]|\.\.\.)"
)
_NO_VARIABLE = re.compile(
    r".*_$|CUDA_(?:ERROR_\w+|SUCCESS|R_\w+|CHECK|ARCH)$|CUBLAS_(?:STATUS|OP|COMPUTE|GEMM|TF32)_\w+$"
    r"|NCCL_(?:FASTRAK_\w+|VERSION_CODE|MAJOR|MINOR|PATCH|CHECK)$|TORCH_(?:[A-Z]*CHECK\w*|[A-Z]*ASSERT\w*|WARN\w*|LIBRARY\w*)$"
)


def _unknown_variables(text: str) -> Iterator[tuple[str, str]]:
    if "_" not in text:
        return
    for found in _VARIABLE.finditer(text):
        name = found[0]
        if name not in known_names("variables") and not _NO_VARIABLE.match(name):
            near = did_you_mean(name, known_names("variables"))
            yield name, f"the variable '{name}' is not known{near}; use one that its software reads"


def _unknown_options(text: str) -> Iterator[tuple[str, str]]:
    if "torchrun" not in text and "torch.distributed.run" not in text:
        return
    for started in read_script(text).commands:
        for option in _own_options(_launch_words(started)):
            if option not in known_names("flags"):
                near = did_you_mean(option, known_names("flags"))
                yield option, f"torchrun has no option '{option}'{near}; use one that it has"


def _launch_words(started: Started) -> tuple[str, ...]:
    """The arguments of torchrun, however it is started."""
    if started.name == "torchrun":
        return started.words
    if re.fullmatch(r"python[0-9.]*", started.name) and "torch.distributed.run" in started.words:
        position = started.words.index("torch.distributed.run")
        return started.words[position + 1 :] if started.words[position - 1 : position] == ("-m",) else ()
    return ()


_ALONE = frozenset({"-h", "-m"}).union(
    f"--{name.replace('-', joint)}"
    for name in ("help", "standalone", "module", "no-python", "run-path", "virtual-local-rank")
    for joint in "-_"
)
"""The options that take no value."""


def _own_options(words: tuple[str, ...]) -> Iterator[str]:
    """The options before the script; what comes after it belongs to the script."""
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-"):
            if word.startswith("$") or word in ("[", "]", "...", "…"):
                at += 1
                continue
            return
        if word == "--":
            return
        option = word.split("=", 1)[0]
        # A short option may hold its value, as in -r3.
        yield option if option.startswith("--") else option[:2]
        at += 1 if "=" in word or option in _ALONE or (not option.startswith("--") and len(option) > 2) else 2


CHECKS: tuple[Check, ...] = (UnknownName(),)
