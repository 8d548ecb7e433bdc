"""An explanation is asked for once, and kept as it came."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from agent.nodes import explain
from agent.session.roles import ExplainReply
from agent.state import Task

from .scripted import Script, state, step


async def test_the_explanation_is_kept_and_nothing_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_files(_context: Any) -> list[str]:
        return []

    monkeypatch.setattr(import_module("agent.nodes.explain"), "files_told", no_files)
    given = state(task=Task("Explain this.", code="x = 1\n"))
    script = Script({"explainer": ExplainReply("It sets x.")})
    assert await step(explain, given, script) == {"explanation": "It sets x."}
    assert [(name, seen["code"]) for _, name, seen in script.asked] == [("explain", "x = 1\n")]
    assert await step(explain, given, Script()) == {}
