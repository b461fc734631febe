"""The answer to a log as blocks: the cause first, then what to check and to do, then everything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from faultbook.blocks import (
    Block,
    Heading,
    Items,
    Lines,
    Paragraph,
    Prose,
    Row,
    Verdict,
    Voice,
    counted,
    prose,
    shell,
)
from faultbook.cli.ranks import first_failures

Data = Mapping[str, Any]
_BLOCKS, _OTHERS, _ERRORS = 3, 5, 6
"""How much is shown of evidence, of other failures and of error lines unless all is wanted."""


@dataclass(frozen=True)
class Report:
    """An answer with its details and the cards of entries, and how much of it is wanted."""

    answer: Data
    details: Data
    cards: Mapping[str, Data]
    files: int = 1
    site: str = ""
    """Address of the site that has the pages of the entries, if there is one."""
    everything: bool = False

    def blocks(self) -> list[Block]:
        """The whole report."""
        told = {"match": self._match, "unknown": self._unknown}.get(self.answer["verdict"])
        return [*self._head(), *(told() if told else ()), *self._tail()]

    def _head(self) -> Iterator[Block]:
        stats = self.answer["stats"]
        yield Verdict(self.answer["verdict"], self._verdict())
        size = stats["bytes"]
        shown = f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"
        ranks = self.details.get("world")
        facts = [counted(self.files, "file")] if self.files > 1 else []
        facts += [counted(ranks, "rank")] if ranks else []
        yield Paragraph(", ".join([*facts, counted(stats["lines"], "line"), shown, f"{stats['seconds']:.2f} s"]))
        if self.answer["remarks"]:
            yield Items(tuple(("Note", remark) for remark in self.answer["remarks"]))

    def _verdict(self) -> str:
        verdict, findings = self.answer["verdict"], self.answer["findings"]
        if verdict == "match":
            start = "Initiating failure found" if findings[0]["role"] == "initiating" else "Possible cause found"
            return start + _place(findings[0])
        if verdict == "no-failure":
            return "No failure found"
        several = any(finding["role"] == "possible" for finding in findings)
        return "Several failures fit, a check decides" if several else "No cause found, no entry fits the first failure"

    def _match(self) -> Iterator[Block]:
        cause, *others = self.answer["findings"]
        yield from self._cause(0, cause)
        if also := [found for found in others if found["role"] != "downstream"]:
            yield from self._others("Seen as well", "", also)
        yield from self._downstream("These follow from the failure above. Fixing them fixes nothing.")
        yield from self._ranks()
        yield from self._errors("Error lines that no entry describes")

    def _cause(self, position: int, finding: Data) -> Iterator[Block]:
        card = self.cards.get(finding["entry"], {})
        yield Heading(prose(finding["title"]))
        rows = [("Why this one", finding["why"]), *self._pages(finding)]
        yield Items(tuple(rows))
        yield from self._evidence(position, finding)
        yield from _check(card)
        yield from _quick_fix(card)
        alike = [
            (prose(f"`{other['entry']}`"), _text(other["how" if self.everything else "short"], card))
            for other in card.get("alike", ())
        ]
        if alike:
            yield Heading("Looks alike", 3)
            yield Items(tuple(alike))

    def _pages(self, finding: Data) -> Iterator[tuple[str, str]]:
        page = f"{self.site}{finding['url']} or " if self.site else ""
        yield "Read more", Prose(f"{page}`faultbook show {finding['entry']}`")

    def _evidence(self, position: int, finding: Data) -> Iterator[Block]:
        blocks = [block for block in self.details["context"] if block["finding"] == position]
        shown = blocks if self.everything else blocks[:_BLOCKS]
        hits = sum(row["hit"] for block in shown for row in block["rows"])
        more = f" ({hits:,} of {counted(finding['count'], 'line')})" if finding["count"] > hits else ""
        yield Heading(f"Evidence{more}", 3)
        for block in shown:
            yield Lines(block["file"], tuple(map(_row, block["rows"])))

    def _unknown(self) -> Iterator[Block]:
        if self.answer["missing"]:
            yield Heading("What is missing")
            yield Paragraph(self.answer["missing"])
        yield from self._errors("First error lines")
        for position, finding in enumerate(self.answer["findings"]):
            if finding["role"] != "downstream":
                yield from self._candidate(position, finding)
        yield from self._downstream("These only report that something else failed.")
        yield from self._ranks()
        yield from self._similar()

    def _candidate(self, position: int, finding: Data) -> Iterator[Block]:
        yield Heading(Prose(f"Possible: {prose(finding['title'])}"))
        yield Items((("Why", finding["why"]), *self._pages(finding)))
        yield from self._evidence(position, finding)
        yield from _check(self.cards.get(finding["entry"], {}))

    def _downstream(self, note: str) -> Iterator[Block]:
        found = [finding for finding in self.answer["findings"] if finding["role"] == "downstream"]
        if found:
            yield from self._others("Only downstream", note, found)

    def _others(self, title: str, note: str, findings: list[Data]) -> Iterator[Block]:
        yield Heading(title)
        if note:
            yield Paragraph(note)
        shown = findings if self.everything else findings[:_OTHERS]
        yield Items(tuple((prose(found["title"]), _summary(found)) for found in shown))
        yield from _more(len(findings) - len(shown))
        if self.everything:
            positions = [self.answer["findings"].index(found) for found in findings]
            for block in self.details["context"]:
                if block["finding"] in positions:
                    yield Lines(block["file"], tuple(map(_row, block["rows"])))

    def _ranks(self) -> Iterator[Block]:
        text = first_failures(self.details.get("ranks", ()), self.details.get("world"))
        if text:
            yield Heading("First failure of each rank")
            yield Paragraph(text)

    def _errors(self, title: str) -> Iterator[Block]:
        lines = self.answer["error_lines"]
        if not lines:
            return
        shown = lines if self.everything else lines[:_ERRORS]
        yield Heading(title)
        for file in dict.fromkeys(line["file"] for line in shown):
            yield Lines(file, tuple(Row(line["line"], line["text"]) for line in shown if line["file"] == file))
        yield from _more(len(lines) - len(shown))

    def _similar(self) -> Iterator[Block]:
        if self.answer["similar"]:
            yield Heading("Similar, not a match")
            yield Paragraph("Nearest by words. No line of the log fits a signature of these entries.")
            yield self._entries(found["entry"] for found in self.answer["similar"])

    def _tail(self) -> Iterator[Block]:
        if self.answer["notices"]:
            yield Heading("Harmless")
            yield Paragraph("These lines look like failures and are none.")
            yield self._entries(self.answer["notices"])
        if self.answer["episodes"]:
            yield Heading("Attempts")
            yield Paragraph("The log holds several attempts. The answer is for the last one that failed.")
            yield Items(tuple(map(_attempt, self.answer["episodes"])))

    def _entries(self, slugs: Iterable[str]) -> Items:
        return Items(tuple((Prose(f"`{slug}`"), _text(self.cards.get(slug, {}).get("title", ""))) for slug in slugs))


def _text(text: str, card: Data | None = None) -> Prose:
    return prose(text, fixes=(card or {}).get("fixes", {}))


def _place(finding: Data) -> str:
    if finding["all_ranks"]:
        return " on all ranks"
    rank = f"rank {finding['rank']}" if finding["rank"] is not None else ""
    node = f"node {finding['node']}" if finding["node"] else ""
    return f" on {' of '.join(part for part in (rank, node) if part)}" if rank or node else ""


def _check(card: Data) -> Iterator[Block]:
    check = card.get("check")
    if not check:
        return
    yield Heading("First check" if card.get("kind") == "wrapper" else "Is it this?", 3)
    yield Paragraph(_text(check["text"], card))
    if check["command"]:
        yield shell(check["command"], Voice(fixes=card.get("fixes", {})))
    yield Items((("Yes", _text(check["if_yes"], card)), ("No", _text(check["if_no"], card))))


def _quick_fix(card: Data) -> Iterator[Block]:
    fix = card.get("quick_fix")
    if not fix:
        return
    yield Heading("Quick fix", 3)
    yield Paragraph(_text(fix["text"], card))
    for command in fix["commands"]:
        yield shell(command, Voice(fixes=card.get("fixes", {})))
    if fix.get("caveat"):
        yield Paragraph(_text(fix["caveat"], card), "Limit.")


def _summary(finding: Data) -> str:
    first = finding["evidence"][0] if finding["evidence"] else None
    parts = [f"{finding['why']} {counted(finding['count'], 'line')}{_place(finding)}"]
    parts += [f"first {first['file']}:{first['line']}"] if first else []
    return f"{', '.join(parts)} (faultbook show {finding['entry']})"


def _attempt(episode: Data) -> tuple[str, str]:
    words = {"match": "cause found", "unknown": "failed, cause unknown", "no-failure": "no failure found"}
    entry = f": {episode['entry']}" if episode["entry"] else ""
    place = f"{episode['file']}, lines {episode['first_line']:,} to {episode['last_line']:,}"
    return place, words[episode["verdict"]] + entry


def _row(row: Data) -> Row:
    return Row(row["line"], row["text"], row["hit"], tuple((span[0], span[1]) for span in row["spans"]))


def _more(count: int) -> Iterator[Block]:
    if count > 0:
        yield Paragraph(f"{count:,} more with --all.")
