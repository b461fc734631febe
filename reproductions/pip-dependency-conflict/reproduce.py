#!/usr/bin/env python3
"""Ask pip for versions that exclude each other, offline, with wheels that hold nothing but their metadata.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is pins
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

# What these versions require of each other in truth.
WHEELS = {
    "torch-1.12.0": (),
    "torch-1.12.1": (),
    "torchvision-0.13.0": ("torch==1.12.0",),
    "torchvision-0.13.1": ("torch==1.12.1",),
    "kornia-0.6.0": ("torch>=1.8.1",),
}


def wheel(release: str, requires: tuple[str, ...]) -> None:
    """Write an empty wheel that requires others."""
    name, version = release.split("-")
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    files = {
        f"{name}/__init__.py": f"__version__ = {version!r}\n",
        f"{release}.dist-info/METADATA": "\n".join([*metadata, *(f"Requires-Dist: {other}" for other in requires), ""]),
        f"{release}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{release}.dist-info/RECORD"])
    with zipfile.ZipFile(f"wheels/{release}-py3-none-any.whl", "w") as archive:
        for file, text in {**files, f"{release}.dist-info/RECORD": record}.items():
            archive.writestr(file, text)


def environment() -> None:
    """Make the wheels, and an empty environment to install them into."""
    pathlib.Path("wheels").mkdir()
    for release, requires in WHEELS.items():
        wheel(release, requires)
    venv.create("env")


def pip(command: str, **variables: str) -> None:
    """Run pip for that environment, with no settings of the machine."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    quiet = {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    words = [sys.executable, "-m", "pip", "--python", "env/bin/python", *command.split()]
    subprocess.run(words, env={**ours, **quiet, **variables}, check=False)


def install(requirements: str, **variables: str) -> None:
    """Install from the wheels only."""
    pip(f"install --no-index --find-links wheels {requirements}", **variables)


def pins(fixed: bool) -> None:
    """A list of requirements pins two packages that do not go together. Fix: leave one version to pip."""
    environment()
    lines = ["torch==1.12.1", "torchvision" if fixed else "torchvision==0.13.0", "kornia==0.6.0"]
    pathlib.Path("requirements.txt").write_text("\n".join(lines))
    install("-r requirements.txt")


def later(fixed: bool) -> None:
    """A second call replaces what an installed package pins. Fix: name that package in the call too."""
    environment()
    install("torchvision==0.13.0")
    install("torch==1.12.1 torchvision" if fixed else "torch==1.12.1")
    pip("check")


def constraint(fixed: bool) -> None:
    """The image sets PIP_CONSTRAINT. Fix: without it."""
    environment()
    pathlib.Path("constraint.txt").write_text("torch==1.12.1\n")
    install("torchvision==0.13.0", **({} if fixed else {"PIP_CONSTRAINT": "constraint.txt"}))


def unresolved(fixed: bool) -> None:
    """Packages are installed with --no-deps, and pip check tells what that hid. Fix: versions that go together."""
    environment()
    for release in ("torch==1.12.1", "torchvision==0.13.1" if fixed else "torchvision==0.13.0"):
        install(f"--no-deps {release}")
    pip("check")


CASES = {
    "pins": cases.Case(pins, "ResolutionImpossible", "Successfully installed kornia-0.6.0 torch-1.12.1"),
    "constraint": cases.Case(
        constraint, "The user requested (constraint) torch==1.12.1", "Successfully installed torch-1.12.0"
    ),
    # pip installs all the same, so these are notices.
    "later": cases.Case(
        later, "but you have torch 1.12.1 which is incompatible.", "No broken requirements found.", diagnosed=False
    ),
    "unresolved": cases.Case(
        unresolved,
        "torch==1.12.0, but you have torch 1.12.1.",
        "No broken requirements found.",
        diagnosed=False,
    ),
}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES))
