"""Build as `mkdocs build` does, but only what other generators build too: checked pages, lists, words for the search.

usage: python benchmarks/pages_only.py build [options of mkdocs build]

Left out is what serves diagnosis and other programs: the index of signatures and the trial of the samples on it,
Markdown and JSON of each entry, feeds, structured data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from faultbook import plugin
from faultbook.checks import judged, run
from faultbook.corpus import Corpus
from faultbook.render import Document
from mkdocs.__main__ import cli

_documents, _data_files = plugin.documents, plugin.data_files


def _nothing() -> str:
    return ""


def _pages(*arguments: Any) -> Iterator[Document]:
    for document in _documents(*arguments):
        yield replace(document, beside=dict.fromkeys(document.beside, _nothing), data=())


def _no_index(corpus: Corpus) -> dict[str, Any]:
    return {}


def main() -> None:
    """Run MkDocs with these parts of the plugin taken out."""
    run.CHECKS = tuple(check for check in run.CHECKS if check not in judged.CHECKS)
    plugin.documents = _pages
    plugin.index_data = _no_index
    plugin.data_files = lambda *arguments: dict.fromkeys(_data_files(*arguments), _nothing)
    plugin.write_file = lambda *arguments: None
    cli()


if __name__ == "__main__":
    main()
