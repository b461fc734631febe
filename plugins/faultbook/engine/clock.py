"""Times of log lines, comparable as long as they are of one kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from faultbook.engine.rules import Rules

_NUMBERS = re.compile("[0-9]+")
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,9}))?")
_DAY = 86_400_000_000


class Time(NamedTuple):
    """Microseconds since the start of what the kind counts from; zones are not read, so kinds are not mixed."""

    kind: str
    """``full`` (year, month, day), ``day`` (month and day), ``clock`` (within a day) or ``up`` (since the boot)."""
    value: int


def read_time(groups: Mapping[str, str | None], rules: Rules) -> Time | None:
    """The time that the groups of a prefix give: ``stamp``, or ``date``, ``year`` and ``clock``, or ``uptime``."""
    if stamp := groups.get("stamp"):
        found = rules.pattern("stamp").match(stamp)
        return read_time(found.groupdict(), rules) if found else None
    if uptime := groups.get("uptime"):
        whole, fraction = uptime.split(".")
        return Time("up", int(whole) * 1_000_000 + int(fraction))
    clock = _CLOCK.fullmatch(groups.get("clock") or "")
    if not clock:
        return None
    hours, minutes, seconds = (int(clock[at]) for at in (1, 2, 3))
    within = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + int(((clock[4] or "") + "000000")[:6])
    date = groups.get("date")
    if not date:
        return Time("clock", within)
    year, month, day = _date(date, groups.get("year"), rules)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    return Time("full" if year else "day", _days(year or 2000, month, day) * _DAY + within)


def _date(date: str, year: str | None, rules: Rules) -> tuple[int, int, int]:
    """Year (0 if unknown), month and day of ``2026-11-30``, ``1130``, ``930`` or ``Nov 30``."""
    numbers = [int(number) for number in _NUMBERS.findall(date)]
    if len(numbers) == 3:
        return numbers[0], numbers[1], numbers[2]
    months = rules.data["months"]
    if date[:3] in months:
        return int(year or 0), months.index(date[:3]) + 1, numbers[0]
    return 0, numbers[0] // 100, numbers[0] % 100


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar, by the usual count from March."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
