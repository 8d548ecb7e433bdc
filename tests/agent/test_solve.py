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
