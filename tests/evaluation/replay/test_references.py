"""The reference policies give the published figures; checked where the stored data are at hand."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from evaluation.replay.data import StoredTask, load_tasks, load_truth
from evaluation.replay.decisions import Seeds, accept_rows, loop_rows, select_rows
from evaluation.replay.figures import Scorer
from evaluation.replay.product import PRODUCT
from evaluation.replay.references import REFERENCES, Policy

SHARED = Path(__file__).resolve().parents[4] / "shared"
DATA, SCRIPT = SHARED / "data", SHARED / "tools" / "reference_policies.py"
pytestmark = pytest.mark.skipif(
    not (DATA / "matrix.jsonl").exists() or not SCRIPT.exists(), reason="needs the stored matrices"
)


@pytest.fixture(scope="module")
def published() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_policies", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tasks() -> list[StoredTask]:
    return load_tasks(DATA)


def own(policy: Policy, tasks: list[StoredTask], orders: int) -> dict[str, Any]:
    truth, seeds = load_truth(DATA), Seeds(orders)
    assert truth is not None
    scorer = Scorer(tasks, truth)
    loops = {
        name: scorer.loop(loop_rows(policy, tasks, seeds, with_examples=name == "with_examples"))
        for name in ("with_examples", "without_examples")
    }
    return {
        "accept": scorer.accept(accept_rows(policy, tasks)),
        "select": scorer.select(select_rows(policy, tasks, seeds)),
        **{
            name: {k: v for k, v in loop.items() if not k.startswith("net_gain")} if loop else None
            for name, loop in loops.items()
        },
    }


def theirs(published: ModuleType, name: str, numbers: set[int]) -> dict[str, Any]:
    tasks = [task for task in published.load(str(DATA), "base") if task.number in numbers]
    boot = published.Bootstrap(len(tasks))
    loop = published.loop_figures(name, tasks, boot)
    bare = published.loop_figures(name, tasks, boot, False) if loop and published.NO_EXAMPLE_NAMES[name] else None
    return {
        "accept": published.accept_figures(name, tasks, boot), "select": published.select_figures(name, tasks, boot),
        "with_examples": loop, "without_examples": bare,
    }  # fmt: skip


def without_bounds_of_all_or_none(figures: dict[str, Any]) -> dict[str, Any]:
    """Leaves out the intervals of shares of 0 and 100 percent, for which the published bootstrap shows no spread."""
    return {
        name: without_bounds_of_all_or_none(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
        for name, value in figures.items()
        if not (name.endswith("_ci") and figures[name.removesuffix("_ci")] in (0.0, 100.0))
    }


@pytest.mark.parametrize("name", list(REFERENCES))
def test_a_reference_policy_decides_as_published_on_a_quarter_of_the_tasks(
    name: str, published: ModuleType, tasks: list[StoredTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "SELECT_SHUFFLES", 4)
    monkeypatch.setattr(published, "LOOP_ORDERS", 2)
    some = tasks[::4]
    told = own(REFERENCES[name], some, 2), theirs(published, name, {task.number for task in some})
    mine, their = map(without_bounds_of_all_or_none, told)
    assert mine == their


@pytest.mark.slow
@pytest.mark.parametrize("name", list(REFERENCES))
def test_a_reference_policy_gives_exactly_the_published_figures(
    name: str, published: ModuleType, tasks: list[StoredTask]
) -> None:
    told = own(REFERENCES[name], tasks, 20), theirs(published, name, {task.number for task in tasks})
    mine, their = map(without_bounds_of_all_or_none, told)
    assert mine == their


@pytest.mark.slow
def test_the_product_reaches_the_best_reference_of_each_kind(tasks: list[StoredTask]) -> None:
    """On all stored tasks; the margins are the width of what 82 tasks can tell."""
    mine = own(PRODUCT, tasks, 3)
    for pool, (rejected, wrong) in {"gpt4": (2.7, 2.7), "gpt35": (3.7, 2.1), "open": (3.0, 3.0)}.items():
        assert mine["accept"][pool]["false_reject"] <= rejected
        assert mine["accept"][pool]["wrong_among_accepted"] <= wrong
    for pool, best in {"gpt35_same5": 87.6, "gpt4_5": 95.8, "open_7": 88.5}.items():
        assert mine["select"][pool]["accuracy"] >= best - 2.0
    several = own(PRODUCT, [task for task in tasks if len(task.examples) > 1], 3)
    assert several["with_examples"]["attempts"] < 2.16
    # The other 14 of the 82 tasks give one example only, and an independent program is paid for there.
    assert mine["with_examples"]["attempts"] < 2.3
    assert mine["with_examples"]["broken_of_right"] == 0.0
    assert mine["without_examples"]["attempts"] < 3.37
    assert mine["without_examples"]["final"] >= 79.0 - 2.0
