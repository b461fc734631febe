#!/usr/bin/env python3
"""Read and print text beyond ASCII where Python takes ASCII for the encoding. One CPU process, a second a case.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is read
exit:  0 the expected outcome was seen, 1 it was not, 77 unprivileged user namespaces are missing
"""

from __future__ import annotations

import locale
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

LABELS = pathlib.Path("labels.txt")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""The C locale as Python 3.6 takes it; since 3.7 it stands for UTF-8 unless these two variables are 0."""


def read(fixed: bool) -> None:
    """open() without an encoding in the C locale, without UTF-8 mode. Fix: name the encoding."""
    train("named" if fixed else "unnamed", **ASCII)


def streams_only(fixed: bool) -> None:
    """PYTHONIOENCODING is for standard streams, and open() still takes ASCII. Fix: UTF-8 mode."""
    train("unnamed", **(ASCII | {"PYTHONIOENCODING": "utf-8"} | ({"PYTHONUTF8": "1"} if fixed else {})))


def streams(fixed: bool) -> None:
    """PYTHONIOENCODING sets ASCII for print, even in a UTF-8 locale. Fix: take it out."""
    train("printed", LC_ALL="C.UTF-8", **({} if fixed else {"PYTHONIOENCODING": "ascii"}))


def switched(fixed: bool) -> None:
    """Python starts in a UTF-8 locale, and a library changes the locale later. Fix: UTF-8 mode."""
    train("library", LC_ALL="C.UTF-8", PYTHONUTF8=str(int(fixed)))


def train(role: str, **variables: str) -> None:
    """Start a process that reads class names, in an environment of its own."""
    LABELS.write_bytes("chat\nchâtaigne\n".encode())
    ranks.report(train=ranks.start(ranks.again(__file__, role), **variables))


def unnamed() -> None:
    """Read the class names as most scripts do."""
    with open(LABELS) as file:
        print("classes", file.read().split(), flush=True)


def named() -> None:
    """Read them as UTF-8, and print how many there are."""
    with open(LABELS, encoding="utf-8") as file:
        print("classes", len(file.read().split()), flush=True)


def printed() -> None:
    """Read them as UTF-8, and print them."""
    with open(LABELS, encoding="utf-8") as file:
        print("classes", file.read().split(), flush=True)


def library() -> None:
    """A library switches the locale of the process, as some do for their own parsing."""
    locale.setlocale(locale.LC_ALL, "C")
    unnamed()


CASES = {
    "read": cases.Case(read, "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3", "classes"),
    "streams-only": cases.Case(streams_only, "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3", "classes"),
    "streams": cases.Case(streams, "UnicodeEncodeError: 'ascii' codec can't encode character", "classes"),
    "switched": cases.Case(switched, "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3", "classes"),
}
ROLES = {"unnamed": unnamed, "named": named, "printed": printed, "library": library}

if __name__ == "__main__":
    sys.exit(cases.main(__file__, CASES, ROLES))
