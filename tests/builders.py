"""Builders of small corpora: complete files, of which a test states only the fields that it is about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faultbook.checks import Example, run_checks
from faultbook.corpus import Corpus, load_corpus
from faultbook.links import build_links
from faultbook.violations import Violation, sort_violations

CORPUS = Path(__file__).parent / "complete"
"""Two complete entries that tell nothing of each other, with the vocabulary that they need."""

MAIN = "data/shm-exhausted.yaml"
OTHER = "host/open-files-limit.yaml"


def entry_yaml(text: str = "", /, *, path: str = MAIN, **fields: Any) -> str:
    """A complete published entry: the given fields first, as they stand, then the others.

    Since the given text comes first, the lines of a violation in it are those of the text. Any file that is not one of
    the two is completed with the fields of the first.
    """
    given = text + "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())
    whole = CORPUS / path
    return _completed(given, (whole if whole.is_file() else CORPUS / MAIN).read_text("utf-8"))


def _completed(given: str, whole: str) -> str:
    """The given top-level blocks of YAML, then those of the whole that are not given."""
    names = set(re.findall(r"^([a-z][a-z0-9_-]*):", given, re.MULTILINE))
    blocks = re.split(r"^(?=[a-z])", whole, flags=re.MULTILINE)
    return given + "".join(block for block in blocks if block.split(":")[0] not in names)


def write_corpus(directory: Path, files: Mapping[str, str]) -> Path:
    """Write files into a directory of entries, with the vocabulary; entries and vocabulary are completed."""
    entries = directory / "entries"
    vocabulary = {path.name: "" for path in CORPUS.glob("_*.yaml")}
    for path, text in (vocabulary | dict(files)).items():
        file = entries / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if path in vocabulary:
            text = _completed(text, (CORPUS / path).read_text("utf-8"))
        elif path.endswith(".yaml") and not path.startswith("_"):
            text = entry_yaml(text, path=path)
        file.write_text(text, "utf-8")
    return entries


def write_example(directory: Path, example: Example) -> Path:
    """Write the corpus of an example; see `write_corpus`."""
    entries = write_corpus(directory, {example.path: example.text, **dict(example.beside)})
    if example.whole:
        (entries / example.path).write_text(example.text, "utf-8")
    return entries


def load_written(entries: Path) -> Corpus:
    """The corpus of a directory that must load without violations."""
    corpus, violations = load_corpus([entries], entries.parent)
    assert violations == []
    return corpus


def check_written(entries: Path, **options: Any) -> list[Violation]:
    """Every violation of a directory, those of loading included; the directory above it is the root."""
    corpus, violations = load_corpus([entries], entries.parent)
    return sort_violations(violations + run_checks(corpus, build_links(corpus), root=entries.parent, **options))


def reported(directory: Path, files: Mapping[str, str]) -> list[str]:
    """The violations of a corpus of these files, each as ``file:line:column code: message``."""
    found = check_written(write_corpus(directory, files))
    return [
        f"{Path(place.path).name}:{place.line}:{place.column} {violation.code}: {violation.message}"
        for violation in found
        for place in [violation.location]
    ]


def reported_codes(directory: Path, files: Mapping[str, str]) -> list[str]:
    """The same without file and message: ``line:column code``."""
    return [line.split(":", 1)[1].split(": ", 1)[0] for line in reported(directory, files)]


def lead(text: str) -> str:
    """An entry that says this to one reader."""
    return "perspectives:\n  lead: |\n" + "".join(f"    {line}\n" for line in text.split("\n"))
