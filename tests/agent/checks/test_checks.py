"""Test source becomes single claims that can be judged, set aside and held out one by one."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from agent.checks import execution
from agent.checks.asynchronous import awaited_in
from agent.checks.execution import run_suite
from agent.checks.own_faults import NOT_LOADED
from agent.checks.splitting import (
    UnusableTests,
    compose,
    hold_out,
    is_about,
    outcomes_of,
    parse_suite,
    persons_suites,
    things_said,
    without_idle,
)
from agent.config import AgentConfig
from agent.state import Candidate, Check, CheckOutcome, Origin, Suite, Task
from llm.replies.files import join_files
from sandbox.types import CheckResult, Coverage, Execution, Isolation, Sandbox
from tests.agent.alone import alone

SUITE = '''
import math
import pytest

LIMIT = 3

@pytest.fixture
def numbers():
    return [1, 2]

def test_one():
    """Empty gives 0."""
    assert f([]) == 0

def test_many():
    assert f([1]) == 1
    assert f([2]) == 2

def test_fixture(numbers):
    assert f(numbers) == LIMIT

def test_property_sum():
    for n in range(3):
        assert f([n]) == n
'''


def test_a_model_function_of_asserts_becomes_one_check_per_assert() -> None:
    suite = parse_suite(SUITE, "spec:1", "spec")
    names = [check.name for check in suite.checks]
    assert names == ["test_one", "test_many_1", "test_many_2", "test_fixture", "test_property_sum"]
    assert suite.checks[0].id == "spec:1.test_one"


@pytest.mark.parametrize(
    "head",
    ["def test_a(numbers):", "async def test_a():", "@pytest.mark.skipif(False, reason='')\ndef test_a():"],
    ids=["a fixture", "async", "a mark"],
)
def test_a_function_that_is_more_than_its_asserts_stays_whole(head: str) -> None:
    source = f"{head}\n    assert f(1) == 1\n    assert f(2) == 2"
    assert [check.name for check in parse_suite(source, "spec:1", "spec").checks] == ["test_a"]


def test_each_file_of_the_person_has_all_fixtures_before_its_tests() -> None:
    files = {
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 1",
        "conftest.py": "@pytest.fixture\ndef two(): return 2",
        "tests/test_a.py": "def test_a(one): assert one == 1",
        "tests/test_b.py": "LIMIT = 3\ndef test_b(two): assert two < LIMIT",
    }
    suites = persons_suites(join_files(files))
    assert [(suite.id, [check.name for check in suite.checks]) for suite in suites] == [
        ("person:tests/test_a.py", ["test_a"]),
        ("person:tests/test_b.py", ["test_b"]),
    ]
    for suite in suites:
        names = {node.name for node in ast.walk(ast.parse(compose(suite))) if isinstance(node, ast.FunctionDef)}
        assert names == {"one", "two", suite.checks[0].name}


def test_the_person_own_functions_stay_whole() -> None:
    suite = parse_suite(SUITE, "person", "person")
    assert "test_many" in [check.name for check in suite.checks]


def test_a_plain_claim_knows_its_call_value_and_sentence() -> None:
    check = parse_suite(SUITE, "spec:1", "spec").checks[0]
    assert (check.call, check.expected, check.sentence) == ("f([])", "0", "Empty gives 0.")
    assert parse_suite(SUITE, "spec:1", "spec").checks[-1].is_property


def test_each_part_of_a_claim_keeps_its_sentence_and_none_gets_one() -> None:
    told = 'def test_a():\n    """Sums."""\n    assert f(1) == 1\n    assert f(2) == 2\n'
    for source, sentence in ((told, "Sums."), (told.replace('    """Sums."""\n', ""), "")):
        checks = parse_suite(source, "spec:1", "spec").checks
        assert [check.sentence for check in checks] == [sentence] * 2
        assert [len(check.source.splitlines()) for check in checks] == [2 + bool(sentence)] * 2


def test_what_is_put_together_again_holds_all_that_was_kept() -> None:
    suite = parse_suite(SUITE, "spec:1", "spec")
    source = compose(suite, {"spec:1.test_many_2"})
    assert "def numbers()" in source
    assert "LIMIT = 3" in source
    assert "f([1]) == 1" in source
    assert "f([2]) == 2" not in source
    assert len(parse_suite(source, "spec:1", "spec").checks) == 4


def test_asserts_and_calls_at_module_level_are_checks() -> None:
    suite = parse_suite("assert f(1) == 1\ndef check(g):\n    assert g(2) == 2\ncheck(f)", "person", "person")
    assert [check.name for check in suite.checks] == ["test_line_1", "test_line_2"]
    assert "def check(g)" in suite.header


def test_a_second_function_of_one_name_does_not_hide_the_first() -> None:
    suite = parse_suite("def test_a():\n    assert f(1)\ndef test_a():\n    assert f(2)", "spec:1", "spec")
    assert [check.name for check in suite.checks] == ["test_a", "test_a_again"]
    assert "def test_a_again" in suite.checks[1].source


@pytest.mark.parametrize("source", ["def test_a(:", "", "import os", "x = 1\n"])
def test_source_that_checks_nothing_is_refused(source: str) -> None:
    with pytest.raises(UnusableTests):
        parse_suite(source, "spec:1", "spec")


def test_the_held_out_share_depends_on_the_text_alone() -> None:
    suite = parse_suite(SUITE, "spec:1", "spec")
    once, again = hold_out(suite, 0.5), hold_out(suite, 0.5)
    assert once == again
    assert sum(check.held_out for check in once.checks) == 2
    assert not any(check.held_out for check in once.checks if check.is_property)
    assert not any(check.held_out for check in hold_out(suite, 0.0).checks)


def test_a_parametrised_check_passes_only_when_each_case_does() -> None:
    suite = parse_suite("def test_a(x):\n    assert f(x)\ndef test_b():\n    assert f(1)", "person", "person")
    reports = [
        CheckResult("test_a[1]", "pass"), CheckResult("test_a[2]", "fail", "no"), CheckResult("test_b", "pass"),
    ]  # fmt: skip
    found = outcomes_of(suite, reports)
    assert found["person.test_a"].status == "fail"
    assert found["person.test_a"].message == "no"
    assert found["person.test_b"].status == "pass"


def test_a_check_that_was_not_reported_has_no_outcome() -> None:
    suite = parse_suite("def test_a():\n    assert f(1)", "person", "person")
    assert outcomes_of(suite, []) == {}


ASYNC = """
async def f(x):
    return x

class A:
    async def get(self):
        return 1

async def inner(x):
    def twice():
        yield x
    return sum(twice()) * 2

async def gives(x):
    yield x
"""


@pytest.mark.parametrize(
    ("task", "claim", "waiting"),
    [
        ("Write an async function f(x)", "assert f(2) == 4", "assert asyncio.run(f(2)) == 4"),
        ("Schreibe eine asynchrone Funktion f(x)", "assert A().get() == 1", "assert asyncio.run(A().get()) == 1"),
        ("\u5199\u4e00\u4e2a\u5f02\u6b65\u51fd\u6570 f(x)", "assert g(f(2)) == 4", "assert g(asyncio.run(f(2))) == 4"),
        ("Write an async function f(x)", "assert asyncio.run(f(2)) == 4", "assert asyncio.run(f(2)) == 4"),
        ("Write a function f(x)", "assert f(2) == 4", "assert f(2) == 4"),
        ("Write async def inner(x)", "assert inner(2) == 4", "assert asyncio.run(inner(2)) == 4"),
        ("Write an async class", "assert {'a': 1}.get('a') == 1", "assert {'a': 1}.get('a') == 1"),
        ("Write async f", "assert asyncio.run(asyncio.shield(f(1)))", "assert asyncio.run(asyncio.shield(f(1)))"),
        ("Write async gives(x)", "assert gives(2) == 4", "assert gives(2) == 4"),
    ],
)
def test_an_example_of_an_asynchronous_function_waits_for_its_answer(task: str, claim: str, waiting: str) -> None:
    names = awaited_in(Task(task), ASYNC)
    own = parse_suite(claim, "task", "task")
    assert waiting in compose(own, awaited=names)
    assert ("import asyncio" in compose(own, awaited=names)) == (waiting != claim)
    blind = parse_suite(claim, "spec:1", "spec")
    assert claim in compose(blind, awaited=names)


def test_what_only_the_tests_define_makes_no_input() -> None:
    source = "def make():\n    return 1\n\nassert f(make()) == 1\nassert asyncio.run(f(2)) == 2\n"
    assert [check.call for check in parse_suite(source, "spec:1", "spec").checks] == [None, "f(2)"]


@pytest.mark.asyncio
async def test_a_line_that_some_suite_runs_is_not_told_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    suites = [parse_suite("assert f(1) == 1", "task", "task"), parse_suite(SUITE, "spec:1", "spec")]
    told = {"spec:1": Coverage(2, 1, 4, 2, (3, 4)), "task": Coverage(2, 1, 4, 2, (2, 3))}

    async def run_suite(_context: Any, _config: Any, _candidate: Any, suite: Suite, *, coverage: bool) -> Any:
        return SimpleNamespace(execution=SimpleNamespace(coverage=told[suite.id] if coverage else None))

    monkeypatch.setattr(execution, "run_suite", run_suite)
    nothing: Any = None
    assert await execution.measure_coverage(nothing, nothing, nothing, suites) == Coverage(2, 1, 4, 3, (3,))


@pytest.mark.asyncio
@pytest.mark.parametrize("measured", [True, False])
async def test_a_program_that_checks_start_is_measured_or_nothing_is(
    monkeypatch: pytest.MonkeyPatch, *, measured: bool
) -> None:
    started = "def test_a(run_program):\n    assert run_program(['a']).stdout == ''"
    suites = [parse_suite(started, "task", "task"), parse_suite(SUITE, "spec:1", "spec")]
    told = {"spec:1": Coverage(2, 1, 4, 2, (3, 4)), "task": Coverage(2, 1, 4, 2, (2, 3)) if measured else None}

    async def run_suite(_context: Any, _config: Any, _candidate: Any, suite: Suite, *, coverage: bool) -> Any:
        return SimpleNamespace(execution=SimpleNamespace(coverage=told[suite.id] if coverage else None))

    monkeypatch.setattr(execution, "run_suite", run_suite)
    nothing: Any = None
    seen = await execution.measure_coverage(nothing, nothing, nothing, suites)
    assert seen == (Coverage(2, 1, 4, 3, (3,)) if measured else None)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("words", "told"),
    [("no end within 3 s", CheckOutcome("timeout", "no end within 3 s")),
     (f"{NOT_LOADED}no end within 3 s", CheckOutcome("error", f"{NOT_LOADED}no end within 3 s"))],
)  # fmt: skip
async def test_a_suite_without_an_end_is_told_apart_from_a_program_without_one(words: str, told: CheckOutcome) -> None:
    suite = parse_suite("def test_a():\n    assert f(1)", "spec:1", "spec")

    async def execute(_program: Any) -> Execution:
        checks = (CheckResult("test_a", "not_run"),)
        return Execution("timeout", Isolation("limits", *["open"] * 6), error=words, checks=checks)

    context: Any = SimpleNamespace(execute=execute, task=Task("Write f"))
    run = await execution.run_suite(context, AgentConfig(), Candidate("c1", "x = 1", "first", None, "c1"), suite)
    assert run.outcomes == {"spec:1.test_a": told}
    assert run.reported == (told.status == "error")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def test_a():\n    assert f([i for i in range(3)]) == 3", 1),
        ("def test_a():\n    assert f(1) == 2\n    with pytest.raises(ValueError):\n        f(0)", 2),
        ("@pytest.mark.parametrize('n, m', CASES)\ndef test_a(n, m):\n    assert f(n) == m", 2),
        ("@given(st.integers())\ndef test_a(n):\n    assert f(n) == n", 2),
        ("def test_a():\n    for n, m in CASES:\n        assert f(n) == m", 2),
        ("def test_a():\n    check(1)", 1),
    ],
)
def test_a_test_of_several_inputs_says_more_than_one_thing(source: str, said: int) -> None:
    assert things_said(parse_suite(source, "person", "person").checks[0].source) == said


PAIR = "def pair(a, b=2):\n    return a, b\n\n\nLIMIT = 3\n"


@pytest.mark.parametrize(
    ("test", "header", "about"),
    [
        ("def test_a():\n    assert pair(1) == (1, 2)", "", True),
        ("def test_a():\n    '''pair gives two things'''\n    assert 1 == 1", "", False),
        ("def test_a():\n    assert made() == (1, 2)", "def made():\n    return pair(1)", True),
        ("def test_a(monkeypatch):\n    monkeypatch.setattr('solution.LIMIT', 4)", "", True),
        ("def test_a():\n    from solution import *\n    assert LIMIT > 2", "", True),
        ("def test_a():\n    assert getsource(solution)", "import solution", True),
        ("def test_a():\n    assert pair", "", False),
        ("def test_a():\n    assert solution", "import solution", False),
        ("def test_a():\n    assert run_program([]).stdout == ''", "", True),
        ("def test_a():\n    assert sorted([2, 1]) == [1, 2]", "import solutions", False),
    ],
)
def test_a_test_is_about_the_program_if_it_names_anything_of_it(test: str, header: str, about: bool) -> None:
    check = Check("spec:1.test_a", "test_a", "spec", test)
    assert is_about(check, header, PAIR) is about
    assert is_about(check, header, "def pair(n:"), "nothing is known of its names"
    runs = "solution" in test or "run_program" in test
    assert is_about(check, header, "print(1)\n") is runs, "it has no names"


def test_tests_that_use_nothing_of_the_program_are_left_out() -> None:
    source = "def test_a():\n    assert 1 == 1\n\n\ndef test_b():\n    assert pair(1)\n"
    suite = parse_suite(source, "adversary:1", "adversary")
    assert [check.name for check in without_idle(suite, PAIR).checks] == ["test_b"]
    with pytest.raises(UnusableTests, match="nothing of the program"):
        without_idle(parse_suite("def test_a():\n    assert 1 == 1\n", "adversary:1", "adversary"), PAIR)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_models_test_that_passes_without_the_program_shows_nothing(sandbox: Sandbox) -> None:
    claims = ("1 == 1", "pair(1) == (1, 2)", "1 == 2")
    source = "\n\n\n".join(f"def test_{n}():\n    assert {claim}" for n, claim in enumerate(claims))
    own, program = alone(sandbox, Task("t")), Candidate("c1", PAIR, "first", None, "c1")
    seen: dict[Origin, list[str]] = {}
    both: tuple[Origin, ...] = ("spec", "person")
    for origin in both:
        run = await run_suite(own, AgentConfig(), program, parse_suite(source, f"{origin}:1", origin))
        seen[origin] = [outcome.status for outcome in run.outcomes.values()]
    assert seen == {"spec": ["skipped", "pass", "fail"], "person": ["pass", "pass", "fail"]}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_class_without_tests_is_no_check_that_ran(sandbox: Sandbox) -> None:
    suite = parse_suite("class TestEmpty: pass\n\n\ndef test_a():\n    assert pair(1) == (1, 2)\n", "spec:1", "spec")
    run = await run_suite(alone(sandbox, Task("t")), AgentConfig(), Candidate("c1", PAIR, "first", None, "c1"), suite)
    assert {key: outcome.status for key, outcome in run.outcomes.items()} == {"spec:1.test_a": "pass"}
