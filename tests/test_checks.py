"""Every check, and every rule that is kept elsewhere: its examples, its messages and its explanation."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import faultbook
import pytest
from builders import MAIN, OTHER, check_written, write_corpus, write_example
from faultbook.checks import CHECKS, RULES, Check, Exemption, Rule, check_rule, explain, explanations
from faultbook.violations import Violation, format_violation

ALL_RULES = [*RULES, *map(check_rule, CHECKS)]
SHOWN_RULES = sorted((rule for rule in ALL_RULES if rule.failing), key=lambda rule: rule.code)
PACKAGE = Path(faultbook.__file__).parent


@pytest.mark.parametrize("rule", SHOWN_RULES, ids=lambda rule: rule.code)
def test_passing_example_has_no_violation(rule: Rule, tmp_path: Path) -> None:
    assert rule.passing
    assert check_written(write_example(tmp_path, rule.passing)) == []


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Violation]]:
    """What the failing example of each code is told."""
    folder = tmp_path_factory.mktemp("failing")
    return {
        rule.code: check_written(write_example(folder / rule.code, rule.failing))
        for rule in SHOWN_RULES
        if rule.failing
    }


@pytest.mark.parametrize("rule", SHOWN_RULES, ids=lambda rule: rule.code)
def test_failing_example_has_this_violation_and_no_other(rule: Rule, reported: dict[str, list[Violation]]) -> None:
    assert {(found.code, found.level) for found in reported[rule.code]} == {(rule.code, rule.level)}


def test_failing_examples_are_reported_as_recorded(
    reported: dict[str, list[Violation]], golden: Callable[[str, str], None]
) -> None:
    lines = [format_violation(violation) for found in reported.values() for violation in found]
    golden("violations.txt", "\n".join(lines) + "\n")


def test_messages_are_lower_case_short_and_without_full_stop(reported: dict[str, list[Violation]]) -> None:
    messages = [violation.message for found in reported.values() for violation in found]
    assert [text for text in messages if not re.match(r"[a-z'\[-]|YAML\b", text.removeprefix("not "))] == []
    assert [text for text in messages if text.endswith(".") or len(text) > 200 or "\n" in text] == []


def test_every_check_is_listed() -> None:
    assert {type(check) for check in CHECKS} == {kind for kind in _subclasses(Check) if hasattr(kind, "code")}


def _subclasses(kind: type[Check]) -> Iterator[type[Check]]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


def test_codes_are_kebab_case_and_stand_once() -> None:
    codes = [rule.code for rule in ALL_RULES]
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_rule_says_what_in_a_sentence_and_why_in_others(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z`][^.]*(\.(yaml|yml)\b[^.]*)?\.", rule.what)
    assert len(rule.what) <= 100
    assert rule.why.endswith(".")
    assert len(rule.why) >= 60


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_examples_come_in_pairs(rule: Rule) -> None:
    assert (rule.failing is None) == (rule.passing is None)


def test_every_code_that_is_printed_is_explained_and_no_other() -> None:
    printed = {code for path in PACKAGE.rglob("*.py") for code in _printed(ast.parse(path.read_text("utf-8")))}
    assert printed | {check.code for check in CHECKS} == {explanation.code for explanation in explanations()}


def _printed(tree: ast.Module) -> Iterator[str]:
    """The codes that a module prints, read from its calls and its tables of messages."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            position = {"Violation": 1, "violation": 1, "_refuse": 1, "Fault": 0}.get(name)
            if position is not None and len(node.args) > position:
                argument = node.args[position]
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)
                elif isinstance(argument, ast.Name) and argument.id in constants:
                    yield str(constants[argument.id])
        elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "_MESSAGES":
            assert isinstance(node.value, ast.Dict)
            yield from (ast.literal_eval(value.elts[0]) for value in node.value.values if isinstance(value, ast.Tuple))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\b(?:error|warning)\[([a-z-]+)\]", node.value)


def test_explanations_are_sorted_and_found_by_code() -> None:
    codes = [explanation.code for explanation in explanations()]
    assert codes == sorted(codes)
    assert [explain(code) for code in codes] == explanations()
    assert explain("no-such-code") is None


def test_explanation_is_the_docstring_and_the_example() -> None:
    found = explain("needs-root")
    assert found is not None
    assert found.what == "A command uses `sudo` and does not say that it needs root."
    assert found.why.endswith("Add `needs: root`.")
    assert "- sudo ss -Htlnp\n" in found.failing
    assert "needs: root\n" in found.passing


def test_example_of_several_files_names_them() -> None:
    found = explain("tell-apart-unanswered")
    assert found is not None
    assert found.passing.startswith(f"# entries/{MAIN}\ntell_apart:")
    assert f"# entries/{OTHER}\ntell_apart:" in found.passing


def test_example_whose_file_name_matters_shows_it() -> None:
    found = explain("wrong-slug")
    assert found is not None
    assert (found.failing, found.passing) == ("# entries/data/SHM_exhausted.yaml\n", f"# entries/{MAIN}\n")


def _codes(violations: list[Violation]) -> list[str]:
    return [violation.code for violation in violations]


def test_bytes_that_are_no_text_are_reported(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    (entries / MAIN).write_bytes(b"title: \xff\n")
    assert _codes(check_written(entries)) == ["not-utf-8"]


def test_large_file_is_reported(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    (entries / MAIN).write_text("# " + "x" * 300_000, "utf-8")
    assert _codes(check_written(entries)) == ["file-too-large"]


def test_link_to_a_file_is_reported(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    (entries / OTHER).parent.mkdir()
    (entries / OTHER).symlink_to(entries / MAIN)
    assert _codes(check_written(entries)) == ["unreadable-file"]


def test_empty_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "entries").mkdir()
    assert _codes(check_written(tmp_path / "entries")) == ["no-entries"]


def test_link_to_an_entry_that_cannot_be_read_is_no_violation(tmp_path: Path) -> None:
    related = "related:\n  - {entry: open-files-limit, relation: see-also}\n"
    entries = write_corpus(tmp_path, {MAIN: related, OTHER: "titel: Too many open files\n"})
    assert _codes(check_written(entries)) == ["unknown-field"]


TWO_WRONG = "tags: [dataloader, shared-memry]\nquick_fix: {text: Look., commands: [sudo ss -Htlnp]}\n"


def test_violations_are_sorted_by_place(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {OTHER: TWO_WRONG, MAIN: TWO_WRONG})
    places = [violation.location for violation in check_written(entries)]
    assert places == sorted(places)
    assert [place.path for place in places] == [f"entries/{MAIN}"] * 2 + [f"entries/{OTHER}"] * 2


def test_ignored_code_is_left_out(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: TWO_WRONG})
    assert _codes(check_written(entries)) == ["unknown-tag", "needs-root"]
    assert _codes(check_written(entries, ignore=["unknown-tag"])) == ["needs-root"]


def test_exemption_hides_its_code_in_its_entry_alone(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: TWO_WRONG, OTHER: TWO_WRONG})
    found = check_written(entries, exemptions=[Exemption("unknown-tag", "shm-exhausted", "a test")])
    assert [(violation.code, violation.location.path) for violation in found] == [
        ("needs-root", f"entries/{MAIN}"),
        ("unknown-tag", f"entries/{OTHER}"),
        ("needs-root", f"entries/{OTHER}"),
    ]


def test_exemption_that_hides_nothing_is_a_violation(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    stale = Exemption("needs-root", "shm-exhausted", "a test")
    assert [format_violation(violation) for violation in check_written(entries, exemptions=[stale])] == [
        f"entries/{MAIN}:1:1: error[stale-exemption]: the exemption from 'needs-root' hides nothing; "
        "remove it from checks/exemptions.py"
    ]


def test_exemption_of_an_ignored_code_or_of_another_corpus_is_not_stale(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: ""})
    exemptions = [Exemption("needs-root", "shm-exhausted", "a test"), Exemption("filler", "not-here", "a test")]
    assert check_written(entries, exemptions=exemptions, ignore=["needs-root"]) == []


def test_violations_of_one_check_in_one_entry_are_bounded(tmp_path: Path) -> None:
    links = " ".join(f"[[no-such-{number}]]" for number in range(250))
    entries = write_corpus(tmp_path, {MAIN: f"mechanism: |\n  {links} [@docs]\n"})
    assert len(check_written(entries)) == 100
