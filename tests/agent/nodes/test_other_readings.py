"""A whole run in which all programs and tests share one reading of the task, and the adversary tells another one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SENTENCE = "A parcel that reaches 50 kilos costs 3 euros"
TASK = f"Write a function postage(kilos). {SENTENCE}, below that 2. For example postage(60) returns 3."
MISREAD = "def postage(kilos):\n    return 3 if kilos > 50 else 2\n"
OTHERWISE = "def postage(kilos):\n    if kilos <= 50:\n        return 2\n    return 3\n"
TESTS = "\n\n".join(
    f'def test_{kilos}():\n    """{SENTENCE}."""\n    assert postage({kilos}) == {3 if kilos > 50 else 2}'
    for kilos in (0, 10, 49, 50, 51, 100)
)
OTHER = {"input": "postage( 50 )", "value": 3, "sentence": SENTENCE}
INVENTED = {"input": "postage(7)", "value": "9", "sentence": "Seven kilos cost nine euros"}
ALIKE = {"input": "postage(51)", "value": "3", "sentence": SENTENCE}
AS_FLOAT = {"input": "postage(55)", "value": "3.0000000000000004", "sentence": SENTENCE}
AN_ERROR = {"input": "postage(-1)", "value": "raises ValueError", "sentence": SENTENCE}
DECIDED = {"input": "postage(60)", "value": "4", "sentence": SENTENCE}


async def played(
    live_runs: AgentRuns,
    server: ModelServer,
    readings: Sequence[Mapping[str, object]],
    autonomy: str = "full_auto",
    task: str = TASK,
    ruling: str = "{}",
) -> Played:
    written = iter((MISREAD, OTHERWISE, MISREAD))

    def answer(role: str, _times: int) -> str:
        if role == "spec tester":
            return fenced(TESTS)
        if role == "generator":
            return fenced(next(written))
        if role == "adversarial tester":
            return json.dumps({"inputs": ["postage(1)", "postage(99)"], "readings": readings})
        return ruling if role == "arbiter" else "{}"

    server.answer = answer
    options = {"autonomy": autonomy, "valid_inputs": False, "mutation_seconds": 0}
    return await follow(live_runs, await live_runs.begin(Order(Task(task), options)))


async def test_what_another_reader_expects_keeps_a_shared_misreading_from_being_verified(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    run = await played(live_runs, model_server, [OTHER, INVENTED, ALIKE, DECIDED])
    assert run.outcome["verdict"] == "partly_verified"
    told = "no example says what postage(50) gives: this program gives 2, another reading of the task 3"
    assert told in run.outcome["verdict_reason"]
    assert [one["name"] for one in run.outcome["evidence"]["quarantined"]] == ["reading:1.test_reading_1"]
    assert "set aside as wrong" not in run.outcome["verdict_reason"]


async def test_what_the_arbiter_reads_as_the_program_does_lowers_nothing(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    careless = {**OTHER, "input": "postage(49)"}
    ruling = json.dumps({"expected": "2", "quote": SENTENCE})
    run = await played(live_runs, model_server, [careless], ruling=ruling)
    assert run.outcome["verdict"] == "verified"
    assert "another reading" not in run.outcome["verdict_reason"]
    assert "set aside" not in run.outcome["verdict_reason"]


async def test_the_adversary_is_shown_what_the_program_gives_where_no_check_decides(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    await played(live_runs, model_server, [])
    shown = next(words for role, words in model_server.prompts if role == "adversarial tester")
    answers = shown.partition("<answers>")[2].partition("</answers>")[0]
    assert "- postage(-1): 2\n" in answers
    assert "postage(50)" not in answers, "a test states it"


async def test_a_limit_on_the_other_side_is_told_by_code_and_shown_to_the_adversary(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    run = await played(live_runs, model_server, [], task=TASK.replace("that reaches 50 kilos", "of 50 kilos or more"))
    assert run.outcome["verdict"] == "partly_verified"
    told = "line 2: `kilos > 50` has 50 on the other side than “50 kilos or more” of the task"
    assert told in run.outcome["verdict_reason"]
    assert any(told in words for role, words in model_server.prompts if role == "adversarial tester")


async def test_a_limit_that_only_the_programs_decide_is_named_and_an_example_at_it_settles_it(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    task = TASK.replace(SENTENCE + ", below that 2", "A parcel until 50 kilos costs 2 euros, else 3")
    run = await played(live_runs, model_server, [], task=task)
    assert run.outcome["verdict"] == "partly_verified"
    told = "no example shows on which side 50 lies, which line 2 decides: `kilos > 50`"
    assert told in run.outcome["verdict_reason"]
    assert any(told in words for role, words in model_server.prompts if role == "adversarial tester")
    settled = await played(
        live_runs, model_server, [], task=task.replace("postage(60) returns 3", "postage(50) returns 2")
    )
    assert settled.outcome["verdict"] == "verified"


async def test_a_reading_that_the_task_does_not_hold_costs_nothing(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    readings = [INVENTED, ALIKE, AS_FLOAT, AN_ERROR, DECIDED, {**OTHER, "value": "3 or 2"}]
    task = TASK.replace("For example", "For example postage(50) returns 2 and")
    run = await played(live_runs, model_server, readings, task=task)
    assert run.outcome["verdict"] == "verified"
    assert run.outcome["evidence"]["quarantined"] == []


async def test_the_person_may_choose_the_other_reading(live_runs: AgentRuns, model_server: ModelServer) -> None:
    run = await played(live_runs, model_server, [OTHER], "review_repairs")
    pending = run.outcome["pending"]
    assert pending["kind"] == "ambiguous"
    assert pending["payload"]["options"] == ["2", "3"]
    await live_runs.answer(run.run_id, pending["id"], {"action": "tick", "text": "2"})
    after = await follow(live_runs, run.run_id)
    assert after.outcome["verdict"] == "verified"


@pytest.mark.parametrize("author", ["spec tester", "adversarial tester"])
@pytest.mark.parametrize(("expected", "word"), [("2", "verified"), ("3", "partly_verified"), ("", "partly_verified")])
async def test_sentences_that_contradict_each_other_are_told_unless_the_arbiter_finds_that_they_do_not(
    live_runs: AgentRuns, model_server: ModelServer, author: str, expected: str, word: str
) -> None:
    against = "Exactly 50 kilos cost 2 euros"
    said = {"first": SENTENCE, "second": against, "input": "postage(50)", "values": ["3", "2"]}
    invented = {**said, "second": "Fifty kilos cost nothing at all"}
    alike = {**said, "values": ["3", "3.0"]}

    def answer(role: str, _times: int) -> str:
        told = json.dumps({"contradictions": [invented, alike, said]}) + "\n" if role == author else ""
        if role == "spec tester":
            return told + fenced(TESTS)
        if role == "adversarial tester":
            return told + fenced("def test_property_low():\n    assert all(postage(k) == 2 for k in range(50))")
        ruling = {"expected": expected, "quote": SENTENCE, "ambiguous": not expected}
        return fenced(MISREAD) if role == "generator" else json.dumps(ruling) if role == "arbiter" else "{}"

    model_server.answer = answer
    task = Task(f"{TASK} {against}. postage(1) returns 2.")
    options = {"valid_inputs": False, "mutation_seconds": 0}
    run = await follow(live_runs, await live_runs.begin(Order(task, options)))
    told = (
        f"the task contradicts itself, as a model reads it: “{SENTENCE}” gives 3 for postage(50), “{against}” gives 2"
    )
    assert run.outcome["verdict"] == word, run.outcome["verdict_reason"]
    assert run.outcome["verdict_reason"].count("contradicts itself") == run.outcome["verdict_reason"].count(told)
    assert (told in run.outcome["verdict_reason"]) == (word != "verified")
