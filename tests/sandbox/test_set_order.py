"""Which programs are tried under a second seed of str hashes: all in which the order of a set may show."""

# ruff: noqa: E501 - short programs in a line
from __future__ import annotations

from sandbox import Program
from sandbox.set_order import may_show
from tests.tables import in_one_test

SHOWING = {
    "set display": "def f():\n    return list({'a', 'b'})\n",
    "set over lines": "S = {\n    'a',\n    'b',\n}\ndef f():\n    return [*S]\n",
    "unpacked": "def f(a, b):\n    return [x for x in {*a, *b}]\n",
    "comprehension with a slice": "def f(xs):\n    return list({x[1:] for x in xs})\n",
    "comprehension with a dict": "def f(xs):\n    return list({tuple({x: 1}) for x in xs})\n",
    "comprehension with a lambda": "def f(xs):\n    return list({(lambda y: y)(x) for x in xs})\n",
    "set()": "def f(xs):\n    return ' '.join(set(xs))\n",
    "set handed on": "def f(xs):\n    return [list(s) for s in map(set, xs)]\n",
    "frozenset": "def f(xs):\n    return next(iter(frozenset(xs)))\n",
    "factory": "from collections import defaultdict\nd = defaultdict(set)\n",
    "dict of a set": "def f(xs):\n    return dict.fromkeys(set(xs))\n",
    "sorted by a key": "def f(xs):\n    return sorted(set(xs), key=len)\n",
    "sorted by an order of its own": "class A:\n    def __lt__(s, o):\n        return s.x < o.x\ndef f(xs):\n    return sorted(set(xs))\n",
    "repr": "def f(xs):\n    return f'{set(xs)}'\n",
    "sum of floats": "def f(xs):\n    return sum(set(xs))\n",
    "the last of a set": "def f(xs):\n    return max(set(xs), key=xs.count)\n",
    "hash": "def f(s):\n    return hash(s) % 7\n",
    "__hash__": "def f(s):\n    return s.__hash__() % 7\n",
    "hash handed on": "def f(xs):\n    return sorted(xs, key=hash)\n",
    "id": "def f(xs):\n    return sorted(xs, key=id)\n",
    "keys less keys": "def f(a, b):\n    return list(a.keys() - b)\n",
    "items and items": "def f(a, b):\n    return list(a.items() & b.items())\n",
    "view kept": "def f(a, b):\n    k = a.items()\n    return list(k | b)\n",
    "keys by a function": "import operator\ndef f(a, b):\n    return list(operator.or_(a.keys(), b.keys()))\n",
    "unbound keys": "from functools import reduce\ndef f(ds):\n    return list(reduce(lambda a, b: a & b, map(dict.keys, ds)))\n",
    "WeakSet": "import weakref\nS = weakref.WeakSet()\n",
    "weak set by name": "from weakref import WeakSet\n",
    "abstract set": "from collections.abc import Set\n",
    "tasks": "import asyncio\nasync def f(ts):\n    done, _ = await asyncio.wait(ts)\n    return [t.result() for t in done]\n",
    "futures": "from concurrent.futures import as_completed\n",
    "abstract methods": "def f(c):\n    return list(c.__abstractmethods__)\n",
    "names of modules": "import sys\ndef f():\n    return list(sys.stdlib_module_names)[0]\n",
    "zones": "import zoneinfo\ndef f():\n    return list(zoneinfo.available_timezones())[0]\n",
    "evaluated": "def f(text):\n    return list(eval(text))\n",
    "executed": "def f(text):\n    exec(text)\n",
    "compiled": "def f(text, run):\n    return run(compile(text, '', 'eval'))\n",
    "literal": "import ast\ndef f(text):\n    return list(ast.literal_eval(text))\n",
    "a library's sets": "import networkx\n",
    "a library by its part": "from sklearn.cluster import KMeans\n",
    "drawn": "from hypothesis import given, strategies as st\n@given(st.sets(st.text()))\ndef test(xs):\n    assert f(xs)\n",
    "deep": f"x = {'[' * 80}{']' * 80}\nimport os\n",
}
SILENT = {
    "nothing": "def add(a, b):\n    return a + b\n",
    "dict": "def f(xs):\n    return {x: len(x) for x in xs}\n",
    "text": "def f(x):\n    return f'<{x}>'\n",
    "keys in their own order": "def f(d):\n    return [*sorted(d.keys())], list(d.items()), [k for k in d.keys()]\n",
    "loop": "def f(d):\n    for k, v in d.items():\n        print(k, v)\n",
    "compared": "def f(a, b):\n    return set(a) == set(b) and {x[0] for x in a} <= {1, 2}\n",
    "member": "def f(a):\n    return [c for c in a if c in {'a', 'b'}]\n",
    "measured": "def f(a):\n    return len(set(a.lower())) + len({x for x in a})\n",
    "sorted": "def f(a):\n    return sorted(set(a))\n",
    "of a dict": "def f(a, b):\n    return sorted(set(a.keys())) == sorted({1, 2})\n",
    "kind": "def f(a):\n    return isinstance(a, (list, dict)) or isinstance(a, set)\n",
    "annotation": "def f(a: set[int], b: 'set') -> frozenset[int]:\n    c: set[int] = a\n    return c\n",
    "numbers": "import numpy as np, math\nfrom collections import Counter\n",
    "attribute": "def f(a):\n    return a.id, a.hash, a.set(1)\n",
}


@in_one_test("name", SHOWING)
def test_what_may_show_an_order_is_tried_under_another_seed(name: str) -> None:
    assert may_show(Program(solution=SHOWING[name], tests="def test_f():\n    assert f\n"))
    assert may_show(Program(solution="x = 1\n", tests=SHOWING[name])), "the tests may hand it over"
    assert may_show(Program(package={"shop/__init__.py": "x = 1\n", "shop/a.py": SHOWING[name]}))


@in_one_test("name", SILENT)
def test_what_cannot_show_one_is_not_run_again(name: str) -> None:
    tests = f"from solution import *\n\n{SILENT[name]}\ndef test_f():\n    assert f\n"
    assert not may_show(Program(solution=SILENT[name], tests=tests))


def test_the_programs_own_modules_are_no_library() -> None:
    package = {"shop/__init__.py": "from shop.a import f\nfrom . import a\n", "shop/a.py": "def f():\n    return 1\n"}
    assert not may_show(Program(package=package, tests="from shop import f\n"))
    assert may_show(Program(solution="import helper\n", files={"helper.py": b"x = 1\n"})), "nobody has read it here"
