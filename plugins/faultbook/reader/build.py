"""Plain data from the nodes of a document, and what is refused or doubtful in it although it is YAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

from faultbook.reader.core import STR, CoreLoader, scalar_value
from faultbook.reader.faults import LINE_END
from faultbook.violations import Location, Violation, shorten

MAX_DEPTH = 24
# Where an anchor or a tag may stand; most of what this finds is neither, such as the sign in `port != 0`.
_PROPERTY = re.compile(r"(?:^|[\s\[\]{},:])(?:&[0-9A-Za-z_-]|!)", re.MULTILINE)


def _place(node: Any, shown: str) -> Location:
    return Location(shown, node.start_mark.line + 1, node.start_mark.column + 1)


def property_violations(text: str, shown: str) -> list[Violation]:
    """A violation for each anchor and each tag of a document.

    Nodes tell of neither: an alias is the node of its anchor, and a tag looks like a type that was found out.
    """
    if ("&" not in text and "!" not in text) or not _PROPERTY.search(text):
        return []
    violations = []
    for event in yaml.parse(text, Loader=CoreLoader):  # type: ignore[arg-type]
        if isinstance(event, yaml.NodeEvent) and event.anchor and not isinstance(event, yaml.AliasEvent):
            message = "anchors and aliases are not used in entries; write the text out"
            violations.append(Violation(_place(event, shown), "anchor", message))
        if tag := getattr(event, "tag", None):
            message = f"the tag '{shorten(tag)}' is not allowed; remove it"
            violations.append(Violation(_place(event, shown), "yaml-tag", message))
    return violations


class Builder:
    """Turns nodes into data and keeps the violations met on the way."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.violations: list[Violation] = []
        self._met: set[int] = set()

    def build(self, node: Any, depth: int = 0) -> Any:
        """The data of a node that lies so many levels below the top."""
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        # Aliases lead to the same node again; going on would take time without bound.
        if id(node) in self._met:
            return None
        self._met.add(id(node))
        if depth > MAX_DEPTH:
            return self._refuse(node, "too-deep", f"nested deeper than {MAX_DEPTH} levels; entries are flat")
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, depth + 1) for item in node.value]
        return self._mapping(node, depth)

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(key_node, "yaml", "a key must be a word; quote text that begins with '{' or '['")
                continue
            key = key_node.value
            if key in result:
                first = next(other for other, _ in node.value if other.value == key)
                message = f"the key '{shorten(key)}' stands in line {first.start_mark.line + 1} already; merge the two"
                self._refuse(key_node, "duplicate-key", message)
                continue
            result[key] = self.build(value_node, depth + 1)
        return result

    def _refuse(self, node: Any, code: str, message: str) -> None:
        self.violations.append(Violation(_place(node, self.shown), code, message))


def _scalar(node: Any) -> Any:
    if node.tag == STR:
        return node.value
    try:
        return scalar_value(node.tag, node.value)
    except (KeyError, ValueError):
        # Only under a tag, which has a violation of its own.
        return node.value


def lost_comments(text: str, node: Any, shown: str) -> list[Violation]:
    """Plain text of several words that ends in a comment: most often a ``#`` that was meant to be read."""
    if " #" not in text and "\t#" not in text:
        return []
    found: list[Violation] = []
    ends = _ends_of_plain_text(node)
    lines = LINE_END.split(text) if ends else []
    for end in ends:
        rest = lines[end.line][end.column :]
        if rest.lstrip().startswith("#"):
            lost = shorten(rest.strip(), 30)
            message = f"'{lost}' is read as a comment and lost; quote the text before and after ' #'"
            found.append(Violation(Location(shown, end.line + 1, end.column + 1), "text-lost", message))
    return found


def _ends_of_plain_text(node: Any) -> list[Any]:
    """Where each text of several words ends that stands without quotes, in the order of the document."""
    ends: list[Any] = []
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, yaml.ScalarNode):
            if not node.style and " " in node.value:
                ends.append(node.end_mark)
        elif isinstance(node, yaml.SequenceNode):
            open_nodes += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            open_nodes += [value for _, value in reversed(node.value)]
    return ends
