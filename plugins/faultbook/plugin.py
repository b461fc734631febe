"""The adapter to MkDocs: feeds it the pages, and swaps the new site in only when all of it is built and sound."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config import config_options as opt
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import CountHandler

from faultbook.checks import run_checks
from faultbook.corpus import load_corpus
from faultbook.export import entry_schema, slugs_payload
from faultbook.links import build_links
from faultbook.project import default_entries, default_templates
from faultbook.render import Document, LinkCheck, Rendered, Repository, documents, redirect_pages
from faultbook.violations import Level, Location, Violation, format_count, format_violation, sort_violations

log = get_plugin_logger(__name__)
ASSETS = Path(__file__).parent / "assets"
ASSETS_URL = "assets/faultbook"
_HASHES = "@inline-script-hashes@"
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class FaultbookConfig(Config):
    """The settings of the plugin in ``mkdocs.yml``; paths are relative to that file."""

    entries = opt.ListOfItems(opt.Type(str), default=["entries"])
    """Directories of entries; ``packaged`` stands for those that come with the package."""
    templates = opt.Type(str, default="templates")
    """Directory whose templates hide the packaged ones, file by file."""
    contribute_url = opt.Type(str, default="contribute/")
    """Address of the page that says how to add an entry, relative to the root of the site."""


class FaultbookPage(Page):
    """A page whose content is rendered when its file is written, so that only one page at a time is in memory."""

    def __init__(self, document: Document, file: File, config: MkDocsConfig) -> None:
        super().__init__(document.title, file, config)
        self.document = document

    def read_source(self, config: MkDocsConfig) -> None:
        """Take head and title from the document instead of a Markdown file."""
        self.markdown = ""
        self.meta = {"title": self.document.title, "description": self.document.description}
        if self.document.noindex:
            self.meta["noindex"] = True

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Nothing yet: `fill` renders it."""
        self.content = ""
        self.toc = get_toc([])

    def fill(self) -> None:
        """Render the content and the table of contents."""
        rendered = self.document.render()
        self.content = rendered.html
        self.toc = get_toc(_toc(self.document, rendered))


def _toc(document: Document, rendered: Rendered) -> list[Any]:
    """The tokens that MkDocs makes a table of contents from: one heading, and the sections below it."""
    if not rendered.headings:
        return []
    below = [_token(2, heading.id, heading.name, []) for heading in rendered.headings]
    return [_token(1, "title", document.title, below)]


def _token(level: int, anchor: str, name: str, children: list[Any]) -> dict[str, Any]:
    return {"level": level, "id": anchor, "name": name, "data-toc-label": "", "children": children}


class FaultbookPlugin(BasePlugin[FaultbookConfig]):
    """Validates the entries before anything is touched, and adds their pages to the site."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether this is a build or a live preview, which writes to a folder of its own."""
        self.serving = command == "serve"
        self.final: Path | None = None

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Load and check the entries; any error ends the build here, with the old site untouched."""
        root = Path(config.config_file_path).parent if config.config_file_path else Path.cwd()
        directories = [default_entries() if name == "packaged" else root / name for name in self.config.entries]
        self.templates = [path for path in (root / self.config.templates, default_templates()) if path.is_dir()]
        self.corpus, violations = load_corpus(directories, root)
        self.links = build_links(self.corpus)
        violations += run_checks(self.corpus, self.links, root=root)
        violations += _config_violations(config)
        _report(sort_violations(violations), strict=config.strict)
        config.theme.dirs[:0] = [str(path / "theme") for path in self.templates if (path / "theme").is_dir()]
        config.watch.extend(str(path) for path in (*directories, *self.templates) if path.is_dir())
        config.extra_css.insert(0, f"{ASSETS_URL}/faultbook.css")
        config.extra_javascript.append(_module(f"{ASSETS_URL}/faultbook.js"))
        if not getattr(self, "serving", False):
            self._build_beside(config)
        return config

    def _build_beside(self, config: MkDocsConfig) -> None:
        """Let MkDocs build into a sibling, which takes the place of the site when it is whole."""
        self.final = Path(config.site_dir)
        self.warnings = CountHandler(level=logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self.warnings)
        beside = self.final.with_name(f".{self.final.name}.building")
        shutil.rmtree(beside, ignore_errors=True)
        config.site_dir = str(beside)

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages, the redirects, the browser code and the data files."""
        self.pages: list[FaultbookPage] = []
        existing = {file.dest_uri for file in files}
        for document in documents(
            self.corpus, self.links, self.templates, _repository(config), self.config.contribute_url
        ):
            file = _generated(config, f"{document.url}index.md", "", source=document.source)
            if file.dest_uri in existing:
                continue
            files.append(file)
            self.pages.append(FaultbookPage(document, file, config))
        for url, page in redirect_pages(self.corpus, config.site_url or "").items():
            files.append(_generated(config, f"{url}index.html", page))
        for path in sorted(ASSETS.rglob("*")):
            if path.suffix in (".js", ".css"):
                name = f"{ASSETS_URL}/{path.relative_to(ASSETS).as_posix()}"
                files.append(_generated(config, name, path.read_text("utf-8")))
        files.append(_generated(config, f"{ASSETS_URL}/slugs.json", json.dumps(slugs_payload(self.corpus))))
        files.append(_generated(config, "entry.schema.json", json.dumps(entry_schema(), indent=2)))
        self.link_check = LinkCheck({file.url for file in files if not file.is_documentation_page()})
        self.progress = _progress(len(files.documentation_pages()))
        return files

    def on_page_context(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any) -> Any:
        """Render the content of a page of ours just before its file is written."""
        if isinstance(page, FaultbookPage):
            page.fill()
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Note the links of the page, allow its own inline scripts by their hashes, and let go of its content."""
        url = "" if page.url in (".", "./") else page.url
        # The frame is the same on every page, so that the whole of one page and the content of the others hold all links.
        self.link_check.add(url, output if url == "" else page.content or "")
        if isinstance(page, FaultbookPage):
            page.content = ""
            page.toc = get_toc([])
        self.progress()
        return with_script_hashes(output)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Allow the inline scripts of pages that have no source, such as 404.html."""
        return with_script_hashes(output_content) if template_name.endswith(".html") else output_content

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Refuse a site with dead links, then put the new site into the place of the old one."""
        dead = list(self.link_check.dead())
        if dead:
            lines = "\n".join(f"site: error[dead-link]: {sentence}" for sentence in dead)
            raise PluginError(f"the pages have dead links; the site is left as it was\n{lines}")
        # In strict mode MkDocs aborts after this event if anything was a warning; the old site must still stand then.
        if self.final is not None and not (config.strict and self.warnings.get_counts()):
            _swap(Path(config.site_dir), self.final)
            config.site_dir = str(self.final)

    def on_build_error(self, *, error: Exception) -> None:
        """Remove what was built, and leave the old site as it was."""
        if self.final is not None:
            logging.getLogger("mkdocs").removeHandler(self.warnings)
        if (final := getattr(self, "final", None)) is not None:
            shutil.rmtree(final.with_name(f".{final.name}.building"), ignore_errors=True)


def _module(path: str) -> Any:
    script = opt.ExtraScriptValue(path)
    script.type = "module"
    return script


def _config_violations(config: MkDocsConfig) -> list[Violation]:
    """What in mkdocs.yml would break the pages."""
    place = Location("mkdocs.yml")
    found = []
    if not config.use_directory_urls:
        found.append(
            Violation(place, "mkdocs-setting", "'use_directory_urls' is false; addresses of entries need true")
        )
    if config.theme.name != "material":
        found.append(
            Violation(place, "mkdocs-setting", f"the theme is '{config.theme.name}'; the pages need 'material'")
        )
    elif config.theme.get("font", True) is not False:
        message = "the theme loads fonts from another host; set 'font: false' below 'theme:'"
        found.append(Violation(place, "mkdocs-setting", message))
    return found


def _report(violations: list[Violation], *, strict: bool) -> None:
    """Log warnings, and raise all errors at once (in strict mode warnings too)."""
    errors = [v for v in violations if v.level is Level.ERROR or strict]
    for violation in violations:
        if violation not in errors:
            log.warning(format_violation(violation))
    if errors:
        lines = "\n".join(format_violation(violation) for violation in errors)
        raise PluginError(f"the entries have {format_count(errors)}; the site is left as it was\n{lines}")


def _repository(config: MkDocsConfig) -> Repository:
    """The addresses that ``repo_url`` gives, for GitHub and hosts with the same paths."""
    if not config.repo_url:
        return Repository()
    root = config.repo_url.rstrip("/")
    return Repository(f"{root}/edit/main/", f"{root}/blob/main/", f"{root}/issues/new")


def _generated(config: MkDocsConfig, uri: str, content: str, source: str | None = None) -> File:
    file = File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV)
    if source:
        file.edit_uri = f"../{source}"
    return file


@cache
def _script_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def with_script_hashes(page: str) -> str:
    """The page with the hashes of its inline scripts in its Content-Security-Policy."""
    head, mark, rest = page.partition(_HASHES)
    if not mark:
        return page
    hashes = dict.fromkeys(_script_hash(script) for script in _INLINE_SCRIPT.findall(page))
    return f"{head}{' '.join(hashes)}{rest}"


def _progress(total: int) -> Callable[[], None]:
    """Counts pages on a terminal; silent elsewhere."""
    if not sys.stderr.isatty():
        return lambda: None
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if done % 50 == 0 or done == total:
            print(f"\r{done} of {total} pages", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return step


def _swap(new: Path, final: Path) -> None:
    """Put the new site into the place of the old one, keeping hidden files of the old one such as ``.gitignore``."""
    old = final.with_name(f".{final.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        for path in final.iterdir():
            if path.name.startswith(".") and not (new / path.name).exists():
                (shutil.copytree if path.is_dir() else shutil.copy2)(path, new / path.name)
        final.rename(old)
    new.rename(final)
    shutil.rmtree(old, ignore_errors=True)
