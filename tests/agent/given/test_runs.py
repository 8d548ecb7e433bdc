"""Whole runs with given code: what is handed back is the person's program, with what it did before."""

from __future__ import annotations

import json

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

from .reported import ELSE

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRICE = '''def price(kind, count):
    """Price of some tickets in euros; price("child", 2) == 10.

    More than 9 tickets are cheaper by one euro each.
    """
    # a child pays half
    each = 5 if kind == "child" else 10
    if count > 10:
        each -= 1
    return each * count
'''
REPORT = "price('adult', 10) gives 100 but should give 90."
RIGHT = PRICE.replace("count > 10", "count > 9")
WITNESS = """def price(kind, count):
    full = 10
    if kind == "child":
        full //= 2
    return full * count - (count if count >= 10 else 0)
"""
TESTS = (
    "def test_child():\n    assert price('child', 2) == 10\n\n\ndef test_many():\n    assert price('adult', 12) == 108"
)


async def run(runs: AgentRuns, server: ModelServer, text: str, code: str, repairs: list[str], other: str) -> Played:
    return await run_task(runs, server, Task(text, code=code), [*repairs, other])


async def run_task(
    runs: AgentRuns, server: ModelServer, task: Task, programs: list[str], tests: str = TESTS, **options: object
) -> Played:
    """A run in which the model answers with the repairs in turn, and with the last program where it sees none."""
    *repairs, other = programs
    given = iter(repairs)

    def answer(role: str, _times: int) -> str:
        if role == "spec tester":
            return fenced(tests)
        if role == "generator":
            prompt = server.prompts[-1][1]
            repairing = "The module so far" in prompt or "to be changed as the task says" in prompt
            return fenced(next(given, repairs[-1]) if repairing else other)
        return ELSE[role]

    server.answer = answer
    order = Order(task, {"mutation_seconds": 0, **options})
    return await follow(runs, await runs.begin(order))


@pytest.mark.slow
async def test_the_smallest_change_comes_back_with_its_words(model_server: ModelServer, live_runs: AgentRuns) -> None:
    sloppy = (
        "def price(kind, count):\n    if kind == 'child':\n        each = 5\n    else:\n        each = 10\n"
        "    if count > 9:\n        each -= 1\n    return each * count\n"
    )
    played = await run(live_runs, model_server, REPORT, PRICE, [sloppy], WITNESS)
    assert played.outcome["verdict"] == "verified", played.outcome["answer"]
    assert played.outcome["code"].strip() == RIGHT.strip()
    recorded = [check for check in played.outcome["evidence"]["checks"] if check["origin"] == "kept"]
    assert recorded
    assert {check["tier"] for check in recorded} == {"T1"}
    handed, own = (played.outcome["attempts"][place] for place in (-1, -2))
    assert handed["id"] == played.outcome["candidate"]
    assert (handed["passed"], handed["failed"]) == (own["passed"], own["failed"]), "it was executed, and counts so"


@pytest.mark.slow
async def test_a_repair_that_loses_other_behaviour_is_repaired_again(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    loses = RIGHT.replace("5 if kind", "6 if kind == 'baby' else 4 if kind")
    played = await run(live_runs, model_server, REPORT, PRICE, [loses, RIGHT], WITNESS)
    assert played.outcome["code"].strip() == RIGHT.strip(), played.outcome["answer"]
    assert played.outcome["verdict"] == "verified"


@pytest.mark.slow
async def test_a_program_written_anew_is_no_answer_unless_no_repair_passes(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    useless = [RIGHT.replace("count > 9", f"count > {number}") for number in (20, 30, 40, 50)]
    played = await run(live_runs, model_server, REPORT, PRICE, useless, WITNESS)
    assert played.outcome["code"].strip() == WITNESS.strip()
    assert played.outcome["verdict"] == "partly_verified"
    assert "no repair of the given program passes every trusted check" in played.outcome["verdict_reason"]


@pytest.mark.slow
async def test_the_words_in_the_code_reach_tester_and_witness(model_server: ModelServer, live_runs: AgentRuns) -> None:
    await run(live_runs, model_server, "It is wrong, fix it.", PRICE, [RIGHT], WITNESS)
    for role, words in model_server.prompts:
        if role in ("spec tester", "generator", "debugger"):
            assert "More than 9 tickets are cheaper" in words, role
    tester = next(words for role, words in model_server.prompts if role == "spec tester")
    assert "each -= 1" not in tester, "the tester sees what the code says of itself, and not the code"


@pytest.mark.slow
async def test_an_extension_keeps_what_there_was_and_tells_the_new_signature(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    text = "Add a parameter fee that defaults to 0; price('adult', 1, fee=2) should give 12."
    extended = PRICE.replace("kind, count)", "kind, count, fee=0)").replace("each * count", "each * count + fee")
    played = await run(live_runs, model_server, text, PRICE, [extended], extended + "\n\ndef other():\n    pass\n")
    assert played.outcome["code"].strip() == extended.strip()
    assert played.outcome["verdict"] == "verified", played.outcome["answer"]
    assert not played.of("diagnosed"), "nothing is wrong with code that shall only do more"
    tester = next(words for role, words in model_server.prompts if role == "spec tester")
    assert "def price(kind, count, fee=0)" in tester


@pytest.mark.slow
async def test_a_lost_public_name_is_a_fault_of_the_repair(model_server: ModelServer, live_runs: AgentRuns) -> None:
    code = PRICE + "\n\ndef currency():\n    return 'EUR'\n"
    played = await run(
        live_runs, model_server, REPORT, code, [RIGHT, RIGHT + "\n\ndef currency():\n    return 'EUR'\n"], WITNESS
    )
    assert "def currency" in played.outcome["code"]
    assert played.outcome["verdict"] == "verified", played.outcome["answer"]
    told = [words for role, words in model_server.prompts if role == "debugger"]
    assert any("the public name currency of the given program is gone" in words for words in told)


@pytest.mark.slow
async def test_what_cannot_be_reproduced_is_said(model_server: ModelServer, live_runs: AgentRuns) -> None:
    played = await run(live_runs, model_server, "price('child', 1) gives 7", PRICE, [PRICE], PRICE)
    assert played.outcome["verdict"] == "unverified"
    assert "could not be reproduced: the given program gives 5" in played.outcome["answer"]
    assert json.dumps(played.outcome["evidence"]["checks"]).count("symptom") == 0


DEDUPE = '''def dedupe(items):
    """Remove duplicates, keep order."""
    result = []
    for i in range(len(items)):
        found = False
        for j in range(len(result)):
            if result[j] == items[i]:
                found = True
        if found == False:
            result.append(items[i])
    return result
'''
HASHED = 'def dedupe(items):\n    """Remove duplicates, keep order."""\n    return list(dict.fromkeys(items))\n'
PLAIN = (
    'def dedupe(items):\n    """Remove duplicates, keep order."""\n    result = []\n'
    "    for item in items:\n        if item not in result:\n            result.append(item)\n    return result\n"
)
WALKED = """def dedupe(items):
    return [item for place, item in enumerate(items) if item not in items[:place]]
"""
LISTS_OF_LISTS = """def allowed(items):
    return ""


def inputs(draw, size):
    for number in range(12):
        values = [draw.randint(0, 3) for _ in range(size)]
        yield (values if number % 2 else [[value] for value in values],)
"""


@pytest.mark.slow
async def test_a_refactored_program_is_the_answer_and_one_that_breaks_off_is_repaired(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    programs = iter([HASHED, PLAIN])

    def answer(role: str, _times: int) -> str:
        if role == "spec tester":
            return fenced("def test_a():\n    assert dedupe([1, 2, 1]) == [1, 2]")
        if role == "input writer":
            return fenced(LISTS_OF_LISTS)
        if role == "generator":
            prompt = next(told for asked, told in reversed(model_server.prompts) if asked == "generator")
            changing = "as the task says" in prompt or "The module so far" in prompt
            return fenced(next(programs, PLAIN) if changing else WALKED)
        return ELSE[role]

    model_server.answer = answer
    order = Order(Task("Refactor this code.", code=DEDUPE), {"mutation_seconds": 0, "critic": False})
    played = await follow(live_runs, await live_runs.begin(order))
    assert played.outcome["code"].strip() == PLAIN.strip()
    assert played.outcome["verdict"] == "partly_verified", played.outcome["answer"]
    told = [prompt for role, prompt in model_server.prompts if role == "debugger"]
    assert "raises TypeError" in told[0]
    assert "no other behaviour is asked for" in played.outcome["verdict_reason"]
    assert "which reads better nobody can count" in played.outcome["verdict_reason"]


MEAN = "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n"
TAKES_WORDS = MEAN.replace("sum(xs)", "sum(map(float, xs))")


@pytest.mark.slow
@pytest.mark.parametrize(("program", "outcome"), [(TAKES_WORDS, "pass"), (MEAN.replace("else 0", "else 0.0"), "error")])
async def test_what_an_extension_states_and_the_given_program_does_not_do_is_promised(
    model_server: ModelServer, live_runs: AgentRuns, program: str, outcome: str
) -> None:
    text = "make it handle texts too, e.g. mean(['1.5', '2.5']) -> 2.0. mean([1, 2]) gives 1.5."
    played = await run_task(live_runs, model_server, Task(text, code=MEAN), [program, program], tests="")
    checks = {one["name"]: one for one in played.outcome["evidence"]["checks"] if one["origin"] == "task"}
    assert list(checks) == ["wished.test_example_1"], "what it does already is no promise of this task"
    (check,) = checks.values()
    assert (check["tier"], check["outcome"]) == ("T0", outcome)
    assert (played.outcome["verdict"] in ("verified", "partly_verified")) is (outcome == "pass")


@pytest.mark.slow
async def test_a_demand_that_the_given_program_meets_already_is_taken_from_the_law(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    plain = "def half(n):\n    return n // 2\n"
    played = await run(live_runs, model_server, "Fix this: half(3) should be 1.", plain, [plain], plain)
    assert [check for check in played.outcome["evidence"]["checks"] if check["origin"] == "task"] == []
    assert [ruled.check for ruled in played.of("check_ruled") if "already does all" in ruled.reason]
    assert played.outcome["verdict"] == "unverified"


async def test_an_extension_whose_tests_all_use_what_is_new_is_held_to_what_was_there(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    code = "def greet(name):\n    return 'Hello, ' + name + '!'\n"
    broken = "def greet(name, word='Hello'):\n    return word + ', ' + name + ('.' if word == 'Hello' else '!')\n"
    text = "Add a parameter word='Hello' to greet. greet('Ann', word='Hi') should return 'Hi, Ann!'."
    tests = "def test_word():\n    assert greet('Bob', 'Hey') == 'Hey, Bob!'"
    played = await run_task(live_runs, model_server, Task(text, code=code), [broken, broken], tests)
    assert played.outcome["verdict"] != "verified"
    assert "greet('Ann'): 'Hello, Ann!' before, 'Hello, Ann.' now" in played.outcome["verdict_reason"]


MERGE = """def msort(xs):
    if len(xs) < 2:
        return list(xs)
    half = len(xs) // 2
    one, other = msort(xs[:half]), msort(xs[half:])
    merged = []
    while one and other:
        merged.append(one.pop(0) if one[0] <= other[0] else other.pop(0))
    return merged
"""
MERGED = MERGE.replace("return merged", "return merged + one + other")
BUILT_IN = MERGE[: MERGE.index("    one, other")] + "    merged = sorted(xs)\n    return merged\n"
SORT_TESTS = (
    "def test_none():\n    assert msort([]) == []\n\n\ndef test_equal():\n    assert msort([2, 1, 2]) == [1, 2, 2]"
)


@pytest.mark.slow
@pytest.mark.parametrize("repairs", [[BUILT_IN], [BUILT_IN, MERGED], [MERGED, BUILT_IN]])
async def test_an_answer_with_another_algorithm_than_the_named_one_loses(
    model_server: ModelServer, live_runs: AgentRuns, repairs: list[str]
) -> None:
    task = Task("Fix my merge sort: msort([2, 1]) returns [1] but should return [1, 2].", code=MERGE)
    programs = [*repairs, "def msort(xs):\n    return sorted(xs)\n"]
    played = await run_task(live_runs, model_server, task, programs, SORT_TESTS, strategies=len(repairs))
    told = "'Fix my merge sort' (a look at its syntax tree does not find what marks merge sort)"
    if MERGED in repairs:
        assert played.outcome["code"].strip() == MERGED.strip()
        assert played.outcome["verdict"] == "verified", played.outcome["verdict_reason"]
    else:
        assert played.outcome["verdict"] == "partly_verified"
        assert told in played.outcome["verdict_reason"]
