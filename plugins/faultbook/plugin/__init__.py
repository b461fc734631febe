"""The adapter to MkDocs: feeds it the pages, and swaps the new site in only when all of it is built and sound."""

from __future__ import annotations

import gc
import json
import logging
import shutil
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import CountHandler

from faultbook.checks import run_checks
from faultbook.corpus import load_corpus
from faultbook.engine.compiler import index_data
from faultbook.engine.searchdata import search_data
from faultbook.export import entry_schema, slugs_payload
from faultbook.export.api import compact
from faultbook.export.past import Facts
from faultbook.history import build_day, read_history
from faultbook.links import build_links
from faultbook.plugin.open_data import data_files
from faultbook.plugin.output import beside, progress, swap, with_script_hashes, write_file
from faultbook.plugin.pages import FaultbookPage, generated
from faultbook.plugin.settings import CONTRIBUTE, FaultbookConfig, config_violations, module_script, repository
from faultbook.project import default_entries, default_templates
from faultbook.render import (
    HandWritten,
    LinkCheck,
    TemplateFault,
    documents,
    redirect_pages,
    sample_files,
    template_faults,
)
from faultbook.violations import Level, Violation, format_count, format_violation, sort_violations

log = get_plugin_logger(__name__)
ASSETS = Path(__file__).parents[1] / "assets"
ASSETS_URL = "assets/faultbook"


class FaultbookPlugin(BasePlugin[FaultbookConfig]):  # type: ignore[no-untyped-call]
    """Validates the entries before anything is touched, and adds their pages to the site."""

    serving = False
    final: Path | None = None
    """Where the site belongs, as long as it is built elsewhere."""
    warnings: CountHandler | None = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether this is a build or a live preview, which writes to a folder of its own."""
        self.serving = command == "serve"
        # MkDocs keeps the plugin for all builds of a process.
        self.final = None
        if not self.serving:
            self._count_warnings()

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Load and check the entries; any error ends the build here, with the old site untouched."""
        # A build makes hardly any cycles: looking for them costs a seventh of its time and frees next to nothing.
        gc.disable()
        root = Path(config.config_file_path).parent.absolute() if config.config_file_path else Path.cwd()
        directories = [default_entries() if name == "packaged" else root / name for name in self.config.entries]
        self.directories = directories
        self.templates = [path for path in (root / self.config.templates, default_templates()) if path.is_dir()]
        self.corpus, violations = load_corpus(directories, root)
        self.links = build_links(self.corpus)
        violations += run_checks(self.corpus, self.links, root=root)
        violations += config_violations(config, self.config, root)
        _report(sort_violations(violations), strict=config.strict)
        config.theme.dirs[:0] = [str(path / "theme") for path in self.templates if (path / "theme").is_dir()]
        config.watch.extend(str(path) for path in (*directories, *self.templates) if path.is_dir())
        config.extra_css.insert(0, f"{ASSETS_URL}/faultbook.css")
        config.extra_javascript.append(module_script(f"{ASSETS_URL}/faultbook.js"))
        if not self.serving:
            self._build_beside(config)
        return config

    def _build_beside(self, config: MkDocsConfig) -> None:
        """Let MkDocs build into a sibling, which takes the place of the site when it is whole."""
        self.final = Path(config.site_dir)
        if self.warnings is None:
            self._count_warnings()
        shutil.rmtree(beside(self.final), ignore_errors=True)
        config.site_dir = str(beside(self.final))

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages, the redirects, the browser code and the data files."""
        existing = {file.dest_uri for file in files}
        written = self._written(files)
        config.extra["faultbook"] = written
        facts = self._facts(config)
        config.extra["faultbook_feeds"] = bool(facts.site_url)
        self.data_files = data_files(self.corpus, self.links, facts, config)
        known = set(self.data_files)
        for document in documents(self.corpus, self.links, self.templates, repository(config), written, facts):
            known.update(document.beside)
            file = generated(config, f"{document.url}index.md", "", source=document.source)
            if file.dest_uri not in existing:
                files.append(file)
                FaultbookPage(document, file, config)
        for url, page in redirect_pages(self.corpus, config.site_url or "").items():
            files.append(generated(config, f"{url}index.html", page))
        for path in sorted(ASSETS.rglob("*")):
            if path.suffix in (".js", ".css"):
                name = f"{ASSETS_URL}/{path.relative_to(ASSETS).as_posix()}"
                files.append(generated(config, name, path.read_text("utf-8")))
        files.append(generated(config, f"{ASSETS_URL}/slugs.json", json.dumps(slugs_payload(self.corpus))))
        for name, data in (("index", index_data(self.corpus)), ("search", search_data(self.corpus.published()))):
            files.append(generated(config, f"{ASSETS_URL}/{name}.json", compact(data)))
        for url, text in sample_files(self.corpus).items():
            files.append(generated(config, url, text))
        files.append(generated(config, "entry.schema.json", json.dumps(entry_schema(), indent=2)))
        known.update(file.url for file in files if not file.is_documentation_page())
        self.link_check = LinkCheck(known)
        self.progress = progress(len(files.documentation_pages()))
        if not self.serving:
            # The entries stay to the end. What comes now is looked through as usual, so that cycles of pages go.
            gc.freeze()
            gc.enable()
        return files

    def _facts(self, config: MkDocsConfig) -> Facts:
        site_url = config.site_url.rstrip("/") + "/" if config.site_url else ""
        return Facts(site_url, build_day(), read_history(self.directories, self.corpus))

    def _written(self, files: Files) -> HandWritten:
        """The hand-written pages that ours lead to; the address of the one to contribute may be given."""
        urls = {file.url for file in files}
        contribute = self.config.contribute_url
        return HandWritten(
            about="about/" if "about/" in urls else "",
            contribute="" if contribute == CONTRIBUTE and CONTRIBUTE not in urls else contribute,
        )

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> Any:
        """Look at the project's own parts of the frame, since MkDocs shows a mistake in one as a traceback."""
        for folder in self.templates:
            if folder != default_templates():
                _read_templates(env, folder / "theme")
        return env

    def on_page_context(self, context: Any, *, page: Page, config: MkDocsConfig, nav: Any) -> Any:
        """Render the content of a page of ours just before its file is written."""
        if isinstance(page, FaultbookPage):
            page.fill()
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Note the links of the page, allow the inline scripts of its frame by their hashes, let go of its content."""
        url = "" if page.url in (".", "./") else page.url
        # The frame is the same everywhere, so that one whole page and the content of the others hold all links.
        self.link_check.add(url, output if url == "" else page.content or "")
        self.progress()
        if not isinstance(page, FaultbookPage):
            return with_script_hashes(output)
        output = with_script_hashes(output, page.content or "")
        page.clear()
        # Made here, since much of what was read of the entry for its page is still at hand.
        for address, make in page.document.beside.items():
            write_file(config.site_dir, address, make())
        return output

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
        for address, make in self.data_files.items():
            write_file(config.site_dir, address, make())
        if not self.serving:
            # The process ends soon; looking through all that was made once more would only take time.
            gc.freeze()
        gc.enable()
        # In strict mode MkDocs aborts after this event if anything was a warning; the old site must still stand then.
        if self.final is not None and not (config.strict and self.warnings and self.warnings.get_counts()):
            swap(Path(config.site_dir), self.final)
            config.site_dir = str(self.final)
            self.final = None
            self._stop_counting()

    def on_build_error(self, *, error: Exception) -> None:
        """Remove what was built, and leave the old site as it was."""
        gc.enable()
        self._stop_counting()
        if self.final is not None:
            shutil.rmtree(beside(self.final), ignore_errors=True)
            self.final = None

    def _count_warnings(self) -> None:
        self.warnings = CountHandler(level=logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self.warnings)

    def _stop_counting(self) -> None:
        if self.warnings is not None:
            logging.getLogger("mkdocs").removeHandler(self.warnings)
            self.warnings = None


def _read_templates(env: Any, folder: Path) -> None:
    for path in sorted(folder.rglob("*.html")):
        try:
            with template_faults():
                env.get_template(path.relative_to(folder).as_posix())
        except TemplateFault as fault:
            raise PluginError(str(fault)) from None


def _report(violations: list[Violation], *, strict: bool) -> None:
    """Log warnings, and raise all errors at once (in strict mode warnings too)."""
    errors = [v for v in violations if v.level is Level.ERROR or strict]
    for violation in violations:
        if violation not in errors:
            log.warning(format_violation(violation))
    if errors:
        lines = "\n".join(format_violation(violation) for violation in errors)
        raise PluginError(f"the entries have {format_count(errors)}; the site is left as it was\n{lines}")
