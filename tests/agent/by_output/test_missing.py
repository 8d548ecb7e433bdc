"""A file that the task reads and nobody gave is asked for before any model is: at no call."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from agent.by_output.missing import named_otherwise
from agent.cli.console import flag_for
from agent.engine import spec_of
from agent.examples import read_brief
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput, Wanting
from llm.scenarios import get_scenario
from tests.agent.command_line import agent
from tests.agent.conftest import Play, follow
from tests.agent.model_server import ModelServer, fenced

SALES = b"region,sum\nNorth,3\n"


@pytest.mark.parametrize(
    ("text", "files", "told"),
    [
        (
            "Print the total of each region in customers.csv.",
            ["sal.csv"],
            "the task names customers.csv, which was not given; the data come from sal.csv",
        ),
        ("Print the total of each region in sal.csv.", ["sal.csv"], ""),
        ("Print the total of each region from the file.", ["sal.csv"], ""),
        ("Read sal.csv and write the totals to out.csv.", ["sal.csv"], ""),
        ("Compare sal.csv with old.csv.", ["sal.csv"], ""),
    ],
)
def test_a_file_that_is_taken_for_another_is_told(text: str, files: list[str], told: str) -> None:
    task = Task(text, files=dict.fromkeys(files, SALES))
    assert named_otherwise(task, read_brief(task.text, None, task.files)) == told


SCENARIO = get_scenario("csv_to_plot")


@pytest.mark.asyncio(loop_scope="session")
async def test_in_full_auto_the_run_does_not_begin(play: Play, runs: AgentRuns) -> None:
    with pytest.raises(BadInput, match=r"reads sales\.csv, which was not given"):
        await play(Task("Print the total of each product in sales.csv"))
    assert runs.store.runs.list() == []


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_in_a_review_mode_the_person_gives_it_and_the_run_goes_on(play: Play, runs: AgentRuns) -> None:
    assert SCENARIO is not None
    asked = await play(Task(SCENARIO.task), {"autonomy": "review_repairs"}, provider="mock")
    assert asked.outcome["pending"]["kind"] == "missing_file"
    assert asked.outcome["usage"]["calls"] == 0
    given = {"other.csv": base64.b64encode(SCENARIO.files["sales.csv"]).decode()}
    question = asked.outcome["pending"]["id"]
    with pytest.raises(BadInput, match="base64"):
        await runs.answer(asked.run_id, question, {"action": "approve", "files": {"sales.csv": "?"}})
    await runs.answer(asked.run_id, question, {"action": "approve", "files": given})
    after = await follow(runs, asked.run_id)
    assert after.outcome["pending"]["kind"] == "review_repair", "it reads the file, under the name that the task gives"
    assert [event.action for event in after.of("question_answered")] == ["approve"]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_person_may_end_the_run_instead(play: Play, runs: AgentRuns) -> None:
    assert SCENARIO is not None
    asked = await play(Task(SCENARIO.task), {"autonomy": "review_all"}, provider="mock")
    await runs.answer(asked.run_id, asked.outcome["pending"]["id"], {"action": "abort"})
    after = await follow(runs, asked.run_id)
    assert (after.outcome["verdict"], after.outcome["usage"]["calls"]) == ("unverified", 0)
    assert after.outcome["verdict_reason"] == "ended by the person"
    assert after.outcome["answer"] == "The person ended the run before a program was written."


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    ended = await agent("average salary by department from this CSV", state=tmp_path, env={"LLM_PROVIDER": "mock"})
    assert ended.code == 2
    assert ended.err.strip().count("\n") == 0
    assert "--data" in ended.err


@pytest.mark.parametrize(
    ("task", "flag"),
    [
        (Task("average salary by department from pay.csv"), "(--data FILE)"),
        (Task("Fix this", code="import no_such_thing\n"), "(--install-packages)"),
    ],
)
def test_no_door_is_told_in_the_words_of_another(runs: AgentRuns, task: Task, flag: str) -> None:
    with pytest.raises(Wanting) as refused:
        runs.engine.start(spec_of(runs.engine.settings, Order(task)).as_json())
    assert "--" not in str(refused.value)
    assert flag_for(refused.value).strip() == flag


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("name", "data"),
    [("prices.csv", b"name,price\n"), ("prices.json", b"[]"), ("prices.json", b'{"prices": [], "more": []}')],
)
async def test_a_file_without_rows_is_told(
    model_server: ModelServer, live_runs: AgentRuns, name: str, data: bytes
) -> None:
    model_server.answer = lambda role, times: fenced("print('There is nothing to average.')")
    task = Task(f"What is the average price in {name}?", files={name: data})
    ended = await follow(live_runs, await live_runs.begin(Order(task)))
    assert f"{name} holds no rows: there is nothing in it to reckon with" in ended.outcome["evidence"]["assumptions"]
