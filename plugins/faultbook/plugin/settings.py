"""The settings of the plugin, and what in those of MkDocs would break the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config import config_options as opt
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig

from faultbook.render import Repository
from faultbook.violations import Location, Violation

TEMPLATES = "templates"
CONTRIBUTE = "contribute/"


class FaultbookConfig(Config):  # type: ignore[no-untyped-call]
    """The settings of the plugin in ``mkdocs.yml``; paths are relative to that file."""

    entries = opt.ListOfItems(opt.Type(str), default=["entries"])
    """Directories of entries; ``packaged`` stands for those that come with the package."""
    templates = opt.Type(str, default=TEMPLATES)
    """Directory whose templates hide the packaged ones, file by file."""
    contribute_url = opt.Type(str, default=CONTRIBUTE)
    """Address of the page that says how to add an entry, relative to the root of the site."""


def config_violations(config: MkDocsConfig, ours: FaultbookConfig, root: Path) -> list[Violation]:
    """What in mkdocs.yml would break the pages."""
    return [Violation(Location("mkdocs.yml"), "mkdocs-setting", message) for message in _faults(config, ours, root)]


def _faults(config: MkDocsConfig, ours: FaultbookConfig, root: Path) -> Iterator[str]:
    if not ours.entries:
        yield "'entries' is empty; name a directory of entries, or 'packaged'"
    if ours.templates != TEMPLATES and not (root / ours.templates).is_dir():
        yield f"there is no directory '{ours.templates}'; correct 'templates', or remove it"
    if not config.use_directory_urls:
        yield "'use_directory_urls' is false; addresses of entries need true"
    if config.theme.name != "material":
        yield f"the theme is '{config.theme.name}'; the pages need 'material'"
    elif config.theme.get("font", True) is not False:
        yield "the theme loads fonts from another host; set 'font: false' below 'theme:'"


def repository(config: MkDocsConfig) -> Repository:
    """The addresses that ``repo_url`` gives, for GitHub and hosts with the same paths."""
    if not config.repo_url:
        return Repository()
    root = config.repo_url.rstrip("/")
    return Repository(f"{root}/edit/main/", f"{root}/blob/main/", f"{root}/issues/new")


def module_script(path: str) -> Any:
    """A setting that loads a script as a module."""
    script = opt.ExtraScriptValue(path)
    script.type = "module"
    return script
