"""Nothing a solution does in its own process can make a wrong answer pass in split mode."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_split
from tests.tables import in_one_test

TESTS = """
from solution import add

def test_small():
    assert add(2, 3) == 5

def test_negative():
    assert add(-4, 1) == -3
"""
FULL = "import pytest\n" + TESTS + "\ndef test_kind():\n    assert add(1, 1) == pytest.approx(2)\n"
EQUAL = """
class Equal(BASE):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
    def __bool__(self): return True
    def __sub__(self, other): return 0
    def __abs__(self): return 0
    def __le__(self, other): return True
"""

ATTACKS = {
    "wrong": "def add(a, b): return a - b",
    "exit at import": "import os\nos._exit(0)",
    "exit in call": "import os\ndef add(a, b): os._exit(0)",
    "system exit": "import sys\ndef add(a, b): sys.exit(0)",
    "keyboard interrupt": "def add(a, b): raise KeyboardInterrupt",
    "always equal": EQUAL.replace("BASE", "object") + "def add(a, b): return Equal()",
    "always equal int": EQUAL.replace("BASE", "int") + "def add(a, b): return Equal(a - b)",
    "always equal str": EQUAL.replace("BASE", "str") + "def add(a, b): return Equal('x')",
    "always equal list": EQUAL.replace("BASE", "list") + "def add(a, b): return Equal()",
    "always equal tuple": EQUAL.replace("BASE", "tuple") + "def add(a, b): return Equal()",
    "equal by metaclass": "class M(type):\n def __eq__(c, o): return True\n __hash__ = type.__hash__\n"
    "class K(metaclass=M): pass\n"
    "def add(a, b): return K",
    "sometimes equal": "import random\nclass E:\n def __eq__(s, o): return isinstance(o, int)\ndef add(a, b): return E()",
    "equal record": "import collections\nclass P(collections.namedtuple('P', 'x')):\n def __eq__(s, o): return True\n"
    "def add(a, b): return P(1)",
    "equal enum": "import enum\nclass C(enum.IntEnum):\n A = 1\n def __eq__(s, o): return True\n __hash__ = int.__hash__\n"
    "def add(a, b): return C.A",
    "mock any": "from unittest.mock import ANY\ndef add(a, b): return ANY",
    "mock any as class": "from unittest.mock import ANY\nadd = lambda a, b: ANY",
    "magic mock": "from unittest.mock import MagicMock\ndef add(a, b):\n m = MagicMock()\n m.__eq__.return_value = True\n return m",
    "patched builtins": "import builtins\nbuiltins.AssertionError = Warning\nbuiltins.isinstance = lambda *a: True\n"
    "def add(a, b): return a - b",
    "patched pytest": "import sys, types\nm = types.ModuleType('pytest')\nm.approx = lambda *a: 0\nsys.modules['pytest'] = m\n"
    "def add(a, b): return a - b",
    "planted modules": "for n in ('pytest', 'conftest', 'math', 'test_solution', 'sitecustomize'):\n"
    " open(n + '.py', 'w').write('import os; os._exit(0)')\ndef add(a, b): return a - b",
    "frames": "import sys\ndef add(a, b):\n f = sys._getframe()\n while f:\n  f.f_globals['add'] = int\n  f = f.f_back\n return a - b",
    "garbage": "import gc\ndef add(a, b):\n for o in gc.get_objects():\n  if isinstance(o, dict) and 'emit' in o: o['emit'] = print\n"
    " return a - b",
    "forged records": "import os\ndef add(a, b):\n for fd in range(3, 60):\n  try: os.write(fd, b'{\"done\": 2}\\n')\n"
    "  except OSError: pass\n return a - b",
    "skip": "class Skipped(Exception): pass\ndef add(a, b): raise Skipped('x')",
    "printed marker": "print('PASSED', '2 passed', flush=True)\ndef add(a, b): return a - b",
    "opaque": "def add(a, b): return object()",
    "coroutine": "async def add(a, b): return a - b",
    "function that shadows": "def add(a, b): return lambda: 5",
    "mutates arguments": "def add(a, b):\n return [a, b]",
    "reply flood": "def add(a, b): return 'x' * (40 << 20)",
    "deep reply": "def add(a, b):\n x = []\n for _ in range(100000): x = [x]\n return x",
    "raises assertion": "def add(a, b): raise AssertionError('fine')",
    "huge number": "def add(a, b): return 10 ** 100000",
    "nan": "def add(a, b): return float('nan')",
    "exit in thread": "import os, threading\nthreading.Thread(target=os._exit, args=(0,)).start()\ndef add(a, b): return a - b",
    "exit in finalizer": "import os\nclass D:\n def __del__(s): os._exit(0)\ndef add(a, b):\n D()\n return a - b",
    "recursion": "def add(a, b): return add(a, b)",
    "callback name": "add = eval",
    "module as function": "import operator as add",
    "class as function": "class add:\n def __new__(cls, a, b): return NotImplemented",
}


THROUGH_PYTEST = ("always equal", "exit in call", "skip", "keyboard interrupt", "patched pytest", "mock any", "nan")
CASES = [(name, TESTS) for name in ATTACKS] + [(name, FULL) for name in THROUGH_PYTEST]


AGREEING = (
    "always equal",
    "sometimes equal",
    "equal record",
    "equal enum",
    "equal by metaclass",
    "mock any",
    "magic mock",
)
"""These answer == themselves: a pass in the eyes of pytest, and never a confirmed one."""


@in_one_test("name, tests", CASES)
def test_a_wrong_answer_never_passes(name, tests):
    outcome = run_split(ATTACKS[name], tests)
    assert outcome.records, outcome.stderr
    if name.startswith(AGREEING):
        assert outcome.doubts or not outcome.passed
    else:
        assert "pass" not in outcome.checks.values()
        assert not outcome.passed


RAW = """
import json, os, socket, stat
def links():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode): yield fd
        except OSError: pass
def say(text):
    body = text.encode()
    for fd in links(): os.write(fd, len(body).to_bytes(4, "big") + body)
def add(a, b):
    say(MESSAGE)
    return a - b
"""
MESSAGES = {
    "no message": "12",
    "no json": "]",
    "unknown kind": '["z", 0, 1]',
    "unknown tag": '["v", 0, {"evil": 1}]',
    "unknown number": '["v", 0, {"~": 5}]',
    "unknown class": '["v", 0, {"k": 5}]',
    "class without a name": '["v", 0, {"K": [1, ["object", "a b", [false, []], [], {}, {}, null]]}]',
    "any mock by name": '["v", 0, {"g": ["unittest.mock", "ANY"]}]',
    "builtin by name": '["c", 0, {"g": ["builtins", "eval"]}, ["1"], 0]',
    "exec by name": '["c", 0, {"g": ["builtins", "exec"]}, ["import os; os._exit(0)"], 0]',
    "call of a string": '["c", 0, "add", [], 0]',
    "operation": '["c", 0, {"op": "eval"}, ["1"], 0]',
    "shared nothing": '["v", {"u": [[0, []]]}, 5]',
    "== among the methods": '["v", 0, {"h": [1, {"K": [3, ["object", "A", [false, []], [], {}, {"__eq__": 0}, null]]}]}]',
    "== among the members": '["v", 0, {"e": [{"K": [3, ["enum", "A", [false, []], [], {}, {}, [4, null, false, [["__eq__", {"f": [5, "f", 0, null]}], ["X", 1]]]]]}, "X", null]}]',
    "no special method": '["v", 0, {"h": [1, {"K": [3, ["object", "A", [false, []], [], {"__getattribute__": true}, {}, null]]}]}]',
    "a field that is code": '["v", 0, {"h": [1, {"K": [3, ["object", "A", [false, []], [], {}, {}, ["A", ["__eq__"], true, false, [["x=1)\\n", true, null, true, false, null, []]]]]]}]}]',
    "a builtin by a lent name": '["c", 0, {"a": ["__call__", 1]}, [{"g": ["builtins", "getattr"]}, "x", "y"], 0]',
    "a method of a module": '["c", 0, {"a": ["getcwd", 1]}, [{"m": "os"}], 0]',
    "a value of no value": '["v", 0, {"n": [{"g": ["builtins", "list"]}, [[1]], {}]}]',
    "deep": "[" * 100000,
    "wide tag": '["v", 0, {"t": [1], "d": []}]',
    "handle of int": '["v", 0, {"h": [1, {"g": ["builtins", "int"]}]}]',
    "exception of int": '["x", 0, [{"g": ["builtins", "int"]}, [], {}, "", "", None]]',
    "huge shape": '["v", 0, {"A": ["array", ["<i8", {"t": [1 << 40]}, {"B": ""}]]}]',
}


@in_one_test("name", MESSAGES)
def test_a_hostile_message_is_a_failure(name):
    outcome = run_split(RAW.replace("MESSAGE", repr(MESSAGES[name])), TESTS)
    assert outcome.all("gone") or outcome.all("done") == [2], outcome.stderr
    assert outcome.checks
    assert "pass" not in outcome.checks.values()


LENT = """
def add(a, b):
    KEPT.append(a)
    return a
KEPT = []
def reach(thing, *path):
    for name in path: thing = getattr(thing, name)
    return thing
"""


@pytest.mark.parametrize(
    "path",
    [
        ("__globals__",),
        ("__class__",),
        ("__self__",),
        ("__func__", "__globals__"),
        ("__init__", "__globals__"),
        ("gi_frame", "f_globals"),
        ("configure_mock",),
    ],
)
@pytest.mark.parametrize("lent", ["lambda: 1", "(i for i in range(3))", "Fake()", "Fake().go", "Mock()"])
def test_objects_lent_by_the_tests_lead_nowhere(lent, path):
    tests = (
        "from unittest.mock import Mock\nimport pytest\nclass Fake:\n    def go(self): return 1\n"
        f"def test_a():\n    with pytest.raises((AttributeError, TypeError)):\n        reach({lent}, *{path!r})\n"
        "    assert True is not False\n"
    )
    outcome = run_split(LENT, tests)
    given = outcome.messages.get("test_a", "")
    assert outcome.checks == {"test_a": "pass"} or "_mirror" in given or "solution" in given, outcome.messages


def test_a_dying_solution_fails_even_a_test_that_expects_an_exception():
    tests = "import pytest\ndef test_a():\n    with pytest.raises(Exception):\n        add(1, 2)\n"
    assert run_split("import os\ndef add(a, b): os._exit(1)", tests).checks == {"test_a": "error"}


def test_an_answer_by_the_solutions_own_comparison_is_never_confirmed():
    solution = "class V:\n    def __init__(s, x): s.x = x\n    def __eq__(s, o): return s.x == o.x\n"
    outcome = run_split(solution, "def test_a():\n    assert V(1) == V(1)\n    assert not V(1) == V(2)\n")
    assert outcome.passed
    assert outcome.doubts


def test_plain_values_are_confirmed():
    outcome = run_split("def add(a, b): return a + b", FULL)
    assert outcome.passed
    assert not outcome.doubts


@pytest.mark.parametrize("kind", ["StopIteration", "GeneratorExit", "StopAsyncIteration"])
@pytest.mark.parametrize("tests", [TESTS, FULL], ids=["plain", "pytest"])
def test_exceptions_that_end_generators_end_no_check_well(kind, tests):
    outcome = run_split(f"def add(a, b): raise {kind}", tests)
    assert "pass" not in outcome.checks.values()
    assert outcome.checks


@pytest.mark.parametrize(
    "asking",
    [
        "peer.call({'a': ['__call__', 0]}, (getattr, thing, '__class__'), {})",
        "peer.call({'a': ['__getattribute__', 0]}, (thing, '__class__'), {})",
        "peer.call({'g': ['builtins', 'getattr']}, (thing, '__class__'), {})",
        "peer.call({'g': ['builtins', 'setattr']}, (thing, '__class__', 1), {})",
        "peer.call({'g': ['builtins', 'eval']}, ('1',), {})",
        "peer.call({'g': ['operator', 'attrgetter']}, ('x',), {})",
        "peer.call({'a': ['append', 0]}, ([], 1), {})",
        "peer.call({'a': ['getcwd', 0]}, (__import__('os'),), {})",
        "peer.call({'op': 'fields'}, (thing, ['__class__']), {})",
    ],
)
def test_what_the_other_side_can_name_it_may_still_not_use(asking):
    solution = f"def reach(thing):\n    peer = type(type(thing)).peer\n    return {asking}\n"
    tests = (
        "import pytest\nclass Fake:\n    def go(self): return 1\n"
        "def test_a():\n    with pytest.raises((TypeError, AttributeError, KeyError)):\n        reach(Fake())\n"
    )
    outcome = run_split(solution, tests)
    assert outcome.checks == {"test_a": "pass"}, outcome.messages
