"""What is shown of an entry beside a finding, so that nobody has to read the entries for it."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.schema import Check, Command, Entry


def card(record: Record, slugs: Container[str], corpus: Corpus) -> dict[str, Any]:
    """The card of an entry; look-alikes are those of the given slugs. Texts are as in the entry, marks included."""
    entry = record.entry
    return {
        "title": entry.title,
        "summary": entry.summary,
        "url": f"entries/{record.slug}/",
        "kind": entry.kind,
        "category": record.category,
        "impact": list(entry.impact),
        "scope": entry.scope,
        "fixed_by": list(dict.fromkeys(fix.who for fix in entry.fix)),
        "evidence": entry.evidence.level if entry.evidence else None,
        "check": _check(entry),
        "quick_fix": _quick_fix(entry),
        "fixes": {fix.id: fix.title for fix in entry.fix},
        "alike": [
            {"entry": item.entry, "title": corpus.records[item.entry].entry.title, "short": item.short, "how": item.how}
            for item in entry.tell_apart
            if item.entry in slugs
        ],
    }


def deciding_check(entry: Entry) -> Check | None:
    """The check to begin with: the first with a command, else the first."""
    return next((check for check in entry.checklist if check.command), next(iter(entry.checklist), None))


def _check(entry: Entry) -> dict[str, Any] | None:
    check = deciding_check(entry)
    if check is None:
        return None
    command = _command(check.command) if check.command else None
    return {"text": check.check, "command": command, "if_yes": check.if_yes, "if_no": check.if_no}


def _quick_fix(entry: Entry) -> dict[str, Any] | None:
    fix = entry.quick_fix
    if fix is None:
        return None
    return {"text": fix.text, "commands": [_command(command) for command in fix.commands], "caveat": fix.caveat}


def _command(command: Command) -> dict[str, Any]:
    """The fields that the entry gives, but for how it was tested."""
    return command.model_dump(mode="json", exclude={"tested"}, exclude_defaults=True)
