"""What is said of a program before it runs."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.events import Noted
from agent.nodes.hints import hints_on
from agent.nodes.intake import brief_of
from agent.state import Task

from .scripted import TEXT, Script, candidate, state

box = import_module("agent.nodes.hints")
REVIEWED = SimpleNamespace(findings=["it forgets zero"])


@pytest.fixture
def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = ["line 1: no name"]

    async def lint(_code: str) -> list[str]:
        return found

    monkeypatch.setattr(box, "lint", lint)
    return found


async def hinted(review: Any, hard: bool, reply: Any) -> tuple[list[str], Script]:
    script = Script({"reviewer": reply})
    brief = replace(brief_of(Task(TEXT)), hard=hard)
    of = state(config=AgentConfig(review=review), brief=brief)
    context: Any = script
    return await hints_on(of, context, candidate()), script


@pytest.mark.parametrize(
    ("review", "hard", "asks"), [("auto", True, 1), ("auto", False, 0), ("always", False, 1), ("never", True, 0)]
)
async def test_a_review_is_made_of_a_hard_task_or_where_one_is_wanted(
    linted: list[str], review: Any, hard: bool, asks: int
) -> None:
    hints, script = await hinted(review, hard, REVIEWED)
    assert (bool(hints), len(script.asked), len(script.told)) == (bool(asks), asks, asks)


async def test_each_finding_is_told_with_its_author(linted: list[str]) -> None:
    hints, script = await hinted("always", False, REVIEWED)
    assert hints == ["a linter on c1: line 1: no name", "a reviewer of c1, who may be mistaken: it forgets zero"]
    assert script.told == [Noted(f"before it was run: {'; '.join(hints)}")]
    _, name, seen = script.asked[0]
    assert (name, seen["task"], seen["code"], seen["lint"]) == ("review", TEXT, candidate().code, linted)


async def test_without_a_finding_nothing_is_told(linted: list[str]) -> None:
    linted.clear()
    hints, script = await hinted("always", False, None)
    assert (hints, script.told) == ([], [])
