"""Makes what `diagnose.py` measures with: a corpus of so many templates, what is compiled of it, and the logs.

usage: python benchmarks/made_load.py FOLDER [--templates 3000] [--megabytes 100] [--dense 20]

What is there already is used again, but always compiled anew. A process of its own, since the memory of who starts a
program counts into that program's peak.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from faultbook.corpus import load_corpus
from faultbook.engine.anchors import choose_anchors
from faultbook.engine.compiler import compile_index
from faultbook.engine.rarity import BUDGET, load_rarity
from faultbook.project import Project, default_entries
from faultbook.signatures import Placeholder, parse_template
from harvest import harvest
from made_entries import write_entries
from made_logs import Run, failure, write_dense, write_log

PER_ENTRY = 12
"""Templates of a made entry, one of them its own; the real ones have about as many."""


def make(folder: Path, templates: int, megabytes: int, dense: int) -> dict[str, Any]:
    """Entries and logs below a folder; returns what they are."""
    entries = folder / "entries"
    shutil.copytree(default_entries(), entries)
    real = compile_index(load_corpus([entries])[0])["index"]["templates"]
    made = (templates - len(real)) // PER_ENTRY
    wanted = templates - len(real) - made
    harvested = _rare(harvest(wanted + wanted // 10), wanted)
    write_entries(entries, made, templates=harvested)
    write_log(folder / "run.log", megabytes * 1_000_000)
    write_dense(folder / "dense.log", dense * 1_000_000, [_parts(text) for text in harvested])
    write_paste(folder / "paste.log")
    return {"real": len(real)}


def compiled(folder: Path) -> dict[str, int]:
    """Compile the corpus of a folder, with the package as it is now; returns the numbers of templates and anchors."""
    data = _compiled(folder, folder / "entries")
    index = data["index"]
    (folder / "index.json").write_text(_compact(index), "utf-8")
    (folder / "search.json").write_text(_compact(data["search"]), "utf-8")
    anchors = {anchor for _, found, _ in index["templates"] for anchor in found} | set(index["rules"]["alarms"])
    (folder / "anchors.txt").write_text("".join(f"{anchor}\n" for anchor in sorted(anchors)), "utf-8")
    return {"templates": len(index["templates"]), "anchors": len(anchors)}


def _rare(texts: list[str], count: int) -> list[str]:
    """So many different templates with anchors as rare as the check of the corpus wants them.

    That check knows the logs in which nothing failed that come with the project, not those that are made here.
    """
    lines = "\n".join(Run(10).lines(BUDGET))
    apart = {parse_template(text): text for text in texts}
    chosen = choose_anchors([template.literals for template in apart], load_rarity())
    found = [
        text
        for text, anchors in zip(apart.values(), chosen, strict=True)
        if not any(lines.count(anchor) > 1 for anchor in anchors.texts)
    ]
    return found[:count]


def _compiled(folder: Path, entries: Path) -> dict[str, Any]:
    """The compiled corpus, from now on also in the cache of the command line."""
    os.environ["FAULTBOOK_CACHE"] = str(folder / "cache")
    from faultbook.engine.cache import load_compiled

    compiled = load_compiled(Project((entries,), folder))
    if compiled["violations"]:
        raise SystemExit("\n".join(compiled["violations"][:10]))
    return compiled


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _parts(text: str) -> list[str | tuple[str]]:
    return [(part.type,) if isinstance(part, Placeholder) else part for part in parse_template(text).parts]


def write_paste(path: Path) -> None:
    """The last 200 lines of a run that fails, as somebody copies them from a terminal."""
    run = Run(9)
    lines = [*run.lines(200), *failure(run)]
    path.write_text("\n".join(lines[-200:]) + "\n", "utf-8")


def main() -> int:
    """Make everything and print what it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--templates", type=int, default=3000)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--dense", type=int, default=20)
    options = parser.parse_args()
    kept = options.folder / "made.json"
    if not kept.exists():
        made = make(options.folder, options.templates, options.megabytes, options.dense)
        kept.write_text(json.dumps(made), "utf-8")
    print(json.dumps({**json.loads(kept.read_text("utf-8")), **compiled(options.folder)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
