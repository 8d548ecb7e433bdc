"""The demo model answers only what is written, from the request alone, and says what it is."""

from __future__ import annotations

import pytest

from llm.errors import BadReply, NoScenario
from llm.providers.mock import MODEL, MockProvider
from llm.scenarios import find_scenario, get_scenario, list_scenarios, script
from llm.types import Completion, Delta, Message, ProviderSettings, Request

SCENARIO = get_scenario("roman_numerals")
assert SCENARIO is not None
TASK = SCENARIO.task


def request(role: str = "generator", question: str = "first", task: str = TASK) -> Request:
    return Request(role=role, task=task, question=question, messages=(Message("user", "write it"),))


async def ask(role: str = "generator", question: str = "first", task: str = TASK) -> Completion:
    return await MockProvider().complete(request(role, question, task), model=MODEL)


async def test_answers_with_the_line_of_role_and_step() -> None:
    assert (await ask()).text == script("roman_numerals")["generator"]["first"]
    assert (await ask("critic", "critic:1")).text == script("roman_numerals")["critic"]["critic:1"]


async def test_white_space_in_the_task_makes_no_difference() -> None:
    assert (await ask(task="  " + TASK.replace("\n", " \r\n "))).text == (await ask()).text


async def test_an_unknown_task_is_refused_with_the_way_to_a_real_model() -> None:
    with pytest.raises(NoScenario) as caught:
        await ask(task="Write a function that reverses a string.")
    message = str(caught.value)
    assert "scripted demo model" in message
    assert all(scenario.name in message for scenario in list_scenarios())
    assert "ANTHROPIC_API_KEY" in message
    assert "LLM_PROVIDER=" in message


@pytest.mark.parametrize("task", ["", "roman_numerals", TASK + " And handle zero.", TASK[:-5], TASK.upper()])
async def test_a_task_that_is_only_similar_is_refused(task: str) -> None:
    with pytest.raises(NoScenario):
        await ask(task=task)


async def test_a_step_without_a_line_is_named() -> None:
    with pytest.raises(BadReply, match="no line for the adversarial tester for the question 'adversary:9'"):
        await ask("adversarial_tester", "adversary:9")


async def test_parallel_strategies_fall_back_to_the_single_repair() -> None:
    assert (await ask(question="repair:1:minimal")).text == (await ask(question="repair:1")).text
    assert (await ask(question="repair:1:rewrite")).text != (await ask(question="repair:1")).text


@pytest.mark.parametrize(
    ("role", "question"),
    [("generator", "repair:9"), ("generator", "repair:1:2"), ("debugger", "debug:1:9"), ("generator", "rep")],
)
async def test_a_numbered_step_never_falls_back_to_another_number(role: str, question: str) -> None:
    with pytest.raises(BadReply):
        await ask(role, question)


async def test_a_tool_call_is_a_tool_call() -> None:
    completion = await ask("debugger", "debug:1:1")
    assert completion.finish == "tool"
    assert completion.tool_calls[0].name == "run_snippet"
    assert "to_roman(number)" in completion.tool_calls[0].arguments["code"]


async def test_says_what_it_is_and_that_its_token_counts_are_estimates() -> None:
    completion = await ask()
    assert (completion.provider, completion.model, completion.model_reported) == ("mock", MODEL, MODEL)
    assert completion.usage.estimated
    assert completion.usage.output == len(completion.text) // 4 + 1


async def test_keeps_nothing_between_requests() -> None:
    provider = MockProvider()
    answers = [
        await provider.complete(request(question=question), model=MODEL)
        for question in ("repair:1", "first", "repair:1")
    ]
    assert answers[0] == answers[2] != answers[1]


@pytest.mark.parametrize(("role", "question"), [("generator", "first"), ("debugger", "debug:1:1")])
async def test_streams_the_same_reply_in_small_pieces(role: str, question: str) -> None:
    provider = MockProvider("mock", ProviderSettings(options={"pace": 0.0001}))
    *pieces, last = [part async for part in provider.stream(request(role, question), model=MODEL)]
    assert last == await ask(role, question)
    assert isinstance(last, Completion)
    assert "".join(piece.text for piece in pieces if isinstance(piece, Delta)) == last.text
    assert all(isinstance(piece, Delta) and len(piece.text) <= 48 for piece in pieces)


def test_every_scenario_is_found_by_its_own_task_only() -> None:
    assert all(find_scenario(scenario.task) is scenario for scenario in list_scenarios())
