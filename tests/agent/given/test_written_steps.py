"""Steps that a report writes down are done with the given program; only what it then does as reported counts."""

from __future__ import annotations

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from tests.agent.model_server import ModelServer

from .test_runs import run_task
from .test_varied_reports import Told, law_of

STACK = '''class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        """The last item, None without one."""
        return self.items.pop(0) if self.items else None
'''


def laws(text: str, code: str = STACK) -> tuple[list[str], list[str]]:
    """What must hold, and what must change, as statements and as told sentences."""
    law, found = law_of(Told("", code, "", text, "!!"))
    return [example.source for example in law], list(found.told)


@pytest.mark.parametrize(
    "text",
    [
        ">>> s = Stack()\n>>> s.push(1)\n>>> s.push(2)\n>>> s.pop()\n1\n\nThis must be 2.",
        "s = Stack()\ns.push(1)\ns.push(2)\nprint(s.pop())  # 1, should be 2",
        "1. `s = Stack()`\n2. `s.push(1); s.push(2)`\n3. `s.pop()`\n\nExpected: 2\nActual: 1",
        "I made s = Stack(). After s.push(1) and s.push(2) the call s.pop() gives 1, it should give 2.",
        "```python\ns = Stack()\nfor n in (1, 2):\n    s.push(n)\nassert s.pop() == 2  # fails, it is 1\n```",
    ],
)
def test_what_should_come_of_steps_is_demanded(text: str) -> None:
    must, changes = laws(text)
    assert any(source.startswith("s = Stack()") and "2" in source.splitlines()[-1] for source in must), must
    assert [told.endswith("s.pop() gives 1") for told in changes] == [True]


@pytest.mark.parametrize(
    "text",
    [
        ">>> s = Stack()\n>>> s.push(7)\n>>> s.pop()\n7\n\nThat works. But popping twice is broken.",
        "s = Stack(); s.push(7); s.pop() gives 7, as it should, but popping twice does not work.",
        ">>> s = Stack()\n>>> s.push(7)\n>>> s.pop()\n8",
        "s = Stack()\ns.push(unknown)\ns.pop()\n\nIt should give 8.",
    ],
)
def test_what_is_fine_or_not_seen_changes_nothing(text: str) -> None:
    _, changes = laws(text)
    assert changes == []


def test_what_the_program_does_not_give_after_the_steps_says_nothing_of_what_is_right() -> None:
    """So the steps were read wrongly, or told wrongly."""
    must, changes = laws("I made s = Stack(). After s.push(1) the call s.pop() gives 5, it should give 2.")
    assert (must, changes) == ([], [])


def test_a_step_that_raises_in_a_session_does_not_end_it() -> None:
    code = STACK.replace("if self.items else None", "")
    must, changes = laws(
        ">>> s = Stack()\n>>> s.pop()\nTraceback (most recent call last):\nIndexError: pop from empty list\n"
        ">>> s.push(3)\n>>> s.push(4)\n>>> s.pop()\n3\n\nThis must be 4.",
        code,
    )
    assert changes[-1].endswith("s.pop() gives 3")
    assert must[-1].endswith("s.pop() == 4")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("half(3) is 1 and not 1.5", "1.5"),
        ("half(3) gives 1, a half of 3 is more => 1.5", "1.5"),
        ("half(3) == 1    # wrong\nhalf(3) == 1.5  # right", "1.5"),
        ("half(3) == 1.5 and not 1", "1.5"),
    ],
)
def test_of_two_results_the_one_that_is_not_given_is_right(text: str, right: str) -> None:
    must, _ = laws(text, "def half(n):\n    return n // 2\n")
    assert len(must) == 1
    assert must[0].startswith("assert ")
    assert right in must[0]


def test_two_results_of_which_the_program_gives_none_are_no_law() -> None:
    assert laws("half(3) is 4 and not 7", "def half(n):\n    return n // 2\n")[0] == []


ADDS = "import sys\n\ntotal = 0\nfor line in sys.stdin:\n    total = int(line)\nprint(total)\n"


@pytest.mark.parametrize(
    "text",
    [
        "Input:\n1\n2\n\nOutput:\n2\n\nExpected output:\n3",
        "### Input\n```\n1\n2\n```\n### Expected\n```\n3\n```\n### Actual\n```\n2\n```",
        "$ printf '1\\n2\\n' | python add.py\n2\n\nIt should print 3",
        "printf '1\\n2\\n' | python add.py prints 2 instead of 3",
    ],
)
def test_what_a_run_of_the_program_should_print_is_demanded(text: str) -> None:
    must, changes = laws(text, ADDS)
    assert must
    assert must[0].endswith("== ['3']"), must
    assert [told.endswith("'2'") for told in changes] == [True]


@pytest.mark.parametrize("text", ["Input: 1\nOutput: 5", 'With "1" as input it prints 7, it should print 4'])
def test_a_run_that_goes_otherwise_changes_nothing(text: str) -> None:
    assert laws(text, ADDS) == ([], [])


SESSION = ">>> s = Stack()\n>>> s.push(1)\n>>> s.push(2)\n>>> s.pop()\n1\n\nThis must be 2."
STACK_TESTS = "def test_last():\n    s = Stack()\n    s.push('a')\n    s.push('b')\n    assert s.pop() == 'b'"


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("report", [SESSION, SESSION.partition("\n\n")[0]], ids=["wished", "shown"])
async def test_only_a_changed_program_passes_what_was_reported_of_steps(
    report: str, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    right = STACK.replace("pop(0)", "pop()")
    anew = right + "\n\ndef other():\n    pass\n"
    played = await run_task(live_runs, model_server, Task(report, code=STACK), [right, anew], STACK_TESTS)
    assert played.outcome["code"].strip() == right.strip()
    assert played.outcome["verdict"] in ("verified", "partly_verified"), played.outcome["verdict_reason"]
    same = f"# anew\n{STACK}"
    fewer = {"max_repairs": 1, "max_rewrites": 0, "independent_attempts": 0, "adversary": False}
    played = await run_task(live_runs, model_server, Task(report, code=STACK), [same, same], "", **fewer)
    assert played.outcome["verdict"] == "failed", played.outcome["verdict_reason"]


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_what_objects_share_is_seen_by_a_fresh_program(model_server: ModelServer, live_runs: AgentRuns) -> None:
    code = (
        "class Wallet:\n    paid = []\n\n    def pay(self, n):\n        self.paid.append(n)\n"
        "        return sum(self.paid)\n"
    )
    right = code.replace("    paid = []\n", "    def __init__(self):\n        self.paid = []\n")
    report = ">>> a = Wallet()\n>>> b = Wallet()\n>>> a.pay(4)\n4\n>>> b.pay(1)\n5\n\nThis must be 1."
    tests = "def test_one():\n    w = Wallet()\n    w.pay(2)\n    assert w.pay(3) == 5"
    played = await run_task(live_runs, model_server, Task(report, code=code), [right, right + "\n\nX = 1\n"], tests)
    assert played.outcome["code"].strip() == right.strip()
    assert "reproduced on the given program: a = Wallet(); b = Wallet(); a.pay(4); b.pay(1) gives 5" in [
        event.text for event in played.of("noted")
    ]
