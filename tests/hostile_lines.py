"""Run lines that are hard for patterns through the engine; a process of its own, since a bad pattern would not end.

Each line repeats one unit behind one start and ends with what makes patterns fail late. Patterns of the wrong form take
time that grows with a power of the length of such a line: one of them took 20 seconds for one line of 4,000 characters.
"""

from __future__ import annotations

from faultbook.engine.compiler import load_rules
from faultbook.engine.episodes import episodes
from faultbook.engine.normalise import normalise
from faultbook.engine.rules import Rules
from faultbook.engine.scan import Piece
from faultbook.engine.signs import signs

STARTS = ["", "[", "(", "a", "0", "│", "| ", "╭", "a:", "[rank", "Nov 30 12:00:00 ", "2026-11-30 12:00:00 ", '{"log":"']
UNITS = [
    "a", "0", "A", "-", "_", ".", ":", "/", "[", "(", "|", "│", "─", "a.", "a::", "Aa", "0.", "[0", "]", "<", "a/",
    "error", "Error", "a.Error", "10:", "╭", "[m", "[1;", "[0m", "{", '"', "x_", "x-", "0:", "a:", ",", "=", "'",
    "SIG", "a@", " ", "\t", ": ", "a ", "- ", "Error: ", "│ ", "| ", "─ ", "[repeated ", "(a ", "Rank ", "Assertion ",
    " failed", "nranks ", "world_size", "pid=1", "2026-", "12:00:00 ", "INFO ", "Nov 30 ", "Traceback ", "exit code",
    " [repeated 1x",
]  # fmt: skip
LENGTH = 2_000


def main() -> None:
    """Go the way of a log with all of them."""
    rules = Rules(load_rules())
    lines = [(start + unit * LENGTH)[:LENGTH] + "\x01" for start in STARTS for unit in UNITS]
    for number, line in enumerate(lines):
        events = normalise([Piece(number, 1, line.encode())], rules)
        signs(events, range(len(events)), rules)
        episodes(events, rules)
    print(len(lines))


if __name__ == "__main__":
    main()
