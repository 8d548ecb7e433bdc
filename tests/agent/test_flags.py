"""Every flag of AgentConfig changes a run in the way it says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from agent.config import AgentConfig
from agent.counting.signs import BELIEVED
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from evaluation.arms import ARMS
from llm.scenarios import get_scenario
from tests.agent.conftest import Play, Played, follow
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_pauses import QUICK, ROMAN, scenario_task
from tests.agent.test_unhelpful_models import ALSO_RIGHT, RIGHT, TASK, TESTS, WRONG_TEST, usual

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SLUGIFY = scenario_task("slugify")


async def live(runs: AgentRuns, task: str = TASK, **options: object) -> Played:
    order = Order(Task(task), {**QUICK, **options})
    return await follow(runs, await runs.begin(order))


def writes(server: ModelServer, *programs: str, tests: str = TESTS) -> None:
    """The model gives these programs in turn, the last one for ever."""

    def answer(role: str, times: int) -> str:
        if role == "generator":
            return fenced(programs[min(times, len(programs) - 1)])
        return fenced(tests) if role == "spec tester" else usual(role)

    server.answer = answer


async def test_plan_is_asked_for_always_or_never(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT)
    assert (await live(live_runs, plan="always")).of("plan_made")
    assert not (await live(live_runs, plan="never")).of("plan_made")
    assert model_server.asked["planner"] == 1


async def test_examples_off_executes_none_of_the_task(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT)
    assert (await live(live_runs)).outcome["verdict"] == "verified"
    played = await live(live_runs, examples=False)
    assert "task" not in {suite.origin for suite in played.of("suite_written")}
    assert played.outcome["verdict"] in ("partly_verified", "unverified")


async def test_properties_off_keeps_none(model_server: ModelServer, live_runs: AgentRuns) -> None:
    stated = "def test_property_shift():\n    assert count_vowels('ab') == count_vowels('ba')"
    writes(model_server, RIGHT, tests=f"{TESTS}\n\n\n{stated}")

    def properties(played: Played) -> set[str]:
        checks = [check for suite in played.of("suite_written") for check in suite.checks]
        return {check.name for check in checks if check.name.startswith("test_property")}

    assert properties(await live(live_runs)) == {"test_property_case", "test_property_shift"}
    less = await live(live_runs, properties=False)
    assert properties(less) == set()
    assert {suite.origin for suite in less.of("suite_written")} == {"task", "spec"}


async def test_spec_tests_off_writes_none(play: Play) -> None:
    played = await play(SLUGIFY, {**QUICK, "spec_tests": False})
    assert {suite.origin for suite in played.of("suite_written")} == {"task", "adversary"}


async def test_valid_inputs_off_asks_for_no_generator(play: Play) -> None:
    ambiguous = scenario_task("ambiguous_task")
    assert "write_inputs" in (await play(ambiguous)).boxes()
    assert "write_inputs" not in (await play(ambiguous, {"valid_inputs": False})).boxes()
    assert "write_inputs" not in (await play(SLUGIFY)).boxes(), "a simple task with examples pays for none"


async def test_adversary_off_attacks_nothing(play: Play) -> None:
    played = await play(SLUGIFY, {"adversary": False})
    assert "write_adversarial_tests" not in played.boxes()
    assert played.outcome["evidence"]["mutation"] is None


async def test_critic_off_is_not_asked(play: Play) -> None:
    assert "critic" in (await play(ROMAN, QUICK)).boxes()
    assert "critic" not in (await play(ROMAN, {**QUICK, "critic": False})).boxes()


async def test_independent_attempts_zero_leaves_the_dispute_to_the_arbiter(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, RIGHT, ALSO_RIGHT, tests=WRONG_TEST)
    played = await live(live_runs, independent_attempts=0)
    assert len(played.of("candidate_written")) == 1
    assert model_server.asked["arbiter"] == 1


async def test_arbiter_off_is_not_asked(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT, ALSO_RIGHT, tests=WRONG_TEST)
    await live(live_runs, independent_attempts=0, arbiter=False)
    assert model_server.asked["arbiter"] == 0


async def test_max_repairs_zero_repairs_nothing(play: Play) -> None:
    played = await play(ROMAN, {**QUICK, "max_repairs": 0})
    assert [event.attempt for event in played.of("candidate_written")].count("repair") == 0
    assert played.outcome["verdict"] == "failed"


async def test_max_rewrites_zero_writes_nothing_anew(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT.replace("'aeiouAEIOU'", "''"))
    again = await live(live_runs, max_repairs=1)
    assert "rewrite" in [event.attempt for event in again.of("candidate_written")]
    never = await live(live_runs, max_repairs=1, max_rewrites=0)
    assert "rewrite" not in [event.attempt for event in never.of("candidate_written")]


async def test_believed_tests_repair_a_right_program_to_the_end(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, RIGHT, tests=WRONG_TEST)
    played = await live(live_runs, **ARMS["naive_repair"][1])
    assert "second_attempt" not in played.boxes()
    assert played.outcome["verdict"] == "failed", "its own wrong test is law to it"
    assert (await live(live_runs, **{**ARMS["naive_repair"][1], "believe_tests": False})).outcome["verdict"] != "failed"
    assert played.outcome["evidence"]["chance"] is None


async def test_blind_rewrites_hear_nothing_of_the_programs_before(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    wrong = RIGHT.replace("'aeiouAEIOU'", "''")
    writes(model_server, wrong, wrong, RIGHT)
    played = await live(live_runs, **ARMS["resample"][1])
    assert [event.attempt for event in played.of("candidate_written")] == ["first", "rewrite", "rewrite"]
    assert "diagnose" not in played.boxes()
    asked = [words for role, words in model_server.prompts if role == "generator"]
    assert len(set(asked)) == 1, "the same words each time"
    assert played.outcome["code"].strip() == RIGHT.strip()
    assert played.outcome["verdict"] == "partly_verified"
    assert BELIEVED in played.outcome["verdict_reason"]


async def test_three_strategies_are_written_in_parallel_and_hold_a_tournament(play: Play) -> None:
    played = await play(ROMAN, {**QUICK, "strategies": 3})
    repairs = [event for event in played.of("candidate_written") if event.attempt in ("repair", "rewrite")]
    assert {event.strategy for event in repairs} >= {"minimal", "rethink", "rewrite"}
    assert len({event.candidate for event in repairs}) == len(repairs)
    assert played.of("tournament_held")
    assert played.outcome["verdict"] == "verified"


async def test_mutation_seconds_zero_measures_none(play: Play) -> None:
    assert (await play(SLUGIFY)).outcome["evidence"]["mutation"]["total"] > 0
    assert (await play(SLUGIFY, {"mutation_seconds": 0})).outcome["evidence"]["mutation"] is None


async def test_held_out_zero_holds_nothing_back(play: Play) -> None:
    played = await play(SLUGIFY, {**QUICK, "held_out": 0})
    assert not any(check.held_out for suite in played.of("suite_written") for check in suite.checks)


async def test_a_dollar_budget_is_checked_before_the_call(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT)
    order = Order(Task(TASK), {"budget_usd": 0.0}, provider="openai", model="gpt-5.6-luna")
    played = await follow(live_runs, await live_runs.begin(order))
    assert sum(model_server.asked.values()) == 0
    assert played.outcome["budget_reached"] is True


async def test_a_token_budget_is_checked_before_the_call(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT)
    assert (await live(live_runs, budget_tokens=500)).outcome["budget_reached"] is True
    assert sum(model_server.asked.values()) == 0


async def test_a_run_that_is_out_of_time_concludes(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT.replace("'aeiouAEIOU'", "''"))
    order = Order(Task(TASK), {"timeout": 1.0})
    released = model_server.hold("debugger", seconds=1.5)
    played = await follow(live_runs, await live_runs.begin(order))
    released()
    assert played.report.conclusion
    assert played.outcome["budget_reached"] is True
    assert played.outcome["code"]


async def test_execution_limits_reach_the_program(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, "import time\n\n\ndef count_vowels(text):\n    time.sleep(30)")
    played = await live(live_runs, execution_timeout=0.3, max_repairs=0, independent_attempts=0)
    assert played.of("checks_ran")[0].status == "timeout"
    writes(model_server, "def count_vowels(text):\n    return len(bytearray(10**9))")
    played = await live(live_runs, memory_mb=128, max_repairs=0, independent_attempts=0)
    assert played.of("checks_ran")[0].status in ("memory", "error", "fail")
    assert played.outcome["verdict"] == "failed"


async def test_in_process_alone_is_never_called_confirmed(play: Play) -> None:
    played = await play(SLUGIFY, {**QUICK, "sandbox_mode": "inprocess"})
    assert played.outcome["evidence"]["confirmed"] is False
    assert played.outcome["verdict"] == "partly_verified"


async def test_min_level_refuses_free_input_but_not_a_scenario(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, RIGHT)
    played = await live(live_runs, min_level="container")
    assert "container" in (played.report.error or "")
    assert played.report.exit_code == 3
    assert not played.of("candidate_written")
    scenario = get_scenario("slugify")
    assert scenario is not None
    order = Order(Task(scenario.task), {"min_level": "container"}, provider="mock")
    assert (await follow(live_runs, await live_runs.begin(order))).report.conclusion


async def test_every_flag_is_known_here() -> None:
    tests = [
        Path(__file__),
        Path(__file__).with_name("test_memory.py"),
        Path(__file__).with_name("test_packages.py"),
        Path(__file__).with_name("test_pauses.py"),
        Path(__file__).parent / "outcome" / "test_style.py",
        Path(__file__).with_name("test_unhelpful_models.py"),
        Path(__file__).with_name("test_web_search.py"),
        Path(__file__).with_name("test_witnesses.py"),
    ]
    source = "".join(path.read_text() for path in tests)
    for field in dataclasses.fields(AgentConfig):
        assert field.name in source, f"the effect of {field.name} is not tested"


async def test_a_review_before_running_is_a_hint_to_the_repair_and_no_verdict(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    nothing = RIGHT.replace("'aeiouAEIOU'", "''")
    writes(model_server, f"import os\n{nothing}", nothing, RIGHT)
    played = await live(live_runs, review="always")
    prompts = [text for role, text in model_server.prompts if role == "generator"]
    blind = [text for text in prompts if "The module so far" not in text and "Start afresh" not in text]
    assert blind
    assert not any("upper case letters are not counted" in text for text in blind), "who is independent hears nothing"
    changed = next(text for text in prompts if text not in blind)
    assert "a reviewer of c1, who may be mistaken: upper case letters are not counted" in changed
    assert "a linter on c1: solution.py:1: F401" in changed
    assert model_server.asked["reviewer"] == 1, "a repair is not reviewed"
    assert played.outcome["verdict"] == "verified", "the objection stands, and the verdict is counted all the same"
    hard = f"{TASK} It is part of a tokenizer and an interpreter."
    for task, options, asked in ((TASK, {}, 1), (hard, {}, 2), (hard, {"review": "never"}, 2)):
        await live(live_runs, task, plan="never", max_repairs=0, max_rewrites=0, **options)
        assert model_server.asked["reviewer"] == asked, "by itself only where the task is hard"
