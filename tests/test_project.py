"""Which entries and templates are meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from faultbook.project import Project, default_entries, default_templates, find_project, reading_project


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    """A project with entries, and a folder deep within it."""
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "entries").mkdir()
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    return tmp_path


def test_the_entries_beside_the_nearest_configuration_upward_are_meant(site: Path) -> None:
    assert find_project(start=site / "docs" / "deep") == Project((site / "entries",), site)


def test_a_nearer_configuration_hides_one_further_up(site: Path) -> None:
    inner = site / "docs"
    (inner / "mkdocs.yml").write_text("site_name: y\n")
    (inner / "entries").mkdir()
    assert find_project(start=inner / "deep") == Project((inner / "entries",), inner)


def test_given_directories_are_taken_as_they_are_and_in_order(site: Path) -> None:
    given = (Path("b"), Path("a"))
    assert find_project(given, start=site / "docs") == Project(given, site)


def test_given_directories_without_a_project_are_relative_to_the_start(tmp_path: Path) -> None:
    assert find_project([Path("x")], start=tmp_path) == Project((Path("x"),), tmp_path)


def test_the_packaged_entries_are_meant_outside_of_a_project(tmp_path: Path) -> None:
    assert find_project(start=tmp_path) == Project((default_entries(),), default_entries().parent)


def test_the_packaged_entries_are_meant_in_a_project_that_has_none(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    assert find_project(start=tmp_path).entries == (default_entries(),)


def test_the_working_directory_is_where_the_search_starts(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(site / "docs")
    assert find_project() == Project((site / "entries",), site)


def test_the_packaged_entries_and_templates_exist() -> None:
    assert (default_entries() / "_categories.yaml").is_file()
    assert (default_templates() / "entry.html").is_file()


@pytest.mark.parametrize(
    ("setting", "places"),
    [
        ("entries: [entries, packaged]", ["entries", None]),
        ("entries: [ 'packaged' , \"more\" ]", [None, "more"]),
        ("entries: []", ["entries"]),
        ("templates: own", ["entries"]),
    ],
)
def test_commands_that_read_take_every_directory_of_the_settings(
    site: Path, setting: str, places: list[str | None]
) -> None:
    (site / "mkdocs.yml").write_text(f"site_name: x\nplugins:\n  - faultbook:\n      {setting}\n")
    expected = tuple(site / place if place else default_entries() for place in places)
    assert reading_project(start=site / "docs") == Project(expected, site)
    assert find_project(start=site / "docs").entries == (site / "entries",)


def test_settings_count_neither_beside_given_directories_nor_without_the_plugin(site: Path) -> None:
    (site / "mkdocs.yml").write_text("plugins:\n  - faultbook:\n      entries: [packaged]\n")
    assert reading_project([Path("x")], start=site).entries == (Path("x"),)
    (site / "mkdocs.yml").write_text("plugins:\n  - another:\n      entries: [packaged]\n")
    assert reading_project(start=site) == find_project(start=site)
