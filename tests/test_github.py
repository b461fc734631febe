"""Files for GitHub, for editors and for hooks: that they fit the entries, the package and each other."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from faultbook.cli import main
from faultbook.schema import Entry
from sites import ROOT, read_yaml

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
SETTINGS: dict[str, str] = dict(re.findall(r"^(site_url|repo_url): (\S+)$", (ROOT / "mkdocs.yml").read_text(), re.M))


def workflow(path: Path) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as a truth value.
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return {"on" if key is True else str(key): value for key, value in found.items()}


def name(path: Path) -> str:
    return path.name


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_actions_are_pinned_by_commit_with_their_version_beside(path: Path) -> None:
    uses = re.findall(r"uses: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert uses or path.name == "pull-request-report.yml"
    for line in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_an_action_has_one_version_in_all_workflows() -> None:
    texts = [path.read_text("utf-8") for path in (*WORKFLOWS, *(ROOT / "templates/init").rglob("*.yml"))]
    pins = {line for text in texts for line in re.findall(r"uses: (\S+@.*)$", text, re.MULTILINE)}
    actions = [line.partition("@")[0] for line in pins]
    assert len(actions) == len(set(actions))


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_rights_are_stated_and_checkouts_keep_no_token(path: Path) -> None:
    found = workflow(path)
    assert set(found["permissions"]) <= {"contents"}
    assert set(found["permissions"].values()) <= {"read"}
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    for job in found["jobs"].values():
        assert job["timeout-minutes"] <= 60


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_nothing_of_a_pull_request_runs_with_secrets(path: Path) -> None:
    found = workflow(path)
    text = path.read_text("utf-8")
    assert "pull_request_target" not in found["on"]
    assert "secrets." not in text
    if "pull_request" in found["on"]:
        assert not any("permissions" in job for job in found["jobs"].values())
        assert "github.token" not in text
    if "workflow_run" in found["on"]:
        for step in steps(path):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["ref"] == "${{ github.event.repository.default_branch }}"
            assert "download-artifact" not in step.get("uses", "")
            assert "${{" not in step.get("run", "")


def test_report_is_posted_for_the_workflow_that_makes_it() -> None:
    maker, poster = (workflow(GITHUB / "workflows" / f"{name}.yml") for name in ("pull-request", "pull-request-report"))
    assert poster["on"]["workflow_run"]["workflows"] == [maker["name"]]
    uploads = [
        step["with"] for job in maker["jobs"].values() for step in job["steps"] if "path" in step.get("with", {})
    ]
    script = (GITHUB / "scripts/post_report.py").read_text("utf-8")
    assert ("corpus-report", "report.md") in [(with_["name"], with_["path"]) for with_ in uploads]
    assert 'ARTIFACT, MEMBER = "corpus-report", "report.md"' in script


def test_commands_of_the_workflows_exist() -> None:
    runs = "\n".join(step.get("run", "") for path in WORKFLOWS for step in steps(path))
    assert {"check", "compare"} <= set(re.findall(r"\.venv/bin/faultbook ([a-z-]+)", runs)) <= set(main.commands)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"make (\S+)", runs):
        assert re.search(rf"^{re.escape(target.replace('.venv', '$(VENV)'))}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("path", FORMS, ids=name)
def test_form_keeps_the_rules_of_issue_forms(path: Path) -> None:
    form = read_yaml(path)
    assert set(form) <= {"name", "description", "title", "labels", "assignees", "projects", "type", "body"}
    assert form["name"]
    assert form["description"]
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
    for key in (lambda part: part["id"], lambda part: part["attributes"]["label"]):
        assert len({key(part) for part in fields}) == len(fields)
    for part in fields:
        assert re.fullmatch(r"[A-Za-z0-9_-]+", part["id"])
        options = part["attributes"].get("options", [])
        assert (part["type"] in ("dropdown", "checkboxes")) == bool(options)
        if part["type"] == "dropdown":
            assert all(isinstance(option, str) and option.lower() != "none" for option in options)
            assert len(set(options)) == len(options)


def field(form: str, name: str) -> dict[str, Any]:
    (found,) = [part for part in read_yaml(GITHUB / "ISSUE_TEMPLATE" / form)["body"] if part.get("id") == name]
    return dict(found["attributes"])


def test_choices_of_the_form_are_those_of_the_format() -> None:
    options = {name: field("new-failure.yml", name)["options"] for name in ("category", "impact", "scope")}
    (impact, _) = get_args(Entry.model_fields["impact"].annotation)
    assert options == {
        "category": list(read_yaml(ROOT / "entries/_categories.yaml")),
        "impact": list(get_args(impact)),
        "scope": list(get_args(Entry.model_fields["scope"].annotation)),
    }


def test_parts_of_a_page_that_the_form_names_are_fields() -> None:
    words = " ".join(field("wrong-entry.yml", "part")["options"]).split()
    assert set(words) - {"or", "something", "else", "signatures"} <= set(Entry.model_fields)


def test_every_category_has_owners() -> None:
    lines = [line.split() for line in (GITHUB / "CODEOWNERS").read_text("utf-8").splitlines() if line]
    owned = {place: owners for place, *owners in lines if not place.startswith("#")}
    categories = {f"/entries/{category}/" for category in read_yaml(ROOT / "entries/_categories.yaml")}
    assert set(owned) == categories | {"*"}
    (owner,) = re.findall(r"https://github\.com/([^/]+)/", SETTINGS["repo_url"])
    assert all(re.fullmatch(rf"@{owner}/[a-z0-9-]+", team) for teams in owned.values() for team in teams)


def test_addresses_are_those_of_the_settings() -> None:
    links = [link["url"] for link in read_yaml(GITHUB / "ISSUE_TEMPLATE/config.yml")["contact_links"]]
    assert links == [SETTINGS["site_url"], f"{SETTINGS['repo_url']}/security/advisories/new"]
    for path in (*GITHUB.rglob("*.md"), *FORMS, ROOT / "SECURITY.md"):
        for address in re.findall(r"https://(?:github\.com|[a-z-]+\.github\.io)/[^\s)]*", path.read_text("utf-8")):
            assert address.startswith(tuple(SETTINGS.values())), path


def test_updates_are_looked_for_where_the_locks_lie() -> None:
    found = read_yaml(GITHUB / "dependabot.yml")
    places = {row["package-ecosystem"]: row["directory"] for row in found["updates"]}
    files = {"github-actions": ".github/workflows", "pip": "site.txt", "npm": "package-lock.json"}
    assert set(places) == set(files)
    assert all((ROOT / place.strip("/") / files[kind]).exists() for kind, place in places.items())


HOOKS = read_yaml(ROOT / ".pre-commit-hooks.yaml")
OWN_HOOKS = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]


@pytest.mark.parametrize("hook", [*HOOKS, *OWN_HOOKS], ids=lambda hook: hook["id"])
def test_hook_has_a_command_that_exists_and_files_that_it_takes(hook: dict[str, Any]) -> None:
    program, command, *options = hook["entry"].split()
    if Path(program).name == "faultbook":
        assert command in main.commands
        assert re.search(hook["files"], "entries/launch/master-port-in-use.yaml")
        vocabulary = bool(re.search(hook["files"], "entries/_tags.yaml"))
        assert vocabulary == (hook.get("pass_filenames") is False)
    else:
        assert (Path(program).name, command, options) in [
            ("ruff", "check", ["--force-exclude"]),
            ("ruff", "format", ["--force-exclude"]),
        ]


def test_steps_that_need_the_report_come_after_it() -> None:
    ids = [step.get("id") or step.get("with", {}).get("name") for step in steps(GITHUB / "workflows/pull-request.yml")]
    order = [ids.index(name) for name in ("site", "report", "site-preview", "corpus-report")]
    assert all(first < second for first, second in pairwise(order))
