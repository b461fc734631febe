"""What is searched for: lines of samples with other values and prefixes, search keys, questions in ordinary words."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from faultbook.corpus import Record

MOST_LINES = 10
"""Lines of a long sample that are pasted, from its end."""
_IP = re.compile(r"(?<![0-9.])(?P<net>[0-9]{1,3}(?:\.[0-9]{1,3}){2}\.)[0-9]{1,3}(?![0-9.])")
_OWN = ("127.", "0.")
_NUMBER = re.compile(r"(?<![0-9A-Za-z._-])[0-9]{4,}(?![0-9.-])")
_RANK = re.compile(r"(?P<before>\[rank|[Rr]ank )[0-9]{1,3}(?![0-9])(?! of)")
_NODE = re.compile(r"\bnode[0-9]{1,2}\b")
_SOURCE = re.compile(r"(?P<file>\.(?:cpp|cc|py|hpp)):[0-9]{2,4}\b")
_PREFIXES = (
    "",
    "[rank{n}]: ",
    "[default{n}]:",
    "2026-11-30 12:33:{n}1,123 ERROR ",
    "2026-11-30T12:00:0{n}.123456789Z ",
    "(RayTrainWorker pid=42{n}2, ip=10.1.2.{n}) ",
    "\x1b[31m",
    "node-{n}: ",
    "{n}: ",
)

WORDS = {
    "checkpoint-truncated": (
        "cannot load model file after the job was killed while saving",
        "half written weights file",
        "disk was full during save, resume fails",
    ),
    "ddp-unused-parameters": (
        "some layers get no gradient in distributed training",
        "forward skips a branch of the model on some batches",
    ),
    "dns-resolution-failure": (
        "worker cannot find the name of the other machine",
        "pod name not known yet when training starts",
    ),
    "ephemeral-ports-exhausted": ("host ran out of local ports", "too many short connections in time wait"),
    "gpu-memory-held-by-orphan": (
        "gpu still full although nothing is running",
        "memory not released after killing training",
    ),
    "hostname-resolves-wrong": ("own hostname points to loopback", "peers are given 127.0.1.1 as address"),
    "localhost-ipv6-unavailable": ("container has no ipv6 and localhost fails", "address family not supported"),
    "master-addr-unreachable": ("second machine cannot connect to rank 0", "firewall blocks rendezvous"),
    "master-port-in-use": ("two trainings on one server same port", "start fails because old process still listens"),
    "nccl-wrong-network-interface": ("nccl picks docker bridge", "choose network card for multi node training"),
    "privileged-port-denied": ("not allowed to listen on low port", "port under 1024 without root"),
    "rendezvous-id-collision": ("two torchrun jobs got mixed up", "second job joined the workers of the first one"),
    "static-rendezvous-port-zero": ("let torchrun pick a free port, hangs", "master port set to zero"),
    "torchrun-child-failed": ("which worker crashed first", "launcher report hides the real exception"),
}
"""Questions written from the symptoms before any search was tried on them; entries that come later have none."""


@dataclass(frozen=True)
class Query:
    """A text, the entries that are right, and the position of the search key that is left out of the index for it."""

    text: str
    right: frozenset[str]
    without: int | None = None


def line_queries(records: Sequence[Record], variants: int = 3, seed: int = 5) -> list[Query]:
    """The samples that an entry must match first, each some times with other values and prefixes."""
    chance = random.Random(seed)
    found = []
    for record in records:
        for sample in record.entry.samples:
            if sample.expect != "match" or sample.first is False:
                continue
            log = record.log(sample)
            lines = [line for line in log.splitlines() if line.strip()][-MOST_LINES:]
            for _ in range(variants):
                found.append(Query(_changed(lines, chance), frozenset((record.slug,))))
    return found


def _changed(lines: Sequence[str], chance: random.Random) -> str:
    """The lines with other variables: the same value becomes the same other one, one prefix stands before all."""
    prefix = chance.choice(_PREFIXES).format(n=chance.randrange(2, 9))
    values: dict[str, str] = {}

    def other(value: str, new: str) -> str:
        return values.setdefault(value, new)

    def address(found: re.Match[str]) -> str:
        if found[0].startswith(_OWN):
            return found[0]
        return other(found[0], f"{found['net']}{chance.randrange(2, 250)}")

    def number(found: re.Match[str]) -> str:
        digits = len(found[0])
        low, high = (20_000, 60_000) if digits == 5 else (10 ** (digits - 1), 10**digits)
        return other(found[0], str(chance.randrange(low, high)))

    node, rank, line = f"worker-{chance.randrange(10, 99)}", chance.randrange(64), chance.randrange(100, 999)
    changed = []
    for text in lines:
        text = _NUMBER.sub(number, _IP.sub(address, text))
        text = _RANK.sub(lambda found: f"{found['before']}{rank}", text)
        text = _NODE.sub(node, _SOURCE.sub(lambda found: f"{found['file']}:{line}", text))
        changed.append(prefix + text + ("\x1b[0m" if prefix.startswith("\x1b") else ""))
    return "\n".join(changed)


def key_queries(records: Sequence[Record]) -> list[Query]:
    """Every search key; where several entries have the same one, each of them is right."""
    owners: dict[str, set[str]] = {}
    for record in records:
        for key in record.entry.search_keys:
            owners.setdefault(key.lower(), set()).add(record.slug)
    return [
        Query(key, frozenset(owners[key.lower()]), position)
        for record in records
        for position, key in enumerate(record.entry.search_keys)
    ]


def remembered_queries(records: Sequence[Record], seed: int = 6) -> list[Query]:
    """The search keys as somebody might type them: one word forgotten if there are three, the others in other order."""
    chance = random.Random(seed)
    found = []
    for query in key_queries(records):
        words = query.text.lower().split()
        if len(words) > 2:
            words.pop(chance.randrange(len(words)))
        chance.shuffle(words)
        found.append(Query(" ".join(words), query.right))
    return found


def word_queries(records: Sequence[Record]) -> list[Query]:
    """The questions about these entries."""
    slugs = [record.slug for record in records]
    return [Query(text, frozenset((slug,))) for slug in slugs for text in WORDS.get(slug, ())]
