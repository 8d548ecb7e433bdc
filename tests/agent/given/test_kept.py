"""What is recorded of given classes and programs before anything is changed, and how it guards every repair."""

from __future__ import annotations

import pytest

from agent.examples.types import Brief, TaskKind
from agent.law.kept import guessed_calls
from agent.runs import AgentRuns
from agent.source.uses import ObjectUse, arguments_after, asked_of, in_words, mixed, public_attributes, uses_in
from agent.state import Candidate, Task
from tests.agent.model_server import ModelServer
from tests.agent.nodes.scripted import state

from .test_runs import run_task

CLASS = '''class Account:
    """Money of one person."""

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self._log = []

    @property
    def rich(self):
        return self.balance > 100

    def deposit(self, amount):
        self.balance += amount
        return self.balance

    def withdraw(self, amount):
        self.balance -= amount
        return self.balance
'''
OF_THE_CLASS = """import pytest

def test_deposit():
    account = Account('eve', 10)
    assert account.deposit(5) == 15

def test_withdraw():
    account = Account('eve', 10)
    assert account.withdraw(4) == 6

def test_overdrawn():
    account = Account('eve', 10)
    with pytest.raises(ValueError):
        account.withdraw(20)
"""
PROGRAM = """import sys

total = 0
for line in sys.stdin:
    total += int(line.split()[0])
print("total", total)
"""
OF_THE_PROGRAM = """def test_two():
    assert run_program(stdin="3 apples\\n4\\n").stdout.strip() == "total 7"

def test_blank():
    assert run_program(stdin="3\\n\\n4\\n").stdout.strip() == "total 7"
"""


@pytest.mark.parametrize(
    ("source", "made", "steps"),
    [
        ("s = Stack(2)\ns.push(1)\nassert s.pop() == 1\nassert len(s) == 0", "Stack(2)", "it.push(1) it.pop() len(it)"),
        ("self.s = Stack()\nself.s.push('a', at=0)", "Stack()", "it.push('a',at=0)"),
        ("assert Stack([1]).top() == 1", "Stack([1])", "it.top()"),
        ("s = Stack()\nwith pytest.raises(IndexError):\n    s.pop()", "Stack()", "it.pop()"),
        ("s = Stack()\ns.push(x)\nother.push(1)\ns.pop()", "Stack()", "it.pop()"),
    ],
)
def test_a_use_is_read_from_a_test(source: str, made: str, steps: str) -> None:
    (use,) = uses_in(source, {"Stack": ()})
    assert (use.made, " ".join(step.replace(", ", ",") for step in use.steps)) == (made, steps)


def test_what_no_literal_makes_is_no_use() -> None:
    assert not list(uses_in("s = Stack(size)\ns.push(1)", {"Stack": ()}))
    (use,) = uses_in("s = Stack()\ns.push(1)\nassert s.items == [1]\ns.items = []\ns._hidden", {"Stack": ()})
    assert use.steps == ("it.push(1)", "it.items"), "what is looked at is compared, too"
    assert not list(uses_in("s = Queue()\ns.push(1)", {"Stack": ()}))


def test_a_use_is_put_to_the_validator_as_it_takes_it() -> None:
    use = ObjectUse("Stack(2)", ("it.push(1)", "len(it)", "it.pop()"))
    assert use.as_expression() == "[[it.push(1), len(it), it.pop()] for it in [Stack(2)]][0]"
    assert asked_of(use.as_expression(), "Stack") == "Stack((2,), [('push', (1,)), ('pop', ())])"
    assert use.left(["items"]) == "[[it.push(1), len(it), it.pop(), [it.items]] for it in [Stack(2)]][0][-1]"
    assert asked_of("top([1])", "top") is None


def test_what_a_call_leaves_of_its_arguments_is_an_expression() -> None:
    told = arguments_after("f([3, 1], 2, {})")
    assert told == "[[f(a0, 2, a2), [a0, a2]] for a0 in [[3, 1]] for a2 in [{}]][0][-1]"
    assert arguments_after("f('a', 2)") is None
    assert in_words(told or "") == "the arguments after f([3, 1], 2, {})"
    assert in_words("f([3, 1])[0][-1]") == "f([3, 1])[0][-1]"


def test_public_attributes_are_those_that_every_object_has() -> None:
    assert public_attributes(CLASS) == {"Account": ("owner", "balance", "rich")}


CASES = {
    "class": (
        Task("Account('eve', 10).withdraw(20) gives -10 but should raise ValueError.", code=CLASS),
        OF_THE_CLASS,
        (
            "        self.balance -= amount",
            "        if amount > self.balance:\n            raise ValueError('too much')\n",
        ),
        ("= owner", "= owner.title()"),
    ),
    "program": (
        Task("My program reads numbers from stdin and prints their sum. It crashes on blank lines.", code=PROGRAM),
        OF_THE_PROGRAM,
        ("    total +=", "    if not line.strip():\n        continue\n"),
        ("line.split()[0]", "line.split()[-1]"),
    ),
}


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_repair_that_loses_what_was_kept_is_repaired_again(
    model_server: ModelServer, live_runs: AgentRuns, case: tuple[Task, str, tuple[str, str], tuple[str, str]]
) -> None:
    task, tests, (wrong, guard), loses = case
    assert task.code is not None
    right = task.code.replace(wrong, guard + wrong)
    lossy = right.replace(*loses)
    assert len({task.code, right, lossy}) == 3
    played = await run_task(live_runs, model_server, task, [lossy, right, f"{right}\n\ndef other(): ..."], tests)
    assert played.outcome["code"].strip() == right.strip(), played.outcome["answer"]
    recorded = [check for check in played.outcome["evidence"]["checks"] if check["origin"] == "kept"]
    assert {check["tier"] for check in recorded} <= {"T1", "T2"}
    told = f"on {len(recorded)} of {len(recorded)} other inputs it behaves as the given program did"
    assert told in played.outcome["verdict_reason"]


def test_uses_of_the_same_steps_in_another_order_and_with_each_others_arguments() -> None:
    shown = list(uses_in("a = Account()\na.deposit(50)\na.withdraw(20)\na.balance()", {"Account": None}))
    told = [use.as_expression() for use in mixed(shown)]
    assert told == [use.as_expression() for use in mixed(shown)]
    assert any("it.deposit(50), it.withdraw(50)" in each for each in told), "all that was paid in is taken out"
    assert not list(mixed([]))


MODULE = """def twice(n):
    return 2 * n

def label(n, unit='C'):
    return f'{n} {unit}'

def _own(n):
    return n
"""


@pytest.mark.parametrize(
    ("kind", "entry", "text", "functions"),
    [
        ("extend", "thrice", "Add thrice(n), like twice.", {"label"}),
        ("extend", "thrice", "Add thrice(n).", {"label"}),
        ("extend", "twice", "twice(n) also takes a factor.", {"label"}),
        ("extend", "twice", "twice(n) also takes a factor, as label does.", set[str]()),
        ("fix", "twice", "twice(2) gives 4.", set[str]()),
    ],
)
def test_functions_of_an_extended_program_that_nothing_calls_are_called_too(
    kind: TaskKind, entry: str, text: str, functions: set[str]
) -> None:
    of = state(task=Task(text, code=MODULE), brief=Brief(kind, False, entry, None))
    given = Candidate("c1", MODULE, "given", None, "c1")
    made = list(guessed_calls(of, given, {"twice"}))
    assert {call.partition("(")[0] for call in made} == functions
    assert not functions or {"label(7)", "label('Ab c')"} <= {*made}
