"""Rules of style that a linter does not know: sizes, docstrings, and the words of messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path for folder in ("plugins", "benchmarks", "reproductions") for path in (ROOT / folder).rglob("*.py")
)
PACKAGE = [path for path in MODULES if path.is_relative_to(ROOT / "plugins")]
MODULE_LINES = 250
FUNCTION_LINES = 40
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def long_parts(text: str) -> list[str]:
    """The module if it is too long, and each function that is."""
    count = len(text.splitlines())
    found = [f"{count} lines; make it a package of the same name"] if count > MODULE_LINES else []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                found.append(f"'{node.name}' in line {node.lineno} has {lines} lines; split it")
    return found


def public_definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Functions, classes and methods that others may use, and those of public classes within."""
    for node in body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body)


def unexplained(text: str) -> list[str]:
    """What lacks a docstring that begins with one sentence."""
    tree = ast.parse(text)
    found = []
    for node in (tree, *public_definitions(tree.body)):
        first = (ast.get_docstring(node) or "").split("\n\n")[0]
        if not re.search(r"[.:]$", first):
            found.append("the module" if isinstance(node, ast.Module) else f"'{node.name}' in line {node.lineno}")
    return found


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_and_functions_fit_on_a_screen(path: Path) -> None:
    assert long_parts(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", PACKAGE, ids=name)
def test_every_public_name_is_explained_in_one_sentence(path: Path) -> None:
    assert unexplained(path.read_text("utf-8")) == []


def test_what_breaks_these_rules_is_found() -> None:
    long = "def f():\n" + "    x = 1\n" * 40
    assert long_parts(long) == ["'f' in line 1 has 41 lines; split it"]
    assert long_parts("x = 1\n" * 251) == ["251 lines; make it a package of the same name"]
    assert long_parts(long.replace("    x = 1\n", "", 1)) == []
    methods = "    def b(self): ...\n    def _c(self): ...\n"
    text = f'"""Words."""\nclass A:\n    """No sentence"""\n{methods}def d():\n    """Fine."""\n'
    assert unexplained(text) == ["'A' in line 2", "'b' in line 4"]
    assert unexplained("x = 1\n") == ["the module"]


MAKERS = {
    "Violation": 2,
    "Lack": 1,
    "Fault": 1,
    "PydanticCustomError": 1,
    "place": 1,
    "at": 2,
    "_refuse": 2,
    "refuse": 1,
}
"""Calls that take a message, with its position."""


def messages(text: str) -> Iterator[tuple[int, str]]:
    """Each message that is written in a module, with ``{}`` for what is filled in."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "message":
            value = node.value
        elif isinstance(node, ast.Call) and (argument := message_argument(node)):
            value = argument
        else:
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield node.lineno, value.value
        elif isinstance(value, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in value.values)
            yield node.lineno, "".join(map(str, parts))


def message_argument(call: ast.Call) -> ast.expr | None:
    """The message that a call takes, if it is one that takes any."""
    position = MAKERS.get(getattr(call.func, "id", getattr(call.func, "attr", "")))
    return call.args[position] if position is not None and len(call.args) > position else None


STYLE = (
    (re.compile(r"^(?=[A-Z])(?!FAQ\b|URL\b|YAML\b)"), "starts with a capital letter"),
    (re.compile(r"[.!?]$"), "ends like a sentence"),
    (re.compile(r"`"), "quotes with backticks; use single quotes"),
    (re.compile(r"\b(?:please|sorry|invalid|illegal|oops)\b", re.IGNORECASE), "does not say what is wrong"),
    (re.compile(r"\n|  "), "is not one line of single blanks"),
)


def faults_of_style(text: str) -> list[str]:
    return [
        f"line {line}: '{message}' {fault}"
        for line, message in messages(text)
        for pattern, fault in STYLE
        if pattern.search(message)
    ]


@pytest.mark.parametrize("path", PACKAGE, ids=name)
def test_messages_are_lower_case_lines_without_a_full_stop(path: Path) -> None:
    assert faults_of_style(path.read_text("utf-8")) == []


def test_messages_of_another_style_are_found() -> None:
    calls = 'Violation(place, "code", "is wrong.")\nself.at(r, p, "use `x`")\nFault("x", "fine")\n'
    text = f'message = f"Invalid {{x}}"\n{calls}'
    assert faults_of_style(text) == [
        "line 1: 'Invalid {}' starts with a capital letter",
        "line 1: 'Invalid {}' does not say what is wrong",
        "line 2: 'is wrong.' ends like a sentence",
        "line 3: 'use `x`' quotes with backticks; use single quotes",
    ]


def test_messages_are_found_in_the_modules_that_make_them() -> None:
    makers = {path.parent.name for path in PACKAGE if any(messages(path.read_text("utf-8")))}
    assert makers >= {"checks", "reader", "schema", "signatures", "corpus"}
