"""The files for other programs that stand beside the pages, each with the way to make it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

from mkdocs.config.defaults import MkDocsConfig

from faultbook.corpus import Corpus
from faultbook.export.api import API, api_files
from faultbook.export.api_schemas import api_schemas
from faultbook.export.llms import llms_text
from faultbook.export.past import Facts
from faultbook.feeds import feed_files
from faultbook.links import Links


def data_files(
    corpus: Corpus, links: Links, facts: Facts, config: MkDocsConfig
) -> Mapping[str, Callable[[], str | bytes]]:
    """How to make each file, by its address; those of single entries are made with their pages."""
    name, description = config.site_name, config.site_description or "Failures of machine-learning training runs."
    schemas = {f"{API}schema/{kind}.json": schema for kind, schema in api_schemas().items()}
    return {
        **api_files(corpus, links, facts),
        **{address: partial(json.dumps, schema, indent=1) for address, schema in schemas.items()},
        **feed_files(corpus, links, facts, name),
        "llms.txt": partial(llms_text, corpus, links, facts, name, description),
    }
