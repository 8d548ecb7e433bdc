"""Whole runs in which thin evidence is made good: by valid inputs, a slow reference, or a checker of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

BEST_SUM = "Write best_sum(numbers): the largest sum of a contiguous part of a list of at least one integer."
FAST = """
def best_sum(numbers):
    best = here = numbers[0]
    for number in numbers[1:]:
        here = max(number, here + number)
        best = max(best, here)
    return best
"""
NEVER_BREAKING = FAST.replace("best = here", "if not numbers:\n        return 0\n    best = here")
NEVER_NEGATIVE = FAST.replace("max(number, here + number)", "max(0, here + number)")
SLOW = """
def best_sum(numbers):
    ends = range(len(numbers) + 1)
    return max(sum(numbers[i:j]) for i in ends for j in ends if i < j)
"""
SUM_INPUTS = """
def allowed(numbers):
    return "" if numbers else "the largest sum of a contiguous part of a list of at least one integer"


def inputs(draw, size):
    while True:
        yield ([draw.randint(-5, 5) for _ in range(max(1, size))],)
        yield ([draw.choice([-1, 1])] * max(1, size),)
"""
SUM_TESTS = """
def test_one():
    assert best_sum([4]) == 4


def test_all():
    assert best_sum([1, 2, 3]) == 6


def test_empty():
    assert best_sum([]) == 0
"""

PAIR = "Write pair(numbers, total): return any two positions (i, j), i < j, whose numbers add up to total, else None."
FIRST_PAIR = """
def pair(numbers, total):
    for i, one in enumerate(numbers):
        for j in range(i + 1, len(numbers)):
            if one + numbers[j] == total:
                return (i, j)
"""
PAIR_INPUTS = """
def allowed(numbers, total):
    return ""


def inputs(draw, size):
    while True:
        yield [draw.randint(0, 6) for _ in range(size)], draw.randint(0, 12)
"""
PAIR_TESTS = """
def test_none():
    assert pair([], 3) is None


def test_only_one():
    assert pair([1, 2], 3) == (0, 1)
"""
CHECKER = """
def wrong(answer, numbers, total):
    places = range(len(numbers))
    right = [(i, j) for i in places for j in places if i < j and numbers[i] + numbers[j] == total]
    if answer is None:
        return "else None" if right else ""
    return "" if answer in right else "whose numbers add up to total"
"""


def plays(server: ModelServer, **lines: str) -> None:
    """Each role has one line (underscores for spaces); critic and adversary find nothing."""
    said: dict[str, str] = {
        "adversarial tester": json.dumps({"inputs": []})
        + "\n"
        + fenced("import solution\n\n\ndef test_property_x():\n    assert solution.__name__"),
        "critic": json.dumps({"objection": "", "input": "", "expected": ""}),
        "arbiter": json.dumps({"expected": "", "quote": "", "ambiguous": True}),
        **{role.replace("_", " "): fenced(code) for role, code in lines.items()},
    }
    answer: Callable[[str, int], str] = lambda role, times: said[role]  # noqa: E731
    server.answer = answer


async def run(live_runs: AgentRuns, task: str, **options: object) -> Played:
    order = Order(Task(task), {"mutation_seconds": 0, **options})
    return await follow(live_runs, await live_runs.begin(order))


async def test_a_slow_reference_confirms_a_program_on_inputs_that_the_task_allows(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, generator=FAST, spec_tester=SUM_TESTS, input_writer=SUM_INPUTS, reference_writer=SLOW)
    played = await run(live_runs, BEST_SUM)
    assert [event.attempt for event in played.of("candidate_written")] == ["first", "reference"]
    assert played.outcome["candidate"] == "c1"
    assert played.outcome["evidence"]["compared"]["equal"] > 20
    assert played.outcome["evidence"]["compared"]["different"] == 0
    set_aside = {entry["name"]: entry["reason"] for entry in played.outcome["evidence"]["quarantined"]}
    assert set(set_aside) == {"spec:1.test_empty"}, "a second suite with the same tests counts once"
    assert set_aside["spec:1.test_empty"].startswith("limits: the task does not allow this input")


@pytest.mark.parametrize(("said", "second"), [("program", "reference"), ("no", "independent")])
async def test_in_any_language_the_input_writer_says_whether_a_slow_reference_can_decide(
    model_server: ModelServer, live_runs: AgentRuns, said: str, second: str
) -> None:
    plays(model_server, generator=FAST, spec_tester=SUM_TESTS, reference_writer=SLOW)
    told = json.dumps({"limits": [], "brute_force": said})
    then(model_server, "input writer", f"{told}\n{fenced(SUM_INPUTS)}")
    played = await run(
        live_runs, "Schreibe best_sum(numbers): die größte Summe eines zusammenhängenden Teils einer Liste."
    )
    assert [event.attempt for event in played.of("candidate_written")][:2] == ["first", second]


async def test_a_slow_reference_shows_a_wrong_program(model_server: ModelServer, live_runs: AgentRuns) -> None:
    plays(model_server, generator=NEVER_NEGATIVE, spec_tester=SUM_TESTS, input_writer=SUM_INPUTS, reference_writer=SLOW)
    played = await run(live_runs, BEST_SUM)
    assert played.outcome["verdict"] == "unverified"
    assert played.outcome["evidence"]["compared"]["different"] > 0


async def test_a_checker_confirms_where_several_answers_are_right(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(
        model_server, generator=FIRST_PAIR, spec_tester=PAIR_TESTS, input_writer=PAIR_INPUTS, reference_writer=CHECKER
    )
    played = await run(live_runs, PAIR)
    assert played.outcome["verdict"] == "partly_verified", played.outcome["verdict_reason"]
    assert "a checker that tries every possibility finds its answers right on 24 inputs" in played.outcome["answer"]
    assert len(played.of("candidate_written")) == 1, "no second program is paid for"


@pytest.mark.parametrize("flaw", ["return ''", "return 'else None'[answer]", "return None"])
async def test_a_checker_that_cannot_tell_right_from_wrong_is_thrown_away(
    model_server: ModelServer, live_runs: AgentRuns, flaw: str
) -> None:
    useless = f"def wrong(answer, numbers, total):\n    {flaw}\n"
    plays(
        model_server, generator=FIRST_PAIR, spec_tester=PAIR_TESTS, input_writer=PAIR_INPUTS, reference_writer=useless
    )
    played = await run(live_runs, PAIR)
    assert not [suite for suite in played.of("suite_written") if suite.origin == "reference"]
    assert any("the checker of answers was thrown away" in event.text for event in played.of("noted"))


async def test_reference_off_writes_another_program_instead(model_server: ModelServer, live_runs: AgentRuns) -> None:
    plays(model_server, generator=FAST, spec_tester=SUM_TESTS, input_writer=SUM_INPUTS)
    played = await run(live_runs, BEST_SUM, reference=False)
    assert "reference" not in [event.attempt for event in played.of("candidate_written")]


async def test_without_a_usable_generator_inputs_of_tests_are_changed_as_ever(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, generator=FAST, spec_tester=SUM_TESTS, input_writer="x = 1", reference_writer=SLOW)
    played = await run(live_runs, BEST_SUM)
    assert model_server.asked["input writer"] == 2, "told what was wrong and asked once more"
    assert any("the generator of inputs was thrown away" in event.text for event in played.of("noted"))
    assert sum(played.outcome["evidence"]["compared"].values()) > 20


DIAGNOSIS = json.dumps(
    {"fault": "code", "category": "assertion", "confidence": 0.9, "explanation": "drops negative sums",
     "repair_hint": "start anew at each number", "quote": "the largest sum of a contiguous part"}
)  # fmt: skip
BOTH_DECIDE = {"spec_tester": SUM_TESTS, "input_writer": SUM_INPUTS, "reference_writer": SLOW}


def then(server: ModelServer, role: str, *lines: str) -> None:
    """The role says these lines in turn, the last one for ever; the others what they said before."""
    before = server.answer
    server.answer = lambda asked, times: lines[min(times, len(lines) - 1)] if asked == role else before(asked, times)


async def test_a_difference_goes_to_the_arbiter_as_one_input_and_its_answer_is_a_check_that_heals(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, **BOTH_DECIDE)
    then(model_server, "generator", fenced(NEVER_NEGATIVE), fenced(FAST))
    then(model_server, "debugger", DIAGNOSIS)
    then(model_server, "memory summariser", json.dumps({"lessons": ["negative sums count"]}))

    def ruling(asked: str, times: int) -> str:
        asked_for = re.search(r"<call>\nbest_sum\((.*)\)\n</call>", model_server.prompts[-1][1])
        assert asked_for is not None
        numbers = json.loads(asked_for[1])
        ends = range(len(numbers) + 1)
        right = max(sum(numbers[i:j]) for i in ends for j in ends if i < j)
        quote = "the largest sum of a contiguous part of a list of at least one integer."
        return json.dumps({"expected": str(right), "quote": quote, "ambiguous": False})

    before = model_server.answer
    model_server.answer = lambda asked, times: ruling(asked, times) if asked == "arbiter" else before(asked, times)
    played = await run(live_runs, BEST_SUM)
    assert [event.attempt for event in played.of("candidate_written")] == ["first", "reference", "repair"]
    assert played.outcome["verdict"] == "partly_verified", played.outcome["verdict_reason"]
    assert played.outcome["candidate"] == "c3"
    stated = [check for check in played.outcome["evidence"]["checks"] if check["origin"] == "arbiter"]
    assert [(check["tier"], check["outcome"]) for check in stated] == [("T2", "pass")]


async def test_what_the_arbiter_finds_open_is_told_and_caps_the_verdict(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, generator=NEVER_NEGATIVE, **BOTH_DECIDE)
    played = await run(live_runs, BEST_SUM)
    assert model_server.asked["arbiter"] == 1
    assert "nothing settles what best_sum(" in played.outcome["answer"]
    assert played.outcome["verdict"] == "unverified"


async def test_the_adversary_looks_again_until_programs_differ(model_server: ModelServer, live_runs: AgentRuns) -> None:
    late = FAST.replace("return best\n", "return best if len(numbers) < 60 else 0\n")
    plays(model_server, generator=late, **BOTH_DECIDE)
    calls = [["best_sum([1, 2])", "best_sum([])"], [f"best_sum({[1] * 60})"], ["best_sum([7])"]]
    then(model_server, "adversarial tester", *(json.dumps({"inputs": each}) for each in calls))
    played = await run(live_runs, BEST_SUM)
    attacks = [words for role, words in model_server.prompts if role == "adversarial tester"]
    assert len(attacks) == 2, "it stops where programs differ"
    assert "best_sum([1, 2]): all give 3" in attacks[1]
    assert "best_sum([]): the task does not allow it" in attacks[1]
    assert "Another program for the same task" in attacks[1]
    assert any("1 of them tell programs apart" in event.text for event in played.of("noted"))


async def test_a_reference_is_asked_for_small_inputs_only(model_server: ModelServer, live_runs: AgentRuns) -> None:
    small = SLOW.replace("    ends", "    if len(numbers) > 11:\n        return 'too many'\n    ends")
    plays(model_server, generator=FAST, **BOTH_DECIDE | {"reference_writer": small})
    played = await run(live_runs, BEST_SUM)
    compared = played.outcome["evidence"]["compared"]
    assert (compared["equal"] > 20, compared["different"]) == (True, 0)
    assert compared["no_answer"] > 0, "larger inputs are there, and only the first program answers them"


ONE_EXAMPLE = f"{BEST_SUM} For example best_sum([1, -2, 3]) == 3."
LIKE_FAST = SLOW.replace("    ends", "    numbers[0]\n    ends")
"""It also fails on an empty list as the fast one does, of which the task says nothing."""


@pytest.mark.parametrize(
    ("options", "turns"),
    [({}, 2), ({"valid_inputs": False, "reference": False}, 3), ({"adversary_turns": 1}, 1)],
    ids=["allowed inputs", "none", "one look"],
)
async def test_the_adversary_looks_again_a_few_times_only(
    model_server: ModelServer, live_runs: AgentRuns, options: Mapping[str, Any], turns: int
) -> None:
    """Where programs agree on many inputs that the task is known to allow, once less."""
    plays(model_server, **BOTH_DECIDE)
    then(model_server, "generator", fenced(FAST), fenced(LIKE_FAST))
    then(model_server, "adversarial tester", *(json.dumps({"inputs": [f"best_sum([{n}, 1])"]}) for n in range(9)))
    played = await run(live_runs, BEST_SUM, **options)
    assert model_server.asked["adversarial tester"] == turns
    assert any(f"inputs run in {turns} turns: no program differs" in event.text for event in played.of("noted"))


@pytest.mark.parametrize(
    ("more", "second", "calls", "verdict"),
    [
        (" And best_sum([-1]) == -1.", "", 3, "verified"),
        (" And best_sum([-1]) == -1.", LIKE_FAST, 4, "verified"),
        ("", LIKE_FAST, 5, "verified"),
        ("", SLOW, 5, "verified"),
        ("", NEVER_NEGATIVE, 6, "partly_verified"),
    ],
)
async def test_a_simple_task_takes_three_calls_and_another_program_where_it_gives_a_single_example(
    model_server: ModelServer, live_runs: AgentRuns, more: str, second: str, calls: int, verdict: str
) -> None:
    """So it does where the adversary brings inputs that no test decides, which are compared with nothing else. A
    program that breaks off on an empty list would be given another one beside it."""
    plays(model_server, input_writer=SUM_INPUTS)
    then(model_server, "generator", *([fenced(FAST), fenced(second)] if second else [fenced(NEVER_BREAKING)]))
    then(model_server, "spec tester", fenced("def test_one():\n    assert best_sum([4]) == 4"))
    attack = "def test_property_itself():\n    assert all(best_sum([n]) == n for n in range(-3, 4))\n"
    attack += "def test_property_both():\n    assert best_sum([1, -1]) == 1"
    alone = json.dumps({"inputs": ["best_sum([1, -1])"]})
    then(model_server, "adversarial tester", alone if second else f"{alone}\n{fenced(attack)}")
    played = await run(live_runs, ONE_EXAMPLE + more, reference=False)
    assert played.outcome["verdict"] == verdict, played.outcome["verdict_reason"]
    assert played.outcome["usage"]["calls"] == calls


async def test_a_second_suite_that_is_the_first_once_more_confirms_nothing(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    plays(model_server, generator=FAST, **BOTH_DECIDE)
    then(model_server, "spec tester", fenced(SUM_TESTS), fenced(SUM_TESTS))
    played = await run(live_runs, BEST_SUM)
    checks = {check["name"]: check["tier"] for check in played.outcome["evidence"]["checks"]}
    assert checks["spec:1.test_one"] == "T2"
    assert not any(name.startswith("spec:2") for name in checks)
    assert "a second author of tests wrote the same ones, which count once" in played.outcome["answer"]


async def test_without_an_example_two_blind_suites_make_checks_that_both_state(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    second = SUM_TESTS.replace("[1, 2, 3]) == 6", "[1, -1]) == 1").replace("test_", "test_again_")
    plays(model_server, generator=FAST, **BOTH_DECIDE)
    then(model_server, "spec tester", fenced(SUM_TESTS), fenced(second))
    played = await run(live_runs, BEST_SUM)
    tiers = {check["name"].partition(".")[2]: check["tier"] for check in played.outcome["evidence"]["checks"]}
    assert tiers["test_one"] == tiers["test_again_one"] == "T1"
    assert tiers["test_all"] == tiers["test_again_all"] == "T2"
    asked = [words for role, words in model_server.prompts if role == "spec tester"]
    assert len(asked) == 2
    assert asked[0] == asked[1], "neither author sees the other's tests"
    only = await run(live_runs, BEST_SUM, second_suite=False)
    assert not any(check["name"].startswith("spec:2") for check in only.outcome["evidence"]["checks"])
