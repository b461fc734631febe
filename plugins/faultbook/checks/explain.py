"""Explains every code that faultbook can print, from the docstrings and the examples of the checks."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache

from faultbook.checks.base import Check
from faultbook.checks.elsewhere import RULES, Rule
from faultbook.checks.run import CHECKS
from faultbook.violations import Level


@dataclass(frozen=True)
class Explanation:
    """What a code means, why it matters and how to mend it, with an example of each kind if text can show it."""

    code: str
    level: Level
    what: str
    why: str
    failing: str
    passing: str


@cache
def explanations() -> list[Explanation]:
    """An explanation of every code, sorted by code."""
    rules = [*RULES, *map(check_rule, CHECKS)]
    return sorted((_explanation(rule) for rule in rules), key=lambda explanation: explanation.code)


def explain(code: str) -> Explanation | None:
    """The explanation of a code, if there is such a code."""
    return next((explanation for explanation in explanations() if explanation.code == code), None)


def check_rule(check: Check) -> Rule:
    """What a check says of itself."""
    what, _, why = inspect.cleandoc(type(check).__doc__ or "").partition("\n\n")
    return Rule(check.code, " ".join(what.split()), " ".join(why.split()), check.failing, check.passing, check.level)


def _explanation(rule: Rule) -> Explanation:
    failing = rule.failing.shown() if rule.failing else ""
    passing = rule.passing.shown() if rule.passing else ""
    return Explanation(rule.code, rule.level, rule.what, rule.why, failing, passing)
