"""Commands, example code and templates to HTML."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name

from faultbook.render.prose import escape_text
from faultbook.render.python_lexer import QuickPythonLexer
from faultbook.schema import Command
from faultbook.signatures import parse_template

# A value to fill in: capitals in braces, and no variable of the shell such as ${PID}.
_FILL_IN = re.compile(r"\{(?<!\$\{)[A-Z][A-Z0-9_]{0,30}\}")
_COLOURED = ("python", "yaml", "json", "toml", "ini")
_FORMATTER = HtmlFormatter(nowrap=True)


def command_html(command: Command) -> Markup:
    """A command with its values to fill in marked; in other languages than bash with colours instead."""
    return code_html(command.run, command.lang)


def code_html(code: str, lang: str) -> Markup:
    """Code as HTML, without the newline at its end."""
    code = code.rstrip("\n")
    if lang in _COLOURED:
        return _coloured(code, lang)
    if lang != "bash":
        return Markup(escape_text(code))
    parts = []
    at = 0
    for found in _FILL_IN.finditer(code):
        parts += [escape_text(code[at : found.start()]), f"<var>{found[0]}</var>"]
        at = found.end()
    return Markup("".join([*parts, escape_text(code[at:])]))


@lru_cache(maxsize=512)
def _coloured(code: str, lang: str) -> Markup:
    coloured = highlight(code, _lexer(lang), _FORMATTER).rstrip("\n")
    return Markup(f'<span class="highlight">{coloured}</span>')


@cache
def _lexer(lang: str) -> Lexer:
    return QuickPythonLexer(stripnl=False) if lang == "python" else get_lexer_by_name(lang, stripnl=False)


@lru_cache(maxsize=4096)
def template_html(text: str) -> Markup:
    """A template with its placeholders as variables, each by its name or its type."""
    parts = []
    for part in parse_template(text).parts:
        if isinstance(part, str):
            parts.append(escape_text(part))
        elif part.type == "*" and part.name is None:
            parts.append('<var aria-label="anything">…</var>')
        else:
            parts.append(f"<var>{escape_text(part.name or part.type)}</var>")
    return Markup("".join(parts))
