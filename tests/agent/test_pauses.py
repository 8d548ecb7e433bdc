"""The three autonomies are three behaviours; a pause is answered by its id, once, and survives."""

from __future__ import annotations

import pytest

from agent.commands import task_of
from agent.request import BadInput
from agent.runner import AgentRuns
from agent.state import Task
from framework.errors import StaleAnswer
from llm.scenarios import get_scenario
from tests.agent.conftest import Play, follow

pytestmark = pytest.mark.asyncio(loop_scope="session")


def scenario_task(name: str) -> Task:
    scenario = get_scenario(name)
    assert scenario is not None
    return task_of(scenario)


ROMAN = scenario_task("roman_numerals")
QUICK = {"mutation_seconds": 0}
"""The mutation check is not what these tests are about."""


async def test_full_auto_never_pauses(play: Play) -> None:
    played = await play(ROMAN, QUICK)
    assert played.outcome["pending"] is None
    assert not played.of("question_asked")


async def test_review_repairs_pauses_before_the_repair_only(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    pending = played.outcome["pending"]
    assert pending["kind"] == "review_repair"
    assert len(played.of("candidate_written")) == 1
    await runs.answer(played.run_id, pending["id"], {"action": "approve"})
    after = await follow(runs, played.run_id)
    assert after.outcome["pending"] is None
    assert len(after.of("candidate_written")) == 2
    assert after.report.finished
    assert after.boxes().count("review_repair") == 1, "the re-executed box doubles no event"


async def test_review_all_pauses_before_anything_is_written(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_all"})
    assert played.outcome["pending"]["kind"] == "review_plan"
    assert not played.of("candidate_written")
    assert not played.of("suite_written") or played.of("suite_written")[0].origin == "task"
    await runs.answer(played.run_id, played.outcome["pending"]["id"], {"action": "approve"})
    second = await follow(runs, played.run_id)
    assert second.outcome["pending"]["kind"] == "review_repair"


async def test_abort_ends_the_run_and_says_so(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    await runs.answer(played.run_id, played.outcome["pending"]["id"], {"action": "abort"})
    after = await follow(runs, played.run_id)
    assert after.report.finished
    assert after.outcome["stop_reason"] == "aborted by the person"
    assert after.outcome["verdict"] == "failed"
    assert len(after.of("candidate_written")) == 1


async def test_an_answer_counts_once(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    question = played.outcome["pending"]["id"]
    await runs.answer(played.run_id, question, {"action": "approve"})
    with pytest.raises(StaleAnswer):
        await runs.answer(played.run_id, question, {"action": "abort"})
    assert (await follow(runs, played.run_id)).report.finished


async def test_an_answer_that_does_not_fit_leaves_the_question_open(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    question = played.outcome["pending"]["id"]
    with pytest.raises(BadInput, match="no answer to this question"):
        await runs.answer(played.run_id, question, {"action": "dance"})
    pending = await runs.pending(played.run_id)
    assert pending is not None
    assert pending.id == question


async def test_the_person_words_reach_the_repair(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    answer = {"action": "revise", "text": "keep the table sorted"}
    await runs.answer(played.run_id, played.outcome["pending"]["id"], answer)
    after = await follow(runs, played.run_id)
    assert after.of("question_answered")[0].text == "keep the table sorted"
    assert after.report.finished
