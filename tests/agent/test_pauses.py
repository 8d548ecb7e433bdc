"""The three autonomies are three behaviours; a pause is answered by its id, once, and survives."""

from __future__ import annotations

import json

import pytest

from agent.cli.commands import task_of
from agent.cli.show import stored
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput
from framework.errors import StaleAnswer
from llm.scenarios import get_scenario
from tests.agent.conftest import Play, follow
from tests.agent.model_server import ModelServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


def scenario_task(name: str) -> Task:
    scenario = get_scenario(name)
    assert scenario is not None
    return task_of(scenario)


ROMAN = scenario_task("roman_numerals")
QUICK = {"mutation_seconds": 0}
"""The mutation check is not what these tests are about."""


@pytest.mark.slow
async def test_full_auto_never_pauses(play: Play) -> None:
    played = await play(ROMAN, QUICK)
    assert played.outcome["pending"] is None
    assert not played.of("question_asked")


@pytest.mark.slow
async def test_review_repairs_pauses_before_the_repair_only_and_takes_one_answer_that_fits(
    play: Play, runs: AgentRuns
) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    pending = played.outcome["pending"]
    assert pending["kind"] == "review_repair"
    assert "+++ c2" in pending["payload"]["diff"]
    assert len(played.of("candidate_written")) == 1
    with pytest.raises(BadInput, match="no answer to this question"):
        await runs.answer(played.run_id, pending["id"], {"action": "dance"})
    with pytest.raises(BadInput, match="does not parse"):
        await runs.answer(played.run_id, pending["id"], {"action": "edit", "text": "def to_roman(:"})
    still = await runs.pending(played.run_id)
    assert still is not None
    assert still.id == pending["id"], "what does not fit leaves the question open"
    await runs.answer(played.run_id, pending["id"], {"action": "approve"})
    with pytest.raises(StaleAnswer):
        await runs.answer(played.run_id, pending["id"], {"action": "abort"})
    after = await follow(runs, played.run_id)
    assert after.outcome["pending"] is None
    assert len(after.of("candidate_written")) == 2
    assert after.report.conclusion
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
    assert after.report.conclusion
    assert after.outcome["stop_reason"] == "aborted by the person"
    assert after.outcome["verdict"] == "unverified"
    assert after.outcome["verdict_reason"].startswith("ended by the person; ")
    assert after.outcome["answer"].startswith("The person ended the run; ")
    assert len(after.of("candidate_written")) == 1


@pytest.mark.slow
async def test_the_person_words_reach_the_repair(play: Play, runs: AgentRuns) -> None:
    played = await play(ROMAN, {**QUICK, "autonomy": "review_repairs"})
    answer = {"action": "revise", "text": "keep the table sorted"}
    await runs.answer(played.run_id, played.outcome["pending"]["id"], answer)
    back = await follow(runs, played.run_id)
    again = back.outcome["pending"]
    assert again["kind"] == "review_repair", "a repair that was sent back is shown again"
    assert again["id"] != played.outcome["pending"]["id"]
    assert len(back.of("candidate_written")) == 1, "what was sent back never counts as an attempt"
    told = stored(runs.engine.settings, played.run_id)[-1]
    assert "the person asks: keep the table sorted" in told["messages"][-1]["content"]
    edited = again["payload"]["code"] + "\nEDITED = True\n"
    await runs.answer(played.run_id, again["id"], {"action": "edit", "text": edited})
    after = await follow(runs, played.run_id)
    assert after.of("question_answered")[0].text == "keep the table sorted"
    assert edited in [event.code for event in after.of("candidate_written")]
    assert after.report.conclusion, after.outcome["stop_reason"]


async def test_a_plan_that_was_sent_back_is_made_anew_and_shown_again(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plans = [{"plan": "count", "question": "Is y a vowel?", "choices": ["no", "yes"]}, {"plan": "count in a loop"}]
    model_server.answer = lambda role, times: json.dumps(plans[times]) if role == "planner" else "no"
    order = Order(Task("Write f(x) that counts vowels."), {"autonomy": "review_all"})
    first = await follow(live_runs, await live_runs.begin(order))
    asked = first.outcome["pending"]
    assert (asked["kind"], asked["payload"]["options"]) == ("clarify", ["no", "yes"])
    await live_runs.answer(first.run_id, asked["id"], {"action": "tick", "text": "yes"})
    shown = (await follow(live_runs, first.run_id)).outcome["pending"]
    assert shown["kind"] == "review_plan"
    assert shown["payload"]["plan"].startswith("count")
    await live_runs.answer(first.run_id, shown["id"], {"action": "revise", "text": "use a loop"})
    second = await follow(live_runs, first.run_id)
    assert second.outcome["pending"]["payload"]["plan"] == "count in a loop"
    told = dict(model_server.prompts)["planner"]
    assert "use a loop" in told
    await live_runs.answer(first.run_id, second.outcome["pending"]["id"], {"action": "approve"})
    await follow(live_runs, first.run_id)
    sent = dict(model_server.prompts)
    assert "Is y a vowel? yes" in sent["generator"]
    assert "Is y a vowel? yes" in sent["spec tester"], "the person's answer is part of the task for everybody"
