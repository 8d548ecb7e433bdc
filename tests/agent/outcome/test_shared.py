"""A result that the program keeps, or that holds one list several times, is told; what comes from the caller is not."""

from __future__ import annotations

import pytest

from agent.outcome.shared import shared_results
from sandbox.types import Sandbox
from tests.agent.alone import alone, written

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def told(sandbox: Sandbox, text: str, code: str, given: str | None = None) -> list[str]:
    state, program = written(text, code, given)
    return await shared_results(state, alone(sandbox, state.task), program)


ZEROS = "Write zeros(rows, cols). zeros(2, 2) == [[0, 0], [0, 0]]"
ROWS = "def zeros(rows, cols):\n    return [[0] * cols] * rows\n"
OWN_ROWS = "def zeros(rows, cols):\n    return [[0] * cols for _ in range(rows)]\n"
TAGS = "Write tags(one). tags('a') == ['a']"
KEPT = "def tags(one, found=[]):\n    if one not in found:\n        found.append(one)\n    return found\n"
CACHED = "from functools import cache\n\n@cache\ndef tags(one):\n    return [one]\n"
COUNTED = "calls = []\n\ndef tags(one):\n    calls.append(one)\n    return calls[:]\n"
TWICE = "Write twice(rows). twice([[1], [2]]) == [[1], [1], [2], [2]]"
PASSED_ON = "def twice(rows):\n    return [row for row in rows for _ in range(2)]\n"


async def test_one_row_in_several_places_is_told(sandbox: Sandbox) -> None:
    said = "zeros(2, 2) gives a list that holds one and the same thing several times: they change together"
    assert await told(sandbox, ZEROS, ROWS) == [said]


@pytest.mark.parametrize("code", [KEPT, CACHED], ids=["a mutable default", "a cached list"])
async def test_a_result_that_the_program_gives_again_is_told(sandbox: Sandbox, code: str) -> None:
    said = "once 'new' is added to the result of tags('a'), that call gives ['a', 'new'] instead of ['a']"
    assert await told(sandbox, TAGS, code) == [said]


@pytest.mark.parametrize(
    ("text", "code"),
    [(ZEROS, OWN_ROWS), (TAGS, COUNTED), (TWICE, PASSED_ON)],
    ids=["rows of their own", "answers that differ by themselves", "what the caller passed"],
)
async def test_nothing_else_is_told(sandbox: Sandbox, text: str, code: str) -> None:
    assert await told(sandbox, text, code) == []


async def test_given_code_decides_for_its_repairs(sandbox: Sandbox) -> None:
    assert await told(sandbox, ZEROS, ROWS, ROWS) == []
