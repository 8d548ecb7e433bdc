"""Which models a run asks, who is said to have written what, and what is told while it waits for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from agent.engine import AgentEngine
from agent.events import Noted
from agent.models import WRITER, calls_expected, choose, forecast
from agent.outcome.words import plural
from agent.runs import AgentRuns
from agent.session.roles import ROLES, Role
from agent.state import Task
from agent.task.order import Order
from framework.engine import Live
from framework.errors import SettingsError
from framework.settings import Settings
from llm.chains import Target
from llm.meter import Meter
from llm.types import Message, Request
from prompts import load_prompt
from sandbox.types import Sandbox
from tests.agent.conftest import Shared, follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import RIGHT, TASK, TESTS, usual
from tests.llm.servers import Server, json_reply, until

pytestmark = pytest.mark.asyncio(loop_scope="session")
HARD = "Write an LRU cache class that is thread-safe, with a scheduler for its transactions."
KEYS = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}


@dataclass(frozen=True)
class Verse:
    """What a poet says: a role that there is none of."""

    verse: str


async def first(task: str, **environment: str) -> list[str]:
    """Who is asked for a program, in order."""
    chosen = await choose(Settings.from_env({**KEYS, **environment}), task=Task(task))
    return [str(target) for target in chosen.router.chains.chain(WRITER)]


async def test_hard_tasks_go_to_the_strong_model_and_simple_ones_to_the_small() -> None:
    claude = {"LLM_PROVIDER": "anthropic"}
    haiku, sonnet = "anthropic:claude-haiku-5-5", "anthropic:claude-sonnet-5-5"
    assert await first(TASK, **claude) == [haiku]
    assert await first(HARD, **claude) == [sonnet, haiku]
    assert await first(TASK, LLM_SMALL="openai:tiny", **claude) == ["openai:tiny", haiku]
    assert await first(HARD, LLM_STRONG="openai:big,openai:huge", **claude) == ["openai:big", haiku]
    assert await first(HARD, LLM_MODEL="my-own", **claude) == ["anthropic:my-own"]
    assert await first(HARD, LLM_ROLE_GENERATOR="openai:mine", **claude) == ["openai:mine", haiku]


async def test_a_chain_can_be_configured_for_a_named_provider() -> None:
    chain = await first(TASK, LLM_PROVIDER="openai", LLM_MODEL="m", LLM_FALLBACK="anthropic:a,openai:b")
    assert chain == ["openai:m", "anthropic:a", "openai:b"]
    assert await first(TASK, LLM_ROLE_GENERATOR="openai:x, anthropic:y", LLM_PROVIDER="mock") == [
        "openai:x", "anthropic:y",
    ]  # fmt: skip


async def test_a_role_of_one_file_and_one_line_has_a_chain_of_its_own_by_environment(
    model_server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {
        "LLM_PROVIDER": "mock", "LLM_ROLE_POET": "openai:verse,openai:prose", "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": model_server.url,
    }  # fmt: skip
    with pytest.raises(SettingsError, match="LLM_ROLE_POET"):
        await choose(Settings.from_env(environment))
    (tmp_path / "poet.yaml").write_text(
        "version: 1\ncode: none\nmax_tokens: 100\nsystem: You are the poet.\n"
        "schema: {type: object, properties: {verse: {type: string, maxLength: 99}}, required: [verse], "
        "additionalProperties: false}\n"
        "templates: {write: {variables: [task], text: '{{ task }}'}}\n"
    )
    monkeypatch.setattr("agent.models.ROLES", (*ROLES, Role("poet", Verse)))
    monkeypatch.setattr("tests.agent.model_server.ROLES", ("poet",))
    model_server.answer = lambda role, times: '{"verse": "Rain."}'
    router = (await choose(Settings.from_env(environment))).router
    assert router.chains.chain("poet") == (Target("openai", "verse"), Target("openai", "prose"))
    prompt = load_prompt("poet", tmp_path)
    words = (Message("system", prompt.system), Message("user", prompt.render("write", task="rain")))
    answer = await router.ask(Request("poet", "rain", "only", words, schema=prompt.schema, code=prompt.code), Meter())
    assert (answer.model, Role("poet", Verse).read(answer.reply)) == ("verse", Verse("Rain."))


async def test_escalation_climbs_the_configured_ladder() -> None:
    settings = Settings.from_env({**KEYS, "LLM_PROVIDER": "openai", "LLM_STRONG": "openai:big,anthropic:huge"})
    chains = (await choose(settings)).router.chains
    steps = [chains.chain(WRITER, escalate=step)[0] for step in (1, 2, 3)]
    assert steps == [Target("openai", "big"), Target("anthropic", "huge"), Target("anthropic", "huge")]


async def test_that_no_budget_in_dollars_can_be_kept_is_said_before_the_first_call() -> None:
    chosen = await choose(Settings.from_env({**KEYS, "LLM_PROVIDER": "openai", "LLM_MODEL": "gpt-of-tomorrow"}))
    assert "openai:gpt-of-tomorrow is unknown" in forecast(chosen.router, Task(TASK), 1.0)
    assert "no budget" not in forecast(chosen.router, Task(TASK))


@pytest_asyncio.fixture(loop_scope="session")
async def falling(model_server: ModelServer, tmp_path: Path, sandbox: Sandbox) -> AsyncIterator[AgentRuns]:
    """Runs whose first service is in trouble and whose second one works."""
    with Server(json_reply({"error": {"message": "canary: the disk is full"}}, 500)) as broken:
        settings = Settings.from_env(
            {
                "STATE_DIR": str(tmp_path / "falling"),
                "LLM_PROVIDER": "broken",
                "BROKEN_BASE_URL": f"{broken.url}/v1",
                "BROKEN_MODEL": "first",
                "LLM_FALLBACK": "openai:loopback",
                "OPENAI_API_KEY": "sk-canary-0123456789abcdef",
                "OPENAI_BASE_URL": model_server.url,
            }
        )
        opened = await AgentRuns.open(settings.state_dir, AgentEngine(settings, Shared(sandbox)))
        assert isinstance(opened, AgentRuns)
        yield opened
        await opened.aclose()


def answers(server: ModelServer) -> None:
    server.answer = lambda role, times: (
        fenced(RIGHT) if role == "generator" else fenced(TESTS) if role == "spec tester" else usual(role)
    )


@pytest.mark.slow
async def test_the_result_names_who_really_wrote_it_and_waiting_is_told_live(
    falling: AgentRuns, model_server: ModelServer
) -> None:
    answers(model_server)
    run_id = await falling.begin(Order(Task(TASK)))
    live = [one.event async for one in falling.follow(run_id) if isinstance(one, Live)]
    told = [event.text for event in live if isinstance(event, Noted)]
    assert any("is asked again in" in words and "the disk is full" in words for words in told)
    assert any("the next one is asked" in words for words in told)
    played = await follow(falling, run_id)
    assert (played.outcome["provider"], played.outcome["model"]) == ("openai", "loopback")
    assert {attempt["provider"] for attempt in played.outcome["attempts"]} == {"openai"}


async def test_every_paid_call_is_in_the_usage_and_agrees_with_the_log(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    """A role that is left half-way, because its sibling failed for good, has paid for its calls, too."""
    model_server.answer = lambda role, times: fenced(TESTS) if role == "spec tester" else "no program at all"
    order = Order(Task(TASK), {"adversary": False, "critic": False})
    played = await follow(live_runs, await live_runs.begin(order))
    log = [json.loads(line) for line in (live_runs.engine.settings.state_dir / "costs.jsonl").read_text().splitlines()]
    mine = [line for line in log if line["run_id"] == played.run_id]
    usage = played.outcome["usage"]
    assert usage["calls"] == len(mine) == sum(model_server.asked.values())
    assert usage["input_tokens"] == sum(line["usage"]["input"] for line in mine)
    assert usage["output_tokens"] == sum(line["usage"]["output"] for line in mine)


async def test_calls_of_a_stopped_run_are_counted_once(live_runs: AgentRuns, model_server: ModelServer) -> None:
    answers(model_server)
    release = model_server.hold("generator", seconds=20)
    run_id = await live_runs.begin(Order(Task(TASK)))
    assert await asyncio.to_thread(until, lambda: model_server.asked["spec tester"] > 0, 20)
    await live_runs.stop(run_id)
    release()
    await live_runs.resume(run_id)
    played = await follow(live_runs, run_id)
    log = (live_runs.engine.settings.state_dir / "costs.jsonl").read_text().splitlines()
    mine = [line for line in map(json.loads, log) if line["run_id"] == run_id]
    assert played.outcome["usage"]["calls"] == len(mine)
    assert played.outcome["verdict"] == "verified"


@pytest.mark.slow
async def test_where_a_program_resists_the_strong_model_writes_and_is_named(
    model_server: ModelServer, tmp_path: Path, sandbox: Sandbox
) -> None:
    strong = ModelServer()
    strong.start()
    strong.answer = lambda role, times: fenced(RIGHT)
    model_server.answer = lambda role, times: (
        fenced("def count_vowels(text):\n    return 0") if role == "generator" else usual(role)
    )
    settings = Settings.from_env(
        {
            "STATE_DIR": str(tmp_path / "stuck"),
            "LLM_PROVIDER": "weak",
            "WEAK_BASE_URL": model_server.url,
            "WEAK_MODEL": "small",
            "LLM_STRONG": "strong:big",
            "STRONG_BASE_URL": strong.url,
        }
    )
    opened = await AgentRuns.open(settings.state_dir, AgentEngine(settings, Shared(sandbox)))
    assert isinstance(opened, AgentRuns)
    try:
        played = await follow(opened, await opened.begin(Order(Task(TASK))))
    finally:
        await opened.aclose()
        strong.stop()
    assert (played.outcome["verdict"], played.outcome["provider"], played.outcome["model"]) == (
        "verified", "strong", "big",
    )  # fmt: skip
    assert {attempt["provider"] for attempt in played.outcome["attempts"]} == {"weak", "strong"}
    assert strong.asked["generator"] == 1


@pytest.mark.parametrize(
    ("task", "calls"),
    [
        (Task("Print the total of sales.csv", files={"sales.csv": b"a\n1\n"}), 2),
        (Task("Explain this", code="def f(n):\n    return n\n"), 1),
        (Task("Write double(n), e.g. double(2) == 4"), 3),
        (Task("Could this be less ugly?", code="def f(n):\n    return n\n", tests="assert f(1) == 1"), 4),
    ],
)
async def test_the_forecast_counts_who_is_asked_for_that_kind_of_task(task: Task, calls: int) -> None:
    router = (
        await choose(Settings.from_env({**KEYS, "LLM_PROVIDER": "openai", "LLM_MODEL": "gpt-of-tomorrow"}))
    ).router
    told = f"without trouble this run takes {plural(calls, 'model call')}"
    assert forecast(router, task).startswith(f"{told}, ")
    assert calls_expected(task) == told
