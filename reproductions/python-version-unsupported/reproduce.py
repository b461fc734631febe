#!/usr/bin/env python3
"""Ask pip for a package that has no wheel for this Python, offline, with wheels that hold nothing but their metadata.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is no-wheel
exit:  0 the expected outcome was seen, 1 it was not, 77 pip or unprivileged user namespaces are missing
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import venv
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases

cases.needs("pip")

OURS = f"cp{sys.version_info[0]}{sys.version_info[1]}"


def wheel(release: str, tag: str, requires_python: str = "") -> str:
    """Write an empty wheel for a version of Python, and return the name of its file."""
    name, version = release.split("-")
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    if requires_python:
        metadata += f"Requires-Python: {requires_python}\n"
    texts = {
        f"{name}/__init__.py": f"__version__ = {version!r}\n",
        f"{release}.dist-info/METADATA": metadata,
        f"{release}.dist-info/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}-none-any\n",
        f"{release}.dist-info/RECORD": "",
    }
    file = f"{release}-{tag}-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in texts.items():
            archive.writestr(path, text)
    return file


def install(requirement: str, index: str) -> None:
    """Run pip for an empty environment, with no settings of the machine."""
    venv.create("env")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    words = [sys.executable, "-m", "pip", "--python", "env/bin/python", "install", *index.split(), requirement]
    sys.stdout.flush()
    subprocess.run(words, env=variables, check=False)


def no_wheel(fixed: bool) -> None:
    """All wheels are for an older Python. Fix: a release that has one for this Python."""
    wheel("torch-1.9.1", "cp38")
    wheel("torch-1.10.0", "cp38")
    if fixed:
        wheel("torch-2.13.0", OURS)
    install("torch", "--no-index --find-links .")


def newer_only(fixed: bool) -> None:
    """The pinned release has none, newer releases have. Fix: without the pin."""
    wheel("torch-1.9.1", "cp38")
    wheel("torch-2.13.0", OURS)
    install("torch" if fixed else "torch==1.9.1", "--no-index --find-links .")


def requires_python(fixed: bool) -> None:
    """The pinned release says that this Python is too new. Fix: a release that takes it."""
    lines = ""
    for release, bound in (("numba-0.56.4", "&gt;=3.7,&lt;3.11"), ("numba-0.61.0", "&gt;=3.10")):
        file = wheel(release, "py3", bound.replace("&gt;", ">").replace("&lt;", "<"))
        lines += f'<a href="../../{file}" data-requires-python="{bound}">{file}</a>\n'
    pathlib.Path("index/numba").mkdir(parents=True)
    pathlib.Path("index/numba/index.html").write_text(f"<!DOCTYPE html><html><body>\n{lines}</body></html>\n", "ascii")
    index = f"--index-url {pathlib.Path('index').resolve().as_uri()}"
    install("numba==0.61.0" if fixed else "numba==0.56.4", index)


def file(fixed: bool) -> None:
    """A wheel for another Python is named by its file. Fix: the file for this one."""
    install(wheel("example-1.0", OURS if fixed else "cp38"), "--no-index")


CASES = {
    "no-wheel": cases.Case(no_wheel, "No matching distribution found for torch", "Successfully installed torch-2.13.0"),
    "newer-only": cases.Case(
        newer_only, "No matching distribution found for torch==1.9.1", "Successfully installed torch-2.13.0"
    ),
    "requires-python": cases.Case(
        requires_python, "that require a different python version: 0.56.4", "Successfully installed numba-0.61.0"
    ),
    "file": cases.Case(file, "is not a supported wheel on this platform", "Successfully installed example-1.0"),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
