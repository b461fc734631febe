"""The canonical text of an entry.

Keys stand in the order of the models. Braces and brackets stay where all of it fits on one line, or holds an address,
which cannot be broken. Prose is folded at the width; other texts keep their style.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from faultbook.edit.order import HEADER, ROOT, key_order, model_of
from faultbook.edit.texts import WIDTH, folded, may_be_plain, spelled
from faultbook.edit.tree import Comment, Item, Node, Path, Tree
from faultbook.scaffold.spelling import literal, quoted
from faultbook.schema import Model

MODELINE = "# yaml-language-server:"


def emit(tree: Tree, prose: Collection[Path]) -> str:
    """The text of an entry; ``prose`` holds the ways to texts that may be folded."""
    head = sorted(tree.head, key=lambda comment: not comment.text.startswith(MODELINE))
    lines = [*_comments(head, 0)]
    lines += _Emitter(frozenset(prose)).mapping(tree.root, ROOT, (), 0)
    lines += _comments(tree.tail, 0)
    return "\n".join(lines).lstrip("\n") + "\n"


def _comments(comments: Collection[Comment], indent: int) -> Iterator[str]:
    for comment in comments:
        if comment.blank:
            yield ""
        yield (" " * indent + comment.text).rstrip()


@dataclass(frozen=True)
class _Emitter:
    prose: frozenset[Path]

    def mapping(self, node: Node, model: type[Model] | None, path: Path, indent: int) -> list[str]:
        order = {name: number for number, name in enumerate(key_order(model))}
        items = sorted(node.items, key=lambda item: order.get(str(item.name), len(order)))
        lines: list[str] = []
        for number, item in enumerate(items):
            name = str(item.name)
            lines += _above(item, indent, first=not number, header=name in HEADER if not path else None)
            start = f"{' ' * indent}{item.key}:"
            lines += self.value(start, item, model_of(model, name), (*path, name), indent)
            lines += _comments(item.after, indent + 2 if self._opened(start, item.value) else indent)
        return lines

    def listing(self, node: Node, model: type[Model] | None, path: Path, indent: int) -> list[str]:
        lines: list[str] = []
        for number, item in enumerate(node.items):
            lines += _above(item, indent, first=not number)
            start = f"{' ' * indent}-"
            if self._opened(start, item.value):
                inner = self.block(item.value, model, (*path, number), indent + 2)
                leading = next(at for at, line in enumerate(inner) if not line.lstrip().startswith("#"))
                lines += inner[:leading]
                lines += [f"{start} {inner[leading].lstrip()}{_beside(item)}", *inner[leading + 1 :]]
            else:
                lines += self.value(start, item, model, (*path, number), indent)
            lines += _comments(item.after, indent)
        return lines

    def value(self, start: str, item: Item, model: type[Model] | None, path: Path, indent: int) -> list[str]:
        """The lines of a value behind its key or dash."""
        node = item.value
        if node.kind == "text":
            first, *rest = self.text(node, len(start) + 1, path, indent + 2)
            return [f"{start} {first}".rstrip(" ") + _beside(item), *rest]
        if not self._opened(start, node):
            return [f"{start} {_flow(node, model)}{_beside(item)}"]
        return [start + _beside(item), *self.block(node, model, path, indent + 2)]

    def block(self, node: Node, model: type[Model] | None, path: Path, indent: int) -> list[str]:
        return (self.mapping if node.kind == "mapping" else self.listing)(node, model, path, indent)

    def text(self, node: Node, used: int, path: Path, indent: int) -> list[str]:
        """The lines of a text, of which the first stands behind its key."""
        value, style = node.value, node.style
        block = literal(value, indent) if style == "|" or ("\n" in value and style != ">") else None
        if block is not None:
            return block
        if style == ">":
            return folded(node, indent) or literal(value, indent) or [quoted(value)]
        line = spelled(node, flow=False)
        if path in self.prose and "\n" not in value and used + len(line) > WIDTH:
            fits = used + len(value) <= WIDTH and may_be_plain(value)
            return [value] if fits else folded(node, indent) or [line]
        return [line]

    def _opened(self, start: str, node: Node) -> bool:
        """Whether a mapping or list is written without braces or brackets."""
        if node.kind == "text" or not node.items:
            return False
        if not node.flow:
            return True
        return len(start) + 1 + len(_flow(node, None)) > WIDTH and not any(item.name == "url" for item in node.items)


def _above(item: Item, indent: int, *, first: bool, header: bool | None = None) -> Iterator[str]:
    """Blank line and comments before an item; at the top each part but the header has a blank line before it."""
    at_start = item.blank if not item.before else item.before[0].blank
    wanted = at_start if header is None else not header
    if header is not None and first:
        wanted = at_start
    elif first:
        wanted = False
    if wanted:
        yield ""
    for number, comment in enumerate(item.before):
        yield from _comments([Comment(comment.text, comment.blank and number > 0)], indent)
    if item.before and item.blank:
        yield ""


def _beside(item: Item) -> str:
    return f" {item.beside}" if item.beside else ""


def _flow(node: Node, model: type[Model] | None) -> str:
    """A value within braces or brackets, on one line."""
    if node.kind == "text":
        return spelled(node, flow=True)
    if node.kind == "list":
        return f"[{', '.join(_flow(item.value, model) for item in node.items)}]"
    order = {name: number for number, name in enumerate(key_order(model))}
    items = sorted(node.items, key=lambda item: order.get(str(item.name), len(order)))
    pairs = (f"{item.key}: {_flow(item.value, model_of(model, str(item.name)))}".rstrip() for item in items)
    return f"{{{', '.join(pairs)}}}"
