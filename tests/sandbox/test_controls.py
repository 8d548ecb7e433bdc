"""Honest programs are right and confirmed, wrong ones are wrong: without this no wall means anything."""

from __future__ import annotations

import pytest

from sandbox import Execution, Limits, LocalSandbox, Program

pytestmark = pytest.mark.asyncio(loop_scope="session")

ADD = "def test_add():\n    assert add(2, 3) == 5\n"

HONEST = {
    "plain": ("def add(a, b):\n    return a + b\n", ADD),
    "temporary files": (
        "import os, tempfile\ndef add(a, b):\n    with tempfile.TemporaryDirectory() as d:\n"
        "        path = os.path.join(d, 'x')\n        open(path, 'w').write(str(a + b))\n        return int(open(path).read())\n",
        ADD,
    ),
    "threads": (
        "import threading\ndef add(a, b):\n    found = []\n    threads = [threading.Thread(target=lambda: found.append(a + b)) for _ in range(20)]\n"
        "    [t.start() for t in threads]\n    [t.join() for t in threads]\n    return found[-1]\n",
        ADD,
    ),
    "asyncio": (
        "import asyncio\nasync def later(x):\n    await asyncio.sleep(0.001)\n    return x\n"
        "def add(a, b):\n    async def both():\n        return sum(await asyncio.gather(later(a), later(b)))\n    return asyncio.run(both())\n",
        ADD,
    ),
    "recursion": (
        "def add(a, b):\n    return a if b == 0 else add(a, b - 1) + 1\n",
        ADD + "def test_deep():\n    assert add(0, 800) == 800\n",
    ),
    "big integers": (
        "def power(n):\n    return 7 ** n\n",
        "def test_power():\n    assert power(4000) % 1000007 == pow(7, 4000, 1000007)\n    assert power(2000) > 10 ** 1000\n",
    ),
    "regular expressions": (
        "import re\nWORD = re.compile(r'\\w+')\ndef words(text):\n    return WORD.findall(text)\n",
        "def test_words():\n    assert words('to be, or') == ['to', 'be', 'or']\n",
    ),
    "subprocess words in strings": (
        "import os\ndef where():\n    return 'os.system(\"rm\") __import__ eval exec ' + os.path.join('a', 'b')\n",
        "def test_where():\n    assert where().endswith('a/b')\n",
    ),
    "a class": (
        "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        self.items.append(x)\n"
        "    def pop(self):\n        if not self.items:\n            raise IndexError('empty')\n        return self.items.pop()\n"
        "    def __len__(self):\n        return len(self.items)\n",
        "import pytest\ndef test_stack():\n    s = Stack()\n    s.push(1)\n    s.push('b')\n    assert len(s) == 2\n    assert s.pop() == 'b'\n"
        "    s.pop()\n    with pytest.raises(IndexError):\n        s.pop()\n",
    ),
    "pytest machinery": (
        "def add(a, b):\n    return a + b\n",
        "import pytest\nfrom solution import add\n@pytest.fixture\ndef one():\n    return 1\n"
        "@pytest.mark.parametrize('b, c', [(1, 2), (2, 3)])\ndef test_add(one, b, c):\n    assert add(one, b) == c\n"
        "def test_float():\n    assert add(0.1, 0.2) == pytest.approx(0.3)\n",
    ),
    "numpy": (
        "import numpy as np\ndef total(values):\n    return float(np.asarray(values).sum())\n",
        "def test_total():\n    assert total([1, 2, 3.5]) == 6.5\n",
    ),
}


async def judged(sandbox: LocalSandbox, solution: str, tests: str) -> Execution:
    return await sandbox.run(Program(solution=solution, tests=tests, limits=Limits(timeout=10)))


@pytest.mark.parametrize("name", HONEST)
async def test_an_honest_program_passes_and_is_confirmed(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, *HONEST[name])
    assert (done.status, done.confirmed) == ("pass", True), done
    assert done.checks
    assert all(check.status == "pass" for check in done.checks)


async def test_a_wrong_program_fails_with_expected_and_actual_values(sandbox: LocalSandbox) -> None:
    done = await judged(sandbox, "def add(a, b):\n    return a - b\n", ADD)
    assert (done.status, done.confirmed) == ("fail", False)
    assert "-1" in done.checks[0].message
    assert "5" in done.checks[0].message


async def test_a_slow_but_right_program_passes(sandbox: LocalSandbox) -> None:
    slow = "import time\ndef add(a, b):\n    time.sleep(0.3)\n    return a + b\n"
    done = await sandbox.run(Program(solution=slow, tests=ADD, limits=Limits(timeout=3)))
    assert (done.status, done.confirmed) == ("pass", True)


async def test_a_program_of_several_modules_is_imported_as_a_package(sandbox: LocalSandbox) -> None:
    package = {"shop/__init__.py": "from .cart import total\n", "shop/cart.py": "def total(prices):\n    return sum(prices)\n"}
    tests = "from shop import total\nfrom shop.cart import total as same\ndef test_total():\n    assert total([1, 2]) == same([3])\n"
    done = await sandbox.run(Program(package=package, tests=tests))
    assert (done.status, done.confirmed) == ("pass", True), done


async def test_a_test_can_run_the_program_behind_walls_of_its_own(sandbox: LocalSandbox) -> None:
    program = "import sys\nname = input()\nprint('hello', name, *sys.argv[1:], open('data.txt').read())\nsys.exit(3)\n"
    tests = (
        "def test_program():\n    done = run_program(['-v'], 'Ada\\n', {'data.txt': 'x'})\n"
        "    assert done.exit_code == 3\n    assert done.stdout == 'hello Ada -v x\\n'\n"
    )
    done = await sandbox.run(Program(solution=program, tests=tests))
    assert done.status == "pass", done
