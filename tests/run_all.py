"""Run every suite of the project, one after another, and say at the end what failed and what was skipped.

A suite whose tool is missing is skipped with its reason; with ``--no-skip`` that counts as a failure, as in CI.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
ZENSICAL = os.environ.get("ZENSICAL") or shutil.which("zensical", path=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass(frozen=True)
class Suite:
    """A command that runs tests, and what it needs beyond the Python environment."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()


SUITES = (
    Suite("lint", (str(BIN / "ruff"), "check", ".")),
    Suite("format", (str(BIN / "ruff"), "format", "--check", ".")),
    Suite("types", (str(BIN / "mypy"),)),
    Suite("pytest", (sys.executable, "-m", "pytest", "-q")),
    Suite("site", (str(BIN / "mkdocs"), "build", "--strict", "--quiet")),
    Suite(
        "Zensical",
        (sys.executable, "-m", "pytest", "-q", "-k", "zensical", "tests/test_export_markdown.py"),
        ("zensical",),
    ),
    Suite("npm packages", ("npm", "ci", "--silent"), ("node",)),
    Suite("JavaScript types", ("npm", "run", "--silent", "check"), ("node",)),
    Suite("JavaScript tests", ("npm", "run", "--silent", "test"), ("node",)),
    Suite("browser tests", ("npm", "run", "--silent", "test:browser"), ("node", "chromium")),
)


def missing(need: str) -> str:
    """Why a need of a suite is not met; nothing if it is."""
    if need == "chromium":
        return "" if CHROMIUM else "Chromium is missing (Debian: apt-get install chromium)"
    if need == "zensical":
        # It takes 100 MB and serves one test, so that it is no dependency of the tests.
        return (
            "" if ZENSICAL else "Zensical is missing (install requirements/zensical.txt, name the program in ZENSICAL)"
        )
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return "Node.js and npm are missing (version 20 or newer)"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    major = version.lstrip("v").split(".")[0]
    return "" if major.isdigit() and int(major) >= 20 else f"Node.js is {version or 'unusable'}; 20 or newer is needed"


def main() -> int:
    """Run the suites; the exit code is 0 if none failed."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if CHROMIUM:
        environment["CHROMIUM"] = CHROMIUM
    failed: list[str] = []
    skipped: list[str] = []
    for suite in SUITES:
        if reasons := [reason for need in suite.needs if (reason := missing(need))]:
            skipped.append(f"{suite.name}: {reasons[0]}")
            continue
        print(f"== {suite.name}", flush=True)
        if subprocess.run(suite.command, cwd=ROOT, env=environment, check=False).returncode:
            failed.append(suite.name)
    for line in skipped:
        print(f"skipped {line}")
    for name in failed:
        print(f"failed {name}")
    passed = len(SUITES) - len(failed) - len(skipped)
    print(f"suites: {passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or (skipped and "--no-skip" in sys.argv) else 0


if __name__ == "__main__":
    sys.exit(main())
