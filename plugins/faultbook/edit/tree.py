"""An entry as it is written: data with the style of each text, comments and blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Comment:
    """A comment on a line of its own, and whether a blank line stands before it."""

    text: str
    blank: bool


@dataclass
class Item:
    """A key with its value, or a value of a list, with the comments that belong to it."""

    key: str
    """As it is written; empty in a list."""
    name: str | int
    value: Node
    line: int
    column: int
    before: list[Comment] = field(default_factory=list)
    beside: str = ""
    """The comment at the end of its line."""
    after: list[Comment] = field(default_factory=list)
    """Comments that end its part of the file."""
    blank: bool = False
    """Whether a blank line stands before it."""


@dataclass
class Node:
    """A value: a text with its style and its spelling, or a mapping or list with its items."""

    kind: Literal["mapping", "list", "text"]
    flow: bool
    value: str
    style: str
    """One of ``|``, ``>``, ``"``, ``'``, or nothing for plain text."""
    raw: str
    """A text as it is spelled, on one line or several."""
    line: int
    last: int
    """The lines on which it begins and ends."""
    items: list[Item] = field(default_factory=list)


@dataclass
class Tree:
    """A whole file."""

    root: Node
    head: list[Comment]
    """Comments before the first key."""
    tail: list[Comment]
    """Comments behind everything, at the margin."""


class UnreadableTree(ValueError):
    """The reader that keeps comments does not understand the file."""


def read_tree(text: str) -> Tree:
    """The tree of an entry that is sound YAML, with lines that end in LF.

    Raises:
        UnreadableTree: it is no mapping, or not YAML for this reader.
    """
    try:
        root = YAML().compose(text)
    except YAMLError as error:
        raise UnreadableTree(str(error).split("\n", 1)[0]) from error
    if not isinstance(root, MappingNode):
        raise UnreadableTree("it is no mapping")
    comments = list(_comments(root, text))
    tree = Tree(_node(root, text, [line for line, _, _ in comments]), [], [])
    _attach(tree, comments, text.split("\n"))
    return tree


def _comments(node: Any, text: str) -> Iterator[tuple[int, int, str]]:
    """Line, column and text of each comment: what follows a hash where no text of the entry stands."""
    gaps = list(text)
    for start, end in _spans(node, text):
        gaps[start:end] = ["\n" if char == "\n" else "x" for char in text[start:end]]
    for number, (gap, line) in enumerate(zip("".join(gaps).split("\n"), text.split("\n"), strict=True)):
        if found := _HASH.search(gap):
            yield number, found.start(1), line[found.start(1) :].rstrip()


_HASH = re.compile(r"(?:^|[ \t])(#)")


def _spans(node: Any, text: str) -> Iterator[tuple[int, int]]:
    """Where the texts stand in a file; a comment may follow the sign that begins a block."""
    if isinstance(node, ScalarNode):
        start, end = node.start_mark.index, node.end_mark.index
        yield (text.index("\n", start), end) if node.style in ("|", ">") else (start, end)
        return
    for child in node.value:
        for part in child if isinstance(child, tuple) else (child,):
            yield from _spans(part, text)


def _node(node: Any, text: str, comments: list[int]) -> Node:
    start, end = node.start_mark, node.end_mark
    if isinstance(node, ScalarNode):
        # The reader marks with BEL where it folded a line.
        value = node.value.replace("\a", "") if node.style == ">" else node.value
        raw = text[start.index : end.index]
        last = start.line + raw.rstrip("\n").count("\n")
        return Node("text", False, value, node.style or "", raw, start.line, last)
    # A comment within braces keeps its place only on a line of its own, where no braces are.
    flow = bool(node.flow_style) and not any(start.line <= line < end.line for line in comments)
    kind: Literal["mapping", "list"] = "mapping" if isinstance(node, MappingNode) else "list"
    made = Node(kind, flow, "", "", "", start.line, end.line)
    for number, child in enumerate(node.value):
        key, value = child if kind == "mapping" else (None, child)
        inner = _node(value, text, comments)
        mark = (key or value).start_mark
        name = key.value if key is not None else number
        raw = text[key.start_mark.index : key.end_mark.index] if key is not None else ""
        made.items.append(Item(raw, name, inner, mark.line, mark.column))
    return made


def _attach(tree: Tree, comments: list[tuple[int, int, str]], lines: list[str]) -> None:
    items = list(_items(tree.root, ()))
    for line, column, text in comments:
        blank = line > 0 and not lines[line - 1].strip()
        if lines[line][:column].strip():
            beside = [item for item, _ in items if item.line == line or item.value.last == line]
            item = next((item for item in reversed(beside) if not item.beside), None)
            if item is None:
                raise UnreadableTree(f"the comment in line {line + 1} stands between words")
            item.beside = text
        else:
            _attach_line(tree, items, line, column, Comment(text, blank))
    for item, _ in items:
        item.blank = item.line > 0 and not lines[item.line - 1].strip()


def _items(node: Node, above: tuple[Item, ...]) -> Iterator[tuple[Item, tuple[Item, ...]]]:
    """Every item with those around it, in the order of the file; none of those within braces."""
    for item in node.items:
        yield item, above
        if not item.value.flow:
            yield from _items(item.value, (*above, item))


def _attach_line(
    tree: Tree, items: list[tuple[Item, tuple[Item, ...]]], line: int, column: int, comment: Comment
) -> None:
    following = next((item for item, _ in items if item.line > line), None)
    if following is items[0][0]:
        tree.head.append(comment)
        return
    last, above = [(item, above) for item, above in items if item.line < line][-1]
    # It ends the innermost part that is indented no deeper than itself.
    owner = next((item for item in (last, *reversed(above)) if item.column <= column and column > 0), None)
    nested = owner is not None and owner.value.kind != "text" and not owner.value.flow
    if following and (column <= following.column or owner is None or (not nested and owner.column <= following.column)):
        following.before.append(comment)
    else:
        (owner.after if owner else tree.tail).append(comment)
