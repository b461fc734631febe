"""Build the site of made-up entries, and the same pages as Markdown with Material for MkDocs and with Zensical.

usage: python benchmarks/site_build.py [--sizes 100,1000,5000] [--rounds 1] [--peers material,zensical] [--output FILE]

Prints CPU seconds (of the process and its children), peak memory, bytes of the site and the ratios. The peers get the
same fields, the same highlighting, pages outside the navigation, and in Material's case its search, which is how such a
site is made without this generator. Ours is built twice: whole, and only what the peers have too (`pages_only.py`). The
program of Zensical is that of the variable ZENSICAL, else the one beside MkDocs.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from made_entries import write_entries
from markdown_pages import write_markdown

OURS = """site_name: Made
site_url: https://example.org/
strict: true
theme: {name: material, font: false}
plugins: [faultbook]
"""
THEIRS = """site_name: Made
site_url: https://example.org/
theme: {name: material, font: false}
plugins: [search]
not_in_nav: "*"
nav: [index.md]
markdown_extensions:
  - toc: {permalink: true}
  - pymdownx.highlight
  - pymdownx.superfences
  - attr_list
  - tables
"""


PAGES = "faultbook, pages only"
OURS_NAMES = ("faultbook", PAGES)


@dataclass(frozen=True)
class Measured:
    """What one build cost: CPU seconds, peak memory in MB, and bytes and pages of the site."""

    cpu: float
    memory: float
    size: int
    pages: int


def measure(command: list[str], folder: Path) -> Measured:
    """Run a build in a folder, and measure it and its children."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read().decode(errors='replace')[-3000:]}")
    files = [path for path in (folder / "site").rglob("*") if path.is_file()]
    pages = sum(path.name == "index.html" for path in files)
    return Measured(
        usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, sum(p.stat().st_size for p in files), pages
    )


def prepare(folder: Path, count: int) -> dict[str, Path]:
    """The projects of all generators for so many entries."""
    ours, theirs = folder / "ours", folder / "markdown"
    made = write_entries(ours / "entries", count)
    (ours / "docs").mkdir()
    (ours / "docs" / "contribute.md").write_text("# Contribute\n", "utf-8")
    (ours / "docs" / "about.md").write_text("# About\n\n## Evidence\n", "utf-8")
    (ours / "mkdocs.yml").write_text(OURS, "utf-8")
    write_markdown(theirs / "docs", made)
    (theirs / "mkdocs.yml").write_text(THEIRS, "utf-8")
    return {"faultbook": ours, PAGES: ours, "material": theirs, "zensical": theirs}


def run(count: int, rounds: int, peers: list[str]) -> dict[str, Measured]:
    """The median cost of each generator over some rounds, which go round the generators in turn."""
    mkdocs = [str(Path(sys.executable).with_name("mkdocs")), "build", "--quiet"]
    pages = [sys.executable, str(Path(__file__).with_name("pages_only.py")), "build", "--quiet"]
    zensical = [os.environ.get("ZENSICAL") or str(Path(sys.executable).with_name("zensical")), "build", "--clean"]
    commands = {"faultbook": mkdocs, PAGES: pages, "material": mkdocs, "zensical": zensical}
    results: dict[str, list[Measured]] = {name: [] for name in (*OURS_NAMES, *peers)}
    with tempfile.TemporaryDirectory() as temporary:
        projects = prepare(Path(temporary), count)
        for _ in range(rounds):
            for name, found in results.items():
                subprocess.run(["rm", "-rf", "site", ".cache"], cwd=projects[name], check=True)
                found.append(measure(commands[name], projects[name]))
                print(f"{count} entries, {name}: {found[-1].cpu:.1f} CPU s", file=sys.stderr, flush=True)
    return {name: _median(found) for name, found in results.items()}


def _median(found: list[Measured]) -> Measured:
    return Measured(
        statistics.median(one.cpu for one in found),
        statistics.median(one.memory for one in found),
        found[0].size,
        found[0].pages,
    )


def table(count: int, results: dict[str, Measured]) -> list[str]:
    """The rows of one size as a Markdown table, with ratios of ours to each peer."""
    lines = [
        f"{count} entries",
        "",
        "| generator | CPU s | ms a page | peak MB | site MB | pages | ours / theirs | pages only / theirs |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, one in results.items():
        ratios = ["" if name in OURS_NAMES else f"{results[ours].cpu / one.cpu:.2f}" for ours in OURS_NAMES]
        lines.append(
            f"| {name} | {one.cpu:.1f} | {1000 * one.cpu / one.pages:.2f} | {one.memory:.0f} "
            f"| {one.size / 1e6:.0f} | {one.pages} | {' | '.join(ratios)} |"
        )
    return [*lines, ""]


def machine() -> str:
    """The machine and the versions of everything that was measured."""
    names = ("faultbook", "mkdocs", "mkdocs-material", "zensical", "Pygments", "markdown-it-py", "PyYAML", "pydantic")
    versions: list[str] = []
    for name in names:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    system = f"{os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}"
    return f"{system}, Python {platform.python_version()}; {', '.join(versions)}."


def main(arguments: Any = None) -> int:
    """Measure all sizes and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,1000,5000")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--peers", default="material,zensical")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    peers = [name for name in options.peers.split(",") if name]
    lines = [machine(), ""]
    per_page: dict[int, float] = {}
    for count in (int(size) for size in options.sizes.split(",")):
        results = run(count, options.rounds, peers)
        per_page[count] = results["faultbook"].cpu / results["faultbook"].pages
        lines += table(count, results)
        print("\n".join(lines[-len(table(count, results)) :]), flush=True)
    if {1000, 5000} <= per_page.keys():
        lines.append(f"Cost a page at 5,000 entries: {per_page[5000] / per_page[1000]:.2f} of that at 1,000.")
        print(lines[-1])
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
