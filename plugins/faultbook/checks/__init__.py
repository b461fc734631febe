"""Checks: the rules that a corpus must hold, each with its explanation and its examples."""

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.elsewhere import RULES, Rule
from faultbook.checks.exemptions import EXEMPTIONS, Exemption
from faultbook.checks.explain import Explanation, check_rule, explain, explanations
from faultbook.checks.run import CHECKS, run_checks

__all__ = [
    "CHECKS",
    "EXEMPTIONS",
    "RULES",
    "Check",
    "Context",
    "Example",
    "Exemption",
    "Explanation",
    "Rule",
    "check_rule",
    "explain",
    "explanations",
    "run_checks",
]
