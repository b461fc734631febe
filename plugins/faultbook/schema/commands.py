"""Commands that a page shows, and what they can do."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from faultbook.schema.fields import Code, Model, Output, Sentence

Who = Literal["user", "node-admin", "cluster-admin", "vendor"]


class Danger(str, Enum):
    """What a command can do to others or to stored data."""

    REVERSIBLE = "reversible"
    DISRUPTIVE = "disruptive"
    DESTRUCTIVE = "destructive"


def _command(value: Any) -> Any:
    return {"run": value} if isinstance(value, str) else value


class Command(Model):
    """A command; text alone is the same as `run`. A value to fill in is written `{PID}`, in bash only."""

    run: Annotated[Code, Field(examples=["ps -o user,pid,args -p {PID}"])]
    """The command as it is typed."""
    lang: Literal["bash", "python", "yaml", "text", "ini", "toml", "json"] = "bash"
    """Its language."""
    where: Literal["training-host", "rank0-host", "every-host", "login-node", "container"] | None = None
    """The machine on which it is typed."""
    needs: Literal["root", "gpu"] | None = None
    """What it needs to work."""
    output: Output | None = None
    """What it prints, to the letter."""
    expect: Sentence | None = None
    """What to look for in what it prints."""
    danger: Danger | None = None
    """Nothing for a command that reads, or starts only the reader's own job."""
    affects: Annotated[
        tuple[Literal["own-job", "other-users", "node", "cluster", "stored-data"], ...], Field(max_length=5)
    ] = ()
    """Who or what is hit."""
    warning: Sentence | None = None
    """What to know before it is typed; shown before the copy button works."""
    undo: Annotated[Code, Field(examples=["sudo sysctl -w net.core.somaxconn={OLD}"])] | None = None
    """How to take a reversible command back."""
    tested: Literal["run", "parsed"] | None = None
    """`run`: was run with real values. `parsed`: only its syntax was checked."""


AnyCommand = Annotated[Command, BeforeValidator(_command)]
