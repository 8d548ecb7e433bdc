"""Scripts, calls, coverage and plans: what the child does besides running suites."""

from __future__ import annotations

import ast

import pytest

from sandbox.child.suite.plan import SuitePlan, plan, study
from tests.sandbox.child.harness import run_calls, run_inprocess, run_script, run_split

BRANCHY = "def f(x):\n    if x > 1:\n        return 1\n    if x < 0:\n        return 2\n    return 3\n"
SUITE = "def test_a():\n    assert f(2) == 1\ndef test_b():\n    assert f(1) == 3\n"


def test_coverage_counts_lines_and_branches():
    outcome = run_inprocess(BRANCHY, SUITE, coverage=True)
    assert outcome.passed
    assert outcome.all("coverage") == [{"branches": 4, "branches_taken": 3, "lines": 6, "lines_run": 5, "missing": [5]}]


def test_a_program_that_measures_itself_and_starts_threads_is_measured_all_the_same():
    program = (
        "import threading\nimport coverage\n"
        "def g():\n    seen.append(1)\n"
        "def f():\n    own = coverage.Coverage(data_file=None)\n    own.start()\n    own.stop()\n"
        "    thread = threading.Thread(target=g)\n    thread.start()\n    thread.join()\n    return seen\n"
        "seen = []\n"
    )
    outcome = run_inprocess(program, "def test_a():\n    assert f() == [1]\n", coverage=True)
    assert outcome.passed
    (told,) = outcome.all("coverage")
    assert told["missing"] == [8], "while it measures itself nobody else does"


def test_coverage_of_what_does_not_load_is_no_fault_of_its_own():
    outcome = run_inprocess("def f(:\n", SUITE, coverage=True)
    assert outcome.error["type"] == "SyntaxError"
    assert outcome.all("done") == [0]
    assert not outcome.all("coverage")


def test_a_planned_suite_gives_the_same_outcome():
    for run in (run_inprocess, run_split):
        assert run(BRANCHY, SUITE, plan=plan(SUITE)).passed
    wrong = SUITE.replace("== 1", "== 9")
    assert "assert f(2) == 9" in run_inprocess(BRANCHY, wrong, plan=plan(wrong)).messages["test_a"]
    assert plan("def (") is None


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("f(2) == 9", ["assert 1 == 9", "actual: 1", "expected: 9"]),
        ("9 == f(2)", ["assert 9 == 1", "actual: 1", "expected: 9"]),
        ("f(2) > 9", ["assert 1 > 9", "where 1 = f(2)"]),
        ("[0] * 9 + [f(2)] == [0] * 10", ["At index 9 diff: 1 != 0"]),
        ("{'a': f(2), 'b': 3} == {'a': 9}", ["{'a': 1} != {'a': 9}", "Left contains 1 more item", "{'b': 3}"]),
        (
            "{'a': f(2), 'c': 3} == {'b': 9, 'a': 1}",
            ["Left contains 1 more item", "{'c': 3}", "Right contains 1 more item"],
        ),
        ("dict.fromkeys(range(9), f(2)) == dict.fromkeys(range(9))", ["{2: 1} != {2: None}"]),
        ("{f(2)} == {9}", ["Extra items in the left set", "Extra items in the right set"]),
        ("[f(2), 2, 3, 4] == [1, 2, 3]", ["Left contains one more item: 4"]),
        ("1 == 2", ["actual: 1", "expected: 2"]),
        ("f(2) == f(3) + 1", ["actual: 1"]),
        ("'100%' == 'x%d'", ["- x%d", "+ 100%"]),
        ("'x' * 10**6 == 'y'", ["actual: ", "expected: 'y'"]),
        ("f(2) is None", ["assert 1 is None"]),
    ],
)
def test_an_explained_failure_tells_the_values_and_where_they_differ(claim, told):
    tests = f"def test_a():\n    assert {claim}\n"
    for run in (run_inprocess, run_split):
        message = run(BRANCHY, tests, explain=True).messages["test_a"]
        assert all(part in message for part in told), message
        assert len(message) < 5000


@pytest.mark.parametrize(
    ("claim", "silent"),
    [
        ("dict.fromkeys(range(9), f(2)) == dict.fromkeys(range(9))", "{8: 1} != "),
        ("{'a': f(2)} == {'a': 2}", "more item"),
        ("__import__('decimal').Decimal(f(2)) == [2]", "differ"),
        ("f(2) != 1", "expected"),
    ],
)
def test_what_is_seen_at_a_glance_or_says_nothing_is_not_told(claim, silent):
    message = run_inprocess(BRANCHY, f"def test_a():\n    assert {claim}\n", explain=True).messages["test_a"]
    assert "assert" in message
    assert silent not in message


def test_a_bare_run_that_explains_asks_for_pytest():
    assert run_inprocess(BRANCHY, SUITE, explain=True, flavour="bare").records == [{"needs": "pytest"}]


def test_an_explained_assert_evaluates_everything_once():
    solution = "SEEN = []\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN)\n"
    tests = "def test_a():\n    assert f(1) == 1 and f(2) == 2 or f(3)\n    assert 1 < f(4) < f(5) == 9, 'why'\n"
    message = run_inprocess(solution, tests, explain=True).messages["test_a"]
    for part in ("why", "4 == 9"):
        assert part in message


def test_explaining_keeps_no_value_alive():
    solution = "import weakref\nclass K: pass\n"
    tests = (
        "def test_a():\n    k = K()\n    r = weakref.ref(k)\n    assert r() is k\n    del k\n    assert r() is None\n"
    )
    assert run_inprocess(solution, tests, explain=True).passed


@pytest.mark.parametrize(
    ("body", "code", "kind"),
    [
        ("print('hi')", 0, None),
        ("import sys; sys.exit(3)", 3, None),
        ("import sys; sys.exit('bye')", 1, None),
        ("import sys; sys.exit()", 0, None),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("def (", 1, "SyntaxError"),
        ("import no_such_package_here", 1, "ModuleNotFoundError"),
        ("raise KeyboardInterrupt", 1, "KeyboardInterrupt"),
        ("class E(Exception):\n def __str__(s): raise SystemExit(0)\nraise E", 1, "E"),
    ],
)
def test_a_script_ends_with_its_code_and_its_fault(body, code, kind):
    outcome = run_script(body)
    assert outcome.all("exit") == [code]
    assert outcome.error.get("type") == kind
    assert (kind is None) or kind in outcome.stderr


def test_a_script_has_its_arguments_stdin_and_main_name():
    solution = "import sys\nprint(__name__, sys.argv[1:], sys.stdin.read(), input.__name__)\n"
    assert run_script(solution, argv=["a", "-b"], stdin="text").stdout == "__main__ ['a', '-b'] text input\n"


def test_a_script_waits_for_its_threads_and_runs_its_exit_functions():
    solution = (
        "import atexit, threading, time\natexit.register(print, 'end')\n"
        "threading.Thread(target=lambda: (time.sleep(0.02), print('thread'))).start()\n"
    )
    assert run_script(solution).stdout == "thread\nend\n"


def test_a_package_runs_its_main_module():
    package = {
        "shop/__init__.py": "A = 1\n",
        "shop/__main__.py": "from . import A\nfrom shop.b import B\nprint(A, B)\n",
    }
    assert run_script("", package={**package, "shop/b.py": "B = 2\n"}, module="shop").stdout == "1 2\n"


CALLS = {
    "f(1)": ("value", "1"),
    "f({3: 1, 1: 2})": ("value", "{1: 2, 3: 1}"),
    "f({3, 1, 2})": ("value", "{1, 2, 3}"),
    "f([{2, 1}, (1,), None, -0.0, 'a'])": ("value", "[{1, 2}, (1,), None, -0.0, 'a']"),
    "gen()": ("value", "iterator([0, 1])"),
    "co()": ("value", "7"),
    "P(1, [2])": ("value", "P(x=1, y=[2])"),
    "object()": ("opaque", "object"),
    "1 / 0": ("exception", "ZeroDivisionError"),
    "exit(0)": ("exception", "SystemExit"),
    "f(": ("exception", "SyntaxError"),
    "loop()": ("timeout", ""),
    "stubborn()": ("timeout", ""),
    "endless()": ("opaque", "endless"),
    "f(2)": ("value", "2"),
}


def test_calls_give_canonical_outputs_each_in_its_own_time():
    solution = (
        "import dataclasses\ndef f(x): return x\ndef gen(): yield from range(2)\nasync def co(): return 7\n"
        "@dataclasses.dataclass\nclass P:\n    x: int\n    y: list\n"
        "def loop():\n    while True: pass\n"
        "def stubborn():\n    try: loop()\n    except BaseException: pass\n    loop()\n"
        "def endless():\n    while True: yield 1\n"
    )
    outcome = run_calls(solution, list(CALLS), call_timeout=0.1)
    assert [tuple(output[1:]) for output in outcome.all("output")] == list(CALLS.values())
    assert outcome.all("done") == [len(CALLS)]


def read(source: str) -> SuitePlan:
    return study(ast.parse(source))


def test_static_names_and_needs():
    assert read("def test_b(): assert f()\nclass TestA:\n    def test_a(self): pass\nassert f()\n").checks == [
        "module", "test_b", "TestA::test_a",
    ]  # fmt: skip
    assert not read("def test_a():\n    assert f(1) == 2\n").pytest
    for source in (
        "def test_a(tmp_path): pass",
        "import pytest",
        "async def test_a(): pass",
        "class TestA: pass",
        "@dec\ndef test_a(): pass",
        "def setup_module(): pass",
    ):
        assert read(source).pytest


def test_a_suite_that_only_runs_the_program_never_loads_it():
    solution = "import sys\nsys.exit(3)\n"
    tests = "def test_a():\n    assert [run_program] != []\n"
    for run in (run_inprocess, run_split):
        outcome = run(solution, tests)
        assert "NameError" in outcome.messages["test_a"]
        assert not outcome.error
