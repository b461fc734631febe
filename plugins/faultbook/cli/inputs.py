"""The logs that a command is given: opened all at once, and read with a word on the way if they are large."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import click

from faultbook.engine.read import CHUNK, Input, open_input
from faultbook.violations import printable

UNREADABLE = 66
"""Exit code for input that cannot be read (``EX_NOINPUT`` of sysexits)."""
LARGE = 8_000_000
"""Bytes from which on progress is shown."""
_INTERVAL = 0.1


class UnreadableInput(click.ClickException):
    """Logs that cannot be read, with a line for each."""

    exit_code = UNREADABLE

    def show(self, file: TextIO | None = None) -> None:  # type: ignore[override]
        """Print the lines."""
        click.echo(self.message, err=True)


def open_inputs(names: Sequence[str]) -> list[Input]:
    """Open the files, ``-`` as standard input.

    Raises:
        UnreadableInput: some cannot be opened; all of them are named.
    """
    faults: list[str] = []
    inputs: list[Input] = []
    for name in names:
        try:
            source = _standard_input() if name == "-" else _file(name)
            inputs.append(Input(source.name, _naming(name, source.chunks)))
        except OSError as error:
            faults.append(fault(name, error))
    if faults:
        raise UnreadableInput("\n".join(faults))
    return inputs


def _naming(name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same chunks; an error while they are read names its log."""
    try:
        yield from chunks
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), name) from error


def fault(name: str, error: OSError) -> str:
    """A line that says why a log cannot be read."""
    return f"{shown(name)}: cannot be read: {printable(error.strerror or str(error))}"


def shown(name: str) -> str:
    """The name of a file as it is printed: bytes that are no text and control characters are escaped."""
    return printable(os.fsencode(name).decode("utf-8", "backslashreplace"))


def _file(name: str) -> Input:
    if Path(name).is_dir():
        raise IsADirectoryError(0, "it is a directory; name the files in it")
    return open_input(Path(name), shown(name))


def _standard_input() -> Input:
    if sys.stdin is None or sys.stdin.closed:
        raise OSError(0, "standard input is closed")
    if sys.stdin.isatty():
        click.echo("reading from the terminal; Ctrl-D ends the log", err=True)

    def chunks() -> Iterator[bytes]:
        while chunk := sys.stdin.buffer.read(CHUNK):
            yield chunk

    return Input("-", chunks())


def total_size(names: Iterable[str]) -> int | None:
    """Bytes of all files together; nothing if one of them is no regular file, so that its size says nothing."""
    total = 0
    for name in names:
        try:
            found = None if name == "-" else os.stat(name)
        except OSError:
            return None
        if found is None or not stat.S_ISREG(found.st_mode):
            return None
        total += found.st_size
    return total


@dataclass
class Progress:
    """One line on standard error that says how much was read, if that is a terminal and there is much to read."""

    total: int | None
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    _read: int = 0
    _last: float = 0.0
    _shown: bool = False

    def over(self, inputs: Iterable[Input]) -> list[Input]:
        """The same logs; reading them moves the line."""
        wanted = self.stream.isatty() and (self.total is None or self.total > LARGE)
        return [Input(source.name, self._chunks(source.chunks)) if wanted else source for source in inputs]

    def _chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._read += len(chunk)
            now = time.monotonic()
            if self._read > LARGE and now - self._last >= _INTERVAL:
                self._last = now
                self._shown = True
                self.stream.write(f"\r{self._words()}\x1b[K")
                self.stream.flush()
            yield chunk

    def _words(self) -> str:
        read = f"{self._read / 1e6:,.0f}"
        if not self.total:
            return f"read {read} MB"
        return f"read {read} of {self.total / 1e6:,.0f} MB, {min(100, self._read * 100 // self.total)} %"

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._shown = False
