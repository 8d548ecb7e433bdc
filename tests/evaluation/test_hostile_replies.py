"""Hostile and torn replies never crash the loop and never earn a `verified`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agent.checks.splitting import UnusableTests, compose, hold_out, parse_suite
from agent.engine import AgentEngine
from agent.given.difference import unified
from agent.runs import AgentRuns, open_runs
from agent.session.fingerprints import fingerprint
from agent.session.roles import ROLES, Role
from agent.source.edits import CannotApply, apply_edits
from agent.source.inputs import mutate_calls
from agent.source.mutation import mutants
from agent.source.values import same_value, sentence_in, spells_a_value
from agent.state import Task
from agent.task.order import Order
from agent.trust import cheating_signs
from framework.settings import Settings
from llm.errors import BadReply
from llm.replies.structured import read_reply
from llm.types import Completion, Message, Reply, Request, Usage
from prompts import load_prompt
from sandbox.types import Sandbox
from tests.agent.model_server import ModelServer
from tests.evaluation.conftest import Shared
from tests.evaluation.hostile import PROGRAMS, RIGHT, reply

pytestmark = pytest.mark.asyncio(loop_scope="session")

TASK = (
    "Write count_vowels(text) that counts the vowels a, e, i, o and u in a text, in upper or lower case. "
    "For example count_vowels('Hello') == 2."
)
NAMES = {role.name: role.name.replace("_", " ").replace("summarizer", "summariser") for role in ROLES}


def read(role: Role[Any], text: str) -> Reply | None:
    """As the router reads it; None where it is refused."""
    prompt = load_prompt(role.name)
    request = Request(role.name, TASK, "first", (Message("user", "?"),), schema=prompt.schema, code=prompt.code)
    completion = Completion(text, "stop", Usage(), "hostile", "hostile")
    try:
        return read_reply(completion, request)
    except BadReply:
        return None


def use(role: Role[Any], found: Reply) -> None:
    """All that nodes do with a reply before anything is executed; only their own refusals may be raised."""
    said = role.read(found)
    code: str = getattr(said, "code", None) or ""
    if role.name == "generator":
        use_program(code)
    elif role.name in ("spec_tester", "adversarial_tester"):
        use_tests(code, getattr(said, "inputs", ()))
    for value in (getattr(said, "expected", ""), getattr(said, "quote", ""), getattr(said, "input", "")):
        spells_a_value(value)
        same_value(value, "2")
        sentence_in(value, TASK)
    json.dumps(dict(found.header))


def use_program(code: str) -> None:
    fingerprint(code)
    cheating_signs(code, [("count_vowels('Hello')", "2")])
    mutants(code, 30)
    unified(RIGHT, code)
    with contextlib.suppress(CannotApply):
        apply_edits(RIGHT, code)


def use_tests(code: str, inputs: Any) -> None:
    mutate_calls(list(inputs), seed=0)
    if not code:
        return
    try:
        suite = hold_out(parse_suite(code, "spec:1", "spec"), 0.25)
    except UnusableTests:
        return
    assert parse_suite(compose(suite), "again", "spec").checks
    mutate_calls([check.call for check in suite.checks if check.call], seed=0)


def swallow(count: int, seed: int) -> int:
    """Feeds `count` hostile replies to the readers; how many were taken for valid ones."""
    rng = random.Random(seed)
    taken = 0
    for _ in range(count):
        role = rng.choice(ROLES)
        text = reply(NAMES[role.name], rng)
        try:
            found = read(role, text)
            if found is not None:
                taken += 1
                use(role, found)
        except Exception as error:
            raise AssertionError(
                f"{role.name} fell over {type(error).__name__}: {error} in reply {text[:3000]!r}"
            ) from error
    return taken


@pytest.mark.slow
async def test_hostile_replies_are_refused_or_read() -> None:
    taken = swallow(700, seed=1)
    assert 150 < taken < 600, "some must be refused and some get further, or nothing is tested"


@pytest.mark.corpus
async def test_ten_thousand_hostile_replies_are_refused_or_read() -> None:
    assert swallow(10_000, seed=2) > 2000


@pytest_asyncio.fixture(loop_scope="session")
async def attacked(warm: Sandbox, tmp_path: Path) -> AsyncIterator[tuple[AgentRuns, ModelServer]]:
    server = ModelServer()
    server.start()
    settings = Settings.from_env(
        {
            "STATE_DIR": str(tmp_path / "state"),
            "LLM_PROVIDER": "openai",
            "LLM_MODEL": "loopback",
            "OPENAI_API_KEY": "sk-0123456789abcdef",
            "OPENAI_BASE_URL": server.url,
        }
    )
    runs = await open_runs(settings, AgentEngine(settings, Shared(warm)))
    yield runs, server
    await runs.aclose()
    server.stop()


async def concluded(runs: AgentRuns) -> dict[str, Any]:
    options = {"execution_timeout": 1.0, "memory_mb": 256, "mutation_seconds": 0.5, "budget_calls": 25}
    run_id = await runs.begin(Order(Task(TASK), options))
    report = await runs.ended(run_id)
    assert report.error is None, report.error
    assert report.conclusion
    return report.outcome().as_json()


async def attack(runs: AgentRuns, server: ModelServer, seed: int) -> int:
    """How many programs were executed."""

    def answer(role: str, times: int) -> str:
        # Roles are asked at the same time: each has random numbers of its own, so that their order changes nothing.
        return reply(role, random.Random(f"{seed}/{role}/{times}")).encode("utf-8", "replace").decode()

    server.answer = answer
    server.asked.clear()
    outcome = await concluded(runs)
    assert outcome["verdict"] in ("failed", "unverified"), (seed, outcome["verdict_reason"], outcome["code"])
    return len(outcome["attempts"])


@pytest.mark.slow
async def test_hostile_models_end_honestly(attacked: tuple[AgentRuns, ModelServer]) -> None:
    assert sum([await attack(*attacked, seed) for seed in (0, 1)]) >= 4


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(100, 112), marks=pytest.mark.slow, id="some"),
        pytest.param(range(112, 200), marks=pytest.mark.corpus, id="many"),
    ],
)
async def test_many_hostile_models_end_honestly(seeds: range, attacked: tuple[AgentRuns, ModelServer]) -> None:
    assert sum([await attack(*attacked, seed) for seed in seeds]) > len(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(PROGRAMS)))
async def test_a_forged_program_between_obliging_tests_is_not_believed(
    attacked: tuple[AgentRuns, ModelServer], place: int
) -> None:
    runs, server = attacked
    obliging = "```python\ndef test_fine():\n    assert count_vowels('x') is not None or True\n```"
    quiet = {
        "debugger": '{"fault": "test", "category": "other", "confidence": 1, "explanation": "fine", "repair_hint": ""}'
    }
    quiet["critic"] = '{"objection": "", "input": "", "expected": ""}'
    server.answer = lambda role, times: (
        f"```python\n{PROGRAMS[place]}\n```" if role == "generator" else quiet.get(role, obliging)
    )
    outcome = await concluded(runs)
    assert outcome["verdict"] in ("failed", "unverified"), outcome["verdict_reason"]


@pytest.mark.slow
async def test_runs_beside_each_other_keep_their_own_replies(attacked: tuple[AgentRuns, ModelServer]) -> None:
    runs, server = attacked
    rng = random.Random(9)
    server.answer = lambda role, times: reply(role, rng).encode("utf-8", "replace").decode()
    outcomes = await asyncio.gather(*(concluded(runs) for _ in range(3)))
    assert {outcome["verdict"] for outcome in outcomes} <= {"failed", "unverified"}
