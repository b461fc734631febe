"""Makes entries that look like real ones: the fields, lengths and commands of a normal entry, filled with made-up text.

The text is a chain of words: each word follows the two before it as it does somewhere in the real entries. Vocabulary
and sentence length are those of real text, the meaning is none, and no two entries repeat a paragraph.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from faultbook.corpus import load_corpus
from faultbook.links import parse_marks
from faultbook.project import default_entries
from faultbook.schema import Kind, text_fields

VOCABULARY = ("_categories.yaml", "_tags.yaml", "_systems.yaml")
REFERENCES = 8


class Writer:
    """Writes text by chains of words, from a seed."""

    def __init__(self, texts: list[str], seed: int) -> None:
        self.random = random.Random(seed)
        self.follows: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.starts: list[tuple[str, str]] = []
        for text in texts:
            # A pitfall may name a variable that does not exist, and only there: no chain may carry it elsewhere.
            words = re.findall(r"[A-Za-z0-9_.,/()-]+", re.sub(r"\b[A-Z0-9]+_[A-Z0-9_]+\b", " ", text))
            if len(words) > 3:
                self.starts.append((words[0], words[1]))
            for first, second, third in zip(words, words[1:], words[2:], strict=False):
                self.follows[first, second].append(third)

    def words(self, count: int) -> str:
        """A text of about so many words; some are code spans."""
        chain: list[str] = []
        while len(chain) < count:
            state = self.random.choice(self.starts)
            chain += state
            while len(chain) < count and (following := self.follows.get((chain[-2], chain[-1]))):
                chain.append(self.random.choice(following))
        shown = [f"`{word.strip('.,()')}`" if "_" in word else self._varied(word) for word in chain[:count]]
        text = re.sub(r"[^A-Za-z0-9.]+$", "", " ".join(shown).replace("--", "-"))
        return f"Case {self.random.randrange(10**9)} {text}"

    def _varied(self, word: str) -> str:
        """Now and then a word that no other text has, so that no two texts are nearly the same."""
        return f"{word}{self.random.randrange(10**4)}" if self.random.random() < 0.2 and word.isalpha() else word


def real_texts() -> list[str]:
    """The prose of the packaged entries, without citations, links and code."""
    corpus, _ = load_corpus([default_entries()])
    texts = []
    for record in corpus.published():
        for field in text_fields(record.entry):
            if field.kind is Kind.PROSE and not any(mark.kind == "entry" for mark in parse_marks(field.text)):
                texts.append(re.sub(r"`[^`]*`|\[[^\]]*\]+|[a-z]+(?:-[a-z]+){2,}", " ", field.text))
    return texts


def made_entry(writer: Writer, number: int, total: int, tags: list[str], systems: list[str]) -> dict[str, Any]:
    """The data of one entry, complete enough to be published."""
    pick, words = writer.random, writer.words
    # Only towards earlier entries, since a relation is stated once and its inverse is computed.
    others = pick.sample(range(number), min(number, 4)) or [total - 1]
    cites = [f"[@source-{i}]" for i in range(REFERENCES)]
    return {
        "title": words(6)[:80],
        "summary": words(28)[:240],
        "status": "published",
        "tags": pick.sample(tags, 4),
        "impact": pick.sample(["fails-to-start", "crash", "hang", "wrong-results"], 2),
        "scope": "job",
        "symptoms": [_symptom(writer, number, i, cites[i]) for i in range(4)],
        "search_keys": [words(3)[:80] for _ in range(6)],
        "mechanism": "\n\n".join(f"{words(60)}. {cite}" for cite in cites[:3]),
        "affected_systems": [
            {"system": system, "when": f"{words(18)}.", "versions": [{"range": ">=2.1,<2.9", "note": f"{words(8)}."}]}
            for system in pick.sample(systems, 3)
        ],
        "checklist": [_check(writer, i) for i in range(4)],
        "quick_fix": {"text": f"{words(20)}.", "commands": [_command(writer)], "caveat": f"{words(14)}."},
        "fix": [_fix(writer, i) for i in range(2)],
        "examples": [_example(writer, stack) for stack in ("PyTorch", "Lightning")],
        "pitfalls": [{"wrong": f"{words(9)}.", "right": f"{words(22)}. {cites[4]}"} for _ in range(3)],
        "faq": [{"q": f"{words(8)}?"[:120], "a": f"{words(26)}. {cites[5]}"} for _ in range(2)],
        "related": [{"entry": f"made-failure-{other}", "relation": "caused-by"} for other in others],
        "references": [
            {"id": f"source-{i}", "title": words(5)[:100], "url": f"https://example.org/{number}/{i}"}
            for i in range(REFERENCES)
        ],
        "evidence": {"level": "documented", "note": f"{words(10)}. {cites[6]} {cites[7]}"},
        "samples": _samples(number),
        "reviewed": f"2026-{pick.randrange(1, 12):02}-{pick.randrange(1, 29):02}",
        "authors": ["faultbook-team"],
    }


def _symptom(writer: Writer, number: int, position: int, cite: str) -> dict[str, Any]:
    text = f"made library {number} part {position} failed with status <int:status> at <host>:<port> after <num> s"
    return {
        "observed": f"{writer.words(10)}.",
        "means": f"{writer.words(22)}. {cite}",
        "signatures": [{"text": text, "printed_by": "made library"}],
    }


def _command(writer: Writer) -> dict[str, Any]:
    count = f"awk '{{n+=$2}} END {{print n + {writer.random.randrange(10**6)}}}'"
    run = f'PORT={{PORT}}; ss -Htanp "sport = :$PORT" | {count} | sort -rn | head -n 5'
    return {"run": run, "where": "training-host", "expect": f"{writer.words(8)}.", "tested": "parsed"}


def _check(writer: Writer, position: int) -> dict[str, Any]:
    return {
        "check": f"Is it {writer.words(9).replace('.', '').replace(':', '')}?",
        "command": _command(writer),
        "if_yes": f"{writer.words(8)}. Fix [[#way-{position % 2}]].",
        "if_no": f"{writer.words(8)}.",
    }


def _fix(writer: Writer, position: int) -> dict[str, Any]:
    steps = [{"text": f"{writer.words(18)}.", "command": _command(writer)} for _ in range(2)]
    return {
        "id": f"way-{position}",
        "title": writer.words(5)[:80],
        "when": f"{writer.words(8)}.",
        "kind": "permanent",
        "who": "user",
        "steps": steps,
        "verify": {"command": _command(writer)},
    }


def _example(writer: Writer, stack: str) -> dict[str, Any]:
    name = f"made_{writer.random.randrange(10**6)}"
    code = (
        f"import torch\n\n\nclass {name.title()}(torch.nn.Module):\n    def __init__(self, width: int = 64) -> None:\n"
        f"        super().__init__()\n        self.layer = torch.nn.Linear(width, width)\n\n"
        f'    def forward(self, batch):\n        """{writer.words(6)}."""\n        return self.layer(batch).relu()\n'
    )
    return {
        "stack": stack,
        "title": writer.words(4)[:100],
        "lang": "python",
        "code": code,
        "why": f"{writer.words(16)}.",
    }


def _samples(number: int) -> list[dict[str, Any]]:
    log = f"made library {number} part 0 failed with status 4 at node7:29500 after 10.5 s"
    return [
        {"expect": "match", "origin": "source", "ref": "source-0", "log": log},
        {"expect": "no-match", "origin": "source", "ref": "source-1", "log": log.replace("failed", "finished")},
    ]


def write_entries(
    folder: Path, count: int, seed: int = 7, templates: Sequence[str] = (), texts: Sequence[str] = ()
) -> list[tuple[str, str, dict[str, Any]]]:
    """Write so many entries and the vocabulary below a folder; returns ``(category, slug, data)`` of each.

    With templates each entry has its share of these as signatures, and of its own made ones only the first.
    The words come from the given texts, else from the real entries.
    """
    corpus, _ = load_corpus([default_entries()])
    folder.mkdir(parents=True, exist_ok=True)
    for name in VOCABULARY:
        (folder / name).write_text((default_entries() / name).read_text("utf-8"), "utf-8")
    writer = Writer(list(texts) or real_texts(), seed)
    made = []
    for number in range(count):
        category = list(corpus.categories)[number % len(corpus.categories)]
        data = made_entry(writer, number, count, list(corpus.tags), list(corpus.systems))
        for i, symptom in enumerate(data["symptoms"] if templates else ()):
            own = symptom["signatures"] if i == 0 else []
            symptom["signatures"] = [*own, *({"text": text} for text in templates[4 * number + i :: 4 * count])]
        path = folder / category / f"made-failure-{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        # JSON is YAML, but block style is what people write and what costs to parse.
        path.write_text(_block(data), "utf-8")
        made.append((category, path.stem, data))
    return made


def _block(value: Any, indent: int = 0) -> str:
    """Data in the block style of YAML, with text quoted or as literal blocks."""
    pad = " " * indent
    if isinstance(value, dict):
        return "".join(f"{pad}{key}:{_after(item, indent)}" for key, item in value.items())
    return "".join(
        f"{pad}- {_block(item, indent + 2).lstrip() if isinstance(item, dict) else _scalar(item)}" for item in value
    )


def _after(value: Any, indent: int) -> str:
    if isinstance(value, (dict, list)) and value:
        return "\n" + _block(value, indent + 2)
    if isinstance(value, str) and "\n" in value:
        lines = "".join(f"{' ' * (indent + 2)}{line}\n" if line else "\n" for line in value.rstrip("\n").split("\n"))
        return f" |\n{lines}"
    return f" {_scalar(value)}"


def _scalar(value: Any) -> str:
    return f"{json.dumps(value, ensure_ascii=False)}\n"
