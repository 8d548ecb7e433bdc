"""Models that are wrong, lazy or broken: each run ends with the right verdict and the best program, in its budget."""

from __future__ import annotations

import json

import pytest

from agent.cli.commands import exit_code
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

TASK = (
    "Write count_vowels(text) that counts the vowels a, e, i, o and u in a text, in upper or lower case. "
    "For example count_vowels('Hello') == 2, and count_vowels('sky') == 0."
)
RIGHT = "def count_vowels(text):\n    return sum(letter in 'aeiouAEIOU' for letter in text)"
ALSO_RIGHT = (
    "def count_vowels(text):\n    found = 0\n    for letter in text.lower():\n"
    "        if letter in {'a', 'e', 'i', 'o', 'u'}:\n            found += 1\n    return found"
)
WRONG = "def count_vowels(text):\n    return sum(letter in 'aeiou' for letter in text)"
TESTS = (
    "def test_none():\n    assert count_vowels('') == 0\n\n\n"
    "def test_upper():\n    assert count_vowels('AEIOU') == 5\n\n\n"
    "def test_mixed():\n    assert count_vowels('aXbYe') == 2\n\n\n"
    "def test_no_vowel():\n    assert count_vowels('xyz') == 0"
)
WRONG_TEST = TESTS + "\n\n\ndef test_banana():\n    assert count_vowels('banana') == 4"
INPUTS = (
    "def allowed(text):\n    return ''\n\n\ndef inputs(draw, size):\n"
    "    while True:\n        yield (''.join(draw.choice('aEx y') for _ in range(size)),)"
)
ATTACK = "def test_property_case():\n    assert count_vowels('abcE') == count_vowels('ABCe')"
DIAGNOSIS = json.dumps(
    {
        "fault": "code",
        "category": "assertion",
        "confidence": 0.9,
        "explanation": "upper case letters are missed",
        "repair_hint": "compare in lower case",
        "quote": "in upper or lower case",
    }
)


def usual(role: str) -> str:
    return {
        "spec tester": fenced(TESTS),
        "input writer": fenced(INPUTS),
        "adversarial tester": fenced(ATTACK),
        "debugger": DIAGNOSIS,
        "arbiter": json.dumps({"expected": "3", "quote": "counts the vowels", "ambiguous": False}),
        "critic": json.dumps({"objection": "", "input": "", "expected": ""}),
        "planner": json.dumps({"plan": "count them", "outline": ["loop"]}),
        "reviewer": json.dumps({"findings": ["upper case letters are not counted"]}),
        "memory summariser": json.dumps({"lessons": ["mind the case of letters"]}),
    }[role]


async def run(live_runs: AgentRuns, task: str = TASK, **options: object) -> Played:
    order = Order(Task(task), {"mutation_seconds": 0, **options})
    return await follow(live_runs, await live_runs.begin(order))


async def test_right_code_and_one_wrong_test(model_server: ModelServer, live_runs: AgentRuns) -> None:
    programs = [RIGHT, ALSO_RIGHT]
    model_server.answer = lambda role, times: (
        fenced(programs[times]) if role == "generator" else fenced(WRONG_TEST) if role == "spec tester" else usual(role)
    )
    played = await run(live_runs)
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]
    assert "letter in 'aeiouAEIOU'" in played.outcome["code"]
    assert [entry["name"] for entry in played.outcome["evidence"]["quarantined"]] == ["spec:1.test_banana"]
    assert not played.of("diagnosed"), "right code must never be sent to repair for a wrong test"


async def test_wrong_code_and_right_tests(model_server: ModelServer, live_runs: AgentRuns) -> None:
    programs = [WRONG, RIGHT, ALSO_RIGHT, RIGHT, RIGHT]
    model_server.answer = lambda role, times: fenced(programs[times]) if role == "generator" else usual(role)
    played = await run(live_runs)
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]
    assert "letter in 'aeiou' for" not in played.outcome["code"]
    assert played.outcome["evidence"]["quarantined"] == []


async def test_a_model_that_always_fails(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: (
        fenced(WRONG.replace("aeiou", f"{times}")) if role == "generator" else usual(role)
    )
    played = await run(live_runs)
    assert played.outcome["verdict"] == "failed"
    assert played.outcome["code"], "the best candidate is still handed over"
    assert sum(model_server.asked.values()) <= 40


async def test_a_small_repair_may_come_as_edits(model_server: ModelServer, live_runs: AgentRuns) -> None:
    edits = "```\n<<<<<<< SEARCH\n    return sum(letter in 'aeiou' for letter in text)\n=======\n"
    edits += "    return sum(letter in 'aeiouAEIOU' for letter in text)\n>>>>>>> REPLACE\n```\n"
    told = {0: fenced(WRONG), 1: edits}
    example = TASK.replace("count_vowels('Hello') == 2", "count_vowels('HELLO') == 2")
    model_server.answer = lambda role, times: told.get(times, fenced(RIGHT)) if role == "generator" else usual(role)
    played = await run(live_runs, example)
    repaired = [attempt for attempt in played.outcome["attempts"] if attempt["kind"] == "repair"]
    assert [attempt["code"].strip() for attempt in repaired] == [RIGHT]
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]


async def test_a_model_that_always_crashes(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: (
        fenced(f"def count_vowels(text):\n    raise RuntimeError('no {times}')") if role == "generator" else usual(role)
    )
    played = await run(live_runs)
    assert played.outcome["verdict"] == "failed"
    assert played.report.error is None


async def test_a_model_that_answers_rubbish(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: "banana " * 20
    played = await run(live_runs)
    assert played.outcome["verdict"] == "failed"
    assert played.outcome["code"] == ""
    assert "no program" in played.outcome["verdict_reason"]
    assert played.report.error is None


async def test_a_model_that_declines_is_heard(model_server: ModelServer, live_runs: AgentRuns) -> None:
    words = "I'm sorry, but I can't help with software that reads other people's passwords."
    model_server.answer = lambda role, times: words
    played = await run(live_runs)
    assert (played.outcome["verdict"], played.outcome["verdict_reason"]) == (
        "failed",
        "the model gave words instead of a program",
    )
    assert words in played.outcome["answer"]
    assert "```" not in played.outcome["answer"], "no instruction to a model is shown to the person"
    assert exit_code(played.report, None) == 1
    assert all(count <= 2 for count in model_server.asked.values()), "asked again at most once"
    assert not any("could not be used" in prompt for _, prompt in model_server.prompts), "without pressing"


async def test_tests_meet_the_program_under_the_name_that_its_author_chose(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    task = "Write a function to count the vowels a, e, i, o and u of a text, in upper or lower case."
    model_server.answer = lambda role, times: "I'd rather not." if role == "generator" else usual(role)
    assert (await run(live_runs, task)).outcome["verdict"] == "failed"
    assert "spec tester" not in model_server.asked, "there is no program that tests could meet"
    model_server.answer = lambda role, times: (
        fenced([RIGHT, ALSO_RIGHT][times > 2]) if role == "generator" else usual(role)
    )
    played = await run(live_runs, task)
    assert played.outcome["verdict"] == "partly_verified"
    told = [prompt for role, prompt in model_server.prompts if role == "spec tester"]
    assert told
    assert all("def count_vowels(text)" in prompt and "sum(" not in prompt for prompt in told), "the name and no more"


async def test_an_unusable_suite_is_dropped_and_said_so(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: (
        fenced(RIGHT) if role == "generator" else fenced("x = 1") if role == "spec tester" else usual(role)
    )
    played = await run(live_runs)
    assert played.outcome["verdict"] == "verified"
    assert "spec tester" in played.outcome["answer"]


async def test_testers_see_neither_plan_nor_code(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: (
        fenced(RIGHT)
        if role == "generator"
        else json.dumps({"plan": "PLAN-CANARY", "outline": []})
        if role == "planner"
        else usual(role)
    )
    await run(live_runs, plan="always")
    sent = dict(reversed(model_server.prompts))  # the first of each role: an independent author sees no plan, either
    assert "PLAN-CANARY" in sent["generator"]
    assert "PLAN-CANARY" not in sent["spec tester"]
    assert "aeiouAEIOU" not in sent["spec tester"]
    assert "aeiouAEIOU" in sent["adversarial tester"]


async def test_held_out_checks_are_never_shown_to_a_repair(model_server: ModelServer, live_runs: AgentRuns) -> None:
    broken = RIGHT.replace("'aeiouAEIOU'", "''")
    programs = [broken, RIGHT, ALSO_RIGHT, RIGHT, RIGHT]
    model_server.answer = lambda role, times: fenced(programs[times]) if role == "generator" else usual(role)
    played = await run(live_runs, held_out=0.5)
    listed = [check for suite in played.of("suite_written") for check in suite.checks]
    hidden = [check.name for check in listed if check.held_out]
    assert hidden
    repairs = [words for role, words in model_server.prompts if role in ("generator", "debugger")]
    assert not any(f"def {name}(" in words for name in hidden for words in repairs)


async def test_a_call_budget_stops_the_run_with_what_there_is(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: fenced(WRONG.replace("aeiou", "")) if role == "generator" else usual(role)
    played = await run(live_runs, budget_calls=3)
    assert sum(model_server.asked.values()) == 3
    assert played.outcome["budget_reached"] is True
    assert played.outcome["verdict"] == "failed"
    assert played.outcome["code"]


async def test_the_owner_key_is_found_nowhere_after_a_run(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: fenced(RIGHT) if role == "generator" else usual(role)
    played = await run(live_runs)
    key = "sk-canary-0123456789abcdef"
    assert key not in json.dumps(played.outcome)
    state = live_runs.engine.settings.state_dir
    for path in state.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
