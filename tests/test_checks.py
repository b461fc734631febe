"""Every check, and every rule that is kept elsewhere, with its examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import faultbook
import pytest
from builders import check_written, write_example
from faultbook.checks import CHECKS, RULES, Rule, check_rule
from faultbook.violations import Violation, format_violation

ALL_RULES = [*RULES, *map(check_rule, CHECKS)]
SHOWN_RULES = [rule for rule in ALL_RULES if rule.failing and rule.passing]
PACKAGE = Path(faultbook.__file__).parent


@pytest.mark.parametrize("rule", SHOWN_RULES, ids=lambda rule: rule.code)
def test_passing_example_has_no_violation(rule: Rule, tmp_path: Path) -> None:
    assert rule.passing
    assert check_written(write_example(tmp_path, rule.passing)) == []


@pytest.mark.parametrize("rule", SHOWN_RULES, ids=lambda rule: rule.code)
def test_failing_example_has_this_violation_and_no_other(rule: Rule, tmp_path: Path) -> None:
    assert rule.failing
    violations = check_written(write_example(tmp_path, rule.failing))
    assert {(violation.code, violation.level) for violation in violations} == {(rule.code, rule.level)}


def test_failing_examples_are_reported_as_recorded(tmp_path: Path, golden) -> None:
    lines = [format_violation(violation) for violation in _all_reported(tmp_path)]
    golden("violations.txt", "\n".join(lines) + "\n")


def _all_reported(tmp_path: Path) -> Iterator[Violation]:
    for rule in sorted(SHOWN_RULES, key=lambda rule: rule.code):
        assert rule.failing
        yield from check_written(write_example(tmp_path / rule.code, rule.failing))


def test_messages_are_lower_case_short_and_without_full_stop(tmp_path: Path) -> None:
    for violation in _all_reported(tmp_path):
        message = violation.message
        assert len(message) <= 200, message
        assert not message.endswith("."), message
        assert re.match(r"[a-z'\[]|<|YAML\b|--|FAQ\b", message), message
