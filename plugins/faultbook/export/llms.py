"""`llms.txt`: where programs that read text find the corpus, in the form of llmstxt.org."""

from __future__ import annotations

from faultbook.blocks.markdown import inline, web_link
from faultbook.corpus import Corpus
from faultbook.export.api import API
from faultbook.export.past import Facts
from faultbook.export.twin import twin_url
from faultbook.links import Links
from faultbook.marks import plain_text


def llms_text(corpus: Corpus, links: Links, facts: Facts, name: str, description: str) -> str:
    """Every published entry as a link to its Markdown, by category, with its summary."""
    root = facts.site_url
    lines = [f"# {inline(name)}", "", f"> {inline(description)}", ""]
    lines += [
        "Each entry describes one failure: how it shows, how to be sure, how to fix it. A program that has a log finds "
        "the entry by the lines that software prints.",
        "",
        "## Data",
        "",
        f"- {web_link('Index', f'{root}{API}index.json')}: all entries as JSON",
        f"- {web_link('Signatures', f'{root}{API}signatures.json')}: lines that software prints, with their entries",
        f"- {web_link('Corpus', f'{root}{API}corpus.json.gz')}: everything in one gzipped JSON",
    ]
    for category, item in corpus.categories.items():
        slugs = links.by_category.get(category, ())
        if slugs:
            lines += ["", f"## {inline(item.title)}", ""]
        for slug in slugs:
            entry = corpus.records[slug].entry
            lines.append(
                f"- {web_link(plain_text(entry.title), root + twin_url(slug))}: {inline(plain_text(entry.summary))}"
            )
    return "\n".join(lines) + "\n"
