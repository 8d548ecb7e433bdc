"""Which rule for `verified` keeps its promise, and how often each kind of evidence was right: by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.trust import Grounds
from agent.trust.chance import TABLE
from evaluation.__main__ import main
from evaluation.metrics import at_most, upper_bound, wilson
from evaluation.replay.calibration import Case, certificate, chances
from evaluation.replay.data import load_tasks

from .stored import write


def case(
    problem: str,
    *,
    checks: int = 1,
    right: bool = True,
    clear: bool = True,
    agrees: bool = False,
    disputed: bool = False,
) -> Case:
    grounds = Grounds(clear, False, 2, checks, agrees=agrees, differs=False, disputed=disputed or not clear)
    return Case(problem, grounds, right)


def rule(found: list[Case], least: int, *, undisputed: bool = False) -> dict[str, Any]:
    curve = certificate(found)["curve"]
    return next(p for p in curve if (p["least_checks"], p["undisputed"]) == (least, undisputed))


def test_fifty_nine_problems_without_a_wrong_one_are_what_a_certificate_needs() -> None:
    assert rule([case(str(n)) for n in range(59)], 1)["passes"]
    assert not rule([case(str(n)) for n in range(58)], 1)["passes"]
    assert rule([case(str(n), right=n > 0) for n in range(93)], 1)["passes"]
    assert not rule([case(str(n), right=n > 0) for n in range(92)], 1)["passes"]


def test_a_rule_that_allows_no_check_to_be_set_aside_is_tested_first() -> None:
    found = [case(str(n)) for n in range(60)] + [case("odd", right=False, disputed=True)]
    assert rule(found, 1, undisputed=True)["passes"]
    assert rule(found, 1)["wrong_problems"] == 1
    assert not rule(found, 1)["passes"]
    assert not rule([case(str(n), disputed=True) for n in range(90)], 1)["passes"], "the strict rule covers nothing"


def test_many_runs_of_one_problem_are_one_piece_of_evidence() -> None:
    found = [case("a", right=n > 0) for n in range(1000)]
    point = rule(found, 1)
    assert (point["problems"], point["wrong_problems"], point["wrong"]) == (1, 1, 0.1)
    assert point["p_value"] == 1.0
    assert point["wrong_at_most"] == 100.0


def test_testing_ends_at_the_first_rule_that_fails() -> None:
    wrong_without = [case(f"w{n}", checks=0, right=False) for n in range(5)]
    found = [case(str(n)) for n in range(80)] + wrong_without
    assert rule(found, 1)["passes"]
    assert not rule(found, 0)["passes"]
    only_bare = [case(str(n), checks=0) for n in range(80)]
    assert not rule(only_bare, 0)["passes"], "the first rule of the sequence covers nothing, so nothing is tested"


def test_a_rule_covers_runs_in_which_enough_checks_or_another_program_speak_for_it() -> None:
    found = [case("a", checks=3), case("b", checks=0), case("c", checks=0, agrees=True), case("d", clear=False)]
    assert [rule(found, least)["share"] for least in (0, 1, 3, 4)] == [75.0, 50.0, 50.0, 25.0]


def test_chances_count_each_problem_once_and_are_never_certain() -> None:
    found = [case(str(n)) for n in range(10) for _ in range(n + 1)] + [case("few", checks=0, agrees=True)]
    told = chances(found)
    assert set(told) == {"examples pass, further checks pass"}, "one problem tells nothing about its kind"
    ten = told["examples pass, further checks pass"]
    assert (ten["problems"], ten["runs"], ten["high"]) == (10, 55, 1.0)
    assert ten["value"] == pytest.approx(10.5 / 11, abs=1e-3)
    assert ten["low"] == pytest.approx(wilson(10, 10)[0], abs=1e-3)


@pytest.mark.parametrize(("hits", "total"), [(0, 59), (1, 20), (7, 30)])
def test_the_exact_bound_is_where_so_few_hits_become_unlikely(hits: int, total: int) -> None:
    assert at_most(hits, total, upper_bound(hits, total, 0.05)) == pytest.approx(0.05)
    assert upper_bound(0, 59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59))


def test_the_command_counts_stored_runs_and_refuses_data_without_truth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = write(tmp_path), tmp_path / "chances.json"
    assert main(["calibrate", "--data", str(data), "--seeds", "2", "--out", str(out)]) == 0
    assert json.loads(out.read_text())["kinds"] == {}, "two problems are too few for any kind"
    assert main(["calibrate", "--data", str(tmp_path / "none"), "--out", str(out)]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_the_shipped_table_names_its_source_and_holds_intervals() -> None:
    table = json.loads(TABLE.read_text())
    assert "HumanEval" in table["source"]
    assert all(kind["low"] < kind["value"] < kind["high"] for kind in table["kinds"].values())
    assert all(kind["problems"] >= 10 for kind in table["kinds"].values())


def test_the_replay_publishes_the_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "--data", str(write(tmp_path)), "--seeds", "2", "--policy", "product", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert len(report["calibration"]) == 8, "the runs of one model and of three pools, with one suite and with five"
    curve = report["calibration"]["gpt-3.5-turbo-1106, one suite"]["curve"]
    assert [point["least_checks"] for point in curve] == [4, 3, 2, 1, 1, 0]
    assert report["timeouts_read_as_passes"] == 0


def test_a_stored_timeout_that_its_own_output_refutes_is_read_as_a_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path)
    path = data / "matrix.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    name = next(name for name, letters in rows[0]["rows"].items() if letters == "PPPF" and "turbo-1106" in name)
    rows[0]["rows"][name] = "PTPT"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    main(["replay", "--data", str(data), "--seeds", "1", "--policy", "product", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["timeouts_read_as_passes"] == 1, "test 3 has no stored expected value"
    assert "Correction of the data" in report["note"]


def test_runs_with_a_single_example_are_held_to_what_the_product_asks_for_there() -> None:
    kinds = [(1, True, 0), (2, True, 1), (3, True, 1), (3, False, 0), (0, True, 0)]
    bare = Grounds(True, False, 1, 0, agrees=False, differs=False, disputed=False, few=True)
    found = [
        Case(str(n), replace(bare, checks=checks, agrees=agrees, set_aside=aside), right=True)
        for n, (checks, agrees, aside) in enumerate(kinds)
    ]
    told = certificate(found)
    assert told["in_use"] == told["curve"][0]["rule"]
    assert told["curve"][0]["problems"] == 2
    assert certificate([case("a")])["in_use"] == "further checks >= 1"


def test_a_task_that_is_cut_has_its_first_example_and_no_suite_states_the_others(tmp_path: Path) -> None:
    whole = load_tasks(write(tmp_path))
    for task, cut in zip(whole, [task.cut(1) for task in whole], strict=True):
        assert cut.examples == task.examples[:1]
        stated = {test for tests in cut.tests.values() for test in tests}
        assert stated == {test for tests in task.tests.values() for test in tests} - set(task.examples[1:])
