"""The gate passes an unchanged policy and stops one that has become worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.replay.data import STORED, rows
from evaluation.replay.references import REFERENCES

from .stored import write


def gate(folder: Path, *more: str) -> int:
    return main(["gate", "--data", str(folder), *more])


def test_an_unchanged_policy_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path)
    assert gate(folder, "--store") == 0
    assert gate(folder) == 0
    assert "0 became worse" in capsys.readouterr().out


def test_a_policy_that_believes_every_test_is_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evaluation.replay.gate.PRODUCT", REFERENCES["naive_all_pass_last"])
    assert gate(STORED) == 1
    told = capsys.readouterr().out.splitlines()
    worse = {line.split()[0] for line in told if line.endswith("WORSE")}
    assert {"accept.gpt4.false_reject", "with_examples.final", "with_examples.attempts"} <= worse


def test_data_without_decisions_or_truth_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(write(tmp_path)) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_shipped_data_hold_82_tasks_and_no_program() -> None:
    assert len(list(rows(STORED, "matrix.jsonl"))) == 82
    assert not any("code" in row for name in ("matrix", "outputs") for row in rows(STORED, f"{name}.jsonl"))
