"""Which inputs a program is run on."""

from __future__ import annotations

import pytest

from agent.nodes.run_tests import SMALL_CALL, _within_reach  # pyright: ignore[reportPrivateUsage]
from agent.state import AgentState, AttemptKind, Candidate, Task
from agent.state.domain import Domain

SMALL, LARGER, LONG = "f([1, 2])", "f([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])", f"f('{'x' * SMALL_CALL}')"
DOMAIN = Domain("", "f", (), (SMALL,), (LARGER,))


@pytest.mark.parametrize(
    ("kind", "asked"),
    [("reference", [SMALL]), ("first", [SMALL, LARGER, LONG]), ("independent", [SMALL, LARGER, LONG])],
)
def test_only_a_reference_is_spared_larger_inputs_and_long_ones(kind: AttemptKind, asked: list[str]) -> None:
    program = Candidate("c1", "x = 1", kind, None, "c1")
    state = AgentState(task=Task("a task"), candidates=[program], domains=[DOMAIN])
    assert list(_within_reach(state, program, [SMALL, LARGER, LONG])) == asked
