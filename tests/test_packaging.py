"""The package: from the sources to the wheel, into an empty environment, and a site from there."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import BytesParser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from faultbook import __version__
from faultbook.corpus import load_corpus
from markup import read_html
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sites import ROOT, write_private_entries

PARTS = {"plugins/faultbook": "faultbook", "templates": "faultbook/templates", "entries": "faultbook/entries"}
"""Where each directory of the checkout lies in the wheel."""
UNREACHABLE = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ProxyError", "No route to host")


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command outside of the checkout; the test is skipped if it needs a registry and there is none."""
    # Nothing that points Python at the checkout may help.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    result = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=400, env=environment
    )
    output = result.stdout + result.stderr
    if result.returncode and any(word in output for word in UNREACHABLE):
        pytest.skip("pip cannot reach a package registry")
    assert result.returncode == 0, output
    return result.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the source distribution, and the wheel that was built from it."""
    target = tmp_path_factory.mktemp("dist")
    own = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "build", *own, "--outdir", target, ROOT, cwd=target)
    return target


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it depends on, and nothing else."""
    place = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=place)
    python = place / "env/bin/python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", "--retries", "1")
    run(*pip, next(dist.glob("*.whl")), cwd=place)
    return place / "env/bin"


def files(directory: Path) -> set[str]:
    """The files below a directory that are not made by running the code."""
    found = (path for path in directory.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(directory).as_posix() for path in found}


def test_wheel_holds_the_package_its_templates_and_entries_and_nothing_else(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == {f"{place}/{name}" for source, place in PARTS.items() for name in files(ROOT / source)}
    for name in (
        "faultbook/codes.yaml",
        "faultbook/py.typed",
        "faultbook/assets/faultbook.css",
        "faultbook/known/torchrun-flags.txt",
        "faultbook/templates/theme/main.html",
        "faultbook/entries/_categories.yaml",
        "faultbook/entries/launch/master-port-in-use.yaml",
    ):
        assert name in names


def test_source_distribution_holds_what_the_wheel_is_made_of(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert {f"{source}/{name}" for source in PARTS for name in files(ROOT / source)} <= names
    assert {"LICENSE", "LICENSE-ENTRIES", "README.md", "pyproject.toml"} <= names
    assert not [name for name in names if name.startswith(("tests/", "reproductions/", "site/", "docs/"))]


def test_metadata_name_version_licences_and_entry_points(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        folder = f"faultbook-{__version__}.dist-info"
        metadata = BytesParser().parsebytes(wheel.read(f"{folder}/METADATA"))
        points = wheel.read(f"{folder}/entry_points.txt").decode("utf-8")
        licences = [name for name in wheel.namelist() if name.startswith(f"{folder}/licenses/")]
    assert (metadata["Name"], metadata["Version"], metadata["License-Expression"]) == ("faultbook", __version__, "MIT")
    assert sorted(Path(name).name for name in licences) == ["LICENSE", "LICENSE-ENTRIES"]
    assert " ".join(points.split()) == (
        "[console_scripts] faultbook = faultbook.cli:main [mkdocs.plugins] faultbook = faultbook.plugin:FaultbookPlugin"
    )


def test_every_package_that_is_imported_is_declared(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        metadata = BytesParser().parsebytes(wheel.read(f"faultbook-{__version__}.dist-info/METADATA"))
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    declared = {canonicalize_name(requirement.name) for requirement in requirements if requirement.marker is None}
    extra = {
        canonicalize_name(requirement.name)
        for requirement in requirements
        if 'extra == "fast"' in str(requirement.marker)
    }
    imported = set()
    for path in (ROOT / "plugins/faultbook").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition(".")[0])
    providers = packages_distributions()
    foreign = imported - set(sys.stdlib_module_names) - {"faultbook"}
    # What pydantic and Jinja2 themselves are made of comes with them.
    parts = {"pydantic-core": "pydantic", "markupsafe": "jinja2"}
    needed = {canonicalize_name(name) for module in foreign for name in providers[module]}
    assert {parts.get(name, name) for name in needed} | {"mkdocs-material"} == declared | extra


def test_installed_program_lists_the_entries_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    rows = json.loads(run(installed / "faultbook", "entries", "--format", "json", cwd=tmp_path))
    corpus, violations = load_corpus([ROOT / "entries"], ROOT)
    assert violations == []
    assert [row["id"] for row in rows] == list(corpus.records)
    assert run(installed / "faultbook", "--version", cwd=tmp_path) == f"faultbook, version {__version__}\n"


def test_installed_program_diagnoses_a_log(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTBOOK_CACHE", str(tmp_path / "cache"))
    (tmp_path / "train.log").write_text(
        "DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, "
        "useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n"
    )
    for _ in range(2):
        # First with entries that must be compiled, then with the compiled ones.
        answer = json.loads(run(installed / "faultbook", "diagnose", "train.log", "--format", "json", cwd=tmp_path))
        assert [found["entry"] for found in answer["findings"]] == ["master-port-in-use"]
    assert "master-port-in-use" in run(installed / "faultbook", "search", "port 29500", cwd=tmp_path)
    assert run(installed / "faultbook", "show", "master-port-in-use", cwd=tmp_path).startswith("Rendezvous port")


def test_installed_entries_are_sound_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "faultbook", "check", cwd=tmp_path).endswith("entries: no violations\n")


def test_project_of_the_readme_becomes_a_site(installed: Path, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    settings = re.findall(r"```yaml\n(site_name: .*?)```", readme, re.DOTALL)
    assert len(settings) == 1
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(settings[0], "utf-8")
    write_private_entries(tmp_path / "entries")
    run(installed / "mkdocs", "build", "--strict", "--quiet", cwd=tmp_path)
    for slug in ("our-filer-is-full", "master-port-in-use"):
        page = read_html((tmp_path / f"site/entries/{slug}/index.html").read_text("utf-8"))
        assert page.one("h1").text
        assert page.one("footer", "fb-footer")
    assert (tmp_path / "site/assets/faultbook/faultbook.js").is_file()
    for path in (tmp_path / "site").rglob("*.html"):
        assert str(tmp_path) not in path.read_text("utf-8")
        assert str(installed.parent) not in path.read_text("utf-8")


@pytest.mark.parametrize("options", [(), ("--with-public",)], ids=["alone", "with public"])
def test_encyclopedia_of_ones_own_is_begun_checked_and_built(
    installed: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    run(installed / "faultbook", "init", "ours", *options, cwd=tmp_path)
    ours = tmp_path / "ours"
    assert run(installed / "faultbook", "check", cwd=ours).endswith(": no violations\n")
    run(installed / "mkdocs", "build", "--strict", "--quiet", cwd=ours)
    page = read_html((ours / "site/entries/submit-without-time-limit/index.html").read_text("utf-8"))
    assert page.one("h1").text
    assert (ours / "site/entries/master-port-in-use/index.html").is_file() == bool(options)
    assert (ours / ".github/workflows/site.yml").is_file()
