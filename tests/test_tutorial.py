"""The tutorial: every command of it is run, in a clone of this repository, as a new contributor would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from sites import ROOT

TEXT = (ROOT / "docs/writing-entries.md").read_text("utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
EXPECTED = re.compile(r"# exits with (\d+)$", re.MULTILINE)
SLUG = "process-group-duplicate-ranks"


def run(command: list[str], place: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, str]]:
    """A clone with the files as they lie here, the repository that it pushes to, and the environment of a shell."""
    folder = tmp_path_factory.mktemp("tutorial")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "FAULTBOOK"))},
        "FAULTBOOK_CACHE": str(folder / "cache"),
        "NO_MKDOCS_2_WARNING": "1",
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
    }
    (folder / "gitconfig").write_text(
        "[user]\nname = Somebody\nemail = somebody@example.org\n[init]\ndefaultBranch = main\n[safe]\ndirectory = *\n"
    )
    origin, copy = folder / "origin.git", folder / "faultbook"
    listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT, environment)
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    (copy / ".venv").symlink_to(sys.prefix)
    for command in (
        ["git", "init", "--quiet"],
        ["git", "add", "."],
        ["git", "commit", "--quiet", "--message", "Begin"],
        ["git", "clone", "--quiet", "--bare", ".", str(origin)],
        ["git", "remote", "add", "origin", str(origin)],
    ):
        assert run(command, copy, environment).returncode == 0, command
    return copy, origin, environment


def test_every_command_of_the_tutorial_does_what_it_says(clone: tuple[Path, Path, dict[str, str]]) -> None:
    copy, origin, environment = clone
    outputs = []
    for block in BLOCKS:
        code = int(found[1]) if (found := EXPECTED.search(block)) else 0
        script = f". .venv/bin/activate\nset -eu\n{block}"
        result = run(["bash", "-c", script], copy, environment)
        assert result.returncode == code, f"{block}\n{result.stdout}{result.stderr}"
        outputs.append(result.stdout + result.stderr)
    text = "\n".join(outputs)
    assert "No cause found" in text
    assert "Initiating failure found" in text
    assert f"{SLUG}: 2 samples, none failed" in text
    assert f"{SLUG}: is complete" in text
    assert (copy / f"site/entries/{SLUG}/index.html").is_file()
    # What was pushed is one commit with one file, and formatting changed nothing of what the page shows.
    changed = run(["git", "diff", "--name-only", "main", SLUG], origin, environment).stdout.split()
    assert changed == [f"entries/parallelism/{SLUG}.yaml"]
    pushed = run(["git", "show", f"{SLUG}:{changed[0]}"], origin, environment).stdout
    assert pushed in TEXT


def test_the_tutorial_uses_the_commands_for_writers() -> None:
    commands = set(re.findall(r"^faultbook ([a-z-]+)", "\n".join(BLOCKS), re.MULTILINE))
    assert commands >= {"diagnose", "search", "from-log", "check", "test", "doctor", "fmt"}
    assert sum("# exits with" in block for block in BLOCKS) == len(EXPECTED.findall(TEXT))
