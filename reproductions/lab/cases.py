"""The frame around the cases of a reproduction: isolation, bounds, outcome."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import inspect
import io
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import NoReturn

CANNOT_RUN = 77
"""Exit code of a script that cannot run on this machine; the last line that it prints says why."""
SECONDS = 240
"""Time after which a case is ended."""
CPU_SECONDS = 400
"""Processor time after which one process of a case is ended."""
FILE_BYTES = 2**30
"""Size over which no process of a case may write a file."""
ISOLATED = [
    *("unshare", "--user", "--map-root-user", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork"),
    *("--mount-proc", "--kill-child"),
]
_CLAIM = "FAULTBOOK_LAB_CLAIM"
# Stack frames differ from build to build and hide the message between them.
NOISE = re.compile(r"^(frame #|Exception raised from|<omitting python frames>|\s*$)|OMP_NUM_THREADS|\*{20}")


@dataclasses.dataclass(frozen=True)
class Case:
    """A failure to bring about; its docstring is that of `play`.

    Args:
        play: brings it about; gets whether the fix is in place.
        broken: a text that the log holds without the fix, in one line or over several.
        mended: a text that it holds with the fix. A log with the fix must not hold `broken`.
        diagnosed: whether the log without the fix must be diagnosed as the entry of the script. False for a case
            that ends without an error line, or that shows a look-alike or a claim of the entry.
    """

    play: Callable[[bool], None]
    broken: str
    mended: str
    diagnosed: bool = True

    @property
    def about(self) -> str:
        """The first line of what `play` says of itself."""
        return (inspect.getdoc(self.play) or "").partition("\n")[0]


def cannot(reason: object) -> NoReturn:
    """End a script that cannot run here, and say why."""
    print(f"cannot run here: {reason}", flush=True)
    os._exit(CANNOT_RUN)


def needs(*modules: str) -> None:
    """End a script that lacks one of these modules; imports none of them, because torch takes seconds each time."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            cannot(f"No module named '{module}'")


def name() -> str:
    """Which case runs; for what a case has started."""
    return os.environ["LAB_CASE"]


def fixed() -> bool:
    """Whether the fix is in place; for what a case has started."""
    return os.environ["LAB_FIXED"] == "1"


def sh(command: str) -> None:
    """Run a shell command that must succeed."""
    sys.stdout.flush()
    subprocess.run(command, shell=True, check=True)


def clean(log: str) -> str:
    """Drop stack frames and blank lines from a log."""
    return "\n".join(line for line in log.splitlines() if not NOISE.search(line))


def isolate(script: str) -> None:
    """Run the script once more, isolated, judge what it prints, and exit; within that second run do nothing.

    A script calls this before it imports anything large, so that only the second run pays for it.
    """
    args = _arguments()
    if args.inside or args.role or args.list:
        return
    for program in ("unshare", "setpriv"):
        if not shutil.which(program):
            cannot(f"{program} of util-linux is missing")
    sys.exit(_judge(args.fixed, *_isolated(script)))


def main(script: str, cases: Mapping[str, Case], roles: Mapping[str, Callable[[], None]] | None = None) -> int:
    """Run the case that the command line names, isolated, and judge its log.

    Args:
        script: `__file__` of the caller.
        cases: by name; the first is the default.
        roles: what the script does when a case starts it once more, as `[sys.executable, script, "--role", NAME]`.

    Returns:
        0 the expected outcome was seen, 1 it was not, 77 it cannot run here.
    """
    isolate(script)
    args = _arguments(cases, roles or {})
    if args.list:
        print(json.dumps([{"name": name, "about": c.about, "diagnosed": c.diagnosed} for name, c in cases.items()]))
        return 0
    if args.role and roles:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # torchrun turns buffering off, and then the lines of two ranks come apart at their ends.
            sys.stdout.reconfigure(line_buffering=True, write_through=False)
        roles[args.role]()
        leave()
    case = cases[args.case]
    # Whoever started this run judges it, and must know what the case claims.
    with os.fdopen(int(os.environ.pop(_CLAIM)), "w") as claim:
        json.dump([case.broken, case.mended], claim)
    _prepare()
    os.environ.update(LAB_CASE=args.case, LAB_FIXED=str(int(args.fixed)))
    case.play(args.fixed)
    return leave()


def _arguments(
    cases: Mapping[str, Case] | None = None, roles: Mapping[str, Callable[[], None]] | None = None
) -> argparse.Namespace:
    """The command line; without cases, before they are known, nothing is refused and no help is given."""
    parser = argparse.ArgumentParser(add_help=cases is not None)
    parser.add_argument("--case", choices=cases, default=next(iter(cases), None) if cases else None)
    parser.add_argument("--fixed", action="store_true", help="with the fix in place")
    parser.add_argument("--list", action="store_true", help="print the cases as JSON")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--role", choices=roles, help=argparse.SUPPRESS)
    return parser.parse_known_args()[0]


def _isolated(script: str) -> tuple[int, str, list[str]]:
    """Exit code, output and claim of the script in namespaces and a directory of its own."""
    again = [sys.executable, os.path.abspath(script), "--inside", *sys.argv[1:]]
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="faultbook-lab-") as scratch:
        run = subprocess.Popen(
            # The kernel ends the namespaces with this process, also when it is killed.
            ["setpriv", "--pdeathsig", "KILL", *ISOLATED, *again],
            cwd=scratch,
            env={**_environment(scratch), _CLAIM: str(writing)},
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        os.close(writing)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, _: sys.exit(128 + received))
        try:
            log, _ = run.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            run.kill()
            log = f"{run.communicate()[0]}\nended after {SECONDS} s"
        finally:
            run.kill()
            run.wait()
        with os.fdopen(reading) as claim:
            claimed = claim.read()
        log = log.replace(os.path.realpath(scratch), "/scratch").replace(scratch, "/scratch")
        return run.returncode, log, json.loads(claimed or "[]")


def _environment(scratch: str) -> dict[str, str]:
    dropped = re.compile(r"^(MASTER_|RANK$|WORLD_SIZE$|LOCAL_|TORCH|NCCL_|GLOO_|SLURM_|CUDA_|PYTHON(?!HASHSEED))")
    kept = {name: value for name, value in os.environ.items() if not dropped.match(name)}
    ours = {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "TORCH_DISABLE_ADDR2LINE": "1"}
    return {**kept, **ours, "HOME": scratch, "TMPDIR": scratch}


def _judge(fixed: bool, code: int, log: str, claim: list[str]) -> int:
    print(log, flush=True)
    last = log.rstrip().rpartition("\n")[2]
    if last.startswith("unshare: "):
        cannot(f"unprivileged user namespaces are off ({last})")
    if code == CANNOT_RUN or not claim:
        return code or 1
    broken, mended = claim
    if fixed:
        return 0 if mended in log and broken not in log else 1
    return 0 if broken in log else 1


def _prepare() -> None:
    """Bounds, and what the namespaces lack: a loopback interface that is up, memory and files of their own."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if shutil.which("ip"):
        sh("ip link set lo up")
    sh("mount -t tmpfs -o size=2g,mode=1777 tmpfs /dev/shm")
    # Files in memory are gone with the mount, whatever ends the run.
    scratch = os.getcwd()
    sh(f"mount -t tmpfs -o size=4g tmpfs {shlex.quote(scratch)}")
    os.chdir(scratch)
    # The name of the machine may belong to an address that exists outside only, or be asked of a server there.
    socket.sethostname("node0")
    cover("/etc/hosts", "127.0.0.1 localhost\n127.0.0.1 node0\n")
    cover("/etc/nsswitch.conf", "hosts: files\n")


def leave(code: int = 0) -> NoReturn:
    """End this process at once, with all that it printed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads of gloo sometimes abort an ordinary exit


def cover(path: str, text: str, enter: tuple[str, ...] = ()) -> None:
    """Lay a file of our own over a system file, for one mount namespace only."""
    handle, name = tempfile.mkstemp(dir=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    pathlib.Path(name).chmod(0o644)
    subprocess.run([*enter, "mount", "--bind", name, path], check=True)
