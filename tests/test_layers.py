"""Each layer of the package imports only layers that stand to its left, and each library has one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import faultbook
import pytest

PACKAGE = Path(faultbook.__file__).parent
LAYERS = (
    "violations",
    "project",
    "marks",
    "words",
    "blocks",
    "reader",
    "schema",
    "corpus",
    "links",
    "signatures",
    "engine",
    "checks",
    "export",
    "render",
    "scaffold",
    "edit",
    "history",
    "feeds",
    "compare",
    "lab",
    "plugin",
    "cli",
    "__main__",
)
PLACES = {"yaml": "reader", "ruamel": "edit", "jinja2": "render", "mkdocs": "plugin", "click": "cli"}
"""Libraries with the only layer that may import them."""


class Import(NamedTuple):
    """A module that is imported, at a line."""

    line: int
    module: str


def imports(text: str) -> Iterator[Import]:
    """Every import of a module, also within functions; a name that is imported counts as part of the module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write the import in full"
            yield from (Import(node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def broken(layer: str, text: str) -> list[str]:
    """What a module of a layer imports against the rules."""
    found = []
    for line, module in imports(text):
        library, *inner = module.split(".")
        if PLACES.get(library, layer) != layer:
            found.append(f"line {line}: {library} is imported in {PLACES[library]} only")
        if library == "faultbook" and inner[0] in LAYERS and LAYERS.index(inner[0]) > LAYERS.index(layer):
            found.append(f"line {line}: {layer} must not import {inner[0]}, which stands to its right")
    return found


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_stands_to_its_left(path: Path) -> None:
    assert layer_of(path) in LAYERS, "a new module or package takes its place in LAYERS"
    assert broken(layer_of(path), path.read_text("utf-8")) == []


def test_the_package_itself_imports_nothing() -> None:
    assert list(imports((PACKAGE / "__init__.py").read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("layer", "text", "violations"),
    [
        ("reader", "import yaml\nfrom faultbook.violations import Location\n", []),
        ("corpus", "from faultbook.corpus import x\nimport os\n", []),
        (
            "reader",
            "from faultbook.schema import Entry\n",
            ["line 1: reader must not import schema, which stands to its right"],
        ),
        (
            "checks",
            "from faultbook import render\n",
            ["line 1: checks must not import render, which stands to its right"],
        ),
        (
            "links",
            "def f():\n    import faultbook.export.x\n",
            ["line 2: links must not import export, which stands to its right"],
        ),
        ("schema", "from yaml.nodes import Node\n", ["line 1: yaml is imported in reader only"]),
        (
            "plugin",
            "import click, jinja2\n",
            ["line 1: click is imported in cli only", "line 1: jinja2 is imported in render only"],
        ),
        ("cli", "from mkdocs import config\n", ["line 1: mkdocs is imported in plugin only"]),
    ],
)
def test_imports_against_the_rules_are_found(layer: str, text: str, violations: list[str]) -> None:
    assert broken(layer, text) == violations


def test_every_rule_about_a_library_is_still_needed() -> None:
    used = {
        (module.split(".")[0], layer_of(path))
        for path in MODULES
        for _, module in imports(path.read_text("utf-8"))
        if module.split(".")[0] in PLACES
    }
    assert used == set(PLACES.items())
