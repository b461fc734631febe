"""Checks of code: it parses, and what the reader must put in is written in one way."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.shell import PLACEHOLDER, syntax_fault
from faultbook.checks.texts import entry_code
from faultbook.corpus import Record
from faultbook.reader import parse_source
from faultbook.violations import Violation, shorten

# Python 3.10 has no parser for TOML; there such code is not checked.
_toml: Any = importlib.import_module("tomllib") if sys.version_info >= (3, 11) else None


def _commands(run: str, lang: str = "bash") -> Example:
    return Example(
        "quick_fix:\n  text: Do this on the node of the job.\n  commands:\n"
        f"    - lang: {lang}\n      run: |\n{textwrap.indent(run, '        ')}"
    )


class CodeSyntax(Check):
    """Code does not parse.

    Readers copy it as it stands. Bash is parsed, and what looks wrong is confirmed by `bash -n`; Python may be a part
    of a function, YAML may be several documents. Nothing is ever run. Correct the code, or its `lang`.
    """

    code = "code-syntax"
    failing = _commands("for pid in {PID}; do ps -p $pid\n")
    passing = _commands("for pid in {PID}; do ps -p $pid; done\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each piece of code that does not parse."""
        for code in entry_code(record):
            fault = _fault(code.lang, code.text)
            if fault and code.path[-1] == "undo" and code.lang != "bash":
                fault = _fault("bash", code.text)
            if fault:
                yield self.at(record, code.path, f"{fault}; mend it, or set 'lang'")


def _fault(lang: str, text: str) -> str | None:
    parse = _PARSERS.get(lang)
    fault = parse(text) if parse else None
    return f"{lang} {fault.rstrip('.')}" if fault else None


def _bash_fault(text: str) -> str | None:
    # A value in another form than `{PID}` is a matter of the check below, and often no bash.
    fault = syntax_fault(_OTHER_FORM.sub("x", text) if _may_hold_other_form(text) else text)
    return shorten(fault, 120) if fault else None


def _python_fault(text: str) -> str | None:
    """The fault of the text as a module; a part of a function has none if it parses as the body of one."""
    plain = textwrap.dedent(text)
    fault = _python_module_fault(plain)
    if fault and _python_module_fault(f"async def body():\n{textwrap.indent(plain, ' ')}\n"):
        return fault
    return None


def _python_module_fault(text: str) -> str | None:
    try:
        _parse_python(text)
    except SyntaxError as error:
        return f"does not parse in line {error.lineno or 1}: {shorten(error.msg, 100)}"
    except ValueError as error:
        return f"does not parse: {shorten(error, 100)}"
    except (RecursionError, MemoryError):
        return "does not parse: it is nested too deeply"
    return None


def _parse_python(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _yaml_fault(text: str) -> str | None:
    """The fault of the first document that is no YAML; what only entries may not have is no fault here."""
    line = 0
    for document in re.split(r"^---.*\n", text, flags=re.MULTILINE):
        if document.strip():
            for violation in parse_source(document, Path("code"), "code")[1]:
                if violation.code in ("yaml", "duplicate-key") and "is empty" not in violation.message:
                    return f"does not parse in line {violation.location.line + line}: {shorten(violation.message, 100)}"
        line += document.count("\n") + 1
    return None


def _json_fault(text: str) -> str | None:
    """The fault of the text as JSON; the members of an object without its braces will do."""
    fault = _whole_json_fault(text)
    return fault if fault and _whole_json_fault(f"{{{text}}}") else None


def _whole_json_fault(text: str) -> str | None:
    try:
        json.loads(text)
    except ValueError as error:
        return f"does not parse: {shorten(error, 100)}"
    except RecursionError:
        return "does not parse: it is nested too deeply"
    return None


def _toml_fault(text: str) -> str | None:
    try:
        _toml.loads(text)
    except (ValueError, RecursionError) as error:
        return f"does not parse: {shorten(error, 100)}"
    return None


_PARSERS: dict[str, Callable[[str], str | None]] = {
    "bash": _bash_fault,
    "python": _python_fault,
    "yaml": _yaml_fault,
    "json": _json_fault,
    **({"toml": _toml_fault} if _toml else {}),
}


class PlaceholderForm(Check):
    """A value that the reader must put in is not written `{PID}`.

    In bash it is written as capitals in braces: the page highlights it, and it cannot be mistaken for a value. In other
    languages braces have a meaning of their own; there a name, a variable or a comment says what to put in.
    """

    code = "placeholder"
    failing = _commands("ps -o user,args -p <PID>\n")
    passing = _commands("ps -o user,args -p {PID}\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each value that is written in another way."""
        for code in entry_code(record):
            if code.lang == "bash":
                for found in _OTHER_FORM.finditer(code.text) if _may_hold_other_form(code.text) else ():
                    name = re.sub(r"^YOUR_|_HERE$", "", re.sub(r"\W+", "_", found[0].strip("<>"))).upper()
                    message = f"'{shorten(found[0], 40)}' is to be put in by the reader; write '{{{name}}}'"
                    yield self.at(record, code.path, message, near=found[0])
            elif "{" in code.text and (misplaced := _misplaced(code.lang, code.text)):
                message = f"'{misplaced}' is a placeholder in bash only; use a variable or a comment in {code.lang}"
                yield self.at(record, code.path, message, near=misplaced)


_OTHER_FORM = re.compile(
    r"(?<![\w<$'\"&])<[A-Za-z][A-Za-z0-9]*(?:[-_ ][A-Za-z0-9]+)*>(?![\w>])"
    r"|(?<![\w$])(?<!\$\{)YOUR_[A-Z][A-Z0-9_]*\b(?!=)"
    r"|(?<![\w$])(?<!\$\{)[A-Z][A-Z0-9_]*_HERE\b(?!=)"
)


def _may_hold_other_form(text: str) -> bool:
    return "<" in text or "YOUR_" in text or "_HERE" in text


def _misplaced(lang: str, text: str) -> str | None:
    """A placeholder in code that is not bash; in Python the same form can be a field of a format."""
    found = PLACEHOLDER.search(text)
    if found is None or lang != "python":
        return found and found[0]
    try:
        tree = _parse_python(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    formats = any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree)) or ".format" in text
    return None if formats else found[0]


CHECKS: tuple[Check, ...] = (CodeSyntax(), PlaceholderForm())
