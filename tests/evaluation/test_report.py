"""What a report says, and what it may not leave out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.commands.report import markdown
from evaluation.metrics import failure_classes
from evaluation.trials import TrialStore
from tests.evaluation.made import HEADER, trial

TRIALS = [trial("a", first=True, final=True), trial("b", final=True), trial("c", verdict="failed")]


def filled(folder: Path, trials: list[object]) -> str:
    store = TrialStore(folder)
    store.begin(HEADER, resume=False)
    for each in trials:
        store.add(each)  # type: ignore[arg-type]
    return str(folder)


def test_rates_precision_and_means_are_shown() -> None:
    text = markdown(HEADER, TRIALS)
    assert "| first correct | 33.3 |" in text
    assert "| final correct | 66.7 |" in text
    assert "| verified | 2 | 100.0 |" in text
    assert "| failed | 1 | 0.0 |" in text
    assert "unverified" not in text
    assert "| calls, mean of a trial | 5.00 |" in text
    assert "| a solved problem, tokens | 225 |" in text


def test_simulated_parts_stand_before_the_first_figure() -> None:
    text = markdown(HEADER, TRIALS)
    assert "SIMULATED" not in markdown({**HEADER, "simulated": []}, TRIALS)
    assert -1 < text.find("SIMULATED: every model reply is a written line") < text.find("| figure |")


def test_a_baseline_says_that_it_is_one() -> None:
    assert "no repair" in markdown({**HEADER, "arm": "one_shot"}, TRIALS)
    assert "no repair" not in markdown(HEADER, TRIALS)


def test_pass_at_k_needs_k_samples() -> None:
    again = [replace(t, key=f"{t.problem}#1", sample=1, final_correct=False) for t in TRIALS]
    assert "| pass@1 | 66.7 | 20.8 to 93.9 |" in markdown(HEADER, TRIALS)
    assert "pass@2" not in markdown(HEADER, TRIALS)
    assert re.search(r"\| pass@1 \| 33.3 \| .*\n\| pass@2 \| 66.7 \| 20.8 to 93.9", markdown(HEADER, [*TRIALS, *again]))
    assert "| pass@2 | 66.7 |" in markdown(HEADER, [*TRIALS, *again])


def test_trials_that_could_not_be_graded_are_named() -> None:
    text = markdown(HEADER, [*TRIALS, replace(trial("d"), error="the sandbox broke")])
    assert "1 could not be run or graded" in text
    assert "d#0: the sandbox broke" in text


def test_report_and_compare_of_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = filled(tmp_path / "one", [trial("a"), trial("b")])
    two = filled(tmp_path / "two", [trial("a", final=True), trial("b")])
    assert main(["report", one]) == 0
    assert "| final correct | 0.0 |" in capsys.readouterr().out
    assert main(["compare", one, two]) == 0
    out = capsys.readouterr().out
    assert "| final correct | +50.0 |" in out
    assert "| accepted and wrong | -50.0 |" in out
    assert "SIMULATED" in out


@pytest.mark.parametrize(
    "arguments", [["report", "nowhere"], ["compare", "nowhere", "nowhere"], ["tiers", "nowhere", "--data", "x"]]
)
def test_a_missing_folder_is_one_line_and_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "nowhere holds no trials" in said.err


def test_the_object_holds_the_figures_of_each_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", filled(tmp_path / "one", [*TRIALS]), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["figures"]["final_correct"] == 66.67
    assert {name: row["final_correct"] for name, row in told["problems"].items()} == {"a": 100, "b": 100, "c": 0}
    assert told["failures"] == {"no program was right": 1}


def test_trials_of_several_versions_are_no_single_measurement() -> None:
    of = [replace(each, made={"commit": name}) for each, name in zip(TRIALS, ("abc", "abc", "d+changes"), strict=True)]
    assert "MIXED: not one version made these trials: 2 by abc, 1 by d+changes." in markdown(HEADER, of)
    assert "MIXED" not in markdown(HEADER, of[:2])


@pytest.mark.slow
def test_the_page_stands_alone_and_opens_every_trial(tmp_path: Path) -> None:
    hostile = replace(trial("d", verdict="failed"), reason="<script>alert(1)</script>", chance=0.93)
    made = replace(trial("e", final=True), made={"commit": "abc123", "versions": {"python": "3"}}, chance=0.97)
    folder = filled(tmp_path / "one", [*TRIALS, hostile, made, replace(trial("f"), error="the sandbox broke")])
    target = tmp_path / "page.html"
    assert main(["report", folder, "--html", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.count("<svg") == 4
    assert text.count("<details>") == 6
    assert "<tr><td>a<td>1<td>100.0<td>100.0<td>1 verified" in text
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=.?(?:http|//)", text.replace("http://www.w3.org", ""))
    assert f"STATE_DIR={folder}/state python -m agent show r" in text
    assert "commit: abc123" in text
    assert text.index("SIMULATED") < text.index("<h2>Figures")
    again = tmp_path / "again.html"
    assert main(["report", folder, "--html", str(again)]) == 0
    assert again.read_text(encoding="utf-8") == text
    assert main(["report", folder, "--html", str(tmp_path / "no" / "page.html")]) == 2


def test_failures_by_class() -> None:
    given = [
        trial("a", final=True), trial("b", final=True, verdict="failed"), trial("c"), trial("d", first=True),
        trial("e", first=True, verdict="failed"), trial("f", verdict="failed"),
        replace(trial("g", verdict="failed"), any_correct=True), replace(trial("h"), error="x"),
    ]  # fmt: skip
    assert failure_classes(given) == {
        "right, but not accepted": 1, "wrong, but accepted": 2, "broken by a repair": 1, "no program was right": 1,
        "a right program was there and not chosen": 1, "could not be run or graded": 1,
    }  # fmt: skip


def test_a_comparison_ends_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"p{number}" for number in range(20)]
    one = filled(tmp_path / "one", [trial(name) for name in names])
    two = filled(tmp_path / "two", [trial(name, final=True) for name in names])
    assert main(["compare", one, two]) == 0
    out = capsys.readouterr().out
    assert "* final correct: 100.0 points higher: a difference can be seen with 20 problems." in out
    assert "* first correct: no difference can be seen with 20 problems." in out
    assert "Holm" in out


def test_risk_and_coverage_are_shown_where_verdicts_carry_a_chance() -> None:
    assert "calibrated chance" not in markdown(HEADER, TRIALS)
    assert "| 0.930 | 33.3 | 0.0 |" in markdown(HEADER, [replace(TRIALS[0], chance=0.93), *TRIALS[1:]])
