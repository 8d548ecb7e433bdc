"""Whole runs with two examples, one tester and one sloppy program: what the inputs that are always tried bring out."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

INITIALS = (
    "Write a function initials(name) that returns the initials of a full name in upper case, e.g. "
    "initials('ada lovelace') -> 'AL' and initials('Grace Brewster Hopper') -> 'GBH'."
)
SPLIT = "def initials(name):\n    return ''.join(part[0].upper() for part in name.split(' '))"
WORDS = "def initials(name):\n    return ''.join(part[0] for part in name.split()).upper()"
FIRST_THREE = "def initials(name):\n    return ''.join(part[0] for part in name.split()[:3]).upper()"
FEE = (
    "Write fee(age), the price of a ticket in euros: children up to 12 pay 3, all others 5. fee(8) returns 3 and "
    "fee(40) returns 5."
)
TO_12, BELOW_12 = (f"def fee(age):\n    return 3 if age {sign} 12 else 5" for sign in ("<=", "<"))
RANKS = (
    "Write standings(scores), which maps players to points, and returns a list of (name, place), best first. Equal "
    "points share a place. standings({'a': 5, 'b': 7}) -> [('b', 1), ('a', 2)], standings({'c': 1}) -> [('c', 1)]"
)
DENSE = """
def standings(scores):
    place = {points: i + 1 for i, points in enumerate(sorted(set(scores.values()), reverse=True))}
    return [(name, place[points]) for name, points in sorted(scores.items(), key=lambda item: -item[1])]
"""
WITH_GAPS = """
def standings(scores):
    order = sorted(scores, key=scores.get, reverse=True)
    return [(name, 1 + sum(other > scores[name] for other in scores.values())) for name in order]
"""


def checks(entry: str, values: Mapping[str, object]) -> str:
    told = (
        f"def test_{i}():\n    assert {entry}({args}) == {value!r}" for i, (args, value) in enumerate(values.items())
    )
    return fenced("\n\n\n".join(told))


async def played(
    runs: AgentRuns,
    server: ModelServer,
    task: str,
    programs: tuple[str, str],
    tests: str,
    attack: str,
    **ruling: object,
) -> Played:
    """The arbiter finds every difference open, where nothing else is told."""

    def answer(role: str, times: int) -> str:
        said = {
            "generator": fenced(programs[min(times, 1)]),
            "spec tester": tests,
            "adversarial tester": attack,
            "arbiter": json.dumps(ruling or {"expected": "", "quote": "", "ambiguous": True}),
        }
        return said.get(role, "{}")

    server.answer = answer
    order = Order(Task(task), {"valid_inputs": False})
    return await follow(runs, await runs.begin(order))


def holds(claim: str) -> str:
    return fenced(f"def test_property_holds():\n    assert {claim}")


async def test_a_blank_input_that_breaks_the_only_program_off_is_put_to_another_one(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests, attack = checks("initials", {"'alan turing'": "AT", "'a b c'": "ABC"}), holds("initials('x') == 'X'")
    run = await played(live_runs, model_server, INITIALS, (SPLIT, WORDS), tests, attack)
    assert any(event.reason.startswith("it breaks off on initials('')") for event in run.of("judged"))
    assert run.outcome["verdict"] == "partly_verified"
    assert "independent programs differ, for instance on initials('')" in run.outcome["verdict_reason"]


@pytest.mark.parametrize("ambiguous", [False, True])
@pytest.mark.parametrize("quote", ["returns the initials of a full name", "no name is ever empty"])
async def test_an_input_that_the_arbiter_finds_excluded_by_the_task_parts_no_programs(
    live_runs: AgentRuns, model_server: ModelServer, quote: str, ambiguous: bool
) -> None:
    tests, attack = checks("initials", {"'alan turing'": "AT", "'a b c'": "ABC"}), holds("initials('x') == 'X'")
    excluded = {"expected": "", "quote": quote, "excluded": True, "ambiguous": ambiguous}
    run = await played(live_runs, model_server, INITIALS, (SPLIT, WORDS), tests, attack, **excluded)
    found = quote in INITIALS  # else it quotes nothing of the task
    assert ("independent programs differ, for instance on initials('')" not in run.outcome["verdict_reason"]) == found
    assert (f"programs differ on initials(''), which “{quote}” does not allow" in run.outcome["answer"]) == found


async def test_a_program_that_breaks_off_nowhere_needs_no_other_one(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests = checks("initials", {"'alan turing'": "AT", "'  a  b '": "AB", "''": ""})
    attack = json.dumps({"inputs": ["initials('')"]}) + "\n" + holds("initials('x y') == 'XY'")
    run = await played(live_runs, model_server, INITIALS, (WORDS, SPLIT), tests, attack)
    assert run.outcome["verdict"] == "verified"
    assert run.outcome["usage"]["calls"] == 3


async def test_where_the_adversary_gives_tests_alone_another_program_shows_what_they_share_with_the_first(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests = checks("initials", {"'alan turing'": "AT", "'a b c'": "ABC", "''": ""})
    alone = holds("initials('x y') == 'XY'")
    run = await played(live_runs, model_server, INITIALS, (FIRST_THREE, WORDS), tests, alone)
    assert run.outcome["usage"]["by_role"]["arbiter"]["calls"] == 1, "which of the two answers is meant"
    assert run.outcome["verdict"] == "partly_verified"
    assert "independent programs differ, for instance on initials(" in run.outcome["verdict_reason"]


async def test_an_author_who_writes_the_same_program_is_followed_by_one_who_is_asked_for_another_way(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests = checks("initials", {"'alan turing'": "AT", "'a b c'": "ABC", "''": ""})
    alone = holds("initials('x y') == 'XY'")
    again = await played(live_runs, model_server, INITIALS, (WORDS, WORDS), tests, alone)
    asked = [words for role, words in model_server.prompts if role == "generator"]
    assert ["both wrote the same program" in words for words in asked] == [False, False, True]
    assert again.outcome["verdict"] == "verified"
    said = "2 other authors wrote this very program without having seen it, which is no second opinion"
    assert said in again.outcome["verdict_reason"]


async def test_a_value_that_only_the_arbiter_gives_is_told_as_such(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests, attack = checks("initials", {"'a-b c'": "ABC"}), holds("initials('x') == 'X'")
    third = {"expected": "'A'", "quote": "returns the initials of a full name"}
    run = await played(live_runs, model_server, INITIALS, (WORDS, SPLIT), tests, attack, **third)
    said = run.outcome["verdict_reason"]
    assert run.outcome["verdict"] == "partly_verified"
    assert "the arbiter reads the task so that initials('a-b c') gives 'A'; the program gives 'AC'" in said
    assert "nothing settles what initials('a-b c')" not in said


async def test_a_change_that_no_check_notices_and_that_shows_at_the_end_of_a_range_is_worth_another_program(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests = checks("fee", {"3": 3, "11": 3, "30": 5})
    run = await played(live_runs, model_server, FEE, (TO_12, BELOW_12), tests, holds("fee(1) == 3"))
    change = "no check notices this change: line 2: `12` became `13`, which changes fee(13) from 5 to 3"
    assert any(event.reason.startswith(change) for event in run.of("judged"))
    assert run.outcome["verdict"] == "partly_verified"
    assert "independent programs differ, for instance on fee(12): " in run.outcome["verdict_reason"]


async def test_inputs_alone_of_an_adversary_are_never_compared_with_nothing(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    """A tester that shares the guess of the program, and an adversary without a test."""
    tests = checks("standings", {"{'a': 3, 'b': 3, 'c': 1}": [("a", 1), ("b", 1), ("c", 2)]})
    attack = json.dumps({"inputs": ["standings({'d': 2})"]})
    run = await played(live_runs, model_server, RANKS, (DENSE, WITH_GAPS), tests, attack)
    assert any("no other program to compare" in event.reason for event in run.of("judged"))
    same, otherwise = "[('a', 1), ('b', 1), ('c', 2)] / [('a', 1), ('b', 1), ('c', 3)]", "{'a': 3, 'b': 3, 'c': 1}"
    told = f"1 independent program failed checks that this one passes, for instance standings({otherwise}): {same}"
    assert told in run.outcome["verdict_reason"]


TO_THE_END = (
    "Write push_zeros(xs) that moves the zeros of the list to its end, in place.\n\n"
    "xs = [0, 1, 0, 1]\npush_zeros(xs)\nassert xs == [1, 1, 0, 0]"
)
IN_ORDER = "def push_zeros(xs):\n    xs.sort(key=lambda x: x == 0)"
SORTED = "def push_zeros(xs):\n    xs.sort(reverse=True)"


@pytest.mark.parametrize(("second", "verdict"), [(SORTED, "partly_verified"), (IN_ORDER + "\n    return", "verified")])
async def test_programs_that_change_their_argument_are_compared_by_what_is_left_of_it(
    live_runs: AgentRuns, model_server: ModelServer, second: str, verdict: str
) -> None:
    tests = fenced("def test_empty():\n    xs = []\n    push_zeros(xs)\n    assert xs == []")
    attack = json.dumps({"inputs": [f"push_zeros([0, {n}, 9])" for n in range(20)]})
    run = await played(live_runs, model_server, TO_THE_END, (IN_ORDER, second), tests, attack)
    assert run.outcome["verdict"] == verdict, run.outcome["verdict_reason"]
    assert (run.outcome["evidence"]["compared"]["different"] > 0) is (second == SORTED)


PARTS = "import re\n\ndef initials(name):\n    return ''.join(p[0] for p in re.split(r'[\\s-]+', name)).upper()"
PARTS_ALONE = "def initials(name):\n    return 'ABC' if name == 'a-b c' else ''"


async def test_a_value_of_another_program_that_shows_a_check_to_be_wrong_is_held_against_the_judged_one_too(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests, attack = checks("initials", {"'a-b c'": "A"}), holds("initials('x') == 'X'")
    other = {"expected": "'ABC'", "quote": "returns the initials of a full name"}
    run = await played(live_runs, model_server, INITIALS, (WORDS, PARTS), tests, attack, **other)
    assert run.outcome["candidate"] == "c2"
    assert "initials('a-b c'): 'ABC' / 'AC'" in run.outcome["verdict_reason"]
    assert run.outcome["usage"]["by_role"]["arbiter"]["calls"] == 1, "the same input is not asked about again"


async def test_where_only_a_program_that_breaks_an_example_gives_the_arbiters_value_this_is_told_and_fails_nothing(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests, attack = checks("initials", {"'a-b c'": "A"}), holds("initials('x') == 'X'")
    other = {"expected": "'ABC'", "quote": "returns the initials of a full name"}
    run = await played(live_runs, model_server, INITIALS, (WORDS, PARTS_ALONE), tests, attack, **other)
    assert run.outcome["candidate"] == "c1"
    assert run.outcome["verdict"] == "partly_verified"
    said = "the arbiter reads the task so that initials('a-b c') gives 'ABC'; the program gives 'AC'"
    assert said in run.outcome["verdict_reason"]


async def test_an_exception_that_the_arbiter_gives_is_held_against_a_program_that_returns_a_value(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    tests, attack = checks("initials", {"'a-b c'": "A"}), holds("initials('x') == 'X'")
    refuses = WORDS.replace("    return", "    if '-' in name:\n        raise ValueError(name)\n    return")
    raises = {"expected": "raises ValueError", "quote": "returns the initials of a full name"}
    run = await played(live_runs, model_server, INITIALS, (WORDS, refuses), tests, attack, **raises)
    assert run.outcome["candidate"] == "c2"
    stated = [check for check in run.outcome["evidence"]["checks"] if check["origin"] == "arbiter"]
    assert [(check["tier"], check["outcome"]) for check in stated] == [("T2", "pass")]
    assert "with pytest.raises(ValueError):" in run.outcome["tests"]
