"""What the planner is told, and what becomes of its plan, its question and its guess of the kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.events import Noted, PlanMade, QuestionAnswered, QuestionAsked
from agent.examples import read_brief
from agent.nodes import plan, review_plan
from agent.nodes.plan import MAX_PLANS, to_be_revised
from agent.session.roles import PlanReply
from agent.state import AgentState, PersonAnswer
from agent.state.questions import Payload

from .scripted import TEXT, Script, state, step

SURE = read_brief(TEXT, None, {}, "function")
ASKING = AgentConfig(autonomy="review_all")
BACK = PersonAnswer("review_plan", "revise", "shorter")


def given(**more: Any) -> AgentState:
    return state(**{"brief": SURE, "candidates": []} | more)


async def planned(reply: PlanReply | None, of: AgentState | None = None, **more: Any) -> tuple[Any, Script]:
    script = Script({"planner": reply}, **more)
    return await step(plan, of or given(), script), script


async def test_the_plan_is_told_with_its_numbered_steps_and_examples_that_nobody_trusts() -> None:
    reply = PlanReply("Add one.", ["Read n.", "Add."], proposed_examples=["f(3) == 4"], brute_force="program")
    update, script = await planned(reply)
    text = (
        "Add one.\n1. Read n.\n2. Add.\n"
        "Examples the planner proposes, trusted by nobody until you give them as your own:\nf(3) == 4"
    )
    assert update["plan"] == text
    assert script.told == [PlanMade(text)]
    assert (update["planned_form"], update["steps"], update["brief"]) == ("program", None, SURE)


async def test_examples_of_the_planner_are_not_told_beside_those_of_the_task() -> None:
    brief = read_brief("Write f(n). f(2) == 3", None, {}, "function")
    update, _ = await planned(PlanReply("Add.", proposed_examples=["f(3) == 4"]), given(brief=brief))
    assert update["plan"] == "Add."


async def test_the_planner_is_told_the_kind_and_the_signature() -> None:
    _, script = await planned(None)
    ((role, name, seen),) = script.asked
    assert (role, name, seen["template"], seen["task"]) == ("planner", "plan", "plan", TEXT)
    assert seen["brief"].splitlines()[:2] == ["kind: function", f"signature: {SURE.signature or 'not given'}"]
    assert (seen["plan"], seen["wish"]) == ("", "")


async def test_a_plan_that_was_sent_back_is_asked_for_with_the_last_wish() -> None:
    answers = [PersonAnswer("review_plan", "revise", "longer"), BACK]
    _, script = await planned(None, given(plan="the old plan", answers=answers))
    ((_, name, seen),) = script.asked
    assert (name, seen["plan"], seen["wish"]) == ("plan:3", "the old plan", "shorter")


async def test_without_a_reply_a_sure_kind_stays_as_it_is_and_a_guessed_one_is_kept() -> None:
    assert (await planned(None))[0] == {}
    update, script = await planned(None, given(brief=replace(SURE, sure=False)))
    assert (update["brief"].kind, script.told) == ("function", [])


@pytest.mark.parametrize(
    ("sure", "said", "kind"),
    [(False, "script", "script"), (False, "fix", "function"), (False, "", "function"), (True, "script", "function")],
)
async def test_the_planner_says_the_kind_only_where_code_is_unsure(sure: bool, said: str, kind: str) -> None:
    update, _ = await planned(PlanReply("p", kind=said), given(brief=replace(SURE, sure=sure)))
    assert update["brief"].kind == kind


QUESTION = PlanReply("p", question="What of zero?", choices=["one", "two", "one"])


async def test_in_full_auto_the_planners_first_choice_is_assumed_and_told() -> None:
    update, script = await planned(QUESTION)
    assumed = "the task leaves open: What of zero? It was assumed: one"
    assert update["problems"] == [assumed]
    assert update["plan"] == "p\nAssumed: What of zero? one"
    assert script.of(Noted) == [Noted(assumed)]
    assert script.questions == []
    ended = replace(QUESTION, choices=["one."])
    assert (await planned(ended))[0]["problems"] == [assumed], "a sentence has one full stop"
    update, script = await planned(replace(QUESTION, choices=[]))
    assert ("problems" in update, script.of(Noted)) == (False, []), "nothing can be assumed"


@pytest.mark.parametrize(
    ("answer", "action", "said"),
    [
        ({"action": "tick", "text": "two"}, "tick", "What of zero? two"),
        ({"action": "revise", "text": "three"}, "revise", "What of zero? three"),
        ({"action": "approve", "text": "ignored"}, "approve", "What of zero? one"),
        ({}, "approve", "What of zero? one"),
        ({"action": "abort"}, "abort", ""),
        ({"action": "tick", "text": ""}, "tick", ""),
    ],
)
async def test_the_person_answers_the_planners_question(answer: dict[str, str], action: str, said: str) -> None:
    update, script = await planned(QUESTION, given(config=ASKING), answer=answer)
    payload: Payload = {"question": "What of zero?", "options": ["one", "two"], "plan": "p"}
    assert script.questions == [("clarify", payload)]
    assert script.of(QuestionAsked) == [QuestionAsked("clarify", payload)]
    assert script.of(QuestionAnswered) == [QuestionAnswered("clarify", action, answer.get("text", ""))]
    assert update["answers"] == [PersonAnswer("clarify", action, said)]


async def test_only_the_first_plan_may_ask() -> None:
    update, script = await planned(QUESTION, given(config=ASKING, answers=[BACK]))
    assert (script.questions, "answers" in update) == ([], False)


async def test_the_person_sees_the_plan_before_anything_is_written() -> None:
    brief = read_brief("Write f(n). f(2) == 3", None, {}, "function")
    script = Script(answer={"action": "revise", "text": "shorter"})
    update = await step(review_plan, given(plan="p", brief=brief), script)
    payload: Payload = {"task": TEXT, "plan": "p", "examples": ["assert f(2) == 3"]}
    assert script.questions == [("review_plan", payload)]
    assert script.told == [QuestionAsked("review_plan", payload), QuestionAnswered("review_plan", "revise", "shorter")]
    assert update == {"answers": [BACK]}
    silent = Script()
    assert await step(review_plan, given(plan="p"), silent) == {"answers": [PersonAnswer("review_plan", "approve")]}
    assert await step(review_plan, given(), Script(answer={"action": "abort"})) == {}, "there is no plan to see"


@pytest.mark.parametrize(
    ("answers", "again"),
    [
        ([], False),
        ([BACK], True),
        ([BACK, PersonAnswer("review_plan", "approve")], False),
        ([PersonAnswer("clarify", "revise", "x")], False),
        ([BACK] * (MAX_PLANS - 1), True),
        ([BACK] * MAX_PLANS, False),
    ],
)
def test_a_plan_is_made_anew_only_while_it_was_sent_back_and_not_too_often(
    answers: list[PersonAnswer], again: bool
) -> None:
    assert to_be_revised(given(answers=answers)) == again
