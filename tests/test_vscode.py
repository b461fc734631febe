"""Files for Visual Studio Code: the matcher reads what `check` prints, and snippets are those of the format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from click.testing import CliRunner
from faultbook.cli import main
from faultbook.export import entry_schema
from faultbook.export.snippets import PARTS, Part, snippets
from faultbook.schema import Entry, Model
from faultbook.schema.actions import Check, Example, Fix, Monitor, QuickFix, Scenario, Step
from faultbook.schema.commands import Command
from faultbook.schema.entry import AffectedSystem, Pitfall, Question, Related, TellApart
from faultbook.schema.signature import Signature, Symptom
from faultbook.schema.sources import Evidence, Reference, Reproduction, Sample
from pydantic import TypeAdapter
from sites import ROOT, Project, edited, new_project

FOLDER = ROOT / ".vscode"
SETTINGS, TASKS, EXTENSIONS = (
    json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ("settings", "tasks", "extensions")
)
MODELS: dict[str, type[Model]] = {
    model.__name__: model
    for model in (
        AffectedSystem,
        Check,
        Command,
        Example,
        Fix,
        Monitor,
        Pitfall,
        QuickFix,
        Question,
        Reference,
        Related,
        Reproduction,
        Sample,
        Scenario,
        Signature,
        Step,
        Symptom,
        TellApart,
    )
}


def task(label: str) -> dict[str, Any]:
    (found,) = [task for task in TASKS["tasks"] if task["label"] == f"Faultbook: {label}"]
    return dict(found)


@pytest.mark.parametrize("task", TASKS["tasks"], ids=lambda task: task["label"])
def test_task_runs_a_command_that_exists_without_a_shell(task: dict[str, Any]) -> None:
    assert task["type"] == "process"
    assert task["command"] == "${workspaceFolder}/.venv/bin/faultbook"
    assert task["args"][0] in main.commands
    inputs = {f"${{input:{row['id']}}}" for row in TASKS["inputs"]}
    known = inputs | {"${file}", "${fileBasenameNoExtension}"}
    assert set(re.findall(r"\$\{[^}]*\}", " ".join(task["args"]))) <= known


def test_matcher_reads_every_line_that_check_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project: Project = new_project(tmp_path / "project")
    monkeypatch.chdir(project.root)
    with edited(project.entries / "launch/rendezvous-port-taken.yaml") as data:
        data["tags"] = [*data["tags"], "tcp-prt"]
        data["faq"] = [{"q": "Is it lost?", "a": "No: a[b]: c."}]
    pattern = task("check the entries")["problemMatcher"]["pattern"]
    printed = CliRunner().invoke(main, ["check"]).stdout.splitlines()
    told = json.loads(CliRunner().invoke(main, ["check", "--format", "json"]).stdout)
    assert {row["level"] for row in told} == {"error", "warning"}
    assert len(printed) == len(told)
    for line, row in zip(printed, told, strict=True):
        found = re.match(pattern["regexp"], line)
        assert found, line
        names = {"file": "path", "line": "line", "column": "column", "severity": "level", "code": "code"}
        read = {theirs: found[pattern[ours]] for ours, theirs in {**names, "message": "message"}.items()}
        assert read == {name: str(value) for name, value in row.items()}
        assert (project.root / read["path"]).is_file()


def test_schema_of_the_settings_is_the_committed_one_and_takes_the_entries() -> None:
    (setting,) = SETTINGS["yaml.schemas"].items()
    assert json.loads((ROOT / setting[0]).read_text("utf-8")) == entry_schema()
    matched = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(setting[1])}
    assert "entries/launch/master-port-in-use.yaml" in matched
    assert not [path for path in matched if Path(path).name.startswith("_")]


def test_extensions_that_settings_rely_on_are_recommended() -> None:
    assert "redhat.vscode-yaml" in EXTENSIONS["recommendations"]
    assert SETTINGS["[python]"]["editor.defaultFormatter"] in EXTENSIONS["recommendations"]


def test_snippets_are_those_of_the_format() -> None:
    committed = json.loads((FOLDER / "entries.code-snippets").read_text("utf-8"))
    assert committed == snippets(), "run 'faultbook schema --snippets > .vscode/entries.code-snippets'"
    assert json.loads(CliRunner().invoke(main, ["schema", "--snippets"]).stdout) == committed


def filled(body: list[str]) -> Any:
    """The data of a snippet in which every place holds what it offers, and every choice the first."""
    text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\|\}", r"\1", "\n".join(body))
    text = re.sub(r"\$\{\d+:((?:\\.|[^}\\])*)\}", lambda found: re.sub(r"\\(.)", r"\1", found[1]), text)
    assert "${" not in text
    return yaml.safe_load(text)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name or part.model)
def test_filled_snippet_is_a_part_of_an_entry(part: Part) -> None:
    name = part.name or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", part.model).lower()
    data = filled(snippets()[f"Faultbook: {name}"]["body"])
    values = data if isinstance(data, list) else [data[part.field]]
    for value in values:
        MODELS[part.model].model_validate(value)
    assert part.field in {field for model in (Entry, Evidence, *MODELS.values()) for field in model.model_fields}


def examples(definitions: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each example of the schema, with the model and the field that it stands in; of a list's items in a list."""
    for model, definition in definitions.items():
        for name, field in definition.get("properties", {}).items():
            for row in (field, *field.get("anyOf", ())):
                yield from ((model, name, example) for example in row.get("examples", ()))
                items = row.get("items", {})
                least = max(1, row.get("minItems", 1))
                yield from ((model, name, [example] * least) for example in items.get("examples", ()))


def test_examples_of_the_schema_are_values_that_the_format_takes() -> None:
    schema = entry_schema()
    found = [row for row in examples({"Entry": schema, **schema["$defs"]}) if row[0] in MODELS or row[0] == "Entry"]
    assert {name for _, name, _ in found} >= {"title", "tags", "entry", "url", "all", "only_if", "run"}
    for model, name, example in found:
        field = {"Entry": Entry, **MODELS}[model].model_fields[name]
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, field])
        assert adapter.validate_python(example), name
