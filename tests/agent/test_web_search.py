"""A run in which the web may be searched: who is offered it, who never is, and what a person is told of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.cli.commands import exit_code
from agent.engine import AgentEngine, spec_of
from agent.events.transcript import NOT_TOLD
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput
from framework.settings import Settings
from llm.calling import NO_SEARCH
from sandbox.types import Sandbox
from tests.agent.conftest import Shared, follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import ALSO_RIGHT, RIGHT, TASK, WRONG, run, usual
from tests.llm.protocols import KEY, SPEAKERS
from tests.llm.servers import Seen, Sent, Server
from tests.llm.test_web_search import FOUND, LOOKED, claude_says, text, tools_of

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
CLAUDE = SPEAKERS[0]
PROGRAMS = (WRONG, RIGHT, ALSO_RIGHT)
HARDER = TASK.replace("count_vowels('Hello') == 2", "count_vowels('HELLO') == 2")


class Researcher:
    """Claude's service, where programs are written only after a search."""

    def __init__(self) -> None:
        self.offered: list[tuple[str, bool]] = []
        """Who was asked, in order, and whether a search was offered."""

    def __call__(self, seen: Seen) -> Sent:
        system = seen.body["system"]
        role = next(name for name in ROLES if f"You are the {name}" in str(system))
        may = "web_search_20250305" in tools_of(seen)
        self.offered.append((role, may))
        written = sum(each == "generator" for each, _ in self.offered) - 1
        words = fenced(PROGRAMS[min(written, 2)]) if role == "generator" else usual(role)
        return claude_says(LOOKED, FOUND, text(words)) if may else claude_says(text(words))


ROLES = ("spec tester", "adversarial tester", "generator", "debugger", "arbiter", "critic", "input writer")


@pytest.fixture
def researcher() -> Researcher:
    return Researcher()


@pytest.fixture
def claude(researcher: Researcher) -> Iterator[Server]:
    with Server(researcher, check=CLAUDE.check) as server:
        yield server


async def claude_runs(server: Server, folder: Path, sandbox: Sandbox) -> AgentRuns:
    values = {"LLM_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
    settings = Settings.from_env({"STATE_DIR": str(folder), "LLM_MODEL": CLAUDE.model, **values})
    opened = await AgentRuns.open(settings.state_dir, AgentEngine(settings, Shared(sandbox)))
    assert isinstance(opened, AgentRuns)
    return opened


async def test_writers_and_debuggers_search_and_nobody_who_must_be_blind(
    claude: Server, researcher: Researcher, tmp_path: Path, sandbox: Sandbox
) -> None:
    opened = await claude_runs(claude, tmp_path, sandbox)
    try:
        played = await run(opened, HARDER, web_search=True)
    finally:
        await opened.aclose()
    assert {role for role, may in researcher.offered if may} == {"generator", "debugger"}
    assert {role for role, may in researcher.offered if not may} >= {"spec tester", "adversarial tester"}
    assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]
    told: list[dict[str, Any]] = played.outcome["evidence"]["searches"]
    assert {"query": "heapq merge", "found": ["Heaps https://docs.example/heap"]} in told
    assert len(told) == sum(may for _, may in researcher.offered)
    assert {event.tool for event in played.of("tool_used")} == {"web_search"}
    assert not any(NO_SEARCH in line for line in played.outcome["evidence"]["assumptions"])


async def test_a_second_program_is_written_without_the_page_that_the_first_one_saw(
    claude: Server, researcher: Researcher, tmp_path: Path, sandbox: Sandbox
) -> None:
    without_example = re.sub(r"For example.*", "", TASK)
    opened = await claude_runs(claude, tmp_path, sandbox)
    try:
        await run(opened, without_example, web_search=True, reference=False)
    finally:
        await opened.aclose()
    written = [may for role, may in researcher.offered if role == "generator"]
    assert (written[0], all(written)) == (True, False), "what both found on one page would confirm nothing"


async def test_nobody_searches_unless_it_is_switched_on(
    claude: Server, researcher: Researcher, tmp_path: Path, sandbox: Sandbox
) -> None:
    opened = await claude_runs(claude, tmp_path, sandbox)
    try:
        played = await run(opened, HARDER)
    finally:
        await opened.aclose()
    assert {may for _, may in researcher.offered} == {False}
    assert played.outcome["evidence"]["searches"] == []


async def test_what_was_submitted_before_the_owner_forbade_it_searches_nothing(
    claude: Server, researcher: Researcher, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = await claude_runs(claude, tmp_path, sandbox)
    spec = spec_of(opened.engine.settings, Order(Task(HARDER), {"web_search": True}))
    monkeypatch.setattr(opened.engine, "settings", replace(opened.engine.settings, web_search=False))
    try:
        await follow(opened, await opened.submit(spec.as_json(), title=spec.title))
    finally:
        await opened.aclose()
    assert {may for _, may in researcher.offered} == {False}


@pytest.mark.parametrize(
    ("env", "key", "refusal"),
    [
        ({}, "", ""),
        ({"SPACE_ID": "me/space"}, "", "but with a key of your own"),
        ({"SPACE_ID": "me/space"}, "lent", ""),
        ({"WEB_SEARCH": "off"}, "", r"on this deployment \(WEB_SEARCH\)"),
        ({"WEB_SEARCH": "off"}, "lent", r"on this deployment \(WEB_SEARCH\)"),
    ],
)
async def test_whose_key_pays_decides_whether_strangers_may_search(env: dict[str, str], key: str, refusal: str) -> None:
    settings = Settings.from_env({"LLM_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": KEY, **env})
    with pytest.raises(BadInput, match=refusal) if refusal else nullcontext():
        spec_of(settings, Order(Task(TASK), {"web_search": True}), key)
    spec_of(settings, Order(Task(TASK), {"web_search": False}), key)


async def test_a_service_without_a_search_says_so_in_one_line(model_server: ModelServer, live_runs: AgentRuns) -> None:
    model_server.answer = lambda role, times: fenced(RIGHT) if role == "generator" else usual(role)
    model_server.refuses = "web_search_options"
    played = await run(live_runs, web_search=True)
    said = [line for line in played.outcome["evidence"]["assumptions"] if NO_SEARCH in line]
    assert said == [f"openai:loopback {NO_SEARCH}"]
    assert exit_code(played.report, None) == 0
    assert NOT_TOLD not in str(played.outcome["evidence"]["searches"])
