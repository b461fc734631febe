"""Makes projects, renders their pages and builds their sites, for the tests of everything above the checks."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from click import ClickException
from faultbook.corpus import Corpus, load_corpus
from faultbook.links import build_links
from faultbook.project import default_templates
from faultbook.render import HandWritten, Rendered, Repository, documents
from markup import Element, read_html
from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(__file__).parent / "site_entries"
"""A small corpus with every field, every status and every danger."""
REPOSITORY = Repository(
    "https://example.org/faultbook/edit/main/",
    "https://example.org/faultbook/blob/main/",
    "https://example.org/faultbook/issues/new",
)
WRITTEN = HandWritten("about/", "contribute/")
Data = dict[str, Any]


def read_yaml(path: Path) -> Any:
    """The data of a file of the corpus, in which every value that is no mapping and no list is text or a number."""
    return yaml.load(path.read_text("utf-8"), Loader=yaml.SafeLoader)


def write_yaml(path: Path, data: Any) -> None:
    """Write data so that the reader of Faultbook gives them back."""
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000), "utf-8")


def copy_corpus(target: Path) -> Path:
    """A copy of the small corpus to change; gives its path."""
    shutil.copytree(CORPUS, target)
    return target


@contextlib.contextmanager
def edited(path: Path) -> Iterator[Any]:
    """The data of a file to change; written back at the end."""
    data = read_yaml(path)
    yield data
    write_yaml(path, data)


def loaded(directory: Path) -> Corpus:
    """The corpus of a directory, which must be readable; checks play no part."""
    corpus, violations = load_corpus([directory], directory.parent)
    assert violations == []
    return corpus


def rendered(corpus: Corpus, repository: Repository = REPOSITORY) -> dict[str, Rendered]:
    """Every page that is made from a corpus, by its address."""
    links = build_links(corpus)
    found = documents(corpus, links, [default_templates()], repository, WRITTEN)
    return {document.url: document.render() for document in found}


def page_of(directory: Path, url: str) -> Element:
    """One page of the corpus in a directory."""
    corpus = loaded(directory)
    found = documents(corpus, build_links(corpus), [default_templates()], REPOSITORY, WRITTEN)
    return read_html(next(document for document in found if document.url == url).render().html)


def trees(pages: Mapping[str, Rendered]) -> dict[str, Element]:
    """The pages as trees."""
    return {url: read_html(page.html) for url, page in pages.items()}


@cache
def small_corpus() -> Corpus:
    """The small corpus as it lies here."""
    return loaded(CORPUS)


@cache
def small_pages() -> Mapping[str, Rendered]:
    """The pages of the small corpus, rendered without MkDocs."""
    return rendered(small_corpus())


@cache
def small_site() -> Mapping[str, Element]:
    """The same pages as trees; not to be changed."""
    return trees(small_pages())


SETTINGS: Data = {
    "site_name": "Faultbook",
    "site_url": "https://example.org/faultbook/",
    "repo_url": "https://example.org/faultbook",
    "strict": True,
    "theme": {"name": "material", "font": False},
    "plugins": ["faultbook"],
    "markdown_extensions": ["attr_list", "def_list"],
    "validation": {"nav": {"omitted_files": "info"}},
}
ABOUT = "# About\n\n## Evidence\n\n[The checks](checks/index.md) and [the format](format/index.md).\n"


@dataclass(frozen=True)
class Project:
    """A directory with settings, entries and hand-written pages."""

    root: Path

    @property
    def entries(self) -> Path:
        """Its entries."""
        return self.root / "entries"

    @property
    def site(self) -> Path:
        """Where its site is built."""
        return self.root / "site"

    def configure(self, **settings: Any) -> None:
        """Change settings; a setting of `None` is removed."""
        settings = {**SETTINGS, **settings}
        write_yaml(self.root / "mkdocs.yml", {name: value for name, value in settings.items() if value is not None})

    def write(self, path: str, text: str) -> Path:
        """Write a file of the project."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        return target

    def build(self, **overrides: Any) -> Built:
        """Build the site as `mkdocs build` does."""
        return mkdocs_build(self.root / "mkdocs.yml", **overrides)

    def page(self, url: str) -> Element:
        """A page of the built site."""
        return read_html((self.site / url / "index.html").read_text("utf-8"))


@dataclass(frozen=True)
class Built:
    """What a build ended with."""

    code: int
    output: str


def new_project(root: Path) -> Project:
    """A project with the small corpus and the two pages that its pages lead to."""
    project = Project(root)
    copy_corpus(project.entries)
    script = project.write("reproductions/rendezvous-port-taken/reproduce.py", "raise SystemExit(77)\n")
    assert script.is_file()
    project.write("docs/about.md", ABOUT)
    project.write("docs/contribute.md", "# Contribute\n")
    project.write("site/.gitignore", "*\n!.gitignore\n")
    project.configure()
    return project


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message as the command line prints it."""
        self.lines.append(f"{record.levelname}: {record.getMessage()}")


def copy_of(project: Project, target: Path) -> Project:
    """A copy of a project with its site, to change and to build again."""
    shutil.copytree(project.root, target)
    return Project(target)


def write_private_entries(directory: Path) -> None:
    """A directory with one entry and all the words that it needs, to stand beside any other."""
    words = {"title": "Our storage", "text": "Our filers."}
    (directory / "storage").mkdir(parents=True)
    write_yaml(directory / "_categories.yaml", {"storage": words})
    write_yaml(directory / "_systems.yaml", {"filer": {**words, "url": "https://docs.example.org/filer/"}})
    tags = {name: {"group": "storage", "text": "Our filers."} for name in ("filer", "filer-quota")}
    write_yaml(directory / "_tags.yaml", tags)
    write_yaml(directory / "_wanted.yaml", {"filer-is-slow": {"title": "Our filer is slow", "category": "storage"}})
    data = read_yaml(CORPUS / "gpu/gpu-fell-off-the-bus.yaml")
    refusal = "filer7: no space left in the quota of <word>"
    data |= {
        "title": "Our filer is full",
        "summary": "The quota of the shared filer is used up, so that no checkpoint can be written any more.",
        "tags": list(tags),
        "symptoms": [
            {
                "observed": "The write of a checkpoint ends with ENOSPC on the filer.",
                "means": "The quota of the group is used up.",
                "signatures": [{"text": refusal}],
            }
        ],
        "search_keys": ["disk full", "enospc"],
        "mechanism": "The filer counts what a group has written and refuses the rest. " * 4 + "[@xid-docs]",
        "affected_systems": [{"system": "filer", "when": "The quota is used up."}],
        "related": [{"entry": "filer-is-slow", "relation": "see-also"}],
        "checklist": [{"check": "Is the quota used up?", "if_yes": "Go to [[#remove]].", "if_no": "Ask its owner."}],
    }
    data["fix"][0] |= {
        "id": "remove",
        "title": "Remove what is old",
        "steps": [{"text": "Remove checkpoints of last month by hand."}],
        "verify": {"text": "The next checkpoint is written."},
    }
    for sample, log in zip(data["samples"], (refusal.replace("<word>", "vision"), "filer7: mounted"), strict=True):
        sample["log"] = log
    write_yaml(directory / "storage/our-filer-is-full.yaml", data)


def mkdocs_build(settings: Path, **overrides: Any) -> Built:
    """What `mkdocs build` does, in this process; an exception that the command would show as a traceback is raised."""
    handler = _Lines()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    code = 0
    try:
        config = load_config(str(settings), **overrides)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    except (ClickException, SystemExit) as error:
        # A refused setting comes as the former, an aborted build as the latter; the command line prints both.
        code = 1
        handler.lines.append(error.format_message() if isinstance(error, ClickException) else str(error))
    finally:
        logger.removeHandler(handler)
    return Built(code, "\n".join(handler.lines))


def snapshot(directory: Path) -> dict[str, str]:
    """A digest of every file below a directory."""
    return {
        os.path.relpath(path, directory): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }
