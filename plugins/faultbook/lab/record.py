"""The records of runs: what is kept of one, and the file that holds all of them."""

from __future__ import annotations

import ast
import datetime
import fcntl
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from faultbook.checks.reproduced import digest
from faultbook.lab.judge import Half
from faultbook.lab.run import Runner
from faultbook.lab.scripts import ScriptCase
from faultbook.reader import read_source
from faultbook.schema import Reproduced, ReproducedCase, parse_vocabulary

FILE = "_reproduced.yaml"
"""Name of the file, beside the entries."""
_HEAD = """\
# The last run of each reproduction. 'faultbook reproduce' writes this file; changes by hand are lost.
"""
_NO_PACKAGES = {*sys.stdlib_module_names, "lab"}
_VERSIONS = """\
import importlib.metadata as metadata, json, platform, sys
found = {}
distributions = metadata.packages_distributions()
for module in sys.argv[1:]:
    for name in distributions.get(module, ())[:1]:
        found[name] = metadata.version(name)
print(json.dumps({"python": platform.python_version(), "packages": found}))
"""


def make_record(script: Path, halves: Mapping[ScriptCase, tuple[Half, Half]], runner: Runner) -> Reproduced:
    """What is kept of a run of all cases, each without and with the fix."""
    versions = _versions(script, runner)
    return Reproduced(
        ran=datetime.date.today().isoformat(),
        script=digest(script.read_bytes()),
        kernel=f"{platform.system()} {platform.release().split('-')[0]}",
        python=versions["python"],
        packages=dict(sorted(versions["packages"].items())),
        cases={
            case.name: ReproducedCase(failed=not broken.faults, mended=not mended.faults, diagnosed=case.diagnosed)
            for case, (broken, mended) in halves.items()
        },
    )


def _versions(script: Path, runner: Runner) -> dict[str, dict[str, str]]:
    """Versions of Python and of the packages that a script imports, as the Python that runs it has them."""
    with tempfile.TemporaryDirectory(prefix="faultbook-") as folder:
        program = Path(folder, "versions.py")
        program.write_text(_VERSIONS, "utf-8")
        found: dict[str, dict[str, str]] = json.loads(runner.run(program, *sorted(set(_imports(script)))).log)
    return found


def _imports(script: Path) -> Iterator[str]:
    """The top-level modules that a script imports, itself or through the lab, without those of Python itself."""
    for node in ast.walk(ast.parse(script.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == "lab":
            shared = (script.parents[1] / "lab" / f"{alias.name}.py" for alias in node.names)
            yield from (name for path in shared if path.is_file() for name in _imports(path))
            continue
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        yield from (top for name in names if (top := name.split(".")[0]) not in _NO_PACKAGES)


def keep_records(folder: Path, new: Mapping[str, Reproduced]) -> None:
    """Put records into the file of a directory of entries; those of entries that have no file there are dropped.

    A reader never sees half of the file, and what another run has written meanwhile stays.

    Raises:
        OSError: the file cannot be written.
    """
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        source, _ = read_source(folder / FILE, FILE) if (folder / FILE).exists() else (None, [])
        known = parse_vocabulary(source, Reproduced)[0] if source else {}
        # Looked at now: an entry may have been added since the run began.
        slugs = {path.stem for path in folder.glob("*/*.yaml")}
        records = {slug: record for slug, record in {**known, **new}.items() if slug in slugs}
        blocks = ["\n".join([f"{slug}:", *_shown(record)]) for slug, record in sorted(records.items())]
        beside = folder / f".{FILE}.{os.getpid()}"
        beside.write_text(_HEAD + "\n".join(["", *blocks]) + "\n", "utf-8")
        os.replace(beside, folder / FILE)
    finally:
        os.close(lock)


def _shown(record: Reproduced) -> Iterator[str]:
    """A record as YAML, with a case a line, so that two contributors' runs merge."""
    for name in ("ran", "script", "kernel", "python"):
        yield f"  {name}: {json.dumps(getattr(record, name))}"
    yield f"  packages: {json.dumps(record.packages)}"
    yield "  cases:"
    for name, case in record.cases.items():
        marks = ", ".join(f"{field}: {json.dumps(getattr(case, field))}" for field in ("failed", "mended", "diagnosed"))
        yield f"    {name}: {{{marks}}}"
