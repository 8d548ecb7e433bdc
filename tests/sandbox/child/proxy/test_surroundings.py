"""What tests change around the solution holds for it in its own process too."""

# ruff: noqa: E501 - one suite a line
from __future__ import annotations

import pytest

from sandbox.child.proxy.solution_side import SolutionSide
from tests.sandbox.child.harness import run_inprocess, run_split

SOLUTION = """
import datetime, json, os, random, sys, time
from random import randint
import random as rnd

def pause(): return time.sleep(1000)
def roll(): return random.randint(1, 6)
def rolls(): return [rnd.random() for _ in range(3)]
def now(): return time.time()
def home(): return os.environ.get("MY_HOME")
def here(): return os.path.basename(os.getcwd())
def save(name, text): open(name, "w").write(text)
def arguments(): return sys.argv[1:]
def load(path):
    with open(path) as file: return json.load(file)
def helper(): return "real"
def use_helper(): return helper() + "!"
def show(): print("to be seen"); return 1
def fail(): raise RuntimeError("no")
class Service:
    def fetch(self): return "real"
    def run(self): return self.fetch() + "!"
def today(): return datetime.date.today()
"""
CHECKS = {
    "monkeypatch of a module": "def test(monkeypatch):\n    import time\n    monkeypatch.setattr(time, 'sleep', lambda s: s + 1)\n    assert pause() == 1001\n",
    "monkeypatch by path": "def test(monkeypatch):\n    monkeypatch.setattr('random.randint', lambda a, b: 4)\n    assert roll() == 4\n",
    "monkeypatch undone": "def test_a(monkeypatch):\n    monkeypatch.setattr('time.time', lambda: 5)\n    assert now() == 5\ndef test_b():\n    assert now() > 1e9\n",
    "patch": "from unittest.mock import patch\ndef test():\n    with patch('random.randint', return_value=3) as m:\n        assert roll() == 3\n    m.assert_called_once_with(1, 6)\n    assert 1 <= roll() <= 6\n",
    "patch as decorator": "from unittest.mock import patch\n@patch('time.time', return_value=9)\ndef test(m):\n    assert now() == 9\n",
    "patch open": "from unittest.mock import mock_open, patch\ndef test():\n    with patch('builtins.open', mock_open(read_data='[1]')):\n        assert load('x') == [1]\n",
    "patch print": "from unittest.mock import patch\ndef test():\n    with patch('builtins.print') as p:\n        show()\n    p.assert_called_once_with('to be seen')\n",
    "patch the solution": "from unittest.mock import patch\ndef test():\n    with patch('solution.helper', return_value='fake'):\n        assert use_helper() == 'fake!'\n    assert use_helper() == 'real!'\n",
    "patch a module inside the solution": "from unittest.mock import patch\ndef test():\n    with patch('solution.random.randint', return_value=2):\n        assert roll() == 2\n",
    "patch a method": "from unittest.mock import patch\nimport solution\ndef test():\n    with patch.object(solution.Service, 'fetch', return_value='fake'):\n        assert Service().run() == 'fake!'\n    assert Service().run() == 'real!'\n",
    "patch a date": "from unittest.mock import patch\nimport datetime\ndef test():\n    with patch('solution.datetime') as d:\n        d.date.today.return_value = datetime.date(2020, 1, 1)\n        assert today() == datetime.date(2020, 1, 1)\n",
    "environment": "def test(monkeypatch):\n    monkeypatch.setenv('MY_HOME', 'x')\n    assert home() == 'x'\n    monkeypatch.delenv('MY_HOME')\n    assert home() is None\n",
    "environment directly": "import os\ndef test():\n    os.environ['MY_HOME'] = 'y'\n    assert home() == 'y'\n",
    "folder": "def test(monkeypatch, tmp_path):\n    monkeypatch.chdir(tmp_path)\n    assert here() == tmp_path.name\n    save('a.txt', 'text')\n    assert (tmp_path / 'a.txt').read_text() == 'text'\n",
    "arguments": "def test(monkeypatch):\n    monkeypatch.setattr('sys.argv', ['p', 'a', 'b'])\n    assert arguments() == ['a', 'b']\n",
    "seed": "import random\ndef test():\n    random.seed(7)\n    first = rolls()\n    random.seed(7)\n    assert rolls() == first\n    random.seed(7)\n    assert first == [random.random() for _ in range(3)]\n",
    "capsys": "def test(capsys):\n    assert show() == 1\n    assert capsys.readouterr().out == 'to be seen\\n'\n",
    "redirected": "import contextlib, io\ndef test():\n    out = io.StringIO()\n    with contextlib.redirect_stdout(out):\n        show()\n    assert out.getvalue() == 'to be seen\\n'\n",
}  # fmt: skip


@pytest.mark.parametrize("run", [run_inprocess, run_split])
@pytest.mark.parametrize("name", CHECKS)
def test_the_solution_sees_what_the_tests_changed(run, name):
    tests = CHECKS[name].replace("def test(", "def test_it(")
    outcome = run(SOLUTION, tests)
    assert outcome.passed, (outcome.messages, outcome.error, outcome.stderr)
    assert not outcome.doubts


def test_looking_inside_the_solution_is_a_limit_of_two_processes():
    tests = "import inspect\ndef test_a():\n    assert list(inspect.signature(load).parameters) == ['path']\n"
    assert run_inprocess(SOLUTION, tests).passed
    outcome = run_split(SOLUTION, tests)
    assert outcome.passed or [record for record in outcome.records if record.get("limit")]


def test_subclassing_the_solution_is_a_limit_of_two_processes():
    tests = (
        "class Mine(Service):\n    def fetch(self): return 'mine'\ndef test_a():\n    assert Mine().run() == 'mine!'\n"
    )
    assert run_inprocess(SOLUTION, tests).passed
    outcome = run_split(SOLUTION, tests)
    assert not outcome.passed
    assert [record for record in outcome.records if record.get("limit")]


def test_threads_of_the_tests_may_call_the_solution_together():
    solution = "class C:\n    n = 0\n    def up(self):\n        self.n += 1\n"
    tests = (
        "import threading\ndef test_a():\n    c = C()\n"
        "    many = [threading.Thread(target=lambda: [c.up() for _ in range(20)]) for _ in range(4)]\n"
        "    [t.start() for t in many]\n    [t.join() for t in many]\n    assert c.n == 80\n"
    )
    assert run_split(solution, tests).passed


def test_what_a_program_does_between_two_calls_waits_for_nobody():
    side = SolutionSide()
    side.answering = 0
    with pytest.raises(RuntimeError, match="between two calls"):
        side.call({"~": 0}, (), {})


def test_functions_without_attributes_leave_room_for_containers():
    solution = "def many(n):\n    return [lambda i=i: i for i in range(n)]\ndef add(xs):\n    xs.append(1)\n"
    tests = "def test_all():\n    kept, xs = many(2100), []\n    add(xs)\n    assert (xs, kept[5]()) == ([1], 5)\n"
    assert run_split(solution, tests).passed
