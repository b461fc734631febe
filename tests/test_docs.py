"""The documentation: it names every command, its links lead somewhere, and its reference pages leave nothing out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from faultbook.checks import explanations
from faultbook.cli import main
from faultbook.export import entry_schema
from faultbook.plugin.settings import FaultbookConfig
from faultbook.schema import Entry
from faultbook.schema.completeness import NEEDED
from faultbook.signatures import TYPES
from markup import Element
from sites import ROOT, Project, mkdocs_build, small_site, write_private_entries

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
TEXT = "\n".join(path.read_text("utf-8") for path in PAGES)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_is_in_the_documentation(name: str) -> None:
    assert f"faultbook {name}" in TEXT


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^faultbook ([a-z-]+)", TEXT, re.MULTILINE))))
def test_every_command_of_the_documentation_exists(command: str) -> None:
    assert command in main.commands


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_that_the_documentation_names_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    # Pages that MkDocs makes have no file.
    links = [
        link.partition("#")[0]
        for link in re.findall(r"\]\(([^)\s]+)\)", text)
        if not link.startswith(("https://", "#", "checks/", "format/", "wanted/"))
    ]
    folders = (path.parent, ROOT / "docs") if path.parent == ROOT else (path.parent,)
    assert [link for link in links if not any((folder / link).exists() for folder in folders)] == []


@pytest.mark.parametrize("name", [name for name, _ in FaultbookConfig()._schema])
def test_every_setting_of_the_plugin_is_in_the_documentation(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXT)


def page(url: str) -> Element:
    return small_site()[url]


def test_page_of_checks_explains_every_code() -> None:
    found = explanations()
    assert [h2.attributes["id"] for h2 in page("checks/").all("h2")] == [explanation.code for explanation in found]
    for explanation in found:
        section = page("checks/").section_around(explanation.code)
        assert section.one("strong").text == " ".join(explanation.what.split())
        assert " ".join(explanation.why.split()) in section.text
        examples = [pre.raw_text for pre in section.all("pre")]
        assert examples == [text.rstrip("\n") for text in (explanation.failing, explanation.passing) if text]


def test_every_code_that_a_build_prints_is_explained() -> None:
    codes = {explanation.code for explanation in explanations()}
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "plugins/faultbook").rglob("*.py"))
    printed = set(re.findall(r"error\[([a-z0-9-]+)\]", sources)) | {"mkdocs-setting"}
    assert printed <= codes


def test_page_of_the_format_has_every_model_and_every_field() -> None:
    definitions = {"Entry": entry_schema(), **entry_schema()["$defs"]}
    for name, definition in definitions.items():
        section = page("format/").section_around(f"model-{name.lower()}")
        rows = {
            row.one("th").text: row.all("td")
            for row in (section.one("tbody").all("tr") if definition.get("properties") else [])
        }
        assert list(rows) == list(definition.get("properties", {}))
        for field, (_, form, what) in rows.items():
            assert form.text, field
            assert what.text.endswith("."), field
        assert [item.text for item in section.all("li")] == list(definition.get("enum", []))


def test_page_of_the_format_says_what_is_needed() -> None:
    rows = page("format/").section_around("model-entry").one("tbody").all("tr")
    marks = {row.one("th").text: row.all("td")[0].text for row in rows}
    required = {name for name, field in Entry.model_fields.items() if field.is_required()}
    assert {name for name, mark in marks.items() if mark == "R"} == required
    assert {name for name, mark in marks.items() if mark == "P"} == NEEDED
    assert get_args(Entry.model_fields["kind"].annotation) == ("cause", "wrapper")


def test_page_of_the_format_has_every_placeholder() -> None:
    rows = page("format/").section_around("placeholders").one("tbody").all("tr")
    assert {row.one("th").text: row.one("td").text for row in rows} == {
        f"<{name}>": text for name, text in TYPES.items()
    }


def test_models_that_a_field_names_are_on_the_page() -> None:
    form = page("format/")
    assert {href[1:] for _, href in form.links() if href.startswith("#")} <= set(form.ids())


def test_project_of_the_readme_becomes_a_site(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (settings,) = re.findall(r"```yaml\n(site_name: .*?)```", readme, re.DOTALL)
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    (tmp_path / "docs").mkdir()
    write_private_entries(tmp_path / "entries")
    assert mkdocs_build(tmp_path / "mkdocs.yml", strict=True).output == ""
    project = Project(tmp_path)
    for slug in ("our-filer-is-full", "master-port-in-use"):
        assert project.page(f"entries/{slug}/").one("h1").text


def test_site_of_this_repository_is_built_without_a_warning(tmp_path: Path) -> None:
    result = mkdocs_build(ROOT / "mkdocs.yml", site_dir=str(tmp_path / "site"), strict=True)
    assert (result.code, result.output) == (0, "")
    project = Project(tmp_path)
    assert project.page("entries/master-port-in-use/").one("ol", "fb-check").all("li")
    assert len(project.page("changes/").one("table", "fb-index").one("tbody").all("tr")) >= 5
    assert project.page("about/").by_id("evidence").text.startswith("Evidence")
