"""Run a script for a bounded time, so that nothing of it stays behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 300
"""Time after which a script is ended; the frame of the scripts ends a case before that."""
LOG_BYTES = 4_000_000
"""How much of a log is read; a longer one is cut at its end."""
CANNOT_RUN = 77
"""Exit code of a script that cannot run on this machine."""
_GRACE = 5


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its exit code, what it printed, and the time in seconds. 124 stands for a run out of time."""

    code: int
    log: str
    seconds: float


class Runner:
    """Runs scripts with one Python; `stop` ends all of them, from any thread."""

    def __init__(self, python: Path, seconds: int = SECONDS) -> None:
        self.python = python
        self.seconds = seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, script: Path, *arguments: str) -> Outcome:
        """Run a script in a fresh directory, which is gone afterwards.

        Raises:
            OSError: Python cannot be started.
        """
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faultbook-", ignore_cleanup_errors=True) as folder:
            output = Path(folder, "output")
            with output.open("wb") as file, self._process(script, arguments, folder, file.fileno()) as process:
                code = self._wait(process)
            with output.open("rb") as printed:
                log = printed.read(LOG_BYTES).decode("utf-8", "replace")
        return Outcome(code, log, time.monotonic() - started)

    def stop(self) -> None:
        """End what is running, and let nothing start any more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            _end(process)

    @contextlib.contextmanager
    def _process(
        self, script: Path, arguments: Sequence[str], folder: str, output: int
    ) -> Iterator[subprocess.Popen[bytes]]:
        # Where it can be had, the kernel ends the script with this program, also when that is killed.
        tied = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with self._lock:
            if self._stopped:
                raise InterruptedError("stopped")
            process = subprocess.Popen(
                [*tied, str(self.python), str(script.absolute()), *arguments],
                cwd=folder,
                env={**os.environ, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            yield process
        finally:
            _end(process)
            with self._lock:
                self._running.discard(process)

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return 124


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a script and what it started: politely, so that it can clean up, then for certain."""
    for number, grace in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, None)):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(grace)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
