"""What is fit for a run is told line by line, and exits with 0; what is not, with 3."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.cli import doctor
from framework.settings import Settings
from llm.check import AbilityResult, CheckReport
from llm.types import Provider

pytestmark = [pytest.mark.slow, pytest.mark.asyncio]


def settings(folder: Path, **env: str) -> Settings:
    return Settings.from_env({"STATE_DIR": str(folder / "state"), **env})


def answering(usable: bool) -> Callable[..., object]:
    async def check(provider: Provider, model: str) -> CheckReport:
        told = AbilityResult("reach", usable, "" if usable else "nobody is there")
        return CheckReport("openai", model, usable, (told,))

    return check


@pytest.mark.parametrize(("usable", "code", "words"), [(True, 0, "it answers"), (False, 3, "reach: nobody is there")])
async def test_a_model_is_asked_and_decides(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    usable: bool,
    code: int,
    words: str,
) -> None:
    monkeypatch.setattr(doctor, "check", answering(usable))
    configured = settings(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="sk-of-nobody")
    assert await doctor.run(configured, as_json=True) == code
    told = json.loads(capsys.readouterr().out)
    assert told["usable"] is usable
    findings = {one["name"]: one for one in told["findings"]}
    assert all(findings[name]["ok"] for name in ("settings", "store", "sandbox"))
    model = next(one for name, one in findings.items() if name.startswith("model openai:"))
    assert model["detail"] == words


async def test_the_demo_model_is_enough_and_says_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await doctor.run(settings(tmp_path, LLM_PROVIDER="mock"), as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok   ") for line in lines)
    assert "plays written scenarios only" in lines[-1]
    assert "sk-" not in "".join(lines)


async def test_without_any_model_the_rest_is_told_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await doctor.run(settings(tmp_path, LLM_PROVIDER="openai"), as_json=False) == 3
    told = capsys.readouterr().out
    assert "ok   sandbox" in told
    assert "FAIL models: " in told
