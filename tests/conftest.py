"""Fixtures that several test modules use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from faultbook.corpus import load_corpus
from faultbook.engine.compiler import compile_index
from faultbook.engine.index import Index
from faultbook.project import default_entries
from sites import Project, new_project

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew, for review as a diff")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the small corpus of the site tests and its built site; copy it before a change."""
    project = new_project(tmp_path_factory.mktemp("built") / "project")
    result = project.build()
    assert (result.code, result.output) == (0, "")
    return project


@pytest.fixture(scope="session")
def shipped() -> Index:
    """The entries of this repository, compiled."""
    compiled = compile_index(load_corpus([default_entries()])[0])
    return Index.load(compiled["index"], compiled["search"])


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with a file under golden/, or writes that file with --update-golden."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8"), "renew it with --update-golden if the change is meant"

    return compare
