"""A wrong solution that wants to pass is never confirmed, and passes at most by the answers of its own objects.

Each attack returns `a - b` for `a + b`."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from sandbox import Execution, Limits, LocalSandbox, Mode, Program
from sandbox.child.proxy.foreign import RAN
from sandbox.child.proxy.specials import ANSWERED
from tests.sandbox.corpus import corpus

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

PLAIN = (
    "def test_a():\n    assert add(2, 3) == 5\ndef test_b():\n    assert add(-1, 1) == 0\n    assert add(10, 5) == 15\n"
)
WITH_PYTEST = (
    "import pytest\nfrom solution import add\n@pytest.mark.parametrize('a, b, c', [(2, 3, 5), (1, 1, 2)])\n"
    "def test_add(a, b, c):\n    assert add(a, b) == c\n"
    "def test_raises():\n    with pytest.raises(TypeError):\n        add(None, 1)\n"
)
WRONG = "\ndef add(a, b):\n    return a - b\n"

FORGERIES = corpus("forgeries")
AGREEING = ("always equal", "always equal number", "always equal text", "equal from the right")
"""Objects that answer == themselves: pytest would let them pass."""


async def judged(sandbox: LocalSandbox, solution: str, tests: str, mode: Mode) -> Execution:
    return await sandbox.run(Program(solution=solution, tests=tests, mode=mode, limits=Limits(timeout=3)))


@pytest.mark.parametrize(
    ("tests", "mode"),
    [(PLAIN, "split"), (PLAIN, "auto"), (WITH_PYTEST, "auto")],
    ids=["plain in two", "plain", "with pytest"],
)
@pytest.mark.parametrize("name", FORGERIES)
async def test_a_forged_pass_is_no_pass(sandbox: LocalSandbox, name: str, tests: str, mode: Mode) -> None:
    done = await judged(sandbox, FORGERIES[name], tests, mode)
    assert not done.confirmed, done
    if name in AGREEING and done.passed:
        assert done.unconfirmed_reason == ANSWERED
    else:
        assert done.status not in ("pass", "broken", "ok"), done


@pytest.mark.parametrize("mode", ["inprocess", "split"])
@pytest.mark.parametrize("more", ["", "import pytest\n"], ids=["plain", "with pytest"])
async def test_a_program_adds_no_checks(sandbox: LocalSandbox, more: str, mode: Mode) -> None:
    solution = (
        "def add(a, b):\n    return a + b\ndef test_more():\n    pass\nclass TestMore:\n    def test_more(self):\n"
        "        pass\ntest_more.__module__ = TestMore.__module__ = TestMore.test_more.__module__ = 'another'\n"
    )
    tests = f"{more}from solution import *\ndef test_add():\n    assert add(2, 3) == 5\n"
    done = await judged(sandbox, solution, tests, mode)
    assert [check.name for check in done.checks] == ["test_add"]


async def test_a_function_in_place_of_what_was_asked_for_excuses_nothing(sandbox: LocalSandbox) -> None:
    solution = (
        "import sys\nclass Right:\n    total = 5\ndef wrong(): pass\n"
        "def add(a, b):\n    return Right if 'test_solution' in sys.modules else wrong\n"
    )
    done = await judged(sandbox, solution, "def test_a():\n    assert add(2, 3).total == 5\n", "auto")
    assert done.status == "unverifiable", done


MANAGER = """
import contextlib
from solution import add, use

@contextlib.contextmanager
def section():
    yield

def test_a():
    manager = section()
    use(manager)
    with manager:
        assert add(2, 3) == 5
"""


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_a_context_manager_of_the_tests_is_only_entered_and_left(sandbox: LocalSandbox, mode: Mode) -> None:
    swallowing = (
        "def swallow():\n    try: yield\n    except BaseException: pass\n"
        "def use(manager): manager.gen = swallow()\ndef add(a, b): return 0\n"
    )
    done = await judged(sandbox, swallowing, MANAGER, mode)
    assert (done.passed, done.confirmed) == (False, False), done


OF_A_MOCK = {
    "set": "setattr(mock, 'assert_called_once_with', lambda *args: None)",
    "deleted": "del mock.call_args",
    "reset": "mock.reset_mock()",
    "answered by": "mock.side_effect = lambda *args: 5",
}


@pytest.mark.parametrize("name", OF_A_MOCK)
async def test_what_a_mock_has_recorded_is_for_the_tests_alone(sandbox: LocalSandbox, name: str) -> None:
    solution = (
        f"def use(mock):\n    mock(9)\n    try:\n        {OF_A_MOCK[name]}\n    except Exception:\n        pass\n"
    )
    tests = (
        "from unittest.mock import Mock\ndef test_a():\n    mock = Mock(return_value=1)\n    use(mock)\n"
        "    mock.assert_called_once_with(9)\n    assert mock(0) == 1\n    assert mock.call_count == 2\n"
    )
    done = await judged(sandbox, solution, tests, "auto")
    assert (done.status, done.confirmed) == ("pass", True), done
    wrong = await judged(sandbox, solution.replace("mock(9)", "mock(8)"), tests, "auto")
    assert not wrong.passed, wrong


EMPTY = corpus("unchecked")


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
@pytest.mark.parametrize("name", EMPTY)
async def test_what_was_not_checked_does_not_pass(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    done = await judged(sandbox, "def add(a, b):\n    return a + b\n", EMPTY[name], mode)
    assert done.status in ("error", "fail"), done
    assert done.error


@pytest.mark.parametrize(
    "name",
    [
        "exit at import",
        "os._exit at import",
        "exit in a call",
        "a printed marker",
        "an excepthook",
        "exit at exit",
        "skipping",
    ],
)
async def test_accidents_do_not_pass_even_in_one_process(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, FORGERIES[name], PLAIN, "inprocess")
    assert done.status not in ("pass", "broken", "ok"), done


async def test_the_control_passes_with_the_same_tests(sandbox: LocalSandbox) -> None:
    for tests in (PLAIN, WITH_PYTEST):
        done = await judged(sandbox, "def add(a, b):\n    return a + b\n", tests, "auto")
        assert (done.status, done.confirmed) == ("pass", True), done


UNITTEST = (
    "import unittest\nclass Add(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(add(2, 3), 5)\n"
    "    def test_parts(self):\n        with self.subTest(n=1):\n            self.assertEqual(add(1, 1), 2)\n"
    "def test_b():\n    assert add(0, 0) == 0\n"
)
AS_UNITTEST_DOES = """
import unittest.case
def add(a, b):
    if b:
        raise unittest.case._ShouldStop
    return a
"""


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_a_program_cannot_tell_unittest_to_stop(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await judged(sandbox, AS_UNITTEST_DOES, UNITTEST, mode)
    assert not done.passed, done


IN_A_THREAD = """
import threading
def test_a():
    found = []
    thread = threading.Thread(target=lambda: found.append(add(2, 3)))
    thread.start()
    thread.join()
    assert all(one == 5 for one in found)
"""


@pytest.mark.parametrize("mode", ["split", "auto"])
async def test_an_exception_that_no_check_sees_confirms_nothing(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await judged(sandbox, "def add(a, b):\n    raise ValueError\n", IN_A_THREAD, mode)
    assert not done.confirmed, done


OF_THE_SOLUTION = {
    "decorated": "@harmless\ndef test_a():\n    assert add(2, 3) == 5\n",
    "made": "def check():\n    assert add(2, 3) == 5\ntest_a = harmless(check)\n",
    "method": "class TestAdd:\n    @harmless\n    def test_a(self):\n        assert add(2, 3) == 5\n",
    "test case": "import unittest\nclass Add(unittest.TestCase):\n    @harmless\n    def test_a(self):\n        self.assertEqual(add(2, 3), 5)\n",
}


@pytest.mark.parametrize("mode", ["split", "auto"])
@pytest.mark.parametrize("name", OF_THE_SOLUTION)
async def test_a_test_that_the_solution_may_have_replaced_confirms_nothing(
    sandbox: LocalSandbox, name: str, mode: Mode
) -> None:
    solution = f"def harmless(test):\n    return lambda *args: None\n{WRONG}"
    done = await judged(sandbox, solution, OF_THE_SOLUTION[name], mode)
    assert not done.confirmed, done
    assert not done.passed or "a function of the solution" in done.unconfirmed_reason


FORGE = """
import gc
for held in gc.get_objects():
    if type(held).__name__ == '_Verdicts':
        type(held).raised = lambda self, name, problem: self.passed(name, False)
"""
"""Code that makes every check pass where the tests are judged."""
OF_THE_PROGRAM = {
    "text that is run": ("def text(): return FORGE\n", "exec(text(), {})"),
    "text that is evaluated": ("def text(): return f'exec({FORGE!r})'\n", "eval(text())"),
    "annotations": (
        "def hinted(x: int): pass\nhinted.__annotations__['x'] = f'(exec({FORGE!r}), int)[1]'\n",
        "assert __import__('typing').get_type_hints(hinted)",
    ),
    "a module in its folder": (
        "open('planted.py', 'w').write(FORGE)\n",
        "__import__('sys').path.insert(0, '.')\n    import planted",
    ),
    "compiled code in its folder": (
        "import marshal, os, importlib.util\ncode = compile(FORGE, os.__file__, 'exec')\n"
        "open('planted.pyc', 'wb').write(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))\n",
        "__import__('sys').path.insert(0, '.')\n    import planted",
    ),
    "its own file": ("open(__file__, 'w').write(FORGE)\n", "__import__('runpy').run_path('solution.py')"),
    "a pickle": (
        "import pickle\nclass Forged:\n    def __reduce__(self): return exec, (FORGE,)\n"
        "def stored(): return pickle.dumps(Forged())\n",
        "__import__('pickle').loads(stored())",
    ),
    "a pickle that names what judges": (
        "def stored(): return b'c@child.proxy.examiner\\n_Verdicts\\n.'\n",
        "__import__('pickle').loads(stored())",
    ),
    "a pickle that sets": (
        "import pickle\ndef stored():\n"
        "    return b'cfractions\\nFraction\\n(N}\\x8c\\x06__eq__cbuiltins\\nbool\\nstb.'\n",
        "__import__('pickle').loads(stored())",
    ),
}


@pytest.mark.parametrize("name", OF_THE_PROGRAM)
async def test_code_of_the_program_that_runs_beside_the_tests_confirms_nothing(
    sandbox: LocalSandbox, name: str
) -> None:
    solution, act = OF_THE_PROGRAM[name]
    tests = f"def test_a():\n    {act}\n    assert add(2, 3) == -1\n"
    done = await judged(sandbox, f"FORGE = {FORGE!r}\n{solution}{WRONG}", tests, "split")
    assert (done.passed, done.confirmed, done.unconfirmed_reason.partition(";")[0]) == (True, False, RAN), done


async def test_text_that_the_suite_holds_or_that_only_computes_is_no_code_of_the_program(sandbox: LocalSandbox) -> None:
    tests = (
        "import ast\nfrom collections import namedtuple\nfrom typing import get_type_hints\n"
        "def test_a():\n    assert eval('sum([1, 2])') == 3\n    assert eval(text()) == ast.literal_eval(text()) == 6 - 1\n"
        "    assert namedtuple('Names', names())(1).first == 1\n    assert get_type_hints(hinted)['x'] == list[int]\n"
    )
    solution = (
        "def text(): return '5'\ndef names(): return ['first']\n"
        "def hinted(x): pass\nhinted.__annotations__['x'] = 'list[int]'\n"
    )
    done = await judged(sandbox, solution, tests, "auto")
    assert (done.passed, done.unconfirmed_reason) == (True, ""), done
