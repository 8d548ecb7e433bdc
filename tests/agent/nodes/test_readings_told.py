"""Other readings and contradictions that a model tells: which become questions, and how they are told."""

from __future__ import annotations

from typing import Any

import pytest

from agent.checks.execution import Run
from agent.events import CheckRuled, SuiteWritten
from agent.nodes import readings
from agent.nodes.readings import MAX_READINGS, contradictions, open_readings
from agent.state import AgentState, Task
from sandbox.types import CallOutput

from .scripted import ENDED, TEXT, Script, candidate, check, state, suite

SENTENCE = "It returns n plus one."
FIRST, SECOND = "It returns n plus one.", "For zero it returns one."


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, CallOutput]:
    """What the program gives for each input; 3 for all that a test does not change."""
    told: dict[str, CallOutput] = {}

    async def run_inputs(_context: Any, _state: Any, _candidate: Any, calls: list[str]) -> Run:
        outputs = {call: told.get(call, CallOutput("value", "3")) for call in calls}
        return Run("c1", "probes", ENDED, outputs=outputs)

    monkeypatch.setattr(readings, "run_inputs", run_inputs)
    return told


def reading(call: str = "f( 1 )", value: str = "2", sentence: str = SENTENCE) -> dict[str, str]:
    return {"input": call, "value": value, "sentence": sentence}


async def opened(*told: dict[str, str], of: AgentState | None = None) -> tuple[Any, Script]:
    script = Script()
    return await open_readings(of or state(), script, candidate(), told), script  # type: ignore[arg-type]


async def test_a_reading_by_which_the_program_is_wrong_becomes_an_open_check(given: dict[str, CallOutput]) -> None:
    update, script = await opened(reading(), reading("f(2)", "7"))
    first, second = update["suites"]
    assert (first.id, first.origin, first.checks[0].call, first.checks[0].expected) == (
        *("reading:1", "adversary", "f(1)", "2"),
    )
    assert (second.id, second.checks[0].sentence) == ("reading:2", SENTENCE)
    ruling = update["rulings"][0]
    why = f"“{SENTENCE}” can be read so that f(1) gives 2, where the program gives 3"
    assert (ruling.check, ruling.fault, ruling.by, ruling.reason) == (first.checks[0].id, "task", "adversary", why)
    assert [event.suite for event in script.of(SuiteWritten)] == ["reading:1", "reading:2"]
    assert [(event.fault, event.by) for event in script.of(CheckRuled)] == [("task", "adversary")] * 2
    assert script.of(CheckRuled)[0].reason == why


@pytest.mark.parametrize(
    "told",
    [
        reading(value="3"),
        reading(value="3.0"),
        reading(value="two"),
        reading(value=""),
        reading("f"),
        reading("f(1) + 1"),
        reading("run_program('1')"),
        reading(sentence="It returns n plus two."),
        {"input": "f(1)", "value": "2"},
        {},
    ],
    ids=["same", "number", "value", "none", "name", "sum", "harness", "invented", "unquoted", "empty"],
)
async def test_what_quotes_nothing_or_changes_nothing_is_no_reading(
    given: dict[str, CallOutput], told: dict[str, str]
) -> None:
    assert (await opened(told))[0] == {}


async def test_an_input_that_an_example_decides_is_not_open(given: dict[str, CallOutput]) -> None:
    assert (await opened(reading(), of=state(suite(check(origin="task")))))[0] == {}
    assert (await opened(reading(), of=state(suite(check(origin="spec")))))[0] != {}


async def test_given_code_says_more_than_a_reader(given: dict[str, CallOutput]) -> None:
    assert (await opened(reading(), of=state(task=Task(TEXT, code="def f(n): return n"))))[0] == {}


async def test_an_answer_that_cannot_be_compared_opens_nothing(given: dict[str, CallOutput]) -> None:
    given["f(1)"] = CallOutput("timeout", "")
    update, _ = await opened(reading(), reading("f(2)", "7"))
    assert [(one.id, one.checks[0].call) for one in update["suites"]] == [("reading:1", "f(2)")]


async def test_one_reading_for_an_input_and_not_more_than_five(given: dict[str, CallOutput]) -> None:
    update, _ = await opened(reading(), reading("f(1)", "9"), *(reading(f"f({n})", "9") for n in range(2, 12)))
    assert [one.checks[0].expected for one in update["suites"]] == ["2", *["9"] * (MAX_READINGS - 1)]


async def test_an_input_that_the_validator_refuses_opens_nothing(
    given: dict[str, CallOutput], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refusals(_context: Any, _config: Any, source: str, entry: str, calls: list[str]) -> dict[str, str]:
        assert (source, entry) == ("generator", "f")
        return {calls[0]: "only above one"}

    monkeypatch.setattr(readings, "refusals", refusals)
    domain: Any = type("Domain", (), {"source": "generator", "entry": "f", "calls": (), "larger": (), "small": ()})()
    update, _ = await opened(reading(), reading("f(2)", "7"), of=state(domains=[domain]))
    assert [one.checks[0].call for one in update["suites"]] == ["f(2)"]


def torn(**more: Any) -> dict[str, Any]:
    return {"input": "f( 0 )", "first": FIRST, "second": SECOND, "values": ["2", "1"]} | more


def told_by(*told: dict[str, Any]) -> tuple[Any, Any, Script]:
    script = Script()
    suites, rulings = contradictions(state(), script, told, "spec:1")  # type: ignore[arg-type]
    return suites, rulings, script


def test_two_sentences_that_give_two_things_become_two_checks_of_which_one_fails() -> None:
    suites, rulings, script = told_by(torn())
    assert [(one.id, one.origin, one.checks[0].call, one.checks[0].expected) for one in suites] == [
        ("reading:spec:1:1:1", "adversary", "f(0)", "2"),
        ("reading:spec:1:1:2", "adversary", "f(0)", "1"),
    ]
    assert [one.checks[0].sentence for one in suites] == [FIRST, SECOND]
    why = f"the task contradicts itself, as a model reads it: “{FIRST}” gives 2 for f(0), “{SECOND}” gives 1"
    assert [(one.fault, one.by, one.reason, one.is_contradiction) for one in rulings] == [
        ("task", "adversary", why, True)
    ] * 2
    assert [one.check for one in rulings] == [one.checks[0].id for one in suites]
    assert len(script.of(SuiteWritten)) == len(script.of(CheckRuled)) == 2


def test_an_error_may_be_one_of_the_two_things() -> None:
    suites, _, _ = told_by(torn(values=["raises ValueError", 1]))
    assert "pytest.raises(ValueError)" in suites[0].checks[0].source


@pytest.mark.parametrize(
    "told",
    [
        torn(values=["2"]), torn(values=["2", "2.0"]), torn(values=["2", "one"]), torn(values=["raises", "1"]),
        torn(values=["ValueError", "1"]), torn(values=["raises 1", "1"]), torn(values=["2", "1", "3"]),
        torn(input="f"), torn(input="run_program('1')"), torn(first="It returns two."), torn(second="It returns two."),
    ],
)  # fmt: skip
def test_what_is_no_contradiction_of_the_task_is_not_told(told: dict[str, Any]) -> None:
    assert told_by(told)[:2] == ([], [])


def test_the_numbers_are_those_of_what_was_told_and_not_more_than_three() -> None:
    suites, _, _ = told_by(torn(input="no call"), *(torn(input=f"f({n})") for n in range(9)))
    assert [one.id for one in suites] == [f"reading:spec:1:{n}:{side}" for n in (2, 3) for side in (1, 2)]
