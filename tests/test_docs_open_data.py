"""The page on open data: each address exists, and each example is a part of what stands there."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any

import pytest
from faultbook.export.api import api_files, api_url, entry_json
from faultbook.export.api_schemas import api_schemas
from faultbook.export.llms import llms_text
from faultbook.export.past import Facts
from faultbook.export.twin import entry_markdown, twin_url
from faultbook.feeds import feed_files
from faultbook.links import build_links
from faultbook.project import default_entries
from sites import ROOT, loaded

TEXT = (ROOT / "docs/open-data.md").read_text("utf-8")
EXAMPLES = re.findall(r"^## `/([^`]+)`\n(.*?)^```[a-z]+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@cache
def files() -> dict[str, str | bytes]:
    """Every file for programs that the packaged entries give."""
    corpus = loaded(default_entries())
    links = build_links(corpus)
    facts = Facts("https://example.org/")
    made = {**api_files(corpus, links, facts), **feed_files(corpus, links, facts, "Faultbook")}
    found: dict[str, str | bytes] = {address: make() for address, make in made.items()}
    for record in corpus.records.values():
        found[api_url(record.slug)] = entry_json(record, links, facts)
        found[twin_url(record.slug)] = entry_markdown(record, corpus, links)
    found |= {f"api/v1/schema/{name}.json": json.dumps(schema) for name, schema in api_schemas().items()}
    return found | {"llms.txt": llms_text(corpus, links, facts, "Faultbook", "Failures.")}


def text_of(address: str) -> str:
    data = files()[address]
    return gzip.decompress(data).decode("utf-8") if isinstance(data, bytes) else data


def part_of(example: Any, whole: Any) -> bool:
    """Whether all that an example says is so; of lists it may show some items."""
    if isinstance(example, dict):
        return isinstance(whole, dict) and all(key in whole and part_of(example[key], whole[key]) for key in example)
    if isinstance(example, list):
        return isinstance(whole, list) and all(any(part_of(item, one) for one in whole) for item in example)
    return bool(example == whole)


def test_every_kind_of_file_is_described() -> None:
    described = {address for address, _, _ in EXAMPLES}
    kinds = {re.sub(r"^(api/v1/entries|entries)/[^/]+\.", r"\1/master-port-in-use.", address) for address in files()}
    kinds = {kind for kind in kinds if not kind.startswith(("api/v1/schema/", "categories/"))}
    assert described == kinds


@pytest.mark.parametrize(("address", "words", "example"), EXAMPLES, ids=[address for address, _, _ in EXAMPLES])
def test_each_example_is_part_of_its_file(address: str, words: str, example: str) -> None:
    text = text_of(address)
    if ".json" in address:
        assert part_of(json.loads(example), json.loads(text))
    else:
        assert [line for line in example.splitlines() if line not in text.replace("\\", "").splitlines()] == []


def test_every_other_address_of_the_page_exists() -> None:
    addresses = set(re.findall(r"`/([a-z0-9/.-]+\.(?:json|xml|md|txt))`", TEXT))
    assert sorted(addresses - files().keys()) == []
    assert {f"api/v1/schema/{name}.json" for name in api_schemas()} <= addresses


def test_an_example_that_is_wrong_is_found() -> None:
    assert part_of({"a": [{"b": 1}]}, {"a": [{"b": 2}, {"b": 1, "c": 3}], "d": 4})
    assert not part_of({"a": [{"b": 3}]}, {"a": [{"b": 2}]})
    assert not part_of({"a": {"x": 1}}, {"a": {}})
