"""Answers of the engine with their details and cards, as data, for the tests of what is printed."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]


def line(file: str, number: int, text: str) -> Data:
    return {"file": file, "line": number, "text": text}


def row(number: int, text: str, *spans: list[int]) -> Data:
    return {"line": number, "text": text, "hit": bool(spans), "spans": list(spans)}


def finding(entry: str, role: str, evidence: list[Data], **fields: Any) -> Data:
    """A finding with its fields of little interest filled in."""
    rest = {"why": "Because.", "rank": None, "node": None, "all_ranks": False, "count": len(evidence)}
    title = entry.replace("-", " ").capitalize()
    found = {"entry": entry, "title": title, "url": f"entries/{entry}/", "role": role, "evidence": evidence}
    return found | rest | fields


def answer(verdict: str, findings: list[Data] | None = None, **fields: Any) -> Data:
    """An answer with its other fields empty."""
    stats = {"lines": 1234, "bytes": 56_789, "seconds": 0.0123}
    lists: Data = {name: [] for name in ("notices", "error_lines", "similar", "episodes", "remarks")}
    return {
        "schema": 1,
        "verdict": verdict,
        "findings": findings or [],
        "missing": None,
        "stats": stats,
        **lists,
        **fields,
    }


XID = "NVRM: Xid (PCI:0000:db:00): 79, pid=<unknown>, GPU has fallen off the bus."
WATCHDOG = "[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4471)"

CASCADE = answer(
    "match",
    [
        finding(
            "gpu-fell-off-the-bus",
            "initiating",
            [line("gpu-04.dmesg", 1183, XID)],
            title="GPU fell off the bus (`Xid 79`)",
            why="It is the earliest failure, and all other ranks only waited for rank 37.",
            rank=37,
            node="gpu-04",
            count=2,
        ),
        finding(
            "watchdog-timeout",
            "downstream",
            [line("gpu-00.log", 7712, WATCHDOG), line("gpu-01.log", 7650, WATCHDOG)],
            why="It reports that something else failed.",
            count=252,
        ),
    ],
    error_lines=[
        {**line("gpu-04.log", 6027, "terminate called after throwing an instance of 'c10::Error'"), "rank": 37},
        {**line("gpu-04.log", 6041, "telemetry: push failed: 503 (token=abc123def456)"), "rank": 38},
    ],
    remarks=["gpu-07.log ends in the middle of its compressed data; what could be unpacked was read."],
    notices=["nccl-plugin-missing"],
)

CASCADE_DETAILS: Data = {
    "context": [
        {
            "finding": 0,
            "file": "gpu-04.dmesg",
            "rows": [row(1182, "mlx5_core: Port module event"), row(1183, XID, [0, 73]), row(1185, "A GPU crash dump")],
        },
        {"finding": 1, "file": "gpu-00.log", "rows": [row(7712, WATCHDOG, [9, 52])]},
    ],
    "ranks": [
        {
            "rank": rank,
            "local": rank % 8,
            "node": f"gpu-0{rank // 8}",
            "seconds": after,
            "file": "x",
            "line": 1,
            "entry": None,
        }
        for rank, after in [(37, 0.0), (36, 2.6), (38, 2.6), *((rank, 600.1) for rank in range(36)), (39, 601.9)]
    ],
    "world": 64,
}

UNKNOWN = answer(
    "unknown",
    [finding("watchdog-timeout", "downstream", [line("train.log", 884, WATCHDOG)], count=28)],
    error_lines=[{**line("train.log", 901, "trainer.hooks: checkpoint hook failed (code 7)"), "rank": 5}],
    similar=[{"entry": "gpu-fell-off-the-bus", "score": 0.42}],
    missing="The output of rank 5, which did not report the timeout that the others report.",
    episodes=[
        {"file": "train.log", "first_line": 1, "last_line": 400, "verdict": "match", "entry": "gpu-fell-off-the-bus"},
        {"file": "train.log", "first_line": 401, "last_line": 912, "verdict": "unknown", "entry": "watchdog-timeout"},
    ],
)
UNKNOWN_DETAILS: Data = {
    "context": [{"finding": 0, "file": "train.log", "rows": [row(884, WATCHDOG, [9, 52])]}],
    "ranks": [],
    "world": 8,
}

CANDIDATES = answer(
    "unknown",
    [
        finding("port-is-taken", "possible", [line("a.log", 7, "RuntimeError: Address already in use")]),
        finding("gpu-fell-off-the-bus", "possible", [line("a.log", 7, "RuntimeError: Address already in use")]),
    ],
    missing="The answer to the check of each candidate; their lines alone do not tell them apart.",
)
NO_FAILURE = answer("no-failure", notices=["nccl-plugin-missing"])
NO_DETAILS: Data = {"context": [], "ranks": [], "world": None}

CARDS: Data = {
    "gpu-fell-off-the-bus": {
        "title": "GPU fell off the bus (`Xid 79`)",
        "summary": "The driver lost the GPU.",
        "kind": "cause",
        "check": {
            "text": "Does the GPU answer on the bus? [@xid-docs]",
            "command": {
                "run": "nvidia-smi -L | wc -l\nlspci -s {BUS}",
                "where": "training-host",
                "needs": "gpu",
                "output": "7",
                "expect": "One fewer than the node has.",
            },
            "if_yes": "It is gone: [[#drain]].",
            "if_no": "See [[uncorrectable-ecc|ECC errors]] and [[nvlink-error]].",
        },
        "quick_fix": {
            "text": "Keep new jobs away from the node.",
            "commands": [
                {"run": "nvidia-smi -q", "lang": "bash"},
                {
                    "run": "sudo scontrol update NodeName={NODE} State=DRAIN Reason=xid79",
                    "where": "login-node",
                    "needs": "root",
                    "danger": "disruptive",
                    "affects": ["node", "other-users"],
                    "warning": "No new job starts on the node.",
                    "undo": "sudo scontrol update NodeName={NODE} State=RESUME",
                },
                {"run": "sudo reboot", "danger": "destructive", "affects": ["node"]},
            ],
            "caveat": "The job itself is lost.",
        },
        "fixes": {"drain": "Drain the node and power-cycle it"},
        "alike": [{"entry": "nvlink-error", "short": "all 8 GPUs are `listed`", "how": "Xid 74 comes first."}],
    },
    "watchdog-timeout": {"title": "Watchdog reports a rank", "kind": "wrapper", "check": None, "quick_fix": None},
    "nccl-plugin-missing": {"title": "NCCL finds no plugin", "kind": "cause", "check": None, "quick_fix": None},
    "port-is-taken": {
        "title": "Port is taken",
        "check": {"text": "Is port 0 named?", "command": None, "if_yes": "No.", "if_no": "Yes."},
    },
}
