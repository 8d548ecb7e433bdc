"""The solution ends no failure of the tests: a check that failed stays failed, or is not confirmed."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_split

SWALLOWING = {
    "with": ("class C:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\n", "with C():\n        assert f(1) == 2"),
    "async with": ("class C:\n    async def __aenter__(self): return self\n    async def __aexit__(self, *a): return True\n", "async def go():\n        async with C():\n            assert f(1) == 2\n    asyncio.run(go())"),
    "a generator": ("import contextlib\n@contextlib.contextmanager\ndef C():\n    try: yield\n    except BaseException: pass\n", "with C():\n        assert f(1) == 2"),
    "pytest's own failure": ("class C:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\n", "with C():\n        with pytest.raises(ValueError): f(1)"),
}  # fmt: skip


@pytest.mark.parametrize("name", SWALLOWING)
def test_the_solution_cannot_swallow_a_failed_assertion(name):
    solution, body = SWALLOWING[name]
    tests = f"import asyncio, pytest\ndef test_a():\n    {body}\n    assert f(1) == 0\n"
    outcome = run_split(f"{solution}def f(x): return 0\n", tests)
    assert outcome.checks == {"test_a": "fail"}
    assert "tried to swallow" in outcome.messages["test_a"]


def test_a_context_manager_may_swallow_what_it_is_for():
    solution = "class Ignore:\n    def __init__(self, *kinds): self.kinds = kinds\n    def __enter__(self): return self\n    def __exit__(self, kind, *a): return kind is not None and issubclass(kind, self.kinds)\n"
    tests = "import pytest\ndef test_a():\n    with Ignore(KeyError): raise KeyError\n    with pytest.raises(ValueError):\n        with Ignore(KeyError): raise ValueError\n"
    outcome = run_split(solution, tests)
    assert outcome.passed, outcome.messages
    assert outcome.doubts


LOSING = {
    "an exception class that catches a failure": (
        "Wrong = AssertionError\ndef f(n): return n\n",
        "import solution\ndef test_a():\n    try:\n        f(3)\n        assert False\n    except solution.Wrong:\n        pass\n",
    ),
    "exception classes that catch a failure": (
        "class P:\n    wrong = (ValueError, Exception)\ndef f(n): return n\n",
        "import pytest\nfrom solution import P, f\ndef test_a():\n    with pytest.raises(P.wrong):\n        assert f(3) == 5\n",
    ),
    "a function that ends a failure": (
        "def clean(*told): return True\ndef f(n): return n\n",
        "from contextlib import ExitStack\ndef test_a():\n    with ExitStack() as stack:\n        stack.push(clean)\n        assert f(3) == 5\n",
    ),
    "a group that is of every kind": (
        "class G(ExceptionGroup):\n    def split(self, kind): return self, None\ndef f(n): raise G('g', [ValueError(n)])\n",
        "def test_a():\n    caught = False\n    try:\n        f(3)\n    except* KeyError:\n        caught = True\n    assert caught\n",
    ),
    "a callback whose failure is lost": (
        "def each(xs, f):\n    for x in xs:\n        try: f(x)\n        except AssertionError: pass\n",
        "def test_a():\n    def check(x): assert x > 5\n    assert each([1, 2], check) is None\n",
    ),
    "a callback whose failure is told as another": (
        "def each(xs, f):\n    for x in xs:\n        try: f(x + 1)\n        except Exception as e: raise ValueError('stopped') from e\n",
        "import pytest\ndef test_a():\n    def check(x):\n        assert x == 1\n        raise KeyError\n    with pytest.raises(ValueError):\n        each([1], check)\n",
    ),
    "a context manager whose end hides a failure": (
        "import contextlib\n@contextlib.contextmanager\ndef C():\n    try: yield\n    except BaseException: raise KeyError\ndef f(x): return 0\n",
        "import pytest\ndef test_a():\n    with pytest.raises(KeyError):\n        with C():\n            assert f(1) == 2\n            raise KeyError\n",
    ),
    "an async callback whose failure is told as another": (
        "import asyncio\nasync def each(xs, f):\n    for x in xs:\n        try: await f(x + 1)\n        except AssertionError as e: raise ValueError from e\n",
        "import asyncio, pytest\ndef test_a():\n    async def check(x):\n        assert x == 1\n        raise KeyError\n    with pytest.raises(ValueError):\n        asyncio.run(each([1], check))\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSING)
def test_what_may_have_ended_a_failure_confirms_nothing(name):
    outcome = run_split(*LOSING[name])
    assert not outcome.passed or outcome.doubts, outcome.records
