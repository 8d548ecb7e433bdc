"""When a check that cannot run is at fault itself, and when the program is."""

from __future__ import annotations

import pytest

from agent.checks.own_faults import own_faults
from agent.checks.splitting import parse_suite
from agent.examples import read_brief
from agent.state import AgentState, Candidate, CheckOutcome, Origin, Run, Task
from sandbox.types import Execution, Isolation

ENDED = Execution("error", Isolation("limits", *["open"] * 6))
TASK = "Write best_sum(numbers) and spread(numbers). Raise TooShort for an empty list."
LOAD = "the suite did not load: "
ASKS = "def test_a():\n    assert best_sum([4]) == 4\n"


def faults(suite: str, *messages: str, origin: Origin = "spec", task: str = TASK, code: str = "x = 1") -> list[str]:
    """What is found wrong with the first check when it ended with these messages, one for each program."""
    parsed = parse_suite(suite, "spec:1", origin)
    first = parsed.checks[0].id
    candidates = [Candidate(f"c{n}", code, "first", None, f"c{n}") for n, _ in enumerate(messages, 1)]
    runs = [
        Run(
            one.id,
            "spec:1",
            ENDED,
            not message.startswith(UNREAD),
            {first: CheckOutcome("error" if message else "pass", message)},
        )
        for one, message in zip(candidates, messages, strict=True)
    ]
    brief = read_brief(task, None, ())
    state = AgentState(task=Task(task), brief=brief, suites=[parsed], candidates=candidates, runs=runs)
    return list(own_faults(state).values())


def at_load(words: str, line: int = 1) -> str:
    return f"{LOAD}{words}\n  test_solution.py:{line} in <module>: ..."


def inside(words: str) -> str:
    return f"{words}\n  test_solution.py:2 in test_a: ..."


FROM_SOLUTION = "ImportError: cannot import name 'NAME' from 'solution' (/run/solution.py)"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("from collections import Foo", "ImportError: cannot import name 'Foo' from 'collections' (/lib/x.py)"),
        ("from solution import my_helper", FROM_SOLUTION.replace("NAME", "my_helper")),
        ("import os.nothere", "ModuleNotFoundError: No module named 'os.nothere'; 'os' is not a package"),
        ("DATA = open('nothing.csv').read()", "FileNotFoundError: [Errno 2] No such file or directory: 'nothing.csv'"),
        ("HALF = 1 / 0", "ZeroDivisionError: division by zero"),
        ("HALF = approx(0.5)", "NameError: name 'approx' is not defined"),
    ],
)
def test_a_suite_that_does_not_load_by_itself_is_at_fault(header: str, words: str) -> None:
    assert faults(f"{header}\n\n{ASKS}", at_load(words)) == [LOAD + words]


NO_END = "no end within 3 s of computing"
PARAMETERS = "from pytest import mark\n\ndef numbers():\n    while True: yield 1\n\n@mark.parametrize('n', GIVEN)\n" + (
    ASKS.replace("test_a()", "test_a(n)")
)


@pytest.mark.parametrize(
    ("suite", "words"),
    [
        (f"n = 0\nwhile n >= 0:\n    n += 1\n\n{ASKS}", NO_END),
        (PARAMETERS.replace("GIVEN", "numbers()"), NO_END),
        (PARAMETERS.replace("GIVEN", "[1, 2]").replace("(n)", "()"), "CollectError: In test_a: no argument 'n'\n  1"),
    ],
)
def test_a_suite_that_never_comes_to_its_first_check_is_at_fault(suite: str, words: str) -> None:
    assert faults(suite, LOAD + words) == [(LOAD + words).partition("\n")[0]]


@pytest.mark.parametrize("suite", [f"CASES = spread([1, 2])\n\n{ASKS}", PARAMETERS.replace("GIVEN", "spread([1])")])
def test_a_suite_that_calls_the_program_before_its_first_check_may_wait_for_it(suite: str) -> None:
    assert faults(suite, LOAD + NO_END) == []


@pytest.mark.parametrize("name", ["best_sum", "spread", "TooShort"])
def test_a_program_without_a_name_of_the_task_is_at_fault(name: str) -> None:
    header = f"from solution import {name}\n\n"
    assert faults(header + ASKS, at_load(FROM_SOLUTION.replace("NAME", name))) == []
    assert faults(ASKS, inside(f"NameError: name '{name}' is not defined")) == []
    assert faults(ASKS, inside(f"AttributeError: module 'solution' has no attribute '{name}'")) == []


@pytest.mark.parametrize(
    "header",
    [
        "BEST = best_sum([1])[0]",
        "def best(numbers):\n    return best_sum(numbers)[0]\n\nBEST = best([1])",
        "from solution import spread as width\nBEST = width([1])[0]",
        "import solution\nONES = [1]\nBEST = solution.spread(ONES)[0]",
        "BEST = run_program([]).stdout.split()[3]",
    ],
)
def test_a_suite_that_asks_the_program_while_it_loads_may_be_right(header: str) -> None:
    line = len(header.splitlines())
    assert faults(f"{header}\n\n{ASKS}", at_load("TypeError: 'int' object is not subscriptable", line)) == []
    beside = f"HALF = 1 / 0\n{header}\n\n{ASKS}"
    assert len(faults(beside, at_load("ZeroDivisionError: division by zero"))) == 1


def test_lines_are_those_of_the_tests_with_the_imports_that_they_were_given() -> None:
    header = "HALF = 1 / 0\nBEST = best_sum([1])[0]\n\ndef near(x):\n    return math.isclose(x, 1)"
    line_of_half = 2  # behind `import math`
    assert len(faults(f"{header}\n\n{ASKS}", at_load("ZeroDivisionError: division by zero", line_of_half))) == 1
    assert faults(f"{header}\n\n{ASKS}", at_load("TypeError: 'int' object is not subscriptable", 3)) == []


def test_a_statement_of_several_lines_is_at_fault_on_each_of_them() -> None:
    header = "HALF = [\n    1 / 0,\n]\nBEST = [\n    best_sum([1])[0],\n]"
    assert len(faults(f"{header}\n\n{ASKS}", at_load("ZeroDivisionError: division by zero", 2))) == 1
    assert faults(f"{header}\n\n{ASKS}", at_load("TypeError: 'int' object is not subscriptable", 5)) == []


def test_an_error_of_the_program_is_no_fault_of_the_check() -> None:
    deep = (
        "NameError: name 'math' is not defined\n  test_solution.py:2 in test_a: ...\n  solution.py:3 in best_sum: ..."
    )
    assert faults(ASKS, deep) == []
    assert faults(ASKS, LOAD + deep) == []
    assert faults(ASKS, "SyntaxError: invalid syntax (solution.py, line 3)") == []
    assert faults(ASKS, inside("TypeError: unsupported operand type(s)")) == []


def test_a_check_that_uses_what_nobody_has_is_at_fault_on_whatever_program() -> None:
    lacks = inside("NameError: name 'approx' is not defined")
    assert faults(ASKS, lacks) == ["NameError: name 'approx' is not defined"]
    assert faults(ASKS, lacks, lacks) == ["NameError: name 'approx' is not defined"]
    assert faults(ASKS, lacks, "") == [], "it runs on another program"


def test_a_word_of_the_task_is_the_programs_name_only_where_it_is_to_be_called() -> None:
    lacks = inside("NameError: name 'json' is not defined")
    assert len(faults(ASKS, lacks, task="Write best_sum(numbers) for numbers in json.")) == 1
    assert faults(ASKS, lacks, task="Write json(numbers), which is their sum.") == []


@pytest.mark.parametrize("word", ["widespread", "spreads"])
def test_a_part_of_a_word_of_the_task_is_no_name_of_the_program(word: str) -> None:
    lacks = inside("NameError: name 'spread' is not defined")
    assert len(faults(ASKS, lacks, task=f"Write best_sum(numbers) as is {word}.")) == 1


def test_files_of_the_program_are_modules_of_its_own() -> None:
    lacks = at_load("ImportError: cannot import name 'spread' from 'cart' (/run/cart.py)")
    assert len(faults(ASKS, lacks)) == 1
    assert faults(ASKS, lacks, code="# file: cart.py\nx = 1\n\n# file: tax.py\ny = 1\n") == []


STARTED = "Write a command line program that reads CSV from standard input and prints JSON."
UNREAD = ("SystemExit", "IndexError", "EOFError")
"""How errors begin here that a program raises as soon as it is imported, so that no check begins."""
RUNS = "def test_a():\n    assert rows(run_program([], 'a')) == [1]\n"


@pytest.mark.parametrize("error", UNREAD)
def test_a_program_that_does_not_survive_being_imported_hides_no_fault_of_its_tests(error: str) -> None:
    """None of its checks begins, so that no check can say which name it lacks."""
    ended = f"{error}: 0 (solution.py:9 in <module>)"
    assert faults(RUNS, ended, task=STARTED) == ["NameError: name 'rows' is not defined"]
    assert faults(f"def rows(done):\n    return [1]\n\n{RUNS}", ended, task=STARTED) == []
    assert faults(RUNS, ended, task=STARTED, code="def rows(done):\n    return [1]\n") == [], "it has that function"
    assert faults(RUNS, ended, task="Write rows(done).") == [], "a function has to be importable"


@pytest.mark.parametrize(
    "tests",
    [
        "import solution\n\ndef test_a():\n    assert solution.convert('a') == '[]'\n",
        "from solution import convert\n\ndef test_a():\n    assert convert('a') == '[]'\n",
        "from solution import *\n\ndef test_a():\n    assert convert('a') == '[]'\n",
    ],
)
def test_tests_that_import_a_program_by_input_and_never_start_it_are_at_fault(tests: str) -> None:
    ended = "EOFError: EOF when reading a line (solution.py:1 in <module>)"
    assert len(faults(tests, ended, task=STARTED)) == 1
    assert faults(tests, ended, task=f"{STARTED} Its function convert(text) gives the JSON.") == [], "that has to work"
    assert faults(tests, ended, task=f"{STARTED} Keep what convert does apart.") == [], "and it is still a program"
    started = "def test_a():\n    assert run_program([], 'a').stdout == '[]'\n"
    assert faults(started, ended, task=STARTED) == []


@pytest.mark.parametrize("origin", ["person", "task"])
def test_tests_of_the_person_are_never_taken_away(origin: Origin) -> None:
    assert (
        faults(f"import nothere\n\n{ASKS}", at_load("ModuleNotFoundError: No module named 'nothere'"), origin=origin)
        == []
    )
