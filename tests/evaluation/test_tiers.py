"""Tier 1 and tier 0 are compared on the same programs, the same suite and the same order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from evaluation.commands.tiers import compared, tier0
from evaluation.recorded.recordings import open_recordings
from evaluation.replay.data import SAME_MODEL, load_tasks, load_truth, loop_order
from evaluation.suites import BadSuite
from evaluation.trials import Trial, TrialStore
from tests.evaluation.made import HEADER, save, trial
from tests.evaluation.replay import stored

REPLAYED: dict[str, Any] = {**HEADER, "provider": "replay", "model": SAME_MODEL, "accuracy": 0.8}
SEEDS = range(6)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two tasks with programs of one model, as matrices and as recordings."""
    folder = stored.write(tmp_path)
    names = [f"HumanEval/{number}" for number in (0, 2)]
    save(folder, "humaneval.jsonl", [{"task_id": name, "prompt": f"def f_{name[-1]}(x):\n    ..."} for name in names])
    rows = [
        {"task_id": name, "id": f"{SAME_MODEL}|log|{place}", "model": SAME_MODEL, "code": f"x = {place}"}
        for name in names
        for place in range(5)
    ]
    save(folder, "first_attempts.jsonl", rows[::-1])
    return folder


def ends(data: Path) -> list[Trial]:
    """Trials that went exactly as tier 0 says."""
    truth = load_truth(data)
    assert truth is not None
    tasks = {task.id: task for task in load_tasks(data)}
    made: list[Trial] = []
    for recording in open_recordings(str(data)).tasks:
        for seed in SEEDS:
            order = [program.id for program in recording.order(SAME_MODEL, seed)]
            end, right = tier0(tasks[recording.task_id], recording, order, seed), truth[recording.task_id]
            one = trial(recording.task_id, first=right[order[0]], final=right[end.chosen.id], verdict=end.verdict or "")
            made.append(replace(one, key=f"{recording.task_id}#{seed}", sample=seed, attempts=end.attempts))
    return made


def test_both_tiers_draw_the_same_programs_in_the_same_order(data: Path) -> None:
    tasks = {task.id: task for task in load_tasks(data)}
    for recording in open_recordings(str(data)).tasks:
        for seed in SEEDS:
            drawn = [program.id for program in recording.order(SAME_MODEL, seed)]
            assert drawn == [program.id for program in loop_order(tasks[recording.task_id], seed)]


def test_equal_ends_differ_by_nothing(data: Path) -> None:
    report = compared(REPLAYED, ends(data), data)
    assert {name: found["difference"] for name, found in report["difference"].items()} == dict.fromkeys(
        ("first right", "final right", "accepted and wrong", "right and not accepted", "attempts"), 0.0
    )
    assert (report["problems"], report["seeds"], report["grading_differs"]) == (2, 6, 0)
    given = sum(found["given"] for found in report["tier0_verdicts"].values())
    assert given == 12


def test_scores_by_hand(data: Path) -> None:
    made = [replace(one, verdict="verified", final_correct=place % 3 == 0) for place, one in enumerate(ends(data))]
    made = [replace(one, verdict="failed") if place < 3 else one for place, one in enumerate(made)]
    scores = compared(REPLAYED, made, data)["difference"]
    assert scores["final right"]["tier1"] == pytest.approx(100 * 4 / 12, abs=0.01)
    assert scores["accepted and wrong"]["tier1"] == pytest.approx(100 * 6 / 12, abs=0.01)
    assert scores["right and not accepted"]["tier1"] == pytest.approx(100 * 1 / 12, abs=0.01)


def test_a_tier_1_that_lost_every_right_program_shows(data: Path) -> None:
    worse = [replace(one, final_correct=False, attempts=one.attempts + 1) for one in ends(data)]
    report = compared(REPLAYED, worse, data)["difference"]
    assert report["final right"]["difference"] == -report["final right"]["tier0"] < 0
    assert report["attempts"]["difference"] == 1.0
    low, high = report["attempts"]["ci"]
    assert low < 1.0 < high, "the same everywhere is no proof for problems that nobody tried"


def test_grading_that_contradicts_the_stored_truth_is_counted(data: Path) -> None:
    made = ends(data)
    flipped = [replace(made[0], first_correct=not made[0].first_correct), *made[1:]]
    assert compared(REPLAYED, flipped, data)["grading_differs"] == 1


def test_a_shifted_seed_is_another_order(data: Path) -> None:
    with_shift = compared({**REPLAYED, "seed": 3}, ends(data), data)
    assert with_shift["grading_differs"] > 0, "the trials were made with other seeds, so first programs do not match"


def test_trials_of_another_provider_are_refused(data: Path) -> None:
    with pytest.raises(BadSuite, match="no trials of the replay provider"):
        compared(HEADER, ends(data), data)


def test_the_table_carries_the_labels(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = TrialStore(tmp_path / "trials")
    store.begin({**REPLAYED, "simulated": ["the debugger is simulated"]}, resume=False)
    for made in ends(data):
        store.add(made)
    assert main(["tiers", str(store.folder), "--data", str(data)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("SIMULATED: the debugger is simulated")
    assert "| final right |" in out
    assert "differ on 0 first programs" in out
