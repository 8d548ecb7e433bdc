"""`from agent import solve`: what it takes, hands back and refuses."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from agent import REFUSALS, BadInput, Outcome, PersonReply, RunOptions, solve_async
from agent.config import AgentConfig
from agent.outcome.report import Report
from framework.engine import Pending
from framework.settings import Settings
from llm.errors import NoProvider
from llm.scenarios import get_scenario
from llm.services import SERVICES, Service


@pytest.fixture
def demo(tmp_path: Path) -> Settings:
    return Settings.from_env({"LLM_PROVIDER": "mock", "STATE_DIR": str(tmp_path)})


def test_every_option_is_typed_as_the_field_that_it_sets() -> None:
    options, config = get_type_hints(RunOptions), get_type_hints(AgentConfig)
    assert {*options} == {one.name for one in fields(AgentConfig)} - {"may_install"}, "which the deployment sets"
    for name, kind in options.items():
        assert config[name] in (kind, kind | None), name


def test_an_outcome_prints_as_verdict_and_program() -> None:
    report = Report("r")
    assert str(report.outcome()) == "queued: the run did not conclude: not finished"


async def test_nobody_to_ask_is_an_error_and_no_run(tmp_path: Path) -> None:
    nobody = Settings.from_env({"STATE_DIR": str(tmp_path), "LLM_PROVIDER": "anthropic"})
    with pytest.raises(NoProvider, match="ANTHROPIC_API_KEY") as told:
        await solve_async("Write f(x). f(1) -> 1", settings=nobody)
    assert isinstance(told.value, REFUSALS)


async def test_an_option_that_is_not_there_is_refused(demo: Settings) -> None:
    wrong = {"max_repair": 3}
    with pytest.raises(BadInput, match="max_repair"):
        await solve_async("Write f(x). f(1) -> 1", settings=demo, **wrong)  # type: ignore[arg-type]


@pytest.mark.slow
async def test_what_a_program_left_behind_comes_with_its_content(demo: Settings) -> None:
    outcome = await solve_async("Generate 100 random numbers and plot a histogram", settings=demo)
    assert [one.data[:4] for one in outcome.artifacts if one.mime == "image/png"] == [b"\x89PNG"]
    assert all(set(one) == {"name", "mime"} for one in outcome.as_json()["artifacts"])


ELSEWHERE = """
from llm.types import Caps, Completion, Delta, Provider, Usage


class ParrotProvider(Provider):
    def __init__(self, name, settings):
        self.name = name

    def caps(self, model):
        return Caps(context=8_000)

    async def stream(self, request, *, model):
        said = "```python\\ndef f(x):\\n    return x\\n```"
        yield Delta(said)
        yield Completion(said, "stop", Usage(1, 1), self.name, model)
"""


@pytest.mark.slow
async def test_a_model_service_may_come_from_a_package_elsewhere(
    demo: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "parrot.py").write_text(ELSEWHERE)
    monkeypatch.syspath_prepend(tmp_path)
    parrot = Service(name="parrot", label="Parrot", wire="birds.parrot:ParrotProvider", at="process", model="grey")
    monkeypatch.setitem(SERVICES, "parrot", parrot)
    outcome = await solve_async("Write f(x) that returns x. f(1) -> 1", provider="parrot", settings=demo)
    assert (outcome.provider, outcome.model, outcome.error) == ("parrot", "grey", None)
    assert "return x" in outcome.code


async def asked(demo: Settings, reply: PersonReply | None) -> tuple[Outcome, list[Pending]]:
    scenario, questions = get_scenario("ambiguous_task"), list[Pending]()
    assert scenario

    def decide(question: Pending) -> PersonReply | None:
        questions.append(question)
        return reply

    return await solve_async(scenario.task, settings=demo, autonomy="review_repairs", on_question=decide), questions


@pytest.mark.slow
async def test_a_question_is_answered_by_the_caller_and_the_run_goes_on(demo: Settings) -> None:
    outcome, questions = await asked(demo, PersonReply("approve"))
    assert (outcome.status, outcome.pending) == ("done", None)
    assert questions


@pytest.mark.slow
async def test_a_question_that_the_caller_leaves_open_is_handed_back(demo: Settings) -> None:
    outcome, questions = await asked(demo, None)
    assert (outcome.status, outcome.verdict) == ("waiting", None)
    assert [outcome.pending] == questions
