"""The Jinja2 environment of the page templates, and the words that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.filters import do_striptags
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from faultbook.render.code import code_html, command_html, template_html
from faultbook.violations import Location, shorten
from faultbook.words import AFFECTED, REFERENCE_KINDS, SCOPE, TESTED, WHERE, WHO


class TemplateFault(Exception):
    """A template that cannot be rendered; its text names the file and the line."""


@contextmanager
def template_faults() -> Iterator[None]:
    """Turn what is wrong with a template, and not with what it calls, into a `TemplateFault`."""
    try:
        yield
    except Exception as error:
        place = _place(error)
        if place is None:
            raise
        raise TemplateFault(f"{place}: error[template]: {_reason(error)}; mend the template") from error


def _place(error: Exception) -> Location | None:
    """The line of the template; Jinja2 puts a frame for it into the traceback of what happens while it renders."""
    if isinstance(error, TemplateSyntaxError):
        return Location(error.filename or error.name or "templates", error.lineno)
    frames = extract_tb(error.__traceback__)
    within = [frame for frame in frames if frame.filename.endswith(".html")]
    if within and (isinstance(error, TemplateError) or frames[-1] is within[-1]):
        return Location(within[-1].filename, within[-1].lineno or 1)
    return None


def _reason(error: Exception) -> str:
    return f"there is no template '{error.name}'" if isinstance(error, TemplateNotFound) else shorten(error, 200)


def words(text: str) -> str:
    """A name of the format as words: ``fails-to-start`` as ``fails to start``."""
    return text.replace("-", " ").replace("_", " ")


def striptags(text: str) -> str:
    """The filter of Jinja2 with a short way for text that holds neither tags nor entities."""
    return do_striptags(text) if "<" in text or "&" in text else " ".join(text.split())


@cache
def icon(name: str) -> Markup:
    """A picture of the sprite that stands in every page; of a name that a template states it is made only once."""
    return Markup('<svg class="fb-i" aria-hidden="true"><use href="#fb-i-{}"/></svg>').format(name)


def heading(text: str, level: int, anchor: str) -> Markup:
    """A heading with the link to itself."""
    tag, name, label = f"h{level}", escape(anchor), escape(striptags(text))
    link = f'<a class="fb-anchor" href="#{name}" aria-label="Link to: {label}">#</a>'
    return Markup(f'<{tag} id="{name}">{escape(text)}{link}</{tag}>')


class QuickContext(Context):
    """Calls macros and what renders prose directly: neither is of the kinds that Jinja2 passes something to."""

    def call(self, called: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call what a template calls."""
        if type(called) in (Macro, partial):
            named.pop("_loop_vars", None)
            named.pop("_block_vars", None)
            return called(*arguments, **named)
        return super().call(called, *arguments, **named)


def make_environment(directories: Sequence[Path], **values: object) -> Environment:
    """The environment over template directories; a file of an earlier one hides that of a later one.

    All templates see the given values.
    """
    environment = Environment(
        loader=FileSystemLoader([str(directory) for directory in directories]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # A build reads each template once; the preview makes a new environment for each build.
        auto_reload=False,
    )
    environment.context_class = QuickContext
    environment.filters.update(
        icon=icon,
        heading=heading,
        striptags=striptags,
        words=words,
        command=command_html,
        code=code_html,
        template=template_html,
    )
    environment.globals.update(
        WHERE=WHERE, AFFECTED=AFFECTED, WHO=WHO, SCOPE=SCOPE, TESTED=TESTED, REFERENCE_KINDS=REFERENCE_KINDS, **values
    )
    return environment
