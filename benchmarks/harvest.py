"""Templates from the messages that installed Python code raises, and its docstrings, as a load of realistic texts.

They are no failures that anybody described: only their number, their lengths and their likeness to each other matter.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from faultbook.signatures import form_faults, parse_template

SEED = 11
_NUMBERS = re.compile(
    "(?:^|_)(?:n|num|size|len|count|code|status|line|lineno|index|step|dim|ndim|width|max|min)(?:_|$)"
)
_PATHS = re.compile("(?:path|file|filename|dir|directory|folder)$")
_FORMAT = re.compile(
    r"%(?:\([a-z_]+\))?[-+ #0]*[0-9]*(?:\.[0-9]+)?(?P<kind>[srdifgxa])|\{[a-z0-9_.]*(?P<call>![rs])?\}"
)


def harvest(count: int, seed: int = SEED) -> list[str]:
    """So many templates of good form; the same ones for the same versions of Python and of the packages.

    Raises:
        RuntimeError: the installed code has not as many.
    """
    found: dict[str, None] = {}
    for tree in _trees(seed, "raise "):
        found.update(dict.fromkeys(_templates(tree)))
        if len(found) >= count:
            return list(found)[:count]
    raise RuntimeError(f"only {len(found)} templates found, {count} wanted")


def docstrings(count: int, seed: int = SEED) -> list[str]:
    """The first paragraphs of so many docstrings, as text about software that is not about any entry."""
    found: list[str] = []
    for tree in _trees(seed, '"""'):
        nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        found += [re.sub(r"\s+", " ", text.split("\n\n")[0]) for node in nodes if (text := ast.get_docstring(node))]
        if len(found) >= count:
            break
    return found[:count]


def _trees(seed: int, wanted: str) -> Iterator[ast.Module]:
    """The modules of the standard library and of installed packages that hold a text, in an order of the seed."""
    files = sorted({path for name in ("stdlib", "purelib") for path in Path(sysconfig.get_path(name)).rglob("*.py")})
    random.Random(seed).shuffle(files)
    for path in files:
        # Tests raise what no program prints.
        if {"test", "tests", "idlelib"} & set(path.parts):
            continue
        try:
            text = path.read_text("utf-8")
            tree = ast.parse(text) if wanted in text else None
        except (ValueError, SyntaxError):
            continue
        if tree:
            yield tree


def _templates(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            template = re.sub(r"[ \t\n]+", " ", _text(node.exc.args[0])).strip()
            template = re.sub(r"^(?:<[a-z*]+> ?)+|(?: ?<[a-z*]+>)+$", "", template)
            if 16 <= len(template) <= 300 and not list(form_faults(parse_template(template))):
                yield template


def _text(node: ast.expr) -> str:
    """The template of an expression: literal text as it is, what is formatted as a placeholder; else nothing."""
    if isinstance(node, ast.Constant):
        return _plain(node.value) if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_value(part) if isinstance(part, ast.FormattedValue) else _text(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return left + right if left and right else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return _filled(node.left.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _filled(node.func.value.value) if isinstance(node.func.value, ast.Constant) else ""
    return ""


def _plain(text: str) -> str:
    return text.replace("<", "\\<")


def _filled(text: object) -> str:
    """The template of a text with marks for `%` or `format`."""
    if not isinstance(text, str):
        return ""

    def placeholder(found: re.Match[str]) -> str:
        if found["kind"] in ("r", "a") or found["call"] == "!r":
            return "'<str>'"
        return "<int>" if found["kind"] in ("d", "i") else "<num>" if found["kind"] in ("f", "g") else "<*>"

    return _FORMAT.sub(placeholder, _plain(text)).replace("%%", "%")


def _value(part: ast.FormattedValue) -> str:
    """The placeholder of a formatted value, by its conversion and its name."""
    name = ast.unparse(part.value).split(".")[-1].lower()
    if part.conversion == ord("r"):
        return "'<str>'"
    if name.startswith("len(") or _NUMBERS.search(name):
        return "<int>"
    return "<path>" if _PATHS.search(name) else "<*>"
