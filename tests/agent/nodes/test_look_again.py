"""When the kind of a task is looked at again, and what becomes of the tests that were written for another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.by_output.fate import SILENT
from agent.config import AgentConfig
from agent.examples.types import Brief, TaskKind
from agent.nodes.look_again import doubt_of
from agent.runs import AgentRuns
from agent.state import AgentState, Candidate, Check, CheckOutcome, Run, Suite, Task, with_suites
from agent.state.done import Done
from agent.task.order import Order
from sandbox.types import Execution, Isolation
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced

ENDED = Execution("error", Isolation("limits", *["open"] * 6))
SCRIPT_CODE = "def main():\n    print(3)\n\nif __name__ == '__main__':\n    main()\n"
UNKNOWN = "NameError: name 'primes' is not defined\n  test_solution.py:2 in test_a: assert primes(2) == 3"


def state_with(kind: TaskKind, code: str, *messages: str, lacks: str = "") -> AgentState:
    checks = tuple(Check(f"spec:1.test_{n}", f"test_{n}", "spec", "def test(): ...") for n, _ in enumerate(messages))
    outcomes = {
        check.id: CheckOutcome("error" if message else "pass", message)
        for check, message in zip(checks, messages, strict=True)
    }
    return AgentState(
        task=Task("twenty primes"),
        brief=Brief(kind, False, None, None),
        suites=[Suite("spec:1", "spec", "", checks)] if checks else [],
        candidates=[Candidate("c1", code, "first", None, "c1")],
        runs=[Run("c1", "spec:1" if checks else "script", ENDED, bool(checks), outcomes, lacks=lacks)],
    )


@pytest.mark.parametrize(
    "message",
    [
        UNKNOWN,
        "AttributeError: module 'solution' has no attribute 'primes'",
        "the suite did not load: ImportError: cannot import name 'primes' from 'solution' (/run/solution.py)",
    ],
)
def test_a_name_that_no_test_can_find_makes_the_kind_doubtful(message: str) -> None:
    assert "primes" in doubt_of(state_with("function", SCRIPT_CODE, UNKNOWN, message))


def test_one_test_that_ran_leaves_no_doubt() -> None:
    assert doubt_of(state_with("function", SCRIPT_CODE, UNKNOWN, "")) == ""
    assert doubt_of(state_with("function", SCRIPT_CODE, UNKNOWN, "AssertionError: 3 != 2")) == ""


def test_a_name_that_the_program_does_define_is_no_matter_of_kind() -> None:
    assert doubt_of(state_with("function", "def primes(): return primes", UNKNOWN)) == ""


def test_definitions_only_are_no_script() -> None:
    code = '"""Primes."""\nimport math\n\ndef primes(n):\n    return [2, 3]\n'
    assert "only defines primes" in doubt_of(state_with("script", code, lacks=SILENT))
    assert "only defines primes" in doubt_of(state_with("program", code))
    assert doubt_of(state_with("script", code + "primes(3)\n", lacks=SILENT)) == ""


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("import math", True), ("from math import pi", True), ("LIMIT = 3", True), ("LIMIT: int = 3", True),
        ("class Prime: ...", True), ("async def later(): ...", True), ("'a remark'", True), ("...", True),
        ("print(3)", False), ("if True:\n    f()", False), ("for n in f(): print(n)", False), ("LIMIT += 1", False),
    ],
)  # fmt: skip
def test_what_only_defines_imports_and_names_things_puts_out_nothing(line: str, *, idle: bool) -> None:
    code = f"def g(): ...\n{line}\ndef f(): ...\n"
    told = doubt_of(state_with("script", code, lacks=SILENT))
    defined = {"class Prime: ...": "Prime, f, g", "async def later(): ...": "f, g, later"}.get(line, "f, g")
    puts_out = f"the program puts out nothing by itself, it only defines {defined}"
    assert told == (puts_out if idle else "")
    assert doubt_of(state_with("script", code, lacks="a plot is missing")) == "", "it puts something out"
    assert doubt_of(state_with("script", f"{line}\n", lacks=SILENT)) == "" or line.endswith("...")


def test_all_names_that_tests_want_in_vain_are_told() -> None:
    other = "AttributeError: module 'solution' has no attribute 'evens'"
    told = "tests call evens, primes, which the program does not define"
    assert doubt_of(state_with("function", SCRIPT_CODE, UNKNOWN, other)) == told
    assert doubt_of(state_with("function", "def evens(): ...", UNKNOWN, other)) == "", "one of them is there"
    assert doubt_of(state_with("function", SCRIPT_CODE)) == "", "no test ran"


def test_it_is_looked_at_once_and_never_where_the_person_shows_what_is_called() -> None:
    state = state_with("function", SCRIPT_CODE, UNKNOWN)
    assert doubt_of(replace(state, done=[Done("looked again")])) == ""
    assert doubt_of(replace(state, task=Task("twenty primes", tests="assert primes(1)"))) == ""
    assert doubt_of(replace(state, task=Task("twenty primes", code="def evens(): ..."))) == ""
    assert doubt_of(replace(state, brief=None)) == doubt_of(replace(state, candidates=[])) == ""
    assert doubt_of(replace(state, suites=[*state.suites, Suite("task", "task", "", ())])) == ""
    assert doubt_of(replace(state, config=AgentConfig(plan="never"))) == ""


def test_a_suite_without_checks_takes_away_the_one_of_its_id() -> None:
    state = state_with("function", SCRIPT_CODE, UNKNOWN)
    new = Suite("spec:2", "spec", "", state.suites[0].checks)
    assert with_suites(state.suites, [Suite("spec:1", "spec", "", ()), new]) == [new]


def test_a_suite_takes_the_place_of_the_one_of_its_id() -> None:
    known = Suite("spec:1", "spec", "", state_with("function", SCRIPT_CODE, UNKNOWN, UNKNOWN).suites[0].checks)
    fewer, other = replace(known, checks=known.checks[:1]), replace(known, id="spec:2")
    assert with_suites([known, other], [fewer]) == [fewer, other]


UNDO = "I want an undo/redo history object: do(action), undo(), redo(). undo gives the last action back."
HISTORY = """
class History:
    def __init__(self):
        self.done = []

    def do(self, action):
        self.done.append(action)

    def undo(self):
        return self.done.pop()
"""
USES = "def test_last():\n    h = History()\n    h.do(1)\n    assert h.undo() == 1\n"


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_of_a_class_no_method_is_told_as_what_is_called(model_server: ModelServer, live_runs: AgentRuns) -> None:
    words = {"generator": fenced(HISTORY)}
    model_server.answer = lambda role, times: words.get(role, fenced(USES))
    options = {"budget_calls": 4, "reference": False, "valid_inputs": False}
    order = Order(Task(UNDO), options)
    await follow(live_runs, await live_runs.begin(order))
    assert next(role for role, _ in model_server.prompts) == "generator"
    told = [words for role, words in model_server.prompts if role == "spec tester"]
    assert told
    assert all("History()" in words and "def do(" not in words for words in told)
