"""The plain runner judges plain suites exactly as pytest does."""

# ruff: noqa: E501 - one suite a line
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox.child.harness import run_inprocess
from tests.tables import in_one_test

SOLUTION = (
    "def f(x):\n    return x + 1\n\ndef boom():\n    raise KeyError('k')\n\n"
    "def gen():\n    yield from (1, 2)\n\nclass K:\n    n = 0\n    def up(self):\n        self.n += 1\n        return self.n\n"
)
SUITES = {
    "compare": "def test_a():\n    assert f(1) == 2\ndef test_b():\n    assert f(1) == 3\n",
    "message": "def test_a():\n    assert f(1) == 3, 'told'\n",
    "order": "def test_z():\n    assert f(1) == 2\ndef test_a():\n    assert f(1) == 2\n",
    "redefined": "def test_a():\n    assert f(1) == 3\ndef test_a():\n    assert f(1) == 2\n",
    "raises": "def test_a():\n    boom()\n    assert f(1) == 2\ndef test_b():\n    try:\n        boom()\n    except KeyError:\n        pass\n    assert f(1) == 2\n",
    "shared state": "k = K()\ndef test_a():\n    assert k.up() == 1\ndef test_b():\n    assert k.up() == 2\n",
    "helpers": "def check(x):\n    assert f(x) == x + 1\ndef test_a():\n    check(1)\n    assert f(2) == 3\n",
    "defaults": "def test_a(x=1):\n    assert f(x) == 2\n",
    "nested": "def test_a():\n    def inner():\n        assert f(1) == 3\n    inner()\n    assert True is not None\n",
    "loops": "def test_a():\n    for x in range(5):\n        assert f(x) == x + 1\n    while True:\n        assert f(0) == 1\n        break\n",
    "chains": "def test_a():\n    assert 0 < f(0) < 2\ndef test_b():\n    assert 0 < f(0) < 1\n",
    "logic": "def test_a():\n    assert f(0) == 1 and not f(-1) or boom()\ndef test_b():\n    assert f(-1) or f(-1)\n",
    "walrus": "def test_a():\n    assert (y := f(1)) == 2\n    assert y == 2\n",
    "generators": "def test_a():\n    g = gen()\n    assert next(g) == 1\n    assert next(g) == 2\n    assert list(g) == []\n",
    "comprehension": "def test_a():\n    assert all(f(x) > x for x in range(3))\n    assert [f(x) for x in range(2)] == [1, 2]\n",
    "with and try": "import contextlib\ndef test_a():\n    with contextlib.suppress(KeyError):\n        boom()\n    try:\n        assert f(1) == 3\n    finally:\n        pass\n",
    "match": "def test_a():\n    match f(1):\n        case 2:\n            assert f(2) == 3\n        case _:\n            assert f(2) == 4\n",
    "global and nonlocal": "n = 0\ndef test_a():\n    global n\n    n += 1\n    assert f(n) == 2\n",
    "conditional definition": "if f(1) == 2:\n    def test_a():\n        assert f(1) == 2\nelse:\n    def test_b():\n        assert f(1) == 3\n",
    "assigned": "def make():\n    def inner():\n        assert f(1) == 3\n    return inner\ntest_made = make()\n",
    "system exit": "def test_a():\n    raise SystemExit(0)\n    assert f(1) == 2\n",
    "assertion caught": "def test_a():\n    try:\n        assert f(1) == 3\n    except AssertionError as e:\n        assert 'assert' in str(e)\n",
    "type error in compare": "def test_a():\n    assert f('x') == 1\n",
    "failing repr": "class R:\n    def __repr__(self):\n        raise ValueError\ndef test_a():\n    assert R() == f(1)\n",
    "recursion": "def deep(n):\n    return deep(n + 1)\ndef test_a():\n    assert deep(0) == 1\ndef test_b():\n    assert f(1) == 2\n",
    "huge values": "def test_a():\n    assert [f(0)] * 1000000 == [0]\ndef test_b():\n    assert 'x' * 10**7 == 'y'\n",
    "big numbers": "def test_a():\n    assert f(10 ** 5000) == 10 ** 5000\n",
    "surrogates": "def test_a():\n    assert '\\ud800' == f(1)\n",
}  # fmt: skip


def by_pytest(folder: Path, tests: str) -> dict[str, str]:
    """pytest's own words on a suite, from a process of its own."""
    (folder / "solution.py").write_text(SOLUTION)
    (folder / "test_it.py").write_text(f"from solution import f, boom, gen, K\n{tests}")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "-c", "/dev/null", "--tb=no", "-q", "."]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    words = (line.split() for line in told.splitlines() if line.startswith(("PASSED", "FAILED", "ERROR")))
    return {parts[1].partition("::")[2]: parts[0] for parts in words}


@in_one_test("name", SUITES)
def test_plain_and_full_runners_agree(name):
    plain = run_inprocess(SOLUTION, SUITES[name])
    full = run_inprocess(SOLUTION, "import pytest\n" + SUITES[name])
    assert plain.checks == full.checks
    assert plain.all("done") == full.all("done")


@pytest.mark.slow
def test_both_agree_with_pytest_itself(tmp_path):
    tests = "\n".join(suite.replace("test_", f"test_{place}_") for place, suite in enumerate(SUITES.values()))
    ours = run_inprocess(SOLUTION, tests, explain=True)
    theirs = by_pytest(tmp_path, tests)
    assert ours.checks.keys() == theirs.keys()
    assert {name: status == "pass" for name, status in ours.checks.items()} == {
        name: word == "PASSED" for name, word in theirs.items()
    }
