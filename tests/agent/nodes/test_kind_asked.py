"""Where no word tells what is to become of given code, the planner says it, once and before anything is made ready."""

from __future__ import annotations

import ast
import json
from unittest.mock import Mock

import pytest

from agent.events import CandidateWritten, TaskClassified
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.task.pasted import with_pasted
from framework.engine import Envelope
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import RIGHT, usual

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
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
    options = {"budget_calls": 6, "reference": False, "valid_inputs": False, "mutation_seconds": 0}
    run = await runs.begin(Order(task, options))
    await follow(runs, run)
    events = [entry.event async for entry in runs.follow(run) if isinstance(entry, Envelope)]
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


USED = {
    "xs = [3, 1, 2]\nprint(median(xs))": (
        "Implement `median(xs)`. Expected behaviour:",
        "I need `median(xs)`, expected to work like this:",
        "Implement median(xs) for a list of numbers. Expected output of this is 2:",
        "median(xs): tests call it like so",
        "What is the median? Give me `median(xs)` used like:",
        "How does the median work? Code me median(xs) used like",
    ),
    "def test_a():\n    assert slugify('A b') == 'a-b'\n\ndef test_b():\n    assert slugify('') == ''": (
        "Make slugify pass these tests:",
        "Implement slugify so that these tests pass:",
        "Write slugify. It is supposed to pass:",
        "slugify(title) turns a title into a slug. It is supposed to satisfy:",
    ),
    "people = [{'name': 'Ann', 'age': 3}, {'name': 'Bob', 'age': 4}]": (
        "Given this data, return the oldest person's name. Expected: 'Bob'.",
        "Count people per age in this list, expected {3: 1, 4: 1}:",
        "Sort this by age; I get confused by lambdas.",
        "Print the average age of these people, the oldest is supposed to come first:",
    ),
    "def add(a, b):\n    return a + b": (
        "Using this helper, implement `total(xs)`; empty lists raise ValueError.",
        "Using this helper, implement `total(xs)`; it should raise a ValueError for an empty list.",
        "Implement subtract(a, b) in the same style as:",
        "Implement `mul(a, b)` like this, but faster:",
        "I want a decorator `timed` that I can put on this; it is expected to print the seconds.",
        "Translate to pure functions. Tests exist.",
        "Implement `total(xs)`, the reference (slow) is below; it must give the same as this but faster.",
    ),
    "@retry(3)\ndef fetch():\n    return get('http://x')": (
        "Write a decorator `retry` that retries on ConnectionError. Usage:",
    ),
    "c = LRU(2)\nc.put(1, 1)\nprint(c.get(1))": (
        "I need a class LRU with get and put; KeyError when missing. Usage:",
        "Create an LRU cache with get and put; KeyError when missing. Usage:",
    ),
    "e = Emitter()\ne.on('a', print)\ne.emit('a', 1)": (
        "Build an event emitter. It must not fail with a KeyError for unknown events. Example of use:",
    ),
    "out = []\nfor x in range(3):\n    out.append(x)": (
        "Convert this Python 2 style into a list comprehension and explain what it does.",
    ),
    "text = 'a=1'\nparse(text)": ("Parse this config text into a dict. Missing keys raise KeyError.",),
    "def test_p():\n    assert is_prime(7)": ("Write `is_prime(n)`. Tests:",),
    "import math\nPRIMES = [2, 3]": ("Solve is_prime(n) and add tests. Starting point:",),
    "import math\n\ndef total(xs):\n    # TODO\n    return None": (
        "Complete the code. It is supposed to return the sum.",
    ),
    "def total(xs):\n    # your code here\n    return 0": ("Fill in the missing part so that tests pass:",),
    "class Stack:\n    def __init__(self):\n        self.a = []": (
        "Use this class to implement an undo stack; it fails with IndexError when empty.",
    ),
}
"""Usage, tests, data and helpers, beside what is to be written."""


@pytest.mark.parametrize(("text", "code"), [(text, code) for code, texts in USED.items() for text in texts])
async def test_usage_tests_data_and_helpers_are_not_the_code_that_the_text_is_about(text: str, code: str) -> None:
    assert with_pasted(Task(f"{text}\n```python\n{code}\n```")).code is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Make it faster, add(1, 2) takes ages", "def add(a, b):\n    return a + b"),
        ("Write tests for `add`:", "def add(a, b):\n    return a + b"),
        ("What does the function do?", "def add(a, b):\n    return a + b"),
        ("It crashes with KeyError:", "d = {}\nprint(d['a'])"),
        ("Refactor:", "class A:\n    def f(self):\n        return np.mean([1])"),
        ("It blows up, fix it", "try:\n    x = int('a')\nexcept ValueError as e:\n    print(e)"),
    ],
)
async def test_a_program_of_its_own_still_is(text: str, code: str) -> None:
    assert with_pasted(Task(f"{text}\n```python\n{code}\n```")).code == code + "\n"


async def test_what_is_given_beside_the_text_is_not_replaced() -> None:
    for task in (Task(PASTED, code="x = 1\n"), Task(PASTED, tests="assert first([1]) == 1\n")):
        assert with_pasted(task) == task


async def test_a_long_text_that_only_looks_like_python_is_not_tried_line_by_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = Mock(wraps=ast.parse)
    monkeypatch.setattr("agent.task.pasted.ast.parse", tried)
    assert with_pasted(Task("from y\n" * 5000)).code is None
    assert tried.call_count <= 1000


LONG = "def count_vowels(text):\n    found = 0\n    for letter in text:\n        if letter in 'aeiouAEIOU':\n" + (
    "            found = found + 1\n    return found\n"
)


async def test_who_asks_for_tests_gets_the_program_back_that_was_there(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    """Others are written to compare it with, and a shorter one that does the same is no better answer."""
    model_server.answer = lambda role, times: fenced(RIGHT) if role == "generator" else usual(role)
    task = Task("Write unit tests for count_vowels, e.g. count_vowels('sky') == 0", code=LONG)
    ended = await follow(live_runs, await live_runs.begin(Order(task)))
    assert {event.task_kind for event in ended.of("task_classified")} == {"tests"}
    assert model_server.asked["generator"] > 0
    assert (ended.outcome["code"], ended.outcome["candidate"]) == (LONG, "c1")
    assert "def test_upper" in ended.outcome["tests"]
