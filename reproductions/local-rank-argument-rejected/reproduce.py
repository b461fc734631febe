#!/usr/bin/env python3
"""Hand a script its local rank in a form that it does not read.

usage: reproduce.py [--case NAME] [--fixed]      NAME: see CASES; the default is hyphen
exit:  0 the expected outcome was seen, 1 it was not, 77 torch or unprivileged user namespaces are missing
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab import cases, ranks

if importlib.util.find_spec("torch") is None:
    cases.cannot("No module named 'torch'")

LAUNCH = [sys.executable, "-m", "torch.distributed.launch", "--nproc-per-node=2"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]


def parser(*names: str, **settings: object) -> argparse.ArgumentParser:
    """The command line of a training script that takes its local rank from an argument."""
    made = argparse.ArgumentParser(prog="train.py")
    made.add_argument("--role")
    made.add_argument(*names, type=int, **settings)
    return made


def underscore() -> None:
    """A script from before PyTorch 2.0."""
    print("trained on GPU", parser("--local_rank", default=0).parse_args().local_rank, flush=True)


def both() -> None:
    """A script that takes both spellings, and the variable when neither is given."""
    default = int(os.environ["LOCAL_RANK"])
    arguments = parser("--local-rank", "--local_rank", default=default).parse_args()
    print("trained on GPU", arguments.local_rank, flush=True)


def required() -> None:
    """A script that cannot do without the argument."""
    print("trained on GPU", parser("--local_rank", required=True).parse_args().local_rank, flush=True)


def lenient() -> None:
    """A script that passes over what it does not know."""
    arguments, _ = parser("--local_rank", default=0).parse_known_args()
    print("trained on GPU", arguments.local_rank, flush=True)


def run(launcher: list[str], role: str) -> None:
    """Start the script on two ranks and print what they said."""
    ranks.report(train=ranks.start([*launcher, os.path.abspath(__file__), "--role", role], 150))


def hyphen(fixed: bool) -> None:
    """The launcher writes a hyphen, the script knows the underscore. Fix: take both."""
    run(LAUNCH, "both" if fixed else "underscore")


def switched(fixed: bool) -> None:
    """torchrun instead, with the script left as it is: no error, and the default on every rank. Fix: the variable."""
    run(TORCHRUN, "both" if fixed else "underscore")


def missing(fixed: bool) -> None:
    """torchrun passes no argument, and the script demands one. Fix: read the variable."""
    run(TORCHRUN, "both" if fixed else "required")


def swallowed(fixed: bool) -> None:
    """A script that ignores unknown arguments has the default on every rank. Fix: take both."""
    run(LAUNCH, "both" if fixed else "lenient")


CASES = {
    "hyphen": cases.Case(hyphen, "train.py: error: unrecognized arguments: --local-rank=", "trained on GPU 1"),
    "required": cases.Case(missing, "error: the following arguments are required: --local_rank", "trained on GPU 1"),
    "switched": cases.Case(switched, "trained on GPU 0\ntrained on GPU 0", "trained on GPU 1", diagnosed=False),
    "swallowed": cases.Case(swallowed, "trained on GPU 0\ntrained on GPU 0", "trained on GPU 1", diagnosed=False),
}

if __name__ == "__main__":
    roles = {"underscore": underscore, "both": both, "required": required, "lenient": lenient}
    sys.exit(cases.main(__file__, CASES, roles))
