"""Masking: secrets go, what helps stays, and no line makes it slow."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from faultbook.engine.mask import mask, mask_with_spans
from hypothesis import given, settings
from hypothesis import strategies as st

module = sys.modules[mask.__module__]
VECTORS = json.loads((Path(__file__).parent / "vectors/mask.json").read_text("utf-8"))
RULES = json.loads((Path(module.__file__ or "").with_name("mask.json")).read_text("utf-8"))
MARK = "••••"


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: f"{row['title']}: {row['text'][:50]}")
def test_a_text_is_masked_to_the_letter(row: dict[str, str]) -> None:
    assert mask(row["text"]) == row["masked"]


def test_vectors_hold_both_kinds() -> None:
    changed = [row for row in VECTORS if row["text"] != row["masked"]]
    assert len(changed) > 80
    assert len(VECTORS) - len(changed) > 30
    assert all((row["title"] == "harmless") == (row["text"] == row["masked"]) for row in VECTORS)


def test_every_rule_is_needed_by_a_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    mark, rules = module._rules()
    idle = []
    for position, rule in enumerate(RULES["rules"]):
        others = rules[:position] + rules[position + 1 :]
        monkeypatch.setattr(module, "_rules", lambda others=others: (mark, others))
        if all(mask(row["text"]) == row["masked"] for row in VECTORS):
            idle.append(rule["name"])
    assert idle == []


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: f"{row['title']}: {row['text'][:50]}")
def test_masking_twice_changes_nothing_more(row: dict[str, str]) -> None:
    assert mask(row["masked"]) == row["masked"]


SECRET = "".join(
    chr(code) for code in (*range(ord("a"), ord("z")), *range(ord("A"), ord("I")), *range(ord("0"), ord("4")))
)
FORMS = (
    "hf_{}",
    "ghp_{}",
    "sk-{}",
    "glpat-{}",
    "nvapi-{}",
    "Authorization: Bearer {}",
    "password={}",
    '"secret": "{}"',
    "--token {}",
    "https://user:{}@example.org/x",
    "WANDB_API_KEY={}",
)


@given(
    st.sampled_from(FORMS), st.permutations(SECRET), st.text("ab1 =:'\"[](),\\/@-\n", max_size=12), st.text(max_size=12)
)
@settings(max_examples=300, deadline=None)
def test_a_secret_goes_whatever_stands_around_it(form: str, letters: list[str], before: str, after: str) -> None:
    secret = "".join(letters)
    shown = mask(f"{before} {form.format(secret)} {after}")
    assert secret[4:] not in shown
    assert MARK in shown


@given(st.text("abAB01 \n\t=:'\"()[],;&@./\\-_+?#•password token secret key Bearer eyJ ://", max_size=200))
@settings(max_examples=500, deadline=None)
def test_any_text_can_be_masked_and_masked_again(text: str) -> None:
    once = mask(text)
    assert mask(once).count("\n") == once.count("\n")


HARD = (
    *("a", "A", "0", "-", "=", "/", "@", ".", "\\", '"', "'", "aA0", "aA0+/ ", "a@", "a@b.", "a@b-", "1@a.a-"),
    *("://", "://a@", "://a:", "eyJ", "eyJ.", "aws", "aws a", "secret ", "secret=", 'password="', "token=", "key= "),
    *("--", "--a-", "--a_token ", "-u a:", "Bearer ", "Authorization: ", "sk-a", "hf_", "AKIA", "-----BEGIN "),
    *("-----BEGIN A PRIVATE KEY-----", "login ", "?sig=", "SG.a.", "api key ", MARK),
)


@pytest.mark.parametrize("part", HARD)
def test_time_is_linear_in_the_line(part: str) -> None:
    def seconds(length: int) -> float:
        line = (part * length)[:length]
        start = time.process_time()
        for text in (line, f"password={line}", f"{line}@"):
            mask(text)
        return time.process_time() - start

    seconds(100)
    short, long = seconds(4_096), seconds(16_384)
    assert long < 8 * short + 0.05


def test_spans_follow_the_text() -> None:
    text = "x password=hunter2 then error 17 of hf_" + "a" * 30
    spans = [(0, 1), (text.index("hunter2"), text.index("hunter2") + 7), (text.index("error"), text.index("error") + 8)]
    spans += [(text.index("nter"), text.index("nter") + 2), (text.index("of"), len(text))]
    shown, moved = mask_with_spans(text, spans)
    assert shown == f"x password={MARK} then error 17 of {MARK}"
    assert [shown[start:end] for start, end in moved] == ["x", MARK, "error 17", MARK, f"of {MARK}"]


@given(
    st.lists(
        st.sampled_from(["password=a1", "error 7", "bob@example.org", "hf_" + "a1" * 12, "•", " ", "\n"]), max_size=8
    )
)
@settings(deadline=None)
def test_spans_stay_within_the_text_and_in_order(parts: list[str]) -> None:
    text = " ".join(parts)
    ends = [len(" ".join(parts[: position + 1])) for position in range(len(parts))]
    shown, moved = mask_with_spans(text, [(end - len(part), end) for part, end in zip(parts, ends, strict=True)])
    assert all(0 <= start <= end <= len(shown) for start, end in moved)
    assert moved == sorted(moved)
    for part, (start, end) in zip(parts, moved, strict=True):
        assert part != "error 7" or shown[start:end] == part


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_patterns_mean_the_same_in_javascript() -> None:
    program = """
      const [rules, vectors] = JSON.parse(require("fs").readFileSync(0, "utf8"));
      const mask = (text) => {
        const lower = text.toLowerCase();
        for (const { hints, pattern } of rules.rules) {
          if (hints.length && !hints.some((hint) => lower.includes(hint))) continue;
          text = text.replace(new RegExp(pattern, "gsu"), (...found) => {
            const groups = typeof found.at(-1) === "object" ? found.at(-1) : {};
            return (groups.before ?? "") + rules.mask + (groups.after ?? "");
          });
        }
        return text;
      };
      console.log(JSON.stringify(vectors.map(({ text }) => mask(text))));
    """
    found = subprocess.run(
        ["node", "-e", program],
        input=json.dumps([RULES, VECTORS]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(found.stdout) == [row["masked"] for row in VECTORS]
