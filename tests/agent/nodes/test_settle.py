"""What the arbiter's answer makes of a check and of the programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.checks.asking import NO_EXCEPTION, Question
from agent.config import AgentConfig
from agent.events import CheckRuled, QuestionAnswered, QuestionAsked, SuiteWritten
from agent.nodes import arbitrate, ask_person, quarantine
from agent.nodes.settle import _fault, answer_suite  # pyright: ignore[reportPrivateUsage]
from agent.session.roles import RulingReply
from agent.state import AgentState, CheckOutcome, Decision, Fault, PersonAnswer, Ruling, Run
from agent.state.done import Done
from agent.trust.blame import Blame
from agent.trust.facts import OUTPUT
from sandbox.types import CallOutput

from .scripted import ENDED, FAILED, TEXT, Script, candidate, check, gives, ran, state, step, suite

CALL = "f(-1)"
PUT = Question(CALL, "0")


@pytest.mark.parametrize(
    ("value", "fault"), [("0", "code"), ("5", "test"), ("raises ValueError", "test"), ("raises KeyError", "task")]
)
def test_the_arbiters_value_may_be_an_exception(value: str, fault: Fault) -> None:
    assert _fault(RulingReply(value, "the sentence"), "spec", PUT, ["5", "raises ValueError", "0"]) == fault


@pytest.mark.parametrize(
    ("value", "fault"), [("raises ValueError", "code"), ("5", "test"), ("raises KeyError", "task")]
)
def test_any_value_speaks_against_a_check_that_wants_an_exception(value: str, fault: Fault) -> None:
    wants = Question(CALL, "raises ValueError")
    assert _fault(RulingReply(value, "the sentence"), "spec", wants, [NO_EXCEPTION, "raises ValueError"]) == fault


def test_an_exception_that_the_arbiter_gives_becomes_a_check() -> None:
    suite = answer_suite("arbiter:1", "arbiter", CALL, "raises ValueError", "the sentence")
    assert suite.header == "import pytest"
    assert "with pytest.raises(ValueError):\n        f(-1)" in suite.checks[0].source


GROUP = suite(check())
TWO = [candidate(), candidate("c2", "def f(n): return n + 1")]
ASK = Decision("ask_person", "the task leaves it open", "c1", "spec.a", call="f(1)")
PERSON = AgentConfig(autonomy="review_all")


def asked(given: Any, *, config: AgentConfig = PERSON, decision: Decision = ASK, **more: Any) -> AgentState:
    runs = [ran("c1", GROUP, FAILED), gives("c1", f1="3"), *given]
    return state(GROUP, candidates=TWO, runs=runs, decisions=[decision], config=config, **more)


async def test_the_person_chooses_among_what_programs_and_the_check_give() -> None:
    script = Script(answer={"action": "tick", "text": "3"})
    update = await step(ask_person, asked([gives("c2", f1="raises ValueError")]), script)
    ((question, payload),) = script.questions
    assert question == "ambiguous"
    assert payload == {
        "call": "f(1)",
        "options": ["2", "3", "raises ValueError"],
        "by": {"2": ["spec.a"], "3": ["c1"], "raises ValueError": ["c2"]},
        "reason": "the task leaves it open",
        "check": "spec.a",
    }
    assert script.of(QuestionAsked) == [QuestionAsked("ambiguous", payload)]
    assert script.of(QuestionAnswered) == [QuestionAnswered("ambiguous", "tick", "3")]
    assert update["done"] == [Done("asked")]
    assert update["answers"] == [PersonAnswer("ambiguous", "tick", "3")]


@pytest.mark.parametrize(("ticked", "fault"), [("2", "code"), ("3", "test"), ("2.0", "test")])
async def test_what_the_person_ticks_becomes_a_check_and_settles_the_disputed_one(ticked: str, fault: Fault) -> None:
    script = Script(answer={"action": "tick", "text": ticked})
    update = await step(ask_person, asked([gives("c2", f1="2")], done=[Done("asked")]), script)
    (new,) = update["suites"]
    assert (new.id, new.origin) == ("answer:2", "answer"), "it is the second answer"
    assert f"assert f(1) == {ticked}" in new.checks[0].source
    assert [(one.check, one.fault, one.by, one.reason) for one in update["rulings"]] == [
        ("spec.a", fault, "person", f"the person ticked {ticked}")
    ]
    assert [(event.check, event.fault) for event in script.of(CheckRuled)] == [("spec.a", fault)]
    assert [event.suite for event in script.of(SuiteWritten)] == ["answer:2"]


@pytest.mark.parametrize("answer", [{"action": "approve"}, {}])
async def test_where_the_person_chooses_nothing_the_task_stays_unclear(answer: dict[str, str]) -> None:
    script = Script(answer=answer)
    update = await step(ask_person, asked([gives("c2", f1="2")]), script)
    assert "suites" not in update
    assert [(one.check, one.fault, one.by) for one in update["rulings"]] == [("spec.a", "task", "trust")]
    assert [event.fault for event in script.of(CheckRuled)] == ["task"]
    assert update["answers"] == [PersonAnswer("ambiguous", "approve", "")]


@pytest.mark.parametrize(
    ("config", "outputs", "told"),
    [
        (AgentConfig(), "3", "nothing settles what f(1) should give (2 or 3); the returned program decides it"),
        (PERSON, "2", "nothing settles what f(1) should give (2); the returned program decides it"),
    ],
    ids=["full auto", "nothing to choose from"],
)
async def test_where_nobody_is_asked_the_assumption_is_told(config: AgentConfig, outputs: str, told: str) -> None:
    script = Script(answer={"action": "tick", "text": "3"})
    given = asked([], config=config)
    given = replace(given, runs=[ran("c1", GROUP, FAILED), gives("c1", f1=outputs)])
    update = await step(ask_person, given, script)
    assert script.questions == []
    assert update["problems"] == [told]
    assert [(one.check, one.fault, one.reason) for one in update["rulings"]] == [
        ("spec.a", "task", "the task leaves it open")
    ]
    assert [event.check for event in script.of(CheckRuled)] == ["spec.a"]


async def test_a_third_answer_that_only_the_arbiter_gives_can_be_chosen_too() -> None:
    known = [Ruling("spec.a", "task", "arbiter", "why", value="7")]
    script = Script(answer={"action": "tick", "text": "7"})
    update = await step(ask_person, asked([], rulings=known), script)
    assert script.questions[0][1].get("options") == ["2", "3", "7"]
    assert update["rulings"][0].fault == "test"
    alone = await step(ask_person, asked([], rulings=known, config=AgentConfig()), Script())
    assert alone["problems"] == ["nothing settles what f(1) should give (2 or 3 or 7); the returned program decides it"]


async def test_another_reading_is_told_by_the_verdict_and_not_as_an_assumption() -> None:
    known = [Ruling("spec.a", "task", "adversary", "it can be read otherwise")]
    assert await step(ask_person, asked([], rulings=known, config=AgentConfig()), Script()) == {"done": [Done("asked")]}
    update = await step(ask_person, asked([gives("c2", f1="2")], rulings=known), Script(answer={"action": "approve"}))
    assert update["rulings"] == [], "it is ruled on already"


async def test_a_task_without_any_example_is_told_to_want_one() -> None:
    given = asked([], decision=Decision("ask_person", "no example", "c1"))
    update = await step(ask_person, given, Script())
    assert update["problems"] == [
        "no example to check against was read from the task; one such as f(2) == 4 would settle what is right"
    ]
    assert update["rulings"] == []


async def test_two_outputs_of_scripts_are_no_choice_for_a_person() -> None:
    outputs = [Run(name, "probes", ENDED, outputs={OUTPUT: CallOutput("value", name)}) for name in ("c1", "c2")]
    given = asked(outputs, decision=Decision("ask_person", "they differ", "c1", call=OUTPUT))
    script = Script(answer={"action": "tick", "text": "c1"})
    update = await step(ask_person, given, script)
    assert script.questions == []
    assert update["problems"] == ["programs put out different things (c1 or c2), and nothing says which is right"]


ARBITRATE = replace(ASK, action="arbitrate")


def put(decision: Decision = ARBITRATE, *more: Run, **fields: Any) -> AgentState:
    runs = [ran("c1", GROUP, FAILED), gives("c1", f1="3"), *more]
    return state(GROUP, **{"candidates": TWO, "runs": runs, "decisions": [decision]} | fields)


async def ruled(reply: RulingReply | None, given: AgentState | None = None) -> tuple[Any, Script]:
    script = Script({"arbiter": reply})
    return await step(arbitrate, given or put(), script), script


QUOTE = "It returns n plus one."


async def test_the_arbiter_sees_both_answers_in_an_order_that_tells_nobodys_name() -> None:
    update, script = await ruled(None, put(done=[Done("arbitrated", "spec.b")]))
    ((role, name, seen),) = script.asked
    assert (role, name, seen["template"]) == ("arbiter", "arbiter:2", "rule")
    assert (seen["call"], seen["outputs"], seen["task"]) == ("f(1)", ["2", "3"], TEXT)
    assert seen["options"].data == {"call": "f(1)", "expected": "2", "outputs": ["2", "3"]}
    assert update == {"done": [Done("arbitrated", "spec.a")]}


@pytest.mark.parametrize(
    ("reply", "fault", "reason"),
    [
        (RulingReply("2", QUOTE), "code", f"“{QUOTE}” gives 2"),
        (RulingReply("3", QUOTE), "test", f"“{QUOTE}” gives 3"),
        (RulingReply("7", QUOTE), "task", f"“{QUOTE}” gives 7"),
        (RulingReply("", QUOTE), "task", "the task gives no single answer"),
        (RulingReply("", "", ambiguous=True), "task", "the task gives no single answer"),
        (RulingReply("", QUOTE, excluded=True), "test", f"“{QUOTE}” does not allow this input"),
        (RulingReply("2", "It returns n plus two."), "unknown", "it quoted no sentence of the task"),
        (RulingReply("", "", ambiguous=True, excluded=True), "unknown", "it quoted no sentence of the task"),
    ],
)
async def test_the_arbiters_answer_says_whose_fault_it_is_and_by_which_sentence(
    reply: RulingReply, fault: Fault, reason: str
) -> None:
    update, script = await ruled(reply)
    (ruling,) = update["rulings"]
    assert (ruling.check, ruling.fault, ruling.by, ruling.reason) == ("spec.a", fault, "arbiter", reason)
    assert ruling.value == ("7" if reply.expected == "7" else "")
    assert [(event.check, event.fault, event.reason) for event in script.of(CheckRuled)] == [("spec.a", fault, reason)]
    assert update["done"] == [Done("arbitrated", "spec.a")]


async def test_a_value_that_shows_a_check_to_be_wrong_becomes_a_check_of_its_sentence() -> None:
    given = put(ARBITRATE, gives("c2", f1="7"))
    update, script = await ruled(RulingReply("7", QUOTE), given)
    assert update["rulings"][0].fault == "test"
    (new,) = update["suites"]
    assert (new.id, new.origin, new.checks[0].sentence) == ("arbiter:1", "arbiter", QUOTE)
    assert [event.suite for event in script.of(SuiteWritten)] == ["arbiter:1"]
    update, _ = await ruled(RulingReply("3", QUOTE), given)
    assert [one.checks[0].expected for one in update["suites"]] == ["3"], "else nothing would be about the sentence"
    update, _ = await ruled(RulingReply("", QUOTE, excluded=True), given)
    assert "suites" not in update


async def test_a_check_that_two_answers_cannot_be_put_to_stays_undecided_without_a_question() -> None:
    update, script = await ruled(RulingReply("2", QUOTE), put(runs=[ran("c1", GROUP, FAILED)]))
    assert script.asked == []
    assert [(one.fault, one.reason) for one in update["rulings"]] == [
        ("unknown", "the check does not say one thing that two answers can be put to")
    ]


async def test_a_test_of_several_lines_is_put_with_what_its_message_tells() -> None:
    source = "def a():\n    it = F()\n    it.add(1)\n    assert it.sum == 2"
    group = suite(replace(check(call=None, expected=None), source=source))
    wrong = CheckOutcome("fail", "assert 1 == 2\n  actual: 1\n  expected: 2")
    given = put(suites=[group], runs=[ran("c1", group, wrong), ran("c2", group, wrong)])
    update, script = await ruled(RulingReply("2", QUOTE), given)
    assert (script.asked[0][2]["call"], script.asked[0][2]["outputs"]) == ("it = F()\nit.add(1)\nit.sum", ["1", "2"])
    assert update["rulings"][0].fault == "code"
    update, _ = await ruled(RulingReply("1", QUOTE), given)
    assert update["rulings"][0].fault == "test"
    assert "suites" not in update, "several lines are no input of a check"


async def test_a_side_of_a_contradiction_never_convicts_the_program() -> None:
    torn = [Ruling("spec.a", "task", "adversary", "the task contradicts itself", is_contradiction=True)]
    for value in ("2", "7"):
        update, _ = await ruled(RulingReply(value, QUOTE), put(rulings=torn))
        assert [(one.fault, one.value) for one in update["rulings"]] == [("task", "")]


async def test_another_reading_stays_as_open_as_it_was_where_the_arbiter_quotes_nothing() -> None:
    group = suite(check(suite="reading:1", origin="adversary"))
    decision = replace(ASK, action="arbitrate", check="reading:1.a")
    given = replace(put(decision), suites=[group], runs=[ran("c1", group, FAILED), gives("c1", f1="3")])
    update, script = await ruled(RulingReply("2", "no sentence"), given)
    assert (update["rulings"], script.told) == ([], [])


DIFFER = Decision("arbitrate", "they differ", "c1", call="f(1)")


async def test_an_input_that_programs_answer_differently_gets_a_check_of_the_arbiters_value() -> None:
    given = put(DIFFER, gives("c2", f1="2"), suites=[suite(check(suite="arbiter:1", origin="arbiter"))])
    update, script = await ruled(RulingReply("2", QUOTE), given)
    assert update["done"] == [Done("arbitrated", "f(1)")]
    assert [(one.id, one.checks[0].call, one.checks[0].expected) for one in update["suites"]] == [
        ("arbiter:2", "f(1)", "2")
    ]
    assert script.asked[0][2]["outputs"] == ["2", "3"]


@pytest.mark.parametrize("reply", [RulingReply("", "", ambiguous=True), RulingReply("", QUOTE)])
async def test_an_input_that_the_task_leaves_open_is_noted_as_such(reply: RulingReply) -> None:
    update, _ = await ruled(reply, put(DIFFER, gives("c2", f1="2")))
    assert update == {"done": [Done("arbitrated", "f(1)"), Done("left open", "f(1)")]}


async def test_an_input_that_the_task_forbids_is_no_difference() -> None:
    update, _ = await ruled(RulingReply("", QUOTE, excluded=True), put(DIFFER, gives("c2", f1="2")))
    assert update["admitted"] == {"f(1)": QUOTE}
    assert update["problems"] == [f"programs differ on f(1), which “{QUOTE}” does not allow, as the arbiter reads it"]


async def test_an_unfounded_answer_on_a_difference_changes_nothing() -> None:
    update, _ = await ruled(RulingReply("2", "no sentence"), put(DIFFER, gives("c2", f1="2")))
    assert update == {"done": [Done("arbitrated", "f(1)")]}
    update, script = await ruled(RulingReply("2", QUOTE), put(DIFFER, gives("c2", f1="3")))
    assert (update, script.asked) == ({"done": [Done("arbitrated", "f(1)")]}, []), "there is nothing to decide"


async def test_a_value_that_is_no_python_is_told_and_becomes_no_check() -> None:
    update, _ = await ruled(RulingReply("two (", QUOTE), put(DIFFER, gives("c2", f1="2")))
    assert update["problems"] == ["the arbiter's answer to f(1) is no Python value: two ("]
    assert "suites" not in update


async def test_a_check_against_which_programs_agree_is_quarantined_with_its_reason() -> None:
    decision = Decision("quarantine", "c2 gives the same other answer", "c1", "spec.a", "test")
    script = Script()
    update = await step(quarantine, put(decision), script)
    (ruling,) = update["rulings"]
    assert (ruling.check, ruling.fault, ruling.by, ruling.reason, ruling.candidate) == (
        *("spec.a", "test", "agreement", decision.reason, "c1"),
    )
    assert [(event.check, event.fault, event.by) for event in script.of(CheckRuled)] == [
        ("spec.a", "test", "agreement")
    ]


@pytest.mark.parametrize(
    ("blamed", "by"),
    [("limits", "limits"), ("answer", "person"), ("chance", "trust"), ("agreement", "agreement")],
)
async def test_the_ruling_names_who_settled_the_check(monkeypatch: pytest.MonkeyPatch, blamed: Any, by: str) -> None:
    def blame(*_: Any) -> Blame:
        return Blame("test", blamed, "")

    monkeypatch.setattr("agent.nodes.settle.blame", blame)
    decision = Decision("quarantine", "it asks for more than the task", "c1", "spec.a", "test")
    assert (await step(quarantine, put(decision), Script()))["rulings"][0].by == by
