"""Text that tries to become more than text: in every field of an entry and of the vocabulary, on every page."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from faultbook.corpus import Record
from faultbook.links import build_links
from faultbook.project import default_templates
from faultbook.render import HandWritten, Repository, redirect_pages
from faultbook.render.entry import render_entry
from faultbook.render.environment import make_environment
from faultbook.schema import Entry
from hypothesis import given, settings
from hypothesis import strategies as st
from markup import Element, read_html
from pydantic import ValidationError
from sites import CORPUS, Data, copy_corpus, edited, loaded, read_yaml, rendered, small_site, trees

ENTRY = "launch/rendezvous-port-taken"
Path_ = tuple[str | int, ...]

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of script": "</script><script>alert(1)//",
    "element with a handler": '"><img src=x onerror=alert(1)>',
    "attribute": "' onmouseover='alert(1)' x='\" onfocus=\"alert(1)",
    "frame": "<iframe src=javascript:alert(1)></iframe>",
    "vector": "<svg/onload=alert(1)><style>*{x:y}</style>",
    "comment": "<!--><script>alert(1)</script-->",
    "entities": "&lt;script&gt; &#60;script&#62; &amp;lt; &nbsp",
    "Jinja": "{{ 1337 * 1337 }}{% raw %}{# x #}{{ self }}",
    "Markdown link": "[words](javascript:alert(1)) [words](http://example.org) [words](//example.org)",
    "autolink": "<javascript:alert(1)> <https://example.org/>",
    "reference": "[words][1] [1]: javascript:alert(1)",
    "template literal": "${1337 * 1337} <%= 1337 * 1337 %> #{1337 * 1337}",
}
SQUARE = str(1337 * 1337)
"""What a template engine would make of some of them."""
PLAIN = "plain words without any mark"
FREE = {
    "title", "summary", "observed", "means", "text", "unless", "all", "printed_by", "note", "search_keys", "short",
    "how", "mechanism", "when", "check", "run", "output", "expect", "command", "warning", "undo", "if_yes", "if_no",
    "caveat", "rollback", "cause", "prevention", "stack", "code", "why", "wrong", "right", "q", "a", "name", "expr",
    "only_if", "on_call", "lead", "shows", "environment", "authors", "samples.log",
}  # fmt: skip
"""The fields that take any text; all others have a form of their own."""


@cache
def complete() -> Data:
    """The data of the entry that has every field."""
    data: Data = read_yaml(CORPUS / f"{ENTRY}.yaml")
    return data


def leaves(data: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The way to every text in some data."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from leaves(value, (*path, name))
    elif isinstance(data, list):
        for position, value in enumerate(data):
            yield from leaves(value, (*path, position))
    elif isinstance(data, str):
        yield path


def field(path: Path_) -> str:
    """The name of the field that a path leads to; that of samples with them, since commands have another `expect`."""
    names = [step for step in path if isinstance(step, str)]
    return ".".join(names) if names[0] == "samples" else names[-1]


def put(data: Data, path: Path_, value: str) -> None:
    """Set the text at the end of a path."""
    at: Any = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value


def accepted(path: Path_, text: str) -> bool:
    """Whether the schema takes a text in a field."""
    data = copy.deepcopy(complete())
    put(data, path, text)
    try:
        Entry.model_validate(data)
    except ValidationError:
        return False
    return True


def page_of(data: Data) -> Element:
    """The page of an entry with these data in the small corpus."""
    corpus = _corpus()
    slug = ENTRY.split("/")[1]
    old = corpus.records[slug]
    record = Record(slug, old.category, Entry.model_validate(data), old.source, old.logs)
    html = render_entry(record, corpus, build_links(corpus), _environment(), Repository("e/", "v/", "i")).html
    return read_html(html)


@cache
def _corpus() -> Any:
    return loaded(CORPUS)


@cache
def _environment() -> Any:
    return make_environment([default_templates()], written=HandWritten("about/", "contribute/"))


def skeleton(element: Element) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Tags and names of attributes of a page in order, without the colours of code."""
    for child in element.children:
        if isinstance(child, Element):
            yield child.tag, tuple(sorted(child.attributes))
            if child.tag != "pre":
                yield from skeleton(child)


def assert_harmless(page: Element) -> None:
    """Nothing on the page runs, is fetched or leads to another scheme than https."""
    for element in page.walk():
        assert element.tag not in {"script", "iframe", "object", "embed", "style", "img", "base", "form", "link"} or (
            element.tag == "form" and element.classes & {"fb-filter", "fb-ask"}
        )
        assert not [name for name in element.attributes if name.startswith("on") or name in {"src", "style", "srcdoc"}]
        for name in ("href", "action", "xlink:href"):
            address = element.attributes.get(name, "#").strip()
            assert urlsplit(address).scheme in ("", "https"), (element.tag, address)
            assert not address.startswith(("//", "\\")), (element.tag, address)


def filled(text: str) -> Data:
    """The data of the entry with a text in every field that takes it."""
    data = copy.deepcopy(complete())
    for path in leaves(complete()):
        if field(path) in FREE and accepted(path, text):
            put(data, path, text)
    return data


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_text_adds_no_element_to_the_page_of_an_entry(text: str) -> None:
    page = page_of(filled(text))
    assert_harmless(page)
    assert list(skeleton(page)) == list(skeleton(page_of(filled(PLAIN))))
    assert SQUARE not in page.text


@pytest.mark.parametrize("path", list(leaves(complete())), ids=lambda path: ".".join(map(str, path)))
def test_fields_with_a_form_of_their_own_refuse_it_and_all_others_are_escaped(path: Path_) -> None:
    text = "<b>a</b> & 'b' and \"c\""
    if field(path) not in FREE:
        assert not accepted(path, text)
    elif field(path) == "samples.log":
        assert accepted(path, text)
    else:
        # The shortest fields hold 60 characters, so that this text fits into all of them.
        assert accepted(path, text)
        data = copy.deepcopy(complete())
        put(data, path, text)
        page = page_of(data)
        assert page.all("b") == []
        if field(path) not in {"search_keys"}:
            shown = page.raw_text + " ".join(v for e in page.walk() for v in e.attributes.values())
            assert text in shown or text in " ".join(shown.split())


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x07", "\x08", "\x0b", "\x1b", "\x7f", "\x85", "\x9f", "\u202a", "\u202e", "\u2066", "\u2069"],
    ids=lambda char: f"U+{ord(char):04X}",
)
def test_invisible_characters_are_refused_in_every_field_but_logs(char: str) -> None:
    text = f"words {char} words"
    assert [path for path in leaves(complete()) if accepted(path, text) and field(path) != "samples.log"] == []


@pytest.mark.parametrize("start", range(3))
def test_vocabulary_adds_no_element_to_any_page(start: int, tmp_path: Path) -> None:
    texts = itertools.islice(itertools.cycle(HOSTILE.values()), start * 4, None)
    entries = copy_corpus(tmp_path / "entries")
    for name in ("_categories", "_tags", "_systems", "_wanted"):
        with edited(entries / f"{name}.yaml") as items:
            for item in items.values():
                for key in ("title", "text"):
                    if key in item:
                        item[key] = next(texts)[:80]
    for url, page in trees(rendered(loaded(entries))).items():
        assert_harmless(page)
        assert SQUARE not in page.text
        # The order of rows by title is another then.
        assert sorted(skeleton(page)) == sorted(skeleton(small_site()[url])), url


@pytest.mark.parametrize("start", range(3))
def test_titles_add_no_element_to_lists_and_redirects(start: int, tmp_path: Path) -> None:
    texts = itertools.islice(itertools.cycle(HOSTILE.values()), start * 4, None)
    entries = copy_corpus(tmp_path / "entries")
    for path in sorted(entries.glob("*/*.yaml")):
        with edited(path) as data:
            data["title"] = data["summary"] = next(texts)[:80]
    corpus = loaded(entries)
    for url, page in trees(rendered(corpus)).items():
        assert_harmless(page)
        if not url.startswith("entries/"):
            assert sorted(skeleton(page)) == sorted(skeleton(small_site()[url])), url
    for html in redirect_pages(corpus, "https://example.org/").values():
        page = read_html(html)
        assert [tag for tag, _ in skeleton(page)] == ["html", "meta", "title", "link", "meta", "meta", "p", "a"]


@pytest.mark.parametrize(
    "name", ["logs/<b>.log", "logs/a b.log", "logs/../x.log", "../x.log", "/etc/passwd", "logs/.log", 'logs/"x.log']
)
def test_names_of_logs_are_plain(name: str) -> None:
    data = copy.deepcopy(complete())
    data["samples"][0] = {"expect": "match", "origin": "reproduced", "file": name}
    with pytest.raises(ValidationError, match=r"samples\.0\.file"):
        Entry.model_validate(data)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "http://example.org/",
        "//example.org/",
        "https://example.org/<b>",
        "https://example.org/ x",
        "https:///x",
        "https://user@example.org/",
        "data:text/html,x",
    ],
)
def test_addresses_of_references_and_systems_are_plain_https(url: str, tmp_path: Path) -> None:
    assert not accepted(("references", 0, "url"), url)
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "_systems.yaml") as systems:
        systems["linux"]["url"] = url
    with pytest.raises(AssertionError):
        loaded(entries)


WORDS = st.lists(
    st.sampled_from(
        ["<", ">", '"', "'", "&", "`", "``", "*", "_", "[", "]", "(", ")", "\\", "!", "#", "|", "-", "{{", "}}", "{%",
         "a", "b1", " ", " ", "\n", "\n\n", "\n- ", "\n    ", "https://e.org/", "javascript:", "[@",
         "[@torchrun-docs]", "[[#free-port]]", "[[worker-failed|", "[[worker-failed]]", "]]", "](https://e.org/)",
         "<script>", "&lt;", "<!--",
         "<int:a>", "<*>", "{PID}", "\u00e9", "\u2028"]
    ),
    min_size=1,
    max_size=14,
).map("".join)  # fmt: skip
PATHS = [path for path in leaves(complete()) if field(path) in FREE - {"samples.log", "search_keys"}]


@settings(deadline=None, max_examples=120)
@given(path=st.sampled_from(PATHS), text=WORDS)
def test_any_text_in_any_field_gives_a_harmless_page(path: Path_, text: str) -> None:
    data = copy.deepcopy(complete())
    put(data, path, text)
    try:
        Entry.model_validate(data)
    except ValidationError:
        return
    page = page_of(data)
    assert_harmless(page)
    known = {tag for url in small_site() for tag, _ in skeleton(small_site()[url])}
    assert {tag for tag, _ in skeleton(page)} <= known | {"em", "strong", "pre", "code", "span", "br", "ol", "ul", "li"}
    for link in page.all("a"):
        assert link.all("a") == [], "a link within a link"
    assert len(page.ids()) == len(set(page.ids()))
