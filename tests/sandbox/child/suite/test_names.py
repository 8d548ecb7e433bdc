"""A suite sees what `from solution import *` gives, the same way in both modes, whatever the names are."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from sandbox.child.suite.names import hiding_names
from tests.sandbox.child.harness import run_inprocess, run_split

RUNNERS = pytest.mark.parametrize("run", [run_inprocess, run_split])
HEADS = {
    "star": "from solution import *\n",
    "names": "from solution import {names}\n",
    "module": "import solution\n",
    "nothing": "",
}
COLLIDING = {
    "chunk": "def fib(n): return n\ndef chunk(xs, n): return [xs[i:i + n] for i in range(0, len(xs), n)]\n|fib chunk|assert fib(1) == 1 and chunk([1, 2, 3], 2) == [[1, 2], [3]]",
    "bisect": "def push(xs, x): return xs + [x]\ndef bisect(xs, x): return sum(y < x for y in xs)\n|push bisect|assert push([], 1) == [1] and bisect([1, 3], 2) == 1",
    "token": "def user(): return 'u'\ndef token(n): return 't' * n\n|user token|assert user() == 'u' and token(2) == 'tt'",
    "copy": "def copy(xs): return list(reversed(xs))\ndef size(xs): return len(xs)\n|copy size|assert copy([1, 2]) == [2, 1] and size([1]) == 1",
    "profile": "def user(): return 1\ndef profile(n): return {'id': n}\n|user profile|assert profile(user()) == {'id': 1}",
    "max": "def max(xs):\n    best = xs[0]\n    for x in xs:\n        best = x if x > best else best\n    return best\n|max|assert max([1, 3, 2]) == 3 and max.__name__ == 'max'",
    "pow": "def add(a, b): return a + b\ndef pow(a, b): return a ** b\n|add pow|assert add(1, 2) == 3 and pow(2, 3) == 8",
    "a class": "class queue:\n    def __init__(self): self.xs = []\n    def put(self, x): self.xs.append(x)\n|queue|q = queue(); q.put(1); assert q.xs == [1]",
    "a listed private name": "__all__ = ['_f', 'g']\ndef _f(): return 1\ndef g(): return 2\n|_f g|assert _f() + g() == 3",
}  # fmt: skip


@RUNNERS
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("name", COLLIDING)
def test_a_right_program_passes_whatever_its_names_are(run, name, head):
    solution, names, claim = COLLIDING[name].split("|")
    tests = f"{HEADS[head].format(names=', '.join(names.split()))}def test_a():\n    {claim}\n"
    outcome = run(solution, tests)
    assert outcome.passed, (outcome.messages, outcome.error)


@RUNNERS
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    ("solution", "claim"),
    [
        ("def add(a, b): return a + b\ndef pow(a, b): return 0\n", "add(1, 2) == 3 and pow(2, 3) == 8"),
        ("def mean(xs): return sum(xs) / len(xs)\ndef max(xs): return 0\n", "mean([1, 3]) == 2 and max([1, 3]) == 3"),
        ("def filter(f, xs): return []\ndef my_map(f, xs): return [f(x) for x in xs]\n", "my_map(str, [1]) == ['1'] and list(filter(bool, [0, 1])) == [1]"),
    ],
)  # fmt: skip
def test_a_wrong_program_is_not_saved_by_pythons_own_name(run, solution, claim, head):
    names = [line.split("(")[0].removeprefix("def ") for line in solution.splitlines()]
    outcome = run(solution, f"{HEADS[head].format(names=', '.join(names))}def test_a():\n    assert {claim}\n")
    assert outcome.checks == {"test_a": "fail"}


@RUNNERS
@pytest.mark.parametrize("head", ["", "from solution import *\n"])
def test_what_all_leaves_out_is_not_given(run, head):
    solution = "__all__ = ['f']\ndef f(): return 1\ndef g(): return 2\n"
    assert run(solution, f"{head}def test_a():\n    assert f() == 1\n").passed
    assert run(solution, f"{head}def test_a():\n    assert g() == 2\n").checks == {"test_a": "error"}
    assert run(solution, "from solution import g\ndef test_a():\n    assert g() == 2\n").passed


@RUNNERS
def test_a_star_import_of_a_promised_name_that_is_missing_fails_as_in_python(run):
    solution = "__all__ = ['f', 'gone']\ndef f(): return 1\n"
    assert run(solution, "def test_a():\n    assert f() == 1\n").passed
    outcome = run(solution, "from solution import *\ndef test_a():\n    assert f() == 1\n")
    assert outcome.error["type"] == "AttributeError"


@RUNNERS
def test_names_looked_up_by_text_are_there(run):
    solution = "def f(x): return x + 1\nLIMIT = 3\n"
    assert run(solution, "def test_a():\n    assert eval('f(LIMIT)') == 4 and globals()['f'](1) == 2\n").passed


SHADOWS = "def add(a, b): return a - b\n"
HIDDEN = {
    "all": ("def all(xs): return True\n", "all(add(a, b) == a + b for a, b in [(1, 2)])"),
    "abs": ("def abs(x): return 0\n", "abs(add(1, 2) - 3) < 1e-9"),
    "sorted": ("def sorted(xs): return [3]\n", "sorted([add(1, 2)]) == [3]"),
    "len": ("class len:\n    def __new__(cls, x): return 1\n", "len({add(1, 2), 3}) == 1"),
    "math": ("class math:\n    isclose = staticmethod(lambda a, b: True)\n", "math.isclose(add(1, 2), 3)"),
    "np": ("class K:\n    def isclose(self, a, b): return True\nnp = K()\n", "np.isclose(add(1, 2), 3)"),
    "pytest": ("class K:\n    def approx(self, x): return -1\npytest = K()\n", "add(1, 2) == pytest.approx(3)"),
}


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("head", ["", "from solution import *\n", "from solution import add\n", "import solution\n"])
@pytest.mark.parametrize("name", HIDDEN)
def test_a_name_that_hides_pythons_own_confirms_nothing(name, head, listed):
    body, claim = HIDDEN[name]
    solution = (f"__all__ = ['add', {name!r}]\n" if listed else "") + SHADOWS + body
    outcome = run_split(solution, f"{head}def test_a():\n    assert {claim}\n")
    assert [doubt for doubt in outcome.doubts if doubt.endswith(f": {name}")], outcome.records


REPLACED = {
    "a function out of a module": ("def isclose(a, b): return True\n", "from math import isclose\n{star}def test_a():\n    assert isclose(add(1, 2), 3)\n"),
    "a constant": ("WANT = -1\n", "WANT = 3\n{star}def test_a():\n    assert add(1, 2) == WANT\n"),
    "a variable of a loop": ("WANT = -1\n", "for WANT in [3]: pass\n{star}def test_a():\n    assert add(1, 2) == WANT\n"),
    "a function": ("def same(a, b): return True\n", "def same(a, b): return a == b\n{star}def test_a():\n    assert same(add(1, 2), 3)\n"),
    "a function in a block": ("def same(a, b): return True\n", "if True:\n    def same(a, b): return a == b\n{star}def test_a():\n    assert same(add(1, 2), 3)\n"),
}  # fmt: skip
STARS = ["from solution import *\n", "try:\n    from solution import *\nexcept ImportError:\n    raise\n"]


@pytest.mark.parametrize("star", STARS)
@pytest.mark.parametrize("name", REPLACED)
def test_a_name_that_a_star_import_replaces_confirms_nothing(name, star):
    body, tests = REPLACED[name]
    outcome = run_split(SHADOWS + body, tests.format(star=star))
    assert outcome.passed, outcome.messages
    assert outcome.doubts


@pytest.mark.parametrize("imports", ["from time import sleep", "from typing import List as L", "import json as j"])
def test_a_name_that_suite_and_solution_import_alike_hides_nothing(imports):
    tests = f"{imports}\nfrom solution import *\ndef test_a():\n    assert f() == 2\n"
    given = ["f", imports.split()[-1]]
    hidden = hiding_names(tests, given, "solution", [f"{imports}\ndef f(): return 2\n"])
    assert hidden == ({"j"} if imports.endswith("j") else set())
    assert hiding_names(tests, given, "solution", ["def f(): return 2\n"]) == {given[1]}


@pytest.mark.parametrize(
    ("solution", "tests"),
    [
        ("def pow(a, b): return a ** b\n", "from solution import pow\ndef test_a():\n    assert pow(2, 3) == 8\n"),
        ("def pow(a, b): return a ** b\n", "import solution\ndef test_a():\n    assert solution.pow(2, 3) == 8\n"),
        ("def pow(a, b): return a ** b\n", "def test_a():\n    from solution import pow\n    assert pow(2, 3) == 8\n"),
        ("def max(xs): return xs[0]\ndef f(): return 8\n", "def max(a, b): return b\ndef test_a():\n    assert max(2, f()) == 8\n"),
        ("def copy(xs): return 0\ndef f(): return [8]\n", "def test_a():\n    assert f().copy() == [8]\n"),
        ("math = 5\ndef f(): return 2\n", "import math\ndef test_a():\n    assert math.sqrt(4) == f()\n"),
        ("def chunk(xs): return [xs]\n", "def test_a():\n    assert chunk([1]) == [[1]]\n"),
        ("import math\nfrom math import pow\ndef f(): return 2\n", "def test_a():\n    assert math.sqrt(4) == f() and pow(2, 1) == 2\n"),
        ("import builtins\nmax = builtins.max\ndef f(): return 2\n", "def test_a():\n    assert max(1, f()) == 2\n"),
    ],
)  # fmt: skip
def test_a_name_that_the_suite_asked_for_or_made_itself_is_confirmed(solution, tests):
    outcome = run_split(solution, tests)
    assert outcome.passed, (outcome.messages, outcome.error)
    assert not outcome.doubts


def test_modules_and_classes_that_the_solution_imported_are_the_real_ones():
    solution = (
        "import math, datetime as dt\nfrom datetime import datetime\nfrom copy import copy\nfrom dataclasses import dataclass\n"
        "from collections import Counter\nfrom math import sqrt\nfrom typing import List\nimport numpy as np\n"
        "def add(a, b): return a + b\n"
    )
    tests = (
        "import math as m, datetime as d, copy as c, dataclasses, collections, typing, numpy\n"
        "def test_a():\n    assert math is m and dt is d and datetime is d.datetime and copy is c.copy and np is numpy\n"
        "    assert dataclass is dataclasses.dataclass and Counter is collections.Counter and sqrt is m.sqrt\n"
        "    assert List is typing.List and add(1, 1) == 2\n"
        "    @dataclass\n    class P:\n        x: int\n    assert P(1) == P(1)\n"
    )
    outcome = run_split(solution, tests)
    assert outcome.passed, outcome.messages
    assert not outcome.doubts


FRAMES = """
import sys
def plant(name, source):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Sources":
                value._found[name] = (source, "/x.py", False)
        frame = frame.f_back
plant("colorsys", "def rgb_to_hsv(*a): return 0")
def half(x):
    return 0
"""


@pytest.mark.parametrize(
    "tests",
    [
        "import colorsys\ndef test_a():\n    assert half(3) == colorsys.rgb_to_hsv(1, 1, 1)\n",
        "def test_a():\n    from colorsys import rgb_to_hsv\n    assert half(3) == rgb_to_hsv(1, 1, 1)\n",
    ],
)
def test_the_other_process_cannot_take_the_place_of_a_module_that_the_tests_import(tests):
    assert run_split(FRAMES, tests).checks == {"test_a": "fail"}


def test_modules_of_a_package_are_the_solutions():
    package = {
        "shop/__init__.py": "",
        "shop/cart.py": "def total(xs):\n    return sum(xs)\n",
        "shop/tax/vat.py": "R = 2\n",
    }
    tests = (
        "import shop.cart\nfrom shop.tax import vat\nfrom shop import cart\n"
        "def test_a():\n    assert shop.cart.total([1, 2]) == 3 and vat.R == 2 and cart is shop.cart\n"
    )
    for run in (run_inprocess, run_split):
        assert run("", tests, package=package, module="shop").passed
