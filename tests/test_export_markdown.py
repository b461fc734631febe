"""The site as Markdown: every link leads somewhere, nothing of an entry acts, and Zensical builds it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from posixpath import dirname, normpath

import markdown
import pytest
import yaml
from commands import faultbook
from faultbook.blocks.markdown import harmless
from faultbook.corpus import Corpus
from faultbook.export.past import Facts, Past
from faultbook.export.site import EXTENSIONS, NAV, markdown_site, settings
from faultbook.links import build_links
from hypothesis import given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from markup import Element, read_html
from sites import CORPUS, copy_corpus, edited, loaded, small_corpus

BESIDE = Path(sys.executable).with_name("zensical")
ZENSICAL = os.environ.get("ZENSICAL") or (str(BESIDE) if BESIDE.exists() else shutil.which("zensical"))
TAGS = {
    *("#document", "p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "a", "code", "pre", "div", "span"),
    *("strong", "em", "br", "hr", "blockquote"),
}
"""What Markdown alone makes of prose."""
HOSTILE = (
    "<script>alert(1)</script> <b onclick=x>y</b> &lt;i&gt; [x](javascript:alert(1)) ![p](https://evil.example/p.png) "
    "<https://evil.example> <iframe src=//evil.example> {: onclick=x } `<code>` [r][q]"
)


def files(corpus: Corpus, facts: Facts = Facts()) -> dict[str, str]:  # noqa: B008 (it is frozen)
    return dict(markdown_site(corpus, build_links(corpus), facts, name="Faultbook", url="https://example.org/"))


@cache
def small() -> dict[str, str]:
    return files(small_corpus())


def html(text: str) -> Element:
    """A page as Zensical renders it, which takes the same library and the same extensions."""
    return read_html(markdown.markdown(text, extensions=list(EXTENSIONS)))


def acting(page: Element) -> list[str]:
    """Elements that no Markdown makes, attributes that act, and links to anything but pages."""
    found = []
    for element in page.walk():
        if element.tag not in TAGS:
            found.append(element.tag)
        found += [key for key in element.attributes if key not in ("class", "href", "id", "start")]
        href = element.attributes.get("href", "")
        if href and not re.fullmatch(r"https://\S+|#\S+|(?:\.\./)?(?:[a-z0-9-]+/)?[a-z0-9-]+\.md", href):
            found.append(href)
    return found


def test_every_entry_and_every_index_has_a_page() -> None:
    corpus = small_corpus()
    names = {f"docs/entries/{slug}.md" for slug in (*corpus.records, *corpus.aliases())}
    names |= {f"docs/categories/{name}.md" for name in corpus.categories}
    names |= {f"docs/tags/{name}.md" for name in corpus.tags}
    names |= {f"docs/systems/{name}.md" for name in corpus.systems}
    assert set(small()) == names | {f"docs/{path}" for path in NAV.values()} | {"mkdocs.yml"}


def test_every_link_between_pages_leads_to_one() -> None:
    links = [
        (path, normpath(f"{dirname(path)}/{href}"))
        for path, text in small().items()
        for _, href in html(text).links()
        if not href.startswith("https://")
    ]
    assert [link for link in links if link[1] not in small()] == []
    assert len(links) > 60


def test_pages_list_published_entries_only() -> None:
    for path, text in small().items():
        if not path.startswith("docs/entries/"):
            assert "open-files-limit.md" not in text
            assert "port-in-time-wait.md" not in text
    listed = set(re.findall(r"entries/([a-z0-9-]+)\.md", small()["docs/changes.md"]))
    assert listed == {record.slug for record in small_corpus().published()}


def test_changes_come_in_the_order_of_git() -> None:
    facts = Facts(past={"gpu-fell-off-the-bus": Past(None, "2027-01-01T00:00:00Z")})
    first = files(small_corpus(), facts)["docs/changes.md"].splitlines()[2]
    assert first == "- **2027-01-01**: [GPU fell off the bus](entries/gpu-fell-off-the-bus.md)"


def test_settings_name_pages_that_exist_and_no_extension_that_lets_attributes_in() -> None:
    data = yaml.safe_load(settings('A "name": #1', "https://example.org/"))
    assert data["site_name"] == 'A "name": #1'
    assert data["site_url"] == "https://example.org/"
    assert [f"docs/{path}" for item in data["nav"] for path in item.values() if f"docs/{path}" not in small()] == []
    assert not {"attr_list", "md_in_html", "pymdownx.snippets"} & set(data["markdown_extensions"])


@pytest.mark.parametrize("path", sorted(small()))
def test_pages_are_plain_markdown(path: str) -> None:
    assert acting(html(small()[path])) == []


def hostile(directory: Path) -> Corpus:
    """The small corpus with markup in every place where an entry and its vocabulary take prose."""
    entries = copy_corpus(directory)
    with edited(entries / "launch/rendezvous-port-taken.yaml") as data:
        data["title"] = "Port <script>x</script> [x](javascript:y)"
        data["summary"] = HOSTILE
        data["mechanism"] = f"{HOSTILE}\n\n<div>\n\n[q]: javascript:alert(2)\n\n- `a\n  <u>`\n\n\\`<s>\\`\n\n<script>\n"
        data["checklist"][0]["check"] = HOSTILE
        data["fix"][0]["title"] = "<img src=x onerror=y> fix"
        data["references"][0]["title"] = HOSTILE[:100]
        data["references"][0]["url"] = "https://example.org/a)_(b"
        data["authors"] = ["<script>a</script>"]
        data["quick_fix"]["commands"] = ["echo '```' '</code></pre><script>'\n~~~\n<script>"]
    with edited(entries / "_tags.yaml") as tags:
        tags["rendezvous"]["text"] = HOSTILE[:100]
    with edited(entries / "_categories.yaml") as categories:
        categories["launch"]["title"] = "<script>launch</script> [x](javascript:y)"
    with edited(entries / "_wanted.yaml") as wanted:
        next(iter(wanted.values()))["title"] = "<script>wanted</script> & more"
    return loaded(entries)


def test_nothing_of_hostile_entries_acts_in_any_page(tmp_path: Path) -> None:
    made = files(hostile(tmp_path / "entries"))
    assert {path: found for path, text in made.items() if (found := acting(html(text)))} == {}
    page = html(made["docs/entries/rendezvous-port-taken.md"])
    assert "<script>alert(1)</script>" in page.text
    assert "<code>" in [code.text for code in page.all("code")]


@given(st.text(st.sampled_from("`<b>&#;x[]():!\\\n -~*\"'"), max_size=40))
@fuzz(deadline=None)
def test_no_prose_acts_where_html_passes(text: str) -> None:
    assert acting(html(harmless(text))) == []


def export(*arguments: str) -> tuple[int, str]:
    result = faultbook("export", "markdown", *arguments)
    return result.exit_code, result.output


def test_the_command_writes_a_new_directory(tmp_path: Path) -> None:
    target = tmp_path / "out"
    code, text = export(str(target), "--entries", str(CORPUS), "--name", "Ours")
    assert (code, text) == (0, f"{len(small())} files in {target}\n")
    assert (target / "docs/index.md").read_text("utf-8").startswith("# Ours\n")
    code, text = export(str(target), "--entries", str(CORPUS))
    assert (code, text) == (64, f"'{target}' is not empty; give a new directory\n")


def test_nothing_is_written_of_entries_that_cannot_be_read(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    (entries / "gpu/gpu-fell-off-the-bus.yaml").write_text("title: 3\n", "utf-8")
    code, text = export(str(tmp_path / "out"), "--entries", str(entries))
    assert code == 1
    assert text.endswith("nothing was written\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not ZENSICAL, reason="zensical is missing (pip install zensical, or name it in ZENSICAL)")
def test_zensical_builds_the_site(tmp_path: Path) -> None:
    corpus = hostile(tmp_path / "entries")
    for path, text in files(corpus).items():
        (tmp_path / "site" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path).write_text(text, "utf-8")
    done = subprocess.run(
        [str(ZENSICAL), "build", "--clean"],
        cwd=tmp_path / "site",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr, done.stdout + done.stderr
    built = tmp_path / "site/site"
    for path in files(corpus):
        if path != "mkdocs.yml":
            name = path.removeprefix("docs/").removesuffix(".md").removesuffix("index")
            page = built / name / "index.html"
            article = read_html(page.read_text("utf-8")).one("article")
            assert article.all("h1")
            assert [tag for tag in ("script", "iframe", "img", "b", "u", "s") if article.all(tag)] == []
            for _, href in article.links():
                if not href.startswith(("https://", "#")):
                    assert (page.parent / href.partition("#")[0]).resolve().exists(), (name, href)
