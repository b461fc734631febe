"""Checks of code: what parses, how values to put in are written, and which names exist."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest
from builders import MAIN, check_written, write_corpus
from faultbook.checks.known import known_names
from faultbook.checks.shell import syntax_fault


def command(run: str, lang: str = "bash", **more: str) -> str:
    """A quick fix with one command."""
    fields = "".join(f"      {name}: {value}\n" for name, value in more.items())
    body = textwrap.indent(run.rstrip("\n") + "\n", "        ")
    return f"quick_fix:\n  text: Do this.\n  commands:\n    - lang: {lang}\n{fields}      run: |\n{body}"


def messages(tmp_path: Path, text: str) -> list[str]:
    """The violations of an entry with these fields, as ``line code: message``."""
    found = check_written(write_corpus(tmp_path, {MAIN: text}))
    return [f"{violation.location.line} {violation.code}: {violation.message}" for violation in found]


PARSES = {
    "bash": [
        "ss -Htlnp 'sport = :29500'",
        "for i in 1 2; do torchrun train.py & done; wait",
        "read lo hi < /proc/sys/net/ipv4/ip_local_port_range; echo $((hi-lo+1))",
        "cat > hostfile <<EOF\nnode1 slots=8\nEOF",
        "ps -p {PID} -o pid=",
        "torchrun --nproc-per-node={GPUS} train.py",
        "awk '{n=split($4,a,\":\"); print a[n]}' log",
        'echo "a $(date) b"',
        "[[ -f x ]] && { echo y; }",
    ],
    "python": [
        "import torch\nprint(torch.__version__)",
        "return loss.item()",
        "    model.train()\n    loss.backward()",
        "x = await q.get()",
        "def f():\n    ...",
        "with torch.no_grad(): ...",
        "for batch in loader:\n    loss = model(batch)\n    if loss.isnan(): break",
        'f"{HOST}:{PORT}"',
    ],
    "yaml": ["a: 1\n---\nb: 2", "kind: Pod  # comment", "x: &a 1\ny: *a", "- !Ref X", "---\nspec:\n  hostIPC: true"],
    "json": ['{"a": 1}', '"zero_optimization": {"stage": 2}', "[1, 2]"],
    "toml": ['[tool.x]\na = "b"'],
    "ini": ["net.ipv4.tcp_tw_reuse = 1"],
    "text": ["anything: ' goes ("],
}
PARSED = [(lang, text) for lang, texts in PARSES.items() for text in texts]


@pytest.mark.parametrize(("lang", "text"), PARSED, ids=[text[:30] for _, text in PARSED])
def test_code_that_parses(lang: str, text: str, tmp_path: Path) -> None:
    assert [line for line in messages(tmp_path, command(text, lang)) if "code-syntax" in line] == []


@pytest.mark.parametrize(
    ("lang", "text", "message"),
    [
        ("bash", "echo 'open", "bash does not parse in line 1: unexpected EOF while looking for matching `''"),
        ("bash", "if true; then echo", "bash does not parse in line 2: syntax error: unexpected end of file"),
        ("bash", "ls\necho )", "bash does not parse in line 2: syntax error near unexpected token `)'"),
        ("bash", "ls | | wc", "bash does not parse in line 1: syntax error near unexpected token `|'"),
        ("python", "x = = 1", "python does not parse in line 1: invalid syntax"),
        ("python", "a = 1\n  b = 2", "python does not parse in line 2: unexpected indent"),
        ("python", "print 'x'", "python does not parse in line 1: Missing parentheses in call to 'print'"),
        ("yaml", "a: 1\n---\nb: c: d", "yaml does not parse in line 3: not YAML: mapping values are not allowed"),
        ("yaml", "a: 1\na: 2", "yaml does not parse in line 2: the key 'a' stands in line 1 already"),
        ("json", '{"a": }', "json does not parse: Expecting value: line 1 column 7 (char 6)"),
        ("json", "[" * 5000, "json does not parse: it is nested too deeply"),
        ("json", '"a": ' + "[" * 5000, "json does not parse: Extra data"),
        ("python", "return " + "-" * 5900 + "x", "python does not parse"),
    ],
)
def test_code_that_does_not_parse(lang: str, text: str, message: str, tmp_path: Path) -> None:
    if lang == "bash" and shutil.which("bash") is None:
        pytest.skip("without bash the words of the parser stand")
    found = messages(tmp_path, command(text, lang))
    assert [line.split(": ")[0].split(" ")[1] for line in found] == ["code-syntax"]
    assert f"code-syntax: {message}" in found[0]


def test_toml_that_does_not_parse(tmp_path: Path) -> None:
    pytest.importorskip("tomllib", reason="Python 3.10 has no parser for TOML")
    assert "toml does not parse" in messages(tmp_path, command("a = b", "toml"))[0]


def test_python_too_deep_for_the_parser_is_a_violation(tmp_path: Path) -> None:
    assert "code-syntax: python does not parse" in messages(tmp_path, command("(" * 2900 + ")" * 2900, "python"))[0]


def test_undo_is_checked_as_bash_or_in_the_language_of_its_command(tmp_path: Path) -> None:
    fields = {"danger": "reversible", "undo": "kubectl delete -f 'pod.yaml"}
    assert "code-syntax" in messages(tmp_path / "bash", command("ls", **fields))[0]
    assert "code-syntax" in messages(tmp_path / "python", command("x = 1", "python", **fields))[0]
    fields["undo"] = "kubectl delete -f pod.yaml"
    assert messages(tmp_path / "good", command("x = 1", "python", **fields)) == []


def test_example_code_is_checked(tmp_path: Path) -> None:
    text = "examples:\n  - {stack: PyTorch, title: Save, code: 'x = = 1', why: It says so.}\n"
    assert messages(tmp_path, text)[0].startswith("2 code-syntax: python does not parse in line 1")


def test_bash_that_only_the_parser_rejects_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.CompletedProcess(args=[], returncode=0, stdout=b"", stderr=b"")
    monkeypatch.setattr("faultbook.checks.shell.subprocess.run", lambda *_, **__: done)
    assert syntax_fault("echo )") is None


def test_without_bash_the_parser_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("faultbook.checks.shell.subprocess.run", missing)
    assert syntax_fault("ls\necho )") == "does not parse in line 2"


def test_bash_is_asked_only_about_what_the_parser_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faultbook.checks.shell.subprocess.run", None)
    assert [syntax_fault(text) for text in PARSES["bash"]] == [None] * len(PARSES["bash"])


def test_bash_never_runs_the_text(tmp_path: Path) -> None:
    assert syntax_fault(f"touch {tmp_path}/made; echo )") is not None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("run", "remedy"),
    [
        ("ps -p <PID>", "'<PID>' is to be put in by the reader; write '{PID}'"),
        ("ping -c 1 <node name>", "write '{NODE_NAME}'"),
        ("ping -c 1 YOUR_HOST", "write '{HOST}'"),
        ("kill -0 PID_HERE", "write '{PID}'"),
    ],
)
def test_value_in_another_form_is_a_violation(run: str, remedy: str, tmp_path: Path) -> None:
    found = messages(tmp_path, command(run))
    assert len(found) == 1
    assert "placeholder: " in found[0]
    assert remedy in found[0]


@pytest.mark.parametrize(
    "run",
    [
        "ps -p {PID}",
        "echo ${PID} $YOUR_HOST",
        "grep '<int>' log",
        "sort <in >out",
        "cat <<EOF\nx\nEOF",
        "YOUR_HOST=a ls",
    ],
)
def test_what_is_no_value_to_put_in(run: str, tmp_path: Path) -> None:
    assert messages(tmp_path, command(run)) == []


@pytest.mark.parametrize(
    ("lang", "run", "found"),
    [
        ("python", "store = connect({PORT})", True),
        ("python", 'host = "{HOST}"', True),
        ("python", 'f"{HOST}"', False),
        ("python", '"{HOST}".format(HOST=1)', False),
        ("yaml", "port: {PORT}", True),
        ("yaml", "port: '{{PORT}}'", False),
        ("yaml", "port: ${PORT}", False),
        ("ini", "port = {PORT}", True),
    ],
)
def test_placeholder_belongs_to_bash(lang: str, run: str, found: bool, tmp_path: Path) -> None:
    assert any("placeholder: " in line for line in messages(tmp_path, command(run, lang))) is found


@pytest.mark.parametrize(
    ("run", "wrong"),
    [
        ("torchrun --nproc-per-node=2 train.py --anything", []),
        ("torchrun --nnodes 2 --nproc_per_node 8 --rdzv-id=x -m train --anything", []),
        ("torchrun --standalone --tee 3 -r3 train.py --nproc_per_gpu 3", []),
        ("torchrun $EXTRA --nproc-per-node=2 train.py --foo", []),
        ("torchrun --nproc-per-gpu=2 train.py", ["--nproc-per-gpu"]),
        ("srun --ntasks-per-node=1 torchrun --nodes=2 train.py", ["--nodes"]),
        ("python -m torch.distributed.run --ndoes=2 train.py --foo", ["--ndoes"]),
        ("python3 -u -m torch.distributed.run --nnodes=2 train.py", []),
        ("accelerate launch --foo train.py", []),
        ("NCCL_DEBUG=INFO CUDA_VISIBLE_DEVICES=0 python x.py", []),
        ("export NCCL_SOCKET_IFNAME=eth0 NCCL_IB_DISABEL=1", ["NCCL_IB_DISABEL"]),
        ("env | grep -E 'NCCL_|NCCL_IB_*|TORCH_'", []),
        ("unset TORCH_NCCL_ASYNC_ERROR_HANDELING", ["TORCH_NCCL_ASYNC_ERROR_HANDELING"]),
    ],
)
def test_names_in_commands(run: str, wrong: list[str], tmp_path: Path) -> None:
    found = messages(tmp_path, command(run))
    assert [line.split("'")[1] for line in found] == wrong
    assert all(" unknown-name: " in line for line in found)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("perspectives: {lead: 'Set `NCCL_SOCKET_NODELAY=1`.'}", ["NCCL_SOCKET_NODELAY"]),
        ("perspectives: {lead: 'Set NCCL_SOCKET_NODELAY as if it were prose.'}", []),
        ("perspectives: {lead: 'Use `torchrun --nodes=2 train.py`.'}", ["--nodes"]),
        ("perspectives: {lead: 'It prints `CUDA_ERROR_OUT_OF_MEMORY`, from `TORCH_CHECK(x)` or `NCCL_IB_*`.'}", []),
        ("pitfalls: [{wrong: '`NCCL_SOCKET_NODELAY=1` fixes it.', right: There is no such variable.}]", []),
        ("pitfalls: [{wrong: It helps., right: '`NCCL_SOCKET_NODELAY` does not exist.'}]", ["NCCL_SOCKET_NODELAY"]),
    ],
)
def test_names_in_prose(field: str, wrong: list[str], tmp_path: Path) -> None:
    assert [line.split("'")[1] for line in messages(tmp_path, f"{field}\n")] == wrong


def test_unknown_name_stands_at_its_place_in_the_text(tmp_path: Path) -> None:
    found = check_written(write_corpus(tmp_path, {MAIN: command("ls\nexport NCCL_DEBUGG=INFO")}))
    assert [(place.line, place.column) for place in (violation.location for violation in found)] == [(7, 16)]


def test_lists_of_known_names_are_read() -> None:
    assert {"NCCL_DEBUG", "CUDA_VISIBLE_DEVICES", "TORCH_NCCL_BLOCKING_WAIT", "PET_NNODES"} <= known_names("variables")
    assert {"--nproc-per-node", "--nproc_per_node", "-m"} <= known_names("flags")
    assert all(" " not in name and "\t" not in name for name in known_names("variables") | known_names("flags"))
