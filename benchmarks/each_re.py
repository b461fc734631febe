"""Match one `re` for each signature on the first part of a log: python benchmarks/each_re.py INDEX LOG BYTES

This is how a list of patterns is usually applied to a log. Prints the CPU seconds of matching alone, without compiling.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any


def pattern(parts: list[Any], types: list[str]) -> str:
    """A template as one pattern; gaps take as little as possible."""
    texts = []
    for part in parts:
        number = part[0] if isinstance(part, list) else part
        texts.append(re.escape(part) if isinstance(part, str) else f"(?:{types[number]})" if number else "[^\\n]*?")
    return "".join(texts)


def main(index_path: str, log: str, size: str) -> int:
    """Measure and print."""
    index = json.loads(Path(index_path).read_text("utf-8"))
    types = [text for _, text in index["types"]]
    patterns = [re.compile(pattern(parts, types)) for parts, _, _ in index["templates"]]
    with open(log, "rb") as file:
        text = file.read(int(size)).decode("utf-8", "replace")
    started = time.process_time()
    found = sum(1 for one in patterns for _ in one.finditer(text))
    print(json.dumps({"cpu": time.process_time() - started, "found": found}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
