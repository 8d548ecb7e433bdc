"""A request to write a program otherwise holds a repair to what the given program answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.examples import read_brief
from agent.given.form import held_to_the_given
from agent.state import AgentState, Task
from tests.agent.trust.build import program

ROLL = "def roll(n):\n    return random.randint(1, n)\n"


@pytest.mark.parametrize(
    ("head", "lost"),
    [("", True), ("import math\n", True), ("import random\n", False), ("import math, random\n", False)],
)
def test_a_program_that_may_answer_by_chance_holds_nobody_to_its_answers(head: str, *, lost: bool) -> None:
    code = head + ROLL
    state = AgentState(task=Task("Refactor this code.", code=code), brief=read_brief("Refactor this code.", code, ()))
    given = program("c1", "", [], kind="given", answers={"roll(6)": "1"})
    other = replace(program("c2", "", [], kind="repair", answers={"roll(6)": "2"}), root="c1")
    assert [bool(one.lost) for one in held_to_the_given(state, [given, other], ["roll(6)"])] == [False, lost]
