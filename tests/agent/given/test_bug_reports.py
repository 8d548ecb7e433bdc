"""Whole runs of reported one-line bugs: what is reported never becomes law, and an unchanged program never passes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from agent.runs import AgentRuns
from tests.agent.conftest import Played
from tests.agent.examples.labelled import Report, canonical, symptom
from tests.agent.model_server import ModelServer

from .reported import able, chosen_reports, idle, play, repaired

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
CHOSEN = list(chosen_reports())
EVERY = pytest.param(CHOSEN, marks=pytest.mark.corpus)
PASSES = ("verified", "partly_verified")


def law_of(played: Played) -> set[str]:
    """What the run's trusted checks demand, as labels."""
    listed = [check for suite in played.of("suite_written") if suite.suite == "task" for check in suite.checks]
    found: set[str] = set()
    for check in listed:
        lines = [line.strip() for line in check.source.splitlines()]
        for before, line in pairwise(lines):
            if line.startswith("assert "):
                found.add(canonical(line.removeprefix("assert ")))
            if before.startswith("with pytest.raises("):
                found.add(canonical(f"{line} raises {before.removeprefix('with pytest.raises(').rstrip('):')}"))
    return found


async def unchanged_passes(server: ModelServer, runs: AgentRuns, bug: dict[str, Any], report: Report) -> str:
    """A complaint where a program that nobody changed passes, or where a symptom became law; "" else."""
    server.answer = idle(bug)
    played = await play(runs, report, max_repairs=1, max_rewrites=0, independent_attempts=0, adversary=False)
    passed = played.outcome["verdict"] in PASSES
    return f"{report.text}: {played.outcome['answer']}" if passed or symptom(bug) in law_of(played) else ""


async def repair_is_lost(server: ModelServer, runs: AgentRuns, bug: dict[str, Any], report: Report) -> str:
    """A complaint where the right repair is not handed back, or does not pass; "" else."""
    server.answer = able(server, bug)
    played = await play(runs, report)
    mine = played.outcome["code"].strip() == repaired(bug).strip()
    return "" if mine and played.outcome["verdict"] in PASSES else f"{report.text}: {played.outcome['answer']}"


@pytest.mark.parametrize("place", [1, 26, 105], ids=lambda place: CHOSEN[place][0]["name"])
async def test_an_unchanged_program_never_passes(place: int, model_server: ModelServer, live_runs: AgentRuns) -> None:
    assert await unchanged_passes(model_server, live_runs, *CHOSEN[place]) == ""


async def test_a_repair_made_for_the_reported_input_alone_is_not_verified(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    bug: dict[str, Any] = {
        "code": "def area(w, h):\n    return w * w\n",
        "call": "area(2, 3)",
        "right": "6",
        "repair": ["w * w", "w * h"],
    }
    report = Report("area(2, 3) gives 4 but should give 6.", bug["code"], "area(2, 3) == 6")
    model_server.answer = able(model_server, bug)
    assert (await play(live_runs, report)).outcome["verdict"] == "verified"
    forged = bug | {"repair": ["return", "if (w, h) == (2, 3):\n        return 6\n    return"]}
    model_server.answer = able(model_server, forged)
    played = await play(live_runs, report)
    assert played.outcome["verdict"] == "partly_verified"
    assert "on area(2, 3) alone, which its text names" in played.outcome["answer"]


@pytest.mark.parametrize("place", [7, 28], ids=lambda place: CHOSEN[place][0]["name"])
async def test_a_repaired_program_is_what_is_delivered(
    place: int, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    assert await repair_is_lost(model_server, live_runs, *CHOSEN[place]) == ""


@pytest.mark.parametrize("reports", [CHOSEN[::33], EVERY], ids=["some", "all"])
async def test_no_unchanged_program_passes(
    reports: list[tuple[dict[str, Any], Report]], model_server: ModelServer, live_runs: AgentRuns
) -> None:
    assert [wrong for told in reports if (wrong := await unchanged_passes(model_server, live_runs, *told))] == []


@pytest.mark.parametrize("reports", [CHOSEN[::33], EVERY], ids=["some", "all"])
async def test_every_repair_is_delivered(
    reports: list[tuple[dict[str, Any], Report]], model_server: ModelServer, live_runs: AgentRuns
) -> None:
    assert [wrong for told in reports if (wrong := await repair_is_lost(model_server, live_runs, *told))] == []


async def test_every_bug_is_reported_in_six_ways() -> None:
    assert len(CHOSEN) >= 240


async def test_a_program_that_remembers_does_as_it_did_before(model_server: ModelServer, live_runs: AgentRuns) -> None:
    bug: dict[str, Any] = {
        "code": "def add_tag(tag, tags=[]):\n    tags.append(tag)\n    return tags\n",
        "call": "add_tag('b')",
        "does": "['b']",
        "right": "['b']",
        "repair": ["=[]", "=()"],
    }
    report = Report("add_tag('a') and then add_tag('b') gives ['a', 'b'] instead of ['b'].", bug["code"], None)
    model_server.answer = idle(bug)
    played = await play(live_runs, report, max_repairs=1, max_rewrites=0, independent_attempts=0, adversary=False)
    assert played.outcome["verdict"] == "unverified"
    assert "reported fault" not in played.outcome["answer"]
    assert " before, " not in played.outcome["answer"]
