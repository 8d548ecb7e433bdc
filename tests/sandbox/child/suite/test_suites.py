"""A suite is loaded, collected, judged and counted as a person would expect; nothing idle ever passes."""

from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_inprocess, run_split

ADD = "def add(a, b):\n    return a + b\n\ndef _hidden():\n    return 7\n"
RUNNERS = pytest.mark.parametrize("run", [run_inprocess, run_split])


@RUNNERS
def test_public_names_are_global_and_private_ones_importable(run):
    tests = (
        "def test_a():\n    from solution import _hidden\n    import solution\n"
        "    assert add(1, 2) == 3 == solution.add(1, 2)\n    assert _hidden() == 7\n"
    )
    assert run(ADD, tests).passed


@RUNNERS
def test_future_imports_and_main_guards_behave(run):
    solution = (
        "from __future__ import annotations\nRAN = []\ndef f(x: Nowhere) -> None:\n    return RAN\n"
        "if __name__ == '__main__':\n    RAN.append(1)\n"
    )
    tests = (
        "from __future__ import annotations\ndef test_a():\n    y: Elsewhere = f(1)\n    assert y == []\n"
        "if __name__ == '__main__':\n    raise SystemExit(1)\n"
    )
    assert run(solution, tests).passed


@RUNNERS
def test_a_wrong_answer_fails_and_shows_both_values(run):
    outcome = run(ADD, "def test_a():\n    x = 2\n    assert add(1, x) == 4\n", explain=True)
    assert outcome.checks == {"test_a": "fail"}
    for part in ("assert 3 == 4", "actual: 3", "expected: 4", "test_a: assert add(1, x) == 4"):
        assert part in outcome.messages["test_a"]


@RUNNERS
def test_an_exception_is_an_error_that_shows_its_way_through_the_solution(run):
    outcome = run(ADD, "def test_a():\n    assert add(1, 'x') == 4\n")
    assert outcome.checks == {"test_a": "error"}
    assert "TypeError" in outcome.messages["test_a"]
    assert "solution.py:2 in add: return a + b" in outcome.messages["test_a"]


@RUNNERS
@pytest.mark.parametrize(
    "tests",
    [
        "",
        "x = 1\n",
        "def helper():\n    assert add(1, 1) == 2\n",
        "def check(candidate):\n    assert candidate(1, 1) == 2\n",
        "def test_a():\n    add(1, 1)\n",
        "def test_a():\n    assert True\n",
        "def test_a():\n    assert (add(1, 1) == 3, 'always true')\n",
        "def test_a():\n    pass\n",
        "def test_a():\n    def check():\n        assert add(1, 1) == 3\n",
        "def test_a():\n    def inner():\n        def deep():\n            assert add(1, 1) == 3\n    inner()\n",
        "if __name__ == '__main__':\n    assert add(1, 1) == 2\n",
        "import pytest\n@pytest.mark.skip\ndef test_a():\n    assert add(1, 1) == 2\n",
        "import pytest\ndef test_a():\n    pytest.skip('no')\n    assert add(1, 1) == 2\n",
        "import pytest\n@pytest.mark.xfail\ndef test_a():\n    assert add(1, 1) == 3\n",
        "import pytest\n@pytest.mark.xfail\ndef test_a():\n    assert add(1, 1) == 2\n",
        "import pytest\npytest.skip('all', allow_module_level=True)\ndef test_a():\n    assert add(1, 1) == 2\n",
        "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_a(x):\n    assert add(x, 1) == 2\n",
        "import unittest\ndef test_a():\n    raise unittest.SkipTest('no')\n",
        "class TestA:\n    def __init__(self):\n        pass\n    def test_a(self):\n        assert add(1, 1) == 2\n",
    ],
)
def test_an_idle_suite_never_passes(run, tests):
    assert not run(ADD, tests).passed


@RUNNERS
def test_module_level_asserts_count_as_one_check(run):
    tests = "def check(f):\n    assert f(1, 2) == 3\n    assert f(0, 0) == 0\n"
    outcome = run(ADD, tests + "check(add)\n")
    assert outcome.passed
    assert outcome.checks == {"module": "pass"}
    assert run(ADD, "assert add(1, 1) == 2\nassert add(1, 1) == 3\n").checks == {"module": "fail"}
    assert run(ADD, "assert add(1, 1) == 2\ndef test_b():\n    assert add(2, 2) == 4\n").passed


@RUNNERS
@pytest.mark.parametrize(
    ("solution", "kind"),
    [
        ("def add(a, b) return", "SyntaxError"),
        ("raise ValueError('x')", "ValueError"),
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("x = 'a\x00b'", "ValueError|SyntaxError"),
    ],
)
def test_a_solution_that_does_not_load_is_an_error(run, solution, kind):
    outcome = run(solution, "def test_a():\n    assert 1 == 1 + 0\n")
    assert not outcome.passed
    assert outcome.error["type"] in kind.split("|")


@RUNNERS
def test_a_missing_package_is_named(run):
    outcome = run("import no_such_package_here\n", "def test_a():\n    assert 1 + 1 == 2\n")
    assert outcome.all("missing") == [["no_such_package_here"]]


@RUNNERS
def test_a_missing_name_is_an_error_of_the_suite(run):
    outcome = run(ADD, "from solution import nothing\ndef test_a():\n    assert nothing() == 2\n")
    assert outcome.error["type"] == "ImportError"
    assert outcome.checks == {"test_a": "error"}


@RUNNERS
@pytest.mark.parametrize(
    "ending", ["raise SystemExit(0)", "raise KeyboardInterrupt", "import pytest; pytest.exit('x', 0)"]
)
def test_a_check_that_tries_to_end_the_run_only_ends_itself(run, ending):
    tests = f"def test_a():\n    assert add(1, 1) == 2\n    {ending}\ndef test_b():\n    assert add(1, 1) == 2\n"
    assert run(ADD, tests).checks == {"test_a": "error", "test_b": "pass"}


@RUNNERS
def test_fail_fast_stops_at_the_first_failure(run):
    tests = "def test_a():\n    assert add(1, 1) == 3\ndef test_b():\n    assert add(1, 1) == 2\n"
    assert run(ADD, tests, fail_fast=True).checks == {"test_a": "fail"}
    assert run(ADD, "import pytest\n" + tests, fail_fast=True).checks == {"test_a": "fail"}


def test_a_bare_run_says_that_it_needs_pytest_before_running_anything():
    outcome = run_inprocess("print('ran')\n", "import pytest\ndef test_a():\n    assert 1\n", flavour="bare")
    assert outcome.records == [{"needs": "pytest"}]
    assert outcome.stdout == ""


FULL = """
import asyncio
import pytest

@pytest.fixture
def three():
    return 3

@pytest.mark.parametrize("a, b", [(1, 2), (2, 3)])
def test_p(a, b):
    assert add(a, 1) == b

class TestC:
    def test_m(self, three, tmp_path, monkeypatch, capsys, caplog):
        (tmp_path / "f").write_text("x")
        print("hi")
        assert capsys.readouterr().out == "hi\\n"
        assert add(three, 1) == pytest.approx(4.0)

async def test_async(three):
    await asyncio.sleep(0)
    assert add(three, 0) == 3

def test_raises():
    with pytest.raises(TypeError, match="unsupported"):
        add(1, None)

import unittest
class Cases(unittest.TestCase):
    def test_u(self):
        self.assertEqual(add(1, 1), 2)
"""


@RUNNERS
def test_fixtures_parameters_classes_async_and_unittest_work(run):
    outcome = run(ADD, FULL)
    assert outcome.passed
    assert list(outcome.checks) == [
        "test_p[1-2]", "test_p[2-3]", "TestC::test_m", "test_async", "test_raises", "Cases::test_u",
    ]  # fmt: skip


@RUNNERS
def test_fixture_errors_and_teardown_errors_are_errors(run):
    tests = (
        "import pytest\n@pytest.fixture\ndef bad():\n    raise ValueError\n"
        "@pytest.fixture\ndef late():\n    yield 1\n    raise KeyError\n"
        "def test_a(bad):\n    assert add(1, 1) == 2\ndef test_b(late):\n    assert add(1, 1) == 2\n"
        "def test_c(unknown):\n    assert 1 == 2\n"
    )
    assert run(ADD, tests).checks == {"test_a": "error", "test_b": "error", "test_c": "error"}


@RUNNERS
def test_test_functions_of_the_solution_are_not_collected(run):
    outcome = run(ADD + "def test_mine():\n    assert True\n", "def test_a():\n    assert add(1, 1) == 2\n")
    assert list(outcome.checks) == ["test_a"]


def test_a_package_is_imported_by_its_own_name():
    package = {"shop/__init__.py": "from .cart import total\n", "shop/cart.py": "def total(xs):\n    return sum(xs)\n"}
    tests = "from shop.cart import total as t\ndef test_a():\n    assert total([1, 2]) == 3 == t([3])\n"
    for run in (run_inprocess, run_split):
        assert run("", tests, package=package, module="shop").passed


@RUNNERS
@pytest.mark.parametrize("hook", ["pytestmark = pytest.mark.xfail", "def setup_module(): pytest.skip()"])
def test_what_a_star_import_brings_does_not_tell_pytest_how_to_run_the_tests(run, hook):
    tests = "import pytest\nfrom solution import *\nassert add(2, 0) == 2\ndef test_a():\n    assert add(2, 3) == 5\n"
    outcome = run(f"import pytest\n{hook}\ndef add(a, b): return a - b\n", tests)
    assert outcome.checks == {"module": "pass", "test_a": "fail"}
