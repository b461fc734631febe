"""The Jinja2 environment of the page templates, and the words that they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from faultbook.render.code import code_html, command_html, template_html

WHERE = {
    "training-host": "on the training node",
    "rank0-host": "on the node of rank 0",
    "every-host": "on every node",
    "login-node": "on the login node",
    "container": "in the container",
}
AFFECTED = {
    "own-job": "your job",
    "other-users": "other users",
    "node": "the node",
    "cluster": "the cluster",
    "stored-data": "stored data",
}
WHO = {"user": "you", "node-admin": "node admin", "cluster-admin": "cluster admin", "vendor": "vendor"}
SCOPE = {"rank": "one rank", "job": "whole job", "node": "whole node", "cluster": "whole cluster"}
TESTED = {"run": "run by us", "parsed": "checked for syntax"}
REFERENCE_KINDS = {
    "docs": "manual",
    "source": "source code",
    "issue": "issue",
    "pull-request": "pull request",
    "man-page": "man page",
    "paper": "paper",
}


def words(text: str) -> str:
    """A name of the format as words: ``fails-to-start`` as ``fails to start``."""
    return text.replace("-", " ").replace("_", " ")


def make_environment(directories: Sequence[Path]) -> Environment:
    """The environment over template directories; a file of an earlier one hides that of a later one."""
    environment = Environment(
        loader=FileSystemLoader([str(directory) for directory in directories]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=True,
    )
    environment.filters.update(words=words, command=command_html, code=code_html, template=template_html)
    environment.globals.update(
        WHERE=WHERE, AFFECTED=AFFECTED, WHO=WHO, SCOPE=SCOPE, TESTED=TESTED, REFERENCE_KINDS=REFERENCE_KINDS
    )
    return environment
