"""Where no word tells what is to become of given code, the planner says it, once and before anything is made ready."""

from __future__ import annotations

import json

import pytest

from agent.events import CandidateWritten, TaskClassified
from agent.runner import AgentRuns, spec_of
from agent.state import Task
from agent.task.pasted import with_pasted
from framework.engine import Envelope
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = pytest.mark.asyncio(loop_scope="session")
CODE = "def first(items):\n    return items[0]\n"
UNCLEAR = "eli5?"


async def played(runs: AgentRuns, server: ModelServer, task: Task, kind: str) -> tuple[list[str], list[str]]:
    """The kinds that a run told, and what its programs are."""
    words = {
        "planner": json.dumps({"plan": "Look at it.", "kind": kind}),
        "explainer": json.dumps({"explanation": "It takes the first one."}),
        "generator": fenced(CODE + "# clean\n"),
    }
    tests = fenced("def test_it():\n    assert first([1, 2]) == 1\n")
    server.answer = lambda role, times: words.get(role, tests)
    options = {"budget_calls": 6, "reference": False, "valid_inputs": False}
    run = await runs.submit(spec_of(runs.engine.settings, task, options), title="kind")
    await follow(runs, run)
    events = [entry.event async for entry in runs.tail(run) if isinstance(entry, Envelope)]
    kinds = [event.task_kind for event in events if isinstance(event, TaskClassified)]
    return kinds, [event.attempt for event in events if isinstance(event, CandidateWritten)]


@pytest.mark.parametrize(
    ("said", "kind", "first"),
    [("explain", "explain", "first"), ("tests", "tests", "first"), ("extend", "extend", "given"),
     ("function", "fix", "given")],
)  # fmt: skip
async def test_what_is_to_become_of_given_code_is_asked_once(
    model_server: ModelServer, live_runs: AgentRuns, said: str, kind: str, first: str
) -> None:
    kinds, programs = await played(live_runs, model_server, Task(UNCLEAR, code=CODE), said)
    assert (kinds, programs[0]) == ([kind], first)
    assert model_server.asked["planner"] == 1
    assert "fix, extend, tests, explain" in model_server.prompts[0][1]
    assert (model_server.asked["explainer"] == 1) == (kind == "explain")


async def test_what_the_words_tell_is_not_asked(model_server: ModelServer, live_runs: AgentRuns) -> None:
    kinds, _ = await played(live_runs, model_server, Task("Explain this", code=CODE), "fix")
    assert (kinds, model_server.asked["planner"]) == (["explain"], 0)


PASTED = f"my code:\n```python\n{CODE}```\nit blows up with an IndexError on [], I want None then"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PASTED, CODE),
        (f"why do I get [1] instead of 1?\n\n{CODE}\nfirst([[1]]) should be 1", CODE),
        (f"Could you explain this?\n```\n{CODE}```", CODE),
        ("Write g(x), it must not crash on []. Here is a helper:\n```python\ndef h(x):\n    return x\n```\n"
         "Implement a function that uses it.", None),
        ('Complete it, it fails now:\n```python\ndef first(items):\n    """The first."""\n    ...\n```', None),
        ("Explain how to sort.\n```python\nassert first([1]) == 1\n```", None),
        (f"It crashes.\n```python\n{CODE}```\nand\n```python\n{CODE}```", None),
    ],
)  # fmt: skip
async def test_a_program_in_the_text_is_the_code_that_the_text_is_about(text: str, code: str | None) -> None:
    found = with_pasted(Task(text)).code
    assert (found and found.strip()) == (code and code.strip())


async def test_what_is_given_beside_the_text_is_not_replaced() -> None:
    for task in (Task(PASTED, code="x = 1\n"), Task(PASTED, tests="assert first([1]) == 1\n")):
        assert with_pasted(task) == task
