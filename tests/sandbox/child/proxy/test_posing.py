"""What stands in the place of a value of Python's, or of an object of the tests, and answers in its name."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

from tests.sandbox.child.harness import run_split
from tests.tables import in_one_test

POSING = {
    "a method of the tests' object": (
        "def f(out): out.getvalue = lambda: 'right'\n",
        "import io\ndef test_a():\n    out = io.StringIO()\n    f(out)\n    assert out.getvalue() == 'right'\n",
    ),
    "a text with methods of its own": (
        "class S(str):\n    def startswith(self, *a): return True\n    def endswith(self, *a): return True\ndef greet(n): return S('')\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n    assert greet('Ann').endswith('Ann!')\n",
    ),
    "a set with methods of its own": (
        "class S(frozenset):\n    def symmetric_difference(self, o): return frozenset()\ndef vowels(t): return S()\n",
        "def test_a():\n    assert not vowels('hello').symmetric_difference({'e', 'o'})\n",
    ),
    "a list with methods of its own": (
        "class L(list):\n    def count(self, x): return 1\n    def index(self, x): return 0\ndef uniq(xs): return L(xs)\n",
        "def test_a():\n    out = uniq([1, 1, 2])\n    assert out.count(1) == 1 and out.count(2) == 1\n",
    ),
    "a text with methods in its attributes": (
        "class S(str): pass\ndef greet(n):\n    s = S('')\n    s.startswith = lambda *a: True\n    return s\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a number with methods of its own": (
        "class F(float):\n    def is_integer(self): return True\ndef half(n): return F(0.5)\n",
        "def test_a():\n    assert half(4).is_integer()\n",
    ),
    "an object under the name of a number": (
        "class E:\n    def quantize_text(self): return '3.30'\nE.__module__ = 'decimal'; E.__qualname__ = E.__name__ = 'Decimal'\ndef total(xs): return E()\n",
        "from decimal import Decimal\ndef test_a():\n    assert isinstance(total(['1.1', '2.2']), Decimal)\n",
    ),
    "an object under the name of an abstract class": (
        "class E: pass\nE.__module__ = 'collections.abc'; E.__qualname__ = E.__name__ = 'Mapping'\ndef make(): return E()\n",
        "from collections.abc import Mapping\ndef test_a():\n    assert isinstance(make(), Mapping)\n",
    ),
    "an object in place of what a mock records by": (
        "class L:\n    def assert_called_once_with(self, *a): pass\ndef notify(client): client.session.post = L()\n",
        "from unittest.mock import MagicMock\ndef test_a():\n    client = MagicMock()\n    notify(client)\n    client.session.post.assert_called_once_with('hello')\n",
    ),
    "an object in place of one of the tests": (
        "class L:\n    def verify(self): return True\ndef notify(client): client.log = L()\n",
        "class Log:\n    def __init__(self): self.seen = []\n    def write(self, t): self.seen.append(t)\n    def verify(self): return self.seen == ['hello']\nclass Client:\n    def __init__(self): self.log = Log()\ndef test_a():\n    client = Client()\n    notify(client)\n    assert client.log.verify()\n",
    ),
    "an object in place of a text": (
        "class S:\n    def startswith(self, p): return True\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, that answers a number": (
        "class S:\n    def startswith(self, p): return 1\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, that answers an object": (
        "class S:\n    def startswith(self, p): return S()\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, of a property": (
        "class S:\n    @property\n    def startswith(self): return lambda p: True\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, of one object": (
        "class S:\n    def __init__(self): self.startswith = lambda p: True\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, without an object": (
        "class S:\n    startswith = staticmethod(lambda p: True)\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a method named like that of a text, of a class": (
        "class S:\n    @classmethod\n    def startswith(cls, p): return True\ndef greet(n): return S\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "an object in place of an array that is compared": (
        "class B:\n    def all(self): return True\nclass X:\n    def __eq__(self, other): return B()\ndef f(n): return X()\n",
        "def test_a():\n    assert (f(3) == [1, 2]).all()\n",
    ),
    "an object in place of a decimal number": (
        "class X:\n    def is_zero(self): return True\ndef f(n): return X()\n",
        "def test_a():\n    assert f(3).is_zero()\n",
    ),
    "an object that hears what is taken from it in place": (
        "class X:\n    def __isub__(self, other): return 0\ndef f(): return X()\n",
        "def test_a():\n    x = X()\n    x -= 5\n    assert x == 0\n",
    ),
    "an object under the name that the tests patch": (
        "class L:\n    def __call__(self, *a): pass\n    def assert_called_once_with(self, *a): pass\ndef send(*a): pass\ndef run():\n    global send\n    send = L()\n",
        "from unittest.mock import patch\nimport solution\ndef test_a():\n    with patch('solution.send'):\n        solution.run()\n        solution.send.assert_called_once_with('hello')\n",
    ),
    "a function in place of a mock's": (
        "def send(*a): pass\nsend.assert_called_once_with = lambda *a: None\ndef notify(c): c.send = send\n",
        "from unittest.mock import Mock\ndef test_a():\n    c = Mock()\n    notify(c)\n    c.send.assert_called_once_with('hello')\n",
    ),
    "an object in place of a text that is searched": (
        "class S:\n    def find(self, p): return 0\n    rfind = index = rindex = find\n    def count(self, p): return 1\ndef greet(n): return S()\n",
        "def test_a():\n    assert greet('Ann').find('Hello') == 0 and greet('Ann').count('Ann') == 1\n",
    ),
    "an object in place of a file": (
        "class P:\n    def exists(self): return True\ndef save(text): return P()\n",
        "def test_a():\n    assert save('hello').exists()\n",
    ),
    "a class under the name of a function": (
        "class greet:\n    def __init__(self, n): pass\n    def startswith(self, p): return True\n",
        "from solution import greet\ndef test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a class under the name of a function that is searched": (
        "class greet:\n    def __init__(self, n): pass\n    def find(self, p): return 0\n",
        "from solution import greet\ndef test_a():\n    assert greet('Ann').find('Hello') == 0\n",
    ),
    "a class under the name of a function of a module": (
        "class save:\n    def __init__(self, n): pass\n    def exists(self): return True\n",
        "import solution\ndef test_a():\n    assert solution.save('Ann').exists()\n",
    ),
    "a namespace with a method of a text": (
        "import types\ndef greet(n): return types.SimpleNamespace(startswith=lambda *a: True)\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a namespace that gets a method of a text": (
        "import types\nN = types.SimpleNamespace()\ndef name(): return N\ndef greet(n): N.startswith = lambda *a: True\n",
        "def test_a():\n    n = name()\n    greet('Ann')\n    assert n.startswith('Hello')\n",
    ),
    "a function with a method of a text": (
        "def greet(n):\n    def f(): pass\n    f.startswith = lambda *a: True\n    return f\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a named tuple that holds a method of a text": (
        "import collections\nT = collections.namedtuple('T', 'startswith')\ndef greet(n): return T(lambda *a: True)\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a named tuple with a method of a text": (
        "import collections\nclass T(collections.namedtuple('T', 'a')):\n    def startswith(self, p): return True\ndef greet(n): return T(1)\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a named tuple with a yes or no of its own": (
        "import collections\nclass T(collections.namedtuple('T', 'a')):\n    def exists(self): return True\ndef save(n): return T(1)\n",
        "def test_a():\n    assert save('Ann').exists()\n",
    ),
    "a member of an enum with a method of a text": (
        "import enum\nclass T(enum.Enum):\n    A = 1\n    def startswith(self, p): return True\ndef greet(n): return T.A\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "an exception with a method of a text": (
        "class T(Exception):\n    def startswith(self, p): return True\ndef greet(n): return T()\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "an exception that holds a method of a text": (
        "def greet(n):\n    e = ValueError()\n    e.startswith = lambda p: True\n    return e\n",
        "def test_a():\n    assert greet('Ann').startswith('Hello')\n",
    ),
    "a date with methods of its own": (
        "import datetime\nclass D(datetime.date):\n    def weekday(self): return 0\ndef monday(y): return D(1999, 1, 1)\n",
        "def test_a():\n    assert monday(2024).weekday() == 0\n",
    ),
    "a decimal number with methods of its own": (
        "import decimal\nclass D(decimal.Decimal):\n    def compare(self, o): return decimal.Decimal(0)\ndef total(xs): return D('1')\n",
        "from decimal import Decimal\ndef test_a():\n    assert total([]).compare(Decimal('3.30')) == 0\n",
    ),
    "a member of an enum that a value of none stands for": (
        "import enum\nclass C(enum.Enum):\n    RED = 1\n    @classmethod\n    def _missing_(cls, value): return cls.RED\ndef parse(t): return C.RED\n",
        "from solution import C, parse\ndef test_a():\n    assert parse('blue') == C('blue')\n",
    ),
    "a method named like that of a text, that answers nothing": (
        "class S:\n    def isdigit(self): return None\ndef f(t): return S()\n",
        "def test_a():\n    assert not f('Ann').isdigit()\n",
    ),
    "a namespace that is searched": (
        "import types\ndef f(t): return types.SimpleNamespace(find=lambda p: 0)\n",
        "def test_a():\n    assert f('Ann').find('Hello') == 0\n",
    ),
    "a class that is searched": (
        "class S:\n    @staticmethod\n    def find(p): return 0\ndef f(t): return S\n",
        "def test_a():\n    assert f('Ann').find('Hello') == 0\n",
    ),
    "an object of one method that is searched": (
        "class S: pass\ndef f(t):\n    s = S()\n    s.find = lambda p: 0\n    return s\n",
        "def test_a():\n    assert f('Ann').find('Hello') == 0\n",
    ),
    "an object under the name of a library's that is searched": (
        "import threading\nclass Event:\n    def find(self, p): return 0\nEvent.__module__ = 'threading'\nthreading.Event = Event\ndef f(t): return Event()\n",
        "def test_a():\n    assert f('Ann').find('Hello') == 0\n",
    ),
    "an object that gives back what it hears": (
        "class S:\n    def replace(self, a, b): return b\n    def intersection(self, o): return set(o)\ndef f(t): return S()\n",
        "def test_a():\n    assert f('Ann').replace('a', 'b') == 'b' and f('Ann').intersection({1}) == {1}\n",
    ),
    "an object that says yes in another word": (
        "class S:\n    def exists(self): return 'yes'\ndef f(t): return S()\n",
        "def test_a():\n    assert f('Ann').exists()\n",
    ),
    "an object that a difference gave": (
        "class Z:\n    def max(self): return 0.0\nclass X:\n    def __sub__(self, o): return Z()\ndef f(n): return X()\n",
        "def test_a():\n    assert (f(3) - 5).max() < 1e-9\n",
    ),
    "a class that only a star import named": (
        "class S:\n    def find(self, p): return 0\ndef f(t): return S()\n",
        "from solution import *\ndef test_a():\n    assert f('Ann').find('Hello') == 0\n",
    ),
    "a sequence with a count of its own": (
        "from collections.abc import Sequence\nclass S(Sequence):\n    def __getitem__(self, at): return 1\n    def __len__(self): return 3\n    def count(self, x): return 1\ndef f(t): return S()\n",
        "def test_a():\n    assert f('Ann').count(7) == 1\n",
    ),
}  # fmt: skip


@in_one_test("name", POSING)
def test_what_poses_as_something_else_confirms_nothing(name):
    outcome = run_split(*POSING[name])
    assert not outcome.passed or outcome.doubts, outcome.records
