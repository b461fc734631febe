"""Measure how often search finds the right entry, beside Material for MkDocs and Pagefind on the same pages.

usage: python benchmarks/search.py [--made 300] [--misses]

The site has the real entries and so many made ones, which compete with words of docstrings and with messages of
installed Python code. Asked are lines of samples with other values and prefixes, search keys, and questions in ordinary
words (`search_queries.py`). A key is asked as somebody might remember it, and once more with an index from which it is
left out. Needs Node, Chromium (or its path in `CHROMIUM`) and Pagefind (`npm install --no-save pagefind`, or its path
in `PAGEFIND`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import material
from faultbook.corpus import Record, load_corpus
from faultbook.engine.compiler import compile_index
from faultbook.engine.index import Index
from faultbook.engine.searchdata import search_data
from faultbook.engine.textsearch import search
from faultbook.project import default_entries
from harvest import docstrings, harvest
from made_entries import write_entries
from material.plugins.search.plugin import SearchIndex
from search_queries import Query, key_queries, line_queries, remembered_queries, word_queries
from site_build import OURS

HERE = Path(__file__).resolve().parent
PAGEFIND = os.environ.get("PAGEFIND", str(HERE.parent / "node_modules" / ".bin" / "pagefind"))
PER_ENTRY = 4
"""Harvested messages of a made entry."""
FIELDS: dict[str, dict[str, float]] = {"title": {"boost": 1e3}, "text": {"boost": 1}, "tags": {"boost": 1e6}}
"""What Material's plugin indexes, with its own weights."""


def make(folder: Path, made: int) -> list[Record]:
    """Build the site of real and made entries; returns the real ones."""
    entries = folder / "entries"
    shutil.copytree(default_entries(), entries)
    real = list(load_corpus([entries])[0].published())
    write_entries(entries, made, templates=harvest(made * PER_ENTRY), texts=docstrings(20 * made))
    (folder / "docs").mkdir()
    (folder / "docs" / "contribute.md").write_text("# Contribute\n", "utf-8")
    (folder / "docs" / "about.md").write_text("# About\n\n## Evidence\n", "utf-8")
    # Docstrings say what an entry may not say.
    (folder / "mkdocs.yml").write_text(OURS.replace("strict: true", "strict: false"), "utf-8")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    mkdocs = Path(sys.executable).with_name("mkdocs")
    subprocess.run([mkdocs, "build", "--quiet"], cwd=folder, env=environment, check=True, stdout=sys.stderr)
    return real


def index_peers(site: Path) -> None:
    """Index the pages of entries for both peers."""
    # The plugin gets its pages from MkDocs; ours are no Markdown, so that they are handed over here.
    index = SearchIndex(lang=["en"], separator=r"[\s\-]+", pipeline=["stopWordFilter"], fields=FIELDS)
    for page in sorted(site.glob("entries/*/index.html")):
        content = re.search(r"<article[^>]*>(.*)</article>", page.read_text("utf-8"), re.DOTALL)
        url = f"entries/{page.parent.name}/"
        if content:
            index.add_entry_from_context(SimpleNamespace(meta={}, content=content[1], toc=[], url=url, title=url))
    (site / "search").mkdir(exist_ok=True)
    (site / "search" / "search_index.json").write_text(index.generate_search_index(None), "utf-8")
    command = [PAGEFIND, "--site", str(site), "--glob", "entries/*/index.html", "--silent"]
    subprocess.run(command, check=True, stdout=sys.stderr)


def ask_peers(site: Path, queries: Sequence[Query]) -> dict[str, list[list[str]]]:
    """What the peers find."""
    asked = site / "queries.json"
    asked.write_text(json.dumps([query.text for query in queries]), "utf-8")
    (worker,) = (Path(material.__file__).parent / "templates/assets/javascripts/workers").glob("search.*.js")
    command = ["node", str(HERE / "search_peers.js"), str(site), str(worker), str(asked)]
    found: dict[str, list[list[str]]] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def ask_ours(folder: Path, queries: Sequence[Query]) -> list[list[str]]:
    """What ours finds; a key that is asked is in no index."""
    corpus, _ = load_corpus([folder / "entries"])
    index = compile_index(corpus)["index"]
    records = list(corpus.published())
    loaded = {
        without: Index.load(index, search_data([_without(record, without) for record in records]))
        for without in {query.without for query in queries}
    }
    return [[row["entry"] for row in search(loaded[query.without], query.text)] for query in queries]


def _without(record: Record, position: int | None) -> Record:
    """The entry without one of its search keys."""
    keys = record.entry.search_keys
    if position is None or position >= len(keys):
        return record
    left = keys[:position] + keys[position + 1 :]
    return replace(record, entry=record.entry.model_copy(update={"search_keys": left}))


def share(queries: Sequence[Query], found: Sequence[Sequence[str]], first: int) -> float:
    """How many queries of a hundred have a right entry among the first ones."""
    hits = sum(bool(query.right & set(rows[:first])) for query, rows in zip(queries, found, strict=True))
    return 100 * hits / len(queries)


def misses(queries: Sequence[Query], found: Sequence[Sequence[str]]) -> list[str]:
    """The queries whose first entry is wrong."""
    return [
        f"{query.text[-160:]!r} wants {', '.join(sorted(query.right))}, found {', '.join(rows[:3])}"
        for query, rows in zip(queries, found, strict=True)
        if not query.right & set(rows[:1])
    ]


def main() -> int:
    """Build, ask, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--made", type=int, default=300)
    parser.add_argument("--misses", action="store_true", help="show what ours does not find first")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        real = make(folder, options.made)
        index_peers(folder / "site")
        kinds = {
            "error lines with other values": line_queries(real),
            "short keys, changed": remembered_queries(real),
            "short keys, left out of the index": key_queries(real),
            "ordinary words": word_queries(real),
        }
        asked = [query for queries in kinds.values() for query in queries]
        found = {"faultbook": ask_ours(folder, asked), **ask_peers(folder / "site", asked)}
    print(f"{len(real)} real and {options.made} made entries\n")
    print("| asked | queries | search | top-1 % | top-3 % |\n|---|--:|---|--:|--:|")
    start = 0
    for kind, queries in kinds.items():
        for name, rows in found.items():
            own = rows[start : start + len(queries)]
            shares = " | ".join(f"{share(queries, own, first):.0f}" for first in (1, 3))
            print(f"| {kind} | {len(queries)} | {name} | {shares} |")
        if options.misses:
            print("\n".join(misses(queries, found["faultbook"][start : start + len(queries)])), file=sys.stderr)
        start += len(queries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
