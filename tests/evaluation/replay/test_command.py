"""python -m evaluation replay: its contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agent.trust
from evaluation.__main__ import main
from evaluation.replay import product
from evaluation.replay.command import POLICIES

from .stored import strip, write

pytestmark = pytest.mark.slow

NAMES = (
    "naive_all_pass_last", "best_so_far", "examples_gate", "examples_codet", "examples_vote2", "votes_then_agreement",
    "product",
)  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path)


def replay(data: Path, *more: str) -> int:
    return main(["replay", "--data", str(data), "--seeds", "2", *more])


def figures(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def decisions(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_json_is_one_object_with_every_policy_pool_and_interval(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(data, "--json") == 0
    report = figures(capsys)
    assert (report["tasks"], report["seeds"]) == (2, 2)
    assert set(NAMES) <= set(report["policies"])
    mine = report["policies"]["product"]
    for pool in ("gpt4", "gpt35", "open"):
        assert {"false_reject", "false_reject_ci", "false_accept", "wrong_among_accepted"} <= set(mine["accept"][pool])
    for pool in ("gpt35_same5", "gpt4_5", "open_7"):
        assert {"accuracy", "accuracy_ci", "first", "oracle"} <= set(mine["select"][pool])
    for kind in ("with_examples", "without_examples"):
        wanted = {"final", "final_ci", "attempts", "broken_of_right", "healed_of_wrong", "net_gain_per_extra_attempt"}
        assert wanted <= set(mine["loop"][kind])


def test_the_report_says_what_is_simulated(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay(data, "--policy", "product")
    assert "Simulated" in capsys.readouterr().out


def test_decisions_have_the_contracts_fields(data: Path, tmp_path: Path) -> None:
    replay(data, "--policy", "product", "--decisions", str(tmp_path / "d.jsonl"))
    loop = {"policy", "kind", "seed", "task_id", "first", "chosen", "accepted", "attempts", "verdict"}
    fields = {row["kind"]: set(row) for row in decisions(tmp_path / "d.jsonl")}
    assert fields == {
        "accept": {"policy", "kind", "pool", "task_id", "candidate", "accepted"},
        "select": {"policy", "kind", "pool", "seed", "task_id", "first", "chosen"},
        "loop_with_examples": loop,
        "loop_without_examples": loop,
    }


def test_every_program_of_a_pool_is_decided_and_logs_of_solved_programs_are_left_out(
    data: Path, tmp_path: Path
) -> None:
    replay(data, "--policy", "product", "--decisions", str(tmp_path / "d.jsonl"))
    accept = [row for row in decisions(tmp_path / "d.jsonl") if row["kind"] == "accept" and row["pool"] == "gpt35"]
    assert len(accept) == 2 * (5 + 3)
    assert not any(row["candidate"].startswith("gpt-4-0314a") for row in accept)


def test_decisions_are_the_same_when_the_truth_is_stripped(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay(data, "--decisions", str(tmp_path / "with.jsonl"))
    strip(data)
    capsys.readouterr()
    assert replay(data, "--decisions", str(tmp_path / "without.jsonl"), "--json") == 0
    assert decisions(tmp_path / "with.jsonl") == decisions(tmp_path / "without.jsonl")
    assert "no truth" in figures(capsys)["note"]


def test_the_product_is_the_policy_that_the_graph_runs() -> None:
    assert product.decide is agent.trust.decide
    assert product.rank is agent.trust.rank
    assert product.accepted is agent.trust.accepted
    assert POLICIES["product"] is product.PRODUCT


def test_the_product_keeps_the_right_program_where_the_task_gives_an_example(data: Path, tmp_path: Path) -> None:
    replay(data, "--policy", "product", "--decisions", str(tmp_path / "d.jsonl"))
    rows = [row for row in decisions(tmp_path / "d.jsonl") if row["task_id"] == "HumanEval/0"]
    base = json.loads((data / "matrix.jsonl").read_text(encoding="utf-8").splitlines()[0])["base"]
    assert all(base[row["chosen"]] for row in rows if row["kind"] == "select")
    assert [
        row["candidate"] for row in rows if row["kind"] == "accept" and row["accepted"] and not base[row["candidate"]]
    ] == []


def test_the_precision_of_each_verdict_is_reported(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay(data, "--policy", "product", "--json")
    verdicts = figures(capsys)["policies"]["product"]["verdicts"]["with_examples"]
    assert round(sum(cells["given"] for cells in verdicts.values())) == 100
    for cells in verdicts.values():
        assert set(cells) == {"given", "given_ci", "right", "right_ci"}


def test_differences_to_the_references_come_with_a_paired_interval(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay(data, "--json")
    gap = figures(capsys)["product_minus"]["naive_all_pass_last"]["accept.gpt4.false_reject"]
    difference, low, high = gap
    assert low <= difference <= high
    assert difference < 0


@pytest.mark.parametrize(
    "argv",
    [["--policy", "nonsense"], ["--seeds", "0"], ["--seeds", "many"]],
)
def test_bad_arguments_are_usage_errors(data: Path, argv: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", "--data", str(data), *argv])
    assert ended.value.code == 2


@pytest.mark.parametrize("damage", ["missing", "garbled", "half"])
def test_unusable_data_is_one_clear_line_and_exit_2(
    data: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = data / "outputs.jsonl"
    if damage == "missing":
        target.unlink()
    else:
        target.write_text("{not json" if damage == "garbled" else '{"task_id": "HumanEval/0"}\n', encoding="utf-8")
    assert replay(data, "--json") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("python -m evaluation replay: ")
    assert told.err.count("\n") == 1


def test_an_unknown_command_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fly"]) == 2
    assert "replay" in capsys.readouterr().err
    assert main(["--help"]) == 0
