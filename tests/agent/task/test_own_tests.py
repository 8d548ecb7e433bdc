"""The person's own tests import the program by the name of the person's module."""

from __future__ import annotations

import json

import pytest

from agent.engine import AgentEngine, spec_of
from agent.runs import AgentRuns
from agent.state import AgentState, Task
from agent.task.order import Order
from agent.task.own_tests import meeting_the_program, own_suites
from agent.task.request import BadInput
from framework.settings import Settings
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import usual
from tests.tables import in_one_test

CODE = "def area(a, b):\n    return a + b\n"
MENDED = CODE.replace("+", "*")


@in_one_test(
    "given, read",
    [
        ("from shapes import area\nassert area(2, 3) == 6\n", "from solution import area\nassert area(2, 3) == 6\n"),
        ("import shapes\nassert shapes.area(2, 3) == 6", "import solution as shapes\nassert shapes.area(2, 3) == 6"),
        ("import os, shapes as s  # é\nassert s.area(2, 3)", "import os, solution as s  # é\nassert s.area(2, 3)"),
        ("from shapes import (\n    area,\n)\nassert area(2, 3)", "from solution import area\nassert area(2, 3)"),
        ("def test_a():\n    from shapes import area; assert area(2, 3)", None),
        ("from solution import area\nassert area(2, 3) == 6", ""),
        (
            "from shapes import area\n@patch('shapes.area')\ndef test_a(m): patch.dict('shapes.area', 'shapes.x')",
            "from solution import area\n@patch('solution.area')\ndef test_a(m): "
            "patch.dict('solution.area', 'shapes.x')",
        ),
        (
            "import shapes\ndef test_a(monkeypatch):\n    monkeypatch.setattr('shapes.area', max); say('shapes.area')",
            "import solution as shapes\ndef test_a(monkeypatch):\n"
            "    monkeypatch.setattr('solution.area', max); say('shapes.area')",
        ),
        (
            "@patch('shapes.area', return_value=7)\ndef test_a(_):\n    assert area(1, 2) == 7",
            "@patch('solution.area', return_value=7)\ndef test_a(_):\n    assert area(1, 2) == 7",
        ),
        ("@patch('nowhere.get')\ndef test_a(_):\n    assert area(2, 3) == 6", ""),
        (
            "from shapes import area\nmock.patch(\n    'math.pi')",
            "from solution import area\nmock.patch(\n    'math.pi')",
        ),
        ("from math import area\nassert area(2, 3) == 6", ""),
        ("from shapes import volume\nassert volume(2, 3) == 6", ""),
        ("import shapes.flat\nassert shapes.flat.area(2, 3) == 6", ""),
        ("from .shapes import area\nassert area(2, 3) == 6", ""),
        ("not python (", ""),
        ("from app import area\nassert area(2, 3) == 6", "from solution import area\nassert area(2, 3) == 6"),
        ("from shapes import *\nassert area(2, 3) == 6", "from solution import *\nassert area(2, 3) == 6"),
        ("from __main__ import area\nassert area(2, 3) == 6", ""),
        ("x = '\ud800'\nfrom shapes import area", ""),
    ],
)
def test_the_module_that_holds_the_given_code_is_the_program(given: str, read: str | None) -> None:
    wanted = given.replace("from shapes", "from solution") if read is None else read or given
    assert meeting_the_program(Task("Fix it", code=CODE, tests=given)) == wanted


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("Write area(a, b)", True),
        ("Write a function that makes the tests pass", True),
        ("Write what the tests want with shapes", False),
        ("Write volume(a, b)", False),
    ],
)
def test_without_code_it_is_the_module_of_what_is_asked_for(text: str, *, met: bool) -> None:
    tests = "from shapes import area\n\ndef test_area():\n    assert area(2, 3) == 6\n"
    assert ("solution" in meeting_the_program(Task(text, tests=tests))) is met
    assert meeting_the_program(Task(text, tests=tests, files={"shapes.py": b"area = max"})) == tests


@pytest.mark.parametrize("beside", ["import nowhere_to_be_found", "from solution import area"])
def test_what_stands_beside_the_program_may_be_a_package(beside: str) -> None:
    tests = f"import shapes\n{beside}\n\ndef test_area():\n    assert area(2, 3) == 6\n"
    assert meeting_the_program(Task("Write a function that makes the tests pass", tests=tests)) == tests


def test_without_code_what_is_only_replaced_may_be_a_package() -> None:
    tests = "@patch('nowhere.get')\ndef test_area(_):\n    assert area(2, 3) == 6\n"
    assert meeting_the_program(Task("Write a function that makes the tests pass", tests=tests)) == tests


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_right_repair_passes_tests_that_import_the_persons_module(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    def answer(role: str, times: int) -> str:
        if role == "generator":
            return f"{json.dumps({'note': 'product'})}\n{fenced(MENDED)}"
        if role == "debugger":
            return json.dumps({"fault": "code", "category": "wrong_operator", "explanation": "it adds"})
        return usual(role)

    model_server.answer = answer
    tests = (
        "from shapes import area\nfrom unittest.mock import patch\n\n"
        "def test_area():\n    assert area(2, 3) == 6\n    assert area(5, 1) == 5\n\n"
        "def test_patched():\n    with patch('shapes.area', return_value=7):\n"
        "        import shapes\n        assert shapes.area(2, 3) == 7\n"
    )
    task = Task("area(2, 3) gives 5, which is wrong. Fix it.", code=CODE, tests=tests)
    order = Order(task, {"spec_tests": False, "adversary": False, "critic": False})
    played = await follow(live_runs, await live_runs.begin(order))
    found = {check["name"]: check["outcome"] for check in played.outcome["evidence"]["checks"]}
    assert found["person.test_area"] == found["person.test_patched"] == "pass"
    assert played.outcome["verdict"] != "failed"


def test_unusable_tests_are_refused_before_a_run_begins(settings: Settings) -> None:
    for tests, line in (
        ("# file: test_a.py\nx = 1\n", r"test_a\.py: the tests hold no test"),
        ("def test(:", "the tests do not parse"),
    ):
        spec = spec_of(settings, Order(Task("Fix it", code=CODE, tests=tests), provider="mock"))
        with pytest.raises(BadInput, match=f"^your tests cannot be used: {line}"):
            AgentEngine(settings).start(spec.as_json())


def test_a_run_begins_with_the_persons_tests_as_suites() -> None:
    (suite,) = own_suites(
        AgentState(task=Task("Fix it", code=CODE, tests="from shapes import area\nassert area(1, 1)"))
    )
    assert (suite.origin, suite.header, len(suite.checks)) == ("person", "from solution import area", 1)
    assert own_suites(AgentState(task=Task("Fix it", code=CODE))) == []
