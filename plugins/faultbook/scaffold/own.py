"""The files of an encyclopedia of one's own."""

from __future__ import annotations

import json
from collections.abc import Mapping

from faultbook import __version__
from faultbook.export import entry_schema
from faultbook.project import default_templates

_FOLDER = "init"
# A wheel or an archive may leave out what begins with a dot, so the templates have names without.
_HIDDEN = {"gitignore": ".gitignore", "github": ".github"}


def own_files(*, public: bool) -> Mapping[str, str]:
    """Each file by its path; with ``public`` the packaged entries stand beside those of the project."""
    folder = default_templates() / _FOLDER
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            first, *rest = path.relative_to(folder).parts
            text = path.read_text("utf-8")
            text = text.replace("@ENTRIES@", "entries, packaged" if public else "entries")
            found["/".join((_HIDDEN.get(first, first), *rest))] = text.replace("@VERSION@", __version__)
    found["entries/_schema.json"] = json.dumps(entry_schema(), indent=2, ensure_ascii=False) + "\n"
    return found
