"""The made entries of the benchmarks are sound, so that the benchmarks go on to run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from faultbook.checks import run_checks
from faultbook.corpus import load_corpus
from faultbook.links import build_links
from faultbook.violations import format_violation
from sites import ROOT


def test_made_entries_have_no_violations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    from made_entries import write_entries

    write_entries(tmp_path / "entries", 150)
    corpus, violations = load_corpus([tmp_path / "entries"], tmp_path)
    violations += run_checks(corpus, build_links(corpus), root=tmp_path)
    assert [format_violation(violation) for violation in violations] == []
