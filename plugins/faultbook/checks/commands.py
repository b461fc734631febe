"""Checks of what commands do: their danger is marked, and what the mark demands is there."""

from __future__ import annotations

from collections.abc import Iterator

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.danger import ORDER, least_danger
from faultbook.checks.shell import read_script
from faultbook.corpus import Record
from faultbook.schema import Danger
from faultbook.violations import Violation, shorten


def _command(fields: str) -> Example:
    return Example(f"quick_fix:\n  text: Do this on the node of the job.\n  commands:\n{fields}")


class DangerMissing(Check):
    """A command can do more harm than its `danger` says.

    Readers type commands in a hurry, and the page shows a warning before it lets them copy a dangerous one. Mark what
    changes a setting as `reversible`, what ends processes, jobs or services as `disruptive`, what deletes or resets as
    `destructive`. Commands that only read, and those that end or delete what they have started or made themselves, need
    no mark.
    """

    code = "danger-missing"
    failing = _command("    - kill {PID}\n")
    passing = _command(
        "    - run: kill {PID}\n      danger: disruptive\n      affects: [own-job]\n"
        "      warning: It ends the whole job of this process.\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each command that is marked too low."""
        for path, command in record.entry.commands().items():
            if command.lang != "bash":
                continue
            least, what = least_danger(command.run)
            if least is None or ORDER.index(command.danger) >= ORDER.index(least):
                continue
            marked = f", not '{command.danger.value}'" if command.danger else ""
            message = f"'{shorten(what, 50)}' needs 'danger: {least.value}'{marked}; mark it, or choose another command"
            yield self.at(record, (*path, "danger") if command.danger else path, message)


class DangerIncomplete(Check):
    """A dangerous command does not say what it hits or how to take it back.

    A `reversible` command needs `undo`. A `disruptive` or `destructive` one needs `affects`, so that the reader knows
    who is hit, and `warning`, which is shown before the copy button works.
    """

    code = "danger-incomplete"
    failing = _command("    - run: sudo sysctl -w vm.swappiness=10\n      needs: root\n      danger: reversible\n")
    passing = _command(
        "    - run: sudo sysctl -w vm.swappiness=10\n      needs: root\n      danger: reversible\n"
        "      undo: sudo sysctl -w vm.swappiness=60\n"
    )

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each danger that lacks a part."""
        for path, command in record.entry.commands().items():
            if command.danger is None:
                continue
            needed = ("undo",) if command.danger is Danger.REVERSIBLE else ("affects", "warning")
            lacking = [f"'{name}'" for name in needed if not getattr(command, name)]
            if lacking:
                message = f"'{command.danger.value}' needs {' and '.join(lacking)} beside it; add what is missing"
                yield self.at(record, (*path, "danger"), message)


class NeedsRoot(Check):
    """A command uses `sudo` and does not say that it needs root.

    The mark tells readers without these rights, before they try, to ask whoever has them. Add `needs: root`.
    """

    code = "needs-root"
    failing = _command("    - sudo ss -Htlnp\n")
    passing = _command("    - run: sudo ss -Htlnp\n      needs: root\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such command."""
        for path, command in record.entry.commands().items():
            if command.lang != "bash" or command.needs == "root" or "sudo" not in command.run:
                continue
            if any(started.name == "sudo" for started in read_script(command.run).commands):
                yield self.at(record, path, "'sudo' needs root; add 'needs: root'")


CHECKS: tuple[Check, ...] = (DangerMissing(), DangerIncomplete(), NeedsRoot())
