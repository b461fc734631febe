"""Measure how fast a log is diagnosed, beside `ripgrep` on the same anchors and beside one pattern a signature.

usage: python benchmarks/diagnose.py [--rounds 3] [--templates 3000] [--megabytes 100] [--dense 20] [--only NAME,NAME]

A log of a run of 64 ranks that fails in the middle, a log that is mostly error text, and a paste of 200 lines are made
in a temporary folder, with a corpus of so many templates: the real ones, the rest harvested from installed Python
code. Engines whose answer differs are named. Needs `rg` and `node` on the path, and Chromium (see `CHROMIUM`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FAULTBOOK = str(Path(sys.executable).with_name("faultbook"))
PATTERN_BYTES = 1_000_000
REFERENCE = "rg -F"


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds, CPU seconds, peak memory in MB, and what it printed."""

    wall: float
    cpu: float
    memory: float
    printed: bytes = b""


def run(command: Sequence[str], environment: dict[str, str], given: Path | None = None) -> Cost:
    """Run a program and measure it from its start to its end."""
    with tempfile.TemporaryFile() as output, open(given or os.devnull, "rb") as source:
        started = time.perf_counter()
        child = subprocess.Popen(command, env=environment, stdin=source, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1, 2):
            raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
        output.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read())


class Bench:
    """The programs that are measured, on what was made in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fast = {**os.environ, "FAULTBOOK_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
        # Whoever installs without the extra gets the engine in pure Python.
        hidden = folder / "without"
        hidden.mkdir(exist_ok=True)
        (hidden / "ahocorasick_rs.py").write_text('raise ImportError("measured without it")\n', "utf-8")
        self.pure = {**self.fast, "PYTHONPATH": str(hidden)}

    def ours(self, log: str) -> list[str]:
        """The command line on a log, with the made corpus."""
        where = str(self.folder / log) if log != "-" else log
        return [FAULTBOOK, "diagnose", "--entries", str(self.folder / "entries"), "--format", "json", where]

    def once(self, name: str, log: str) -> Cost:
        """One run of one engine on one log."""
        where, index = str(self.folder / log), str(self.folder / "index.json")
        if name == REFERENCE:
            anchors = str(self.folder / "anchors.txt")
            return run(["rg", "-F", "-f", anchors, "-j1", "-n", "-a", where], self.fast)
        if name == "Node":
            return run(["node", str(HERE / "engine_node.js"), index, where], self.fast)
        if name == "Chromium":
            return self._chromium(index, where)
        return run(self.ours(log), self.fast if name == "fast" else self.pure)

    def _chromium(self, index: str, log: str) -> Cost:
        (found,) = json.loads(run(["node", str(HERE / "engine_browser.js"), index, log], self.fast).printed)
        return Cost(found["wall"], found["cpu"], found["memory"], json.dumps(found).encode())


def answer(cost: Cost) -> dict[str, Any]:
    """The answer that a run printed, without the time that it took."""
    found = json.loads(cost.printed)
    found = found.get("answer", found)
    del found["stats"]["seconds"]
    for row in (row for part in ("findings", "error_lines") for row in found[part]):
        for place in row.get("evidence", [row]):
            place["file"] = Path(place["file"]).name
    return dict(found)


def engines(bench: Bench, log: str, names: Sequence[str], rounds: int) -> dict[str, list[Cost]]:
    """The costs of engines that take turns on a log."""
    costs: dict[str, list[Cost]] = {name: [] for name in (REFERENCE, *names)}
    for _ in range(rounds):
        for name, found in costs.items():
            found.append(bench.once(name, log))
            print(f"{log}, {name}: {found[-1].cpu:.2f} CPU s, {found[-1].wall:.2f} s", file=sys.stderr, flush=True)
    return costs


def differing(costs: dict[str, list[Cost]]) -> list[str]:
    """The engines whose answer is not that of the first one."""
    answers = {name: answer(found[0]) for name, found in costs.items() if name != REFERENCE}
    return [name for name, found in answers.items() if found != next(iter(answers.values()))]


def median(costs: Sequence[Cost], key: str) -> float:
    """The middle of one number over the rounds."""
    return float(statistics.median(getattr(cost, key) for cost in costs))


def table(title: str, size: float, costs: dict[str, list[Cost]]) -> list[str]:
    """The rows of one log; a ratio of 1 is as fast as the reference, a smaller one is slower."""
    reference = costs[REFERENCE]
    lines = [title, "", "| engine | s | CPU s | MB/s | peak MB | speed by time | by CPU |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for name, found in costs.items():
        wall, cpu = median(found, "wall"), median(found, "cpu")
        ratios = f"{median(reference, 'wall') / wall:.2f} | {median(reference, 'cpu') / cpu:.2f}"
        lines.append(
            f"| {name} | {wall:.2f} | {cpu:.2f} | {size / 1e6 / wall:.0f} | {median(found, 'memory'):.0f} | {ratios} |"
        )
    return [*lines, ""]


def each_pattern(bench: Bench) -> list[str]:
    """One pattern a signature, on a part of the log."""
    arguments = [str(bench.folder / "index.json"), str(bench.folder / "run.log"), str(PATTERN_BYTES)]
    cost = json.loads(run([sys.executable, str(HERE / "each_re.py"), *arguments], bench.fast).printed)["cpu"]
    size = (bench.folder / "run.log").stat().st_size
    return [
        f"One `re` for each template: {cost:.2f} CPU s for the first {PATTERN_BYTES / 1e6:.0f} MB, which would be "
        f"{cost * size / PATTERN_BYTES:.0f} s for the whole log (extrapolated).",
        "",
    ]


def gaps(costs: Sequence[Cost]) -> str:
    """The gaps of the page's timer."""
    found = [json.loads(cost.printed) for cost in costs]
    busy, idle = (statistics.median(one[key] for one in found) for key in ("gap", "idle"))
    return f"Longest gap of a timer in the page: {busy:.0f} ms while the worker runs, {idle:.0f} ms while it does not."


def paste(bench: Bench, rounds: int) -> list[str]:
    """A paste of 200 lines from the start of the process, on the made corpus and on the packaged one."""
    given = bench.folder / "paste.log"
    packaged = [FAULTBOOK, "diagnose", "--format", "json", "-"]
    lines = [
        "200 lines on standard input, from the start of the process",
        "",
        "| corpus | engine | s | CPU s | peak MB |",
    ]
    lines.append("|---|---|--:|--:|--:|")
    for corpus, command in (("made", bench.ours("-")), ("packaged", packaged)):
        for name, environment in (("pure Python", bench.pure), ("fast", bench.fast)):
            costs = [run(command, environment, given) for _ in range(rounds + 1)][1:]
            wall, cpu, memory = (median(costs, key) for key in ("wall", "cpu", "memory"))
            lines.append(f"| {corpus} | {name} | {wall:.2f} | {cpu:.2f} | {memory:.0f} |")
    return [*lines, ""]


def machine() -> str:
    """The machine and the versions."""
    tools = [["rg", "--version"], ["node", "--version"], [os.environ.get("CHROMIUM", "chromium"), "--version"]]
    shown = []
    for tool in tools:
        try:
            text = subprocess.run(tool, capture_output=True, text=True, check=True).stdout.split("\n")[0].strip()
        except (OSError, subprocess.CalledProcessError):
            continue
        shown.append(f"Node {text}" if text.startswith("v") else text)
    system = f"{os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}"
    return (
        f"{system}, Python {platform.python_version()}, {', '.join(shown)}; load {os.getloadavg()[0]:.1f} at the start."
    )


def report(bench: Bench, made: dict[str, Any], names: Sequence[str], rounds: int) -> list[str]:
    """All tables as Markdown."""
    index = (bench.folder / "index.json").read_bytes()
    lines = [
        machine(),
        "",
        f"{made['templates']} templates ({made['real']} of entries), {made['anchors']} anchors; index "
        f"{len(index) / 1000:.0f} KB, {len(gzip.compress(index, 9)) / 1000:.0f} KB gzipped.",
        "",
    ]
    for log, title in (("run.log", "A run of 64 ranks that fails in the middle"), ("dense.log", "Mostly error text")):
        size = (bench.folder / log).stat().st_size
        costs = engines(bench, log, names, rounds if log == "run.log" else 1)
        lines += table(f"{title}, {size / 1e6:.0f} MB", size, costs)
        if other := differing(costs):
            lines += [f"**Another answer**: {', '.join(other)}.", ""]
        if "Chromium" in costs:
            lines += [gaps(costs["Chromium"]), ""]
        if log == "run.log":
            lines += each_pattern(bench)
    return lines + paste(bench, 2 * rounds)


def main() -> int:
    """Make everything, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--templates", default="3000")
    parser.add_argument("--megabytes", default="100")
    parser.add_argument("--dense", default="20")
    parser.add_argument("--only", default="pure,fast,Node,Chromium")
    parser.add_argument(
        "--folder",
        type=Path,
        help="keep what is made here, and use it again",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        sizes = ["--templates", options.templates, "--megabytes", options.megabytes, "--dense", options.dense]
        made = json.loads(
            run([sys.executable, str(HERE / "made_load.py"), str(folder), *sizes], dict(os.environ)).printed
        )
        print("\n".join(report(Bench(folder), made, options.only.split(","), options.rounds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
