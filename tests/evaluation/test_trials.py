"""The folder of trials survives whatever ends the process that fills it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.suites import BadSuite
from evaluation.trials import FILE, TrialStore
from tests.evaluation.made import HEADER, trial


@pytest.fixture
def store(tmp_path: Path) -> TrialStore:
    begun = TrialStore(tmp_path / "trials")
    begun.begin(HEADER, resume=False)
    return begun


def test_finished_trials_need_not_be_run_again(store: TrialStore) -> None:
    store.add(trial("a"))
    store.add(replace(trial("b"), error="no model answered"))
    assert store.begin(HEADER, resume=True) == {"a#0"}


def test_a_trial_that_is_made_again_replaces_the_earlier_one(store: TrialStore) -> None:
    store.add(replace(trial("a"), error="no model answered"))
    store.add(trial("a", final=True))
    assert [(t.error, t.final_correct) for t in store.read()] == [("", True)]


def test_a_line_cut_by_a_crash_is_passed_over_and_swallows_nothing(store: TrialStore) -> None:
    store.add(trial("a"))
    store.add(trial("b"))
    path = store.folder / FILE
    whole = path.read_bytes()
    for cut in range(len(whole.splitlines()[0]) + 2, len(whole)):
        path.write_bytes(whole[:cut])
        assert store.begin(HEADER, resume=True) == {"a#0"}
        store.add(trial("c"))
        assert [t.problem for t in store.read()] == ["a", "c"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_one_line_and_loses_nothing(store: TrialStore) -> None:
    path = store.folder / FILE
    path.symlink_to("/dev/full")
    with pytest.raises(BadSuite, match="No space left on device; what is finished is kept"):
        store.add(trial("a"))
    path.unlink()
    path.write_text('{"key": "a')
    assert store.begin(HEADER, resume=True) == set()
    store.add(trial("b"))
    assert [t.problem for t in store.read()] == ["b"]


def test_a_folder_in_use_is_not_written_over(store: TrialStore) -> None:
    store.add(trial("a"))
    with pytest.raises(BadSuite, match="--resume"):
        store.begin(HEADER, resume=False)
    assert len(store.read()) == 1


def test_a_folder_that_another_run_fills_is_refused_until_that_run_ends(store: TrialStore) -> None:
    other = TrialStore(store.folder)
    with pytest.raises(BadSuite, match="is being filled by another run"):
        other.begin(HEADER, resume=True)
    store.close()
    assert other.begin(HEADER, resume=True) == set()
    other.close()


def test_how_a_trial_was_made_is_kept_with_it(store: TrialStore) -> None:
    made = {"commit": "abc", "versions": {"python": "3.11"}, "budget": {"tokens": 9}}
    store.add(replace(trial("a"), made=made, date="2026-01-01T00:00:00+00:00"))
    assert [(t.made, t.date) for t in store.read()] == [(made, "2026-01-01T00:00:00+00:00")]


@pytest.mark.parametrize("name", ["suite", "provider", "model", "arm", "budget_tokens", "seed", "accuracy"])
def test_trials_made_otherwise_are_never_mixed(store: TrialStore, name: str) -> None:
    with pytest.raises(BadSuite, match=name):
        store.begin({**HEADER, name: "another"}, resume=True)


def test_a_folder_without_trials_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(BadSuite, match="holds no trials"):
        TrialStore(tmp_path).header()


@pytest.mark.parametrize("told", [{"suite": "bundled", "no_repair": False}, {"arm": "full", "no_repair": True}])
def test_an_earlier_folder_is_refused_in_one_line_and_not_called_another_arm(
    tmp_path: Path, told: dict[str, object]
) -> None:
    (tmp_path / "suite.json").write_text(json.dumps(told))
    with pytest.raises(BadSuite, match="earlier version"):
        TrialStore(tmp_path).header()


def test_fields_of_a_later_version_are_passed_over(store: TrialStore) -> None:
    store.add(trial("a"))
    path = store.folder / FILE
    path.write_text(path.read_text().replace('"key"', '"of_tomorrow": 1, "key"'))
    assert [t.problem for t in store.read()] == ["a"]
