"""What the source of a suite promises, read without running it."""

# ruff: noqa: E501 - tables with short lines
from __future__ import annotations

import ast

import pytest

from sandbox.child.suite.names import given_names, hiding_names, skips_alone
from sandbox.child.suite.plan import plan, read, strains_a_parser, study, unpack
from tests.tables import in_one_test

TOOTHLESS = {
    "a call": "def test_a():\n    f(1)",
    "a constant": "def test_a():\n    assert True\n    assert 1",
    "a pair, which is true": "def test_a():\n    assert (f(1) == 2, 'no')",
    "a name alone": "def helper():\n    assert f(1)\ndef test_a():\n    helper",
    "a helper that nobody calls": "def helper():\n    assert f(1)\ndef test_a():\n    f(1)",
    "an inner function that nobody calls": "def test_a():\n    def inner():\n        assert f(1)",
    "a helper that calls itself": "def helper():\n    helper()\ndef test_a():\n    helper()",
    "a name of its own": "def helper():\n    assert f(1)\ndef test_a():\n    helper = 1\n    print(helper)",
    "a helper's name on a method": "class A:\n    def go(self):\n        pass\ndef test_a():\n    A().go()",
    "a class with methods nobody names": "class A:\n    def go(self):\n        assert f(1)\ndef test_a():\n    A",
    "a value made of numbers": "CASES = [1, 2]\ndef test_a():\n    for case in CASES:\n        f(case)",
    "the last of two": "def test_a():\n    assert f(1)\ndef test_a():\n    f(1)",
}
BITING = {
    "an assert": "def test_a():\n    assert f(1) == 2",
    "an empty pair": "def test_a():\n    assert ()",
    "false": "def test_a():\n    if f(1):\n        assert False",
    "a raise": "def test_a():\n    if f(1):\n        raise ValueError",
    "raises": "def test_a():\n    with pytest.raises(ValueError):\n        f(1)",
    "a method of unittest": "class TestA:\n    def test_a(self):\n        self.assertEqual(f(1), 2)",
    "a call of a word that fails": "def test_a():\n    check.verify(f(1))\n",
    "a helper": "def helper(x):\n    assert x\ndef test_a():\n    helper(f(1))",
    "a helper of a helper": "def a(x):\n    assert x\ndef b(x):\n    a(x)\ndef test_a():\n    b(f(1))",
    "a helper handed on": "def a(x):\n    assert x\ndef test_a():\n    list(map(a, [f(1)]))",
    "a table of helpers": "def a(x):\n    assert x\nALL = [a]\ndef test_a():\n    for one in ALL:\n        one(f(1))",
    "a fixture": "def ready():\n    assert f(0)\ndef test_a(ready):\n    f(1)",
    "a fixture by keyword": "def ready():\n    assert f(0)\ndef test_a(*, ready):\n    f(1)",
    "a decorator": "def deco(g):\n    assert g\n    return g\n@deco\ndef test_a():\n    f(1)",
    "an inner function": "def test_a():\n    def inner():\n        assert f(1)\n    inner()",
    "a decorated inner function": "def test_a():\n    @later\n    def inner():\n        assert f(1)",
    "a method of an inner class": "def test_a():\n    class A:\n        def __eq__(self, o):\n            assert o\n    f(A())",
    "a method": "class A:\n    def go(self):\n        assert f(1)\ndef test_a():\n    A().go()",
    "a special method": "class A:\n    def __del__(self):\n        assert f(1)\ndef test_a():\n    f(A)",
    "an async test": "async def test_a():\n    assert await f(1)",
    "the last of two": "def test_a():\n    f(1)\ndef test_a():\n    assert f(1)",
}


@pytest.mark.parametrize("name", TOOTHLESS)
def test_a_check_in_which_nothing_can_fail_is_toothless(name: str) -> None:
    suite = study(ast.parse(TOOTHLESS[name]))
    assert suite.toothless == {"test_a"} == set(suite.tests)


@in_one_test("name", BITING)
def test_a_check_in_which_something_may_fail_is_not(name: str) -> None:
    suite = study(ast.parse(BITING[name]))
    assert (suite.toothless, len(suite.tests)) == (set(), 1)


@pytest.mark.parametrize(
    ("source", "checks"),
    [
        ("def test_a(): ...\ndef help(): ...\nclass A:\n    def test_b(self): ...", ["test_a"]),
        ("class TestA:\n    def test_b(self): ...\n    def more(self): ...", ["TestA::test_b"]),
        ("class A(unittest.TestCase):\n    def test_b(self): ...", ["A::test_b"]),
        ("if x:\n    def test_a(): ...\nelse:\n    def test_b(): ...", ["test_a", "test_b"]),
        ("try:\n    def test_a(): ...\nexcept E:\n    def test_b(): ...\nfinally:\n    def test_c(): ...",
         ["test_a", "test_b", "test_c"]),
        ("match x:\n    case 1:\n        def test_a(): ...", ["test_a"]),
        ("assert f(1)", ["module"]),
        ("for x in 1, 2:\n    assert f(x)", ["module"]),
        ("def check(g):\n    assert g\ncheck(f)", ["module"]),
        ("f(1)\nassert True", []),
        ("if __name__ == '__main__':\n    assert f(1)\n    def test_a(): ...", []),
    ],
)  # fmt: skip
def test_checks_are_the_tests_and_the_module_if_it_asserts(source: str, checks: list[str]) -> None:
    assert study(ast.parse(source)).checks == checks


@in_one_test(
    "source, needs",
    [
        ("def test_a(): ...", False), ("def test_a(x=1, *, y=2): ...", False), ("import json\nfrom os import path", False),
        ("test_a = 1", False), ("test_a = make()", True), ("test_a = lambda: 1", True), ("test_a = other", True),
        ("other = make()", False), ("def test_a(x): ...", True), ("def test_a(x, /): ...", True),
        ("def test_a(*, x): ...", True), ("def test_a():\n    yield 1", True), ("def test_a():\n    yield from x", True),
        ("async def test_a(): ...", True), ("@mark\ndef test_a(): ...", True), ("@mark\ndef help(): ...", False),
        ("from _pytest import x", True), ("import hypothesis.strategies", True), ("pytestmark = 1", True),
        ("def teardown_module(): ...", True), ("class TestA: ...", True), ("class A: ...", False),
    ],
)  # fmt: skip
def test_pytests_own_machinery_is_asked_for_where_it_is_needed(source: str, needs: bool) -> None:
    assert study(ast.parse(source)).pytest == needs


@pytest.mark.parametrize(
    ("source", "alone"),
    [
        ("def test_a(run_program):\n    assert run_program().stdout", True),
        ("import re, pytest\ndef test_a():\n    done = run_program()\n    assert re.match('a', done.stdout)", True),
        ("def test_a(run_program):\n    try:\n        run_program()\n    except OSError as e:\n        print(e)", True),
        ("def test_a():\n    assert run_program().stdout == f(1)", False),
        ("from solution import f\ndef test_a():\n    run_program()", False),
        ("import solution\ndef test_a():\n    run_program()", False),
        ("def test_a():\n    assert len('run_program')", False),
    ],
)
def test_a_suite_that_only_runs_the_program_needs_nothing_of_it(source: str, alone: bool) -> None:
    assert read(source)[1].program_only is alone


def test_a_suite_is_read_once_for_many_runs() -> None:
    source = "import os.path as p\nWORD = 'deep.name'\ndef test_a(x):\n    y = f(1)\n    assert lambda: y.z\n"
    packed = plan(source)
    assert packed is not None
    code, suite, names = unpack(packed)
    assert (suite, names) == read(source)[1:]
    assert {"f", "z", "x", "deep", "name", "WORD", "test_a"} <= names
    assert "y" not in names
    assert code.co_filename == "test_solution.py"
    assert plan("def test_a(:") is plan("x = '\0'") is None


@pytest.mark.parametrize(
    ("source", "strains"),
    [("x" * 60_000, False), ("x" * 60_001, True), ("(" * 29, False), ("[({" * 10, True), ("-" * 60, True),
     ("not " * 60, True), ("lambda: " * 30, True), ("lambda:" * 29, False)],
)  # fmt: skip
def test_what_no_person_writes_is_parsed_by_nobody_but_a_child(source: str, strains: bool) -> None:
    assert strains_a_parser(source) is strains


def test_a_suite_gets_the_names_it_mentions_or_all_if_it_looks_them_up_by_text() -> None:
    public = ["a", "b"]
    assert given_names(public, frozenset(("b", "c"))) == ["b"]
    assert given_names(public, frozenset(("globals",))) == public


STAR = "from solution import *\n"


@pytest.mark.parametrize(
    ("tests", "given", "hiding"),
    [
        ("assert len(f()) == 1", ["len", "f"], {"len"}),
        ("assert f()", ["len", "f"], set()),
        ("def len(x): return 1\nassert len(f())", ["len", "f"], set()),
        ("from solution import len\nassert len(f())", ["len", "f"], set()),
        ("def test_a():\n    len = f\n    assert len()", ["len", "f"], set()),
        ("assert math.pi == f()", ["math", "f"], {"math"}),
        ("import math\nassert math.pi == f()", ["math", "f"], set()),
        ("assert f(math)", ["math", "f"], set()),
        ("assert np.array(f())", ["np", "f"], {"np"}),
        ("assert shop.total()", ["shop"], set()),
        (f"import json\n{STAR}assert json.loads(f())", ["json", "f"], {"json"}),
        (f"import json as j\nimport os.path\n{STAR}", ["j", "os", "json"], {"j", "os"}),
        (f"{STAR}import json\nassert json.loads(f())", ["json", "f"], set()),
        (f"def check(x): ...\nclass Own: ...\n{STAR}", ["check", "Own", "f"], {"check", "Own"}),
        (f"from json import loads\n{STAR}", ["loads"], {"loads"}),
        ("def check(x): ...\nfrom solution import f\n", ["check"], set()),
    ],
)
def test_names_that_hide_what_a_reader_expects_are_found(tests: str, given: list[str], hiding: set[str]) -> None:
    assert hiding_names(tests, given, "solution", []) == hiding


SKIP = "import sys, pytest, unittest\n@{}\ndef test_a(): ..."


@pytest.mark.parametrize(
    ("mark", "alone"),
    [
        ("pytest.mark.skipif(sys.platform == 'x', reason='no')", True),
        ("pytest.mark.skipif(bool(len(sys.argv)), reason='no')", True),
        ("pytest.mark.skipif(solution.A, reason='no')", False),
        ("pytest.mark.skipif(f(), reason='no')", False),
        ("pytest.mark.skipif('sys.platform', reason='no')", False),
        ("pytest.mark.skipif(True, reason=f())", False),
        ("pytest.mark.xfail(f(), reason='no')", False),
        ("pytest.mark.xfail(reason='no')", True),
        ("unittest.skipIf(f(), 'no')", False),
        ("unittest.skipUnless(f(), 'no')", False),
        ("pytest.mark.parametrize('x', f())", True),
    ],
)
def test_conditions_that_only_modules_decide_are_the_tests_own(mark: str, alone: bool) -> None:
    assert skips_alone(SKIP.format(mark), "solution") is alone


def test_the_programs_own_module_decides_no_condition_and_a_call_inside_a_check_is_no_mark() -> None:
    assert not skips_alone(f"import solution\n{SKIP.format('pytest.mark.skipif(solution.A)')}", "solution")
    assert skips_alone("import pytest\ndef test_a():\n    pytest.xfail(f())", "solution")
