"""Ambiguous tasks: the person decides, may stop, or is told the assumption; a tick is a trusted check."""

from __future__ import annotations

import pytest

from agent.runs import AgentRuns
from tests.agent.conftest import Play, follow
from tests.agent.test_pauses import scenario_task

pytestmark = pytest.mark.asyncio(loop_scope="session")
AMBIGUOUS = scenario_task("ambiguous_task")


async def test_full_auto_reports_the_assumption(play: Play) -> None:
    played = await play(AMBIGUOUS)
    assert played.outcome["verdict"] in ("unverified", "partly_verified")
    assert "nothing settles what" in played.outcome["answer"]


@pytest.mark.slow
async def test_a_tick_becomes_a_trusted_check(play: Play, runs: AgentRuns) -> None:
    played = await play(AMBIGUOUS, {"autonomy": "review_repairs"})
    pending = played.outcome["pending"]
    assert pending["kind"] == "ambiguous"
    options = pending["payload"]["options"]
    assert len(options) >= 2
    await runs.answer(played.run_id, pending["id"], {"action": "tick", "text": options[0]})
    after = await follow(runs, played.run_id)
    while after.outcome["pending"]:
        await runs.answer(after.run_id, after.outcome["pending"]["id"], {"action": "approve"})
        after = await follow(runs, played.run_id)
    ticked = [check for check in after.outcome["evidence"]["checks"] if check["origin"] == "answer"]
    assert [check["tier"] for check in ticked] == ["T0"]
    assert after.outcome["verdict"] == "verified", "the tick speaks for lists of two numbers as for those of four"
    aside = {one["name"]: one["reason"] for one in after.outcome["evidence"]["quarantined"]}
    assert aside["spec:1.test_two_numbers"].startswith("person: the person's answer to another input")


async def test_abort_stops_paying(play: Play, runs: AgentRuns) -> None:
    played = await play(AMBIGUOUS, {"autonomy": "review_repairs"})
    calls = played.outcome["usage"]["calls"]
    await runs.answer(played.run_id, played.outcome["pending"]["id"], {"action": "abort"})
    after = await follow(runs, played.run_id)
    assert after.report.conclusion
    assert after.outcome["usage"]["calls"] == calls
    assert after.outcome["stop_reason"] == "aborted by the person"
    assert after.outcome["budget_reached"] is False
