"""The page's test of a connection asks the model that would write the programs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from demo import workshop
from demo.workshop import Workshop
from framework.settings import Settings
from llm.check import AbilityResult
from tests.llm.protocols import Chat
from tests.llm.servers import Server, json_reply


async def test_the_model_that_would_write_is_asked_and_not_the_judge(tmp_path: Path) -> None:
    with Server(Chat("writer", "pen").says("x")) as writer, Server(json_reply({"error": "no"}, 500)) as judge:
        settings = Settings.from_env(
            {
                "STATE_DIR": str(tmp_path),
                "LLM_PROVIDER": "judge",
                "JUDGE_BASE_URL": f"{judge.url}/v1",
                "JUDGE_MODEL": "gavel",
                "WRITER_BASE_URL": f"{writer.url}/v1",
                "LLM_ROLE_GENERATOR": "writer:pen",
            }
        )
        told = await Workshop.check(cast(Any, SimpleNamespace(_settings=settings)), "", "", None)
    assert {seen.body["model"] for seen in writer.seen} == {"pen"}
    assert not judge.seen
    assert "answers as pen" in told


async def test_what_was_found_before_patience_ended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def half(*_: object, on_finding: Any) -> None:
        on_finding(AbilityResult("reach", True, "first word after 9 s"))
        await asyncio.Event().wait()

    monkeypatch.setattr(workshop, "check", half)
    monkeypatch.setattr(workshop, "_CHECK_PATIENCE", 0.01)
    settings = Settings.from_env({"STATE_DIR": str(tmp_path), "LLM_PROVIDER": "mock"})
    told = await Workshop.check(cast(Any, SimpleNamespace(_settings=settings)), "", "", None)
    assert told.splitlines()[1:] == [
        "ok   reach  first word after 9 s",
        "FAIL given up  after 0.01 s: it is slow, or down",
    ]
