"""What becomes of proposed repairs when the person has seen them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from agent.events import CandidateWritten, QuestionAnswered, QuestionAsked
from agent.nodes import review_repair
from agent.nodes.repair_review import QUESTION, sent_back, wishes
from agent.outcome.boxes import BOXES
from agent.state import Candidate, Diagnosis, PersonAnswer
from agent.state.done import Done

from .scripted import FAILED, Script, candidate, check, ran, state, step, suite

WHY = Diagnosis("c1", "code", "other", 0.5, "it adds two", "add one", "s")
ONE = Candidate("c2", "def f(n): return n + 1", "repair", "c1", "c1")
TWO = Candidate("c3", "def f(n): return n + 4", "repair", "c1", "c1")


@pytest.mark.parametrize(
    ("answer", "action", "codes"),
    [
        ({"action": "approve"}, "approve", [ONE.code, TWO.code]),
        ({}, "approve", [ONE.code, TWO.code]),
        ({"action": "edit", "text": "x = 1"}, "edit", ["x = 1"]),
        ({"action": "revise", "text": "shorter"}, "revise", None),
        ({"action": "abort"}, "abort", None),
    ],
)
async def test_the_person_decides_which_program_goes_on(answer: Any, action: str, codes: list[str] | None) -> None:
    script = Script(answer=answer)
    update = await step(review_repair, state(candidates=[candidate()], proposals=[ONE, TWO], diagnoses=[WHY]), script)
    assert [one.code for one in update.get("candidates", [])] == (codes or [])
    assert [event.code for event in script.of(CandidateWritten)] == (codes or [])
    assert update["answers"] == [PersonAnswer(QUESTION, action, answer.get("text", ""))]
    assert update["done"] == [Done("reviewed", "2", action)]
    if action == "edit":
        assert update["candidates"][0].note == "as the person edited it"


async def test_the_person_sees_the_latest_diagnosis_and_every_proposal() -> None:
    old = Diagnosis("c1", "test", "timeout", 0.1, "too slow", "nothing", "t")
    script = Script(answer={"action": "approve"})
    one, law = replace(ONE, strategy="minimal", note="adds one"), suite(check("b", "task"))
    of = state(law, candidates=[candidate()], proposals=[one, TWO], diagnoses=[old, WHY], runs=[ran("c1", law, FAILED)])
    await step(review_repair, of, script)
    ((question, seen),) = cast("list[tuple[str, Any]]", script.questions)
    assert question in BOXES, "the page tells what is waited for by the words of the box"
    assert script.told[:2] == [QuestionAsked(QUESTION, seen), QuestionAnswered(QUESTION, "approve", "")]
    assert "f(1) gave 3" in "".join(seen["failures"])
    told = {"candidate": "c1", "fault": "code", "category": "other", "confidence": 0.5, "explanation": "it adds two"}
    assert (told | {"repair_hint": "add one"}).items() <= seen.items()
    proposals = [(one["code"], one["strategy"], one["note"]) for one in seen["proposals"]]
    assert proposals == [(ONE.code, "minimal", "adds one"), (TWO.code, "", "")]
    for proposed in seen["proposals"]:
        assert f"-{candidate().code}" in proposed["diff"]
        assert f"+{proposed['code']}" in proposed["diff"]
    assert seen["proposals"][0].items() <= seen.items(), "the first one stands at the top level"


async def test_where_no_repair_came_of_it_nobody_is_asked() -> None:
    script = Script()
    update = await step(review_repair, state(proposals=[ONE], done=[Done("reviewed", "1", "revise")]), script)
    assert (update, script.questions) == ({"done": [Done("reviewed", "1", "nothing")]}, [])


@pytest.mark.parametrize(
    ("words", "times"),
    [([], 0), (["revise"], 1), (["revise", "revise"], 2), (["revise", "approve"], 0), (["approve", "revise"], 1)],
)
def test_repairs_were_sent_back_as_often_as_the_person_did_so_up_to_now(words: list[str], times: int) -> None:
    assert sent_back(state(done=[Done("reviewed", str(at), word) for at, word in enumerate(words)])) == times


def test_the_last_two_wishes_of_the_person_are_heard() -> None:
    answers = [PersonAnswer(QUESTION, "revise", text) for text in ("one", "two", "", "three")]
    others = [PersonAnswer(QUESTION, "approve", "no wish"), PersonAnswer("review_plan", "revise", "nor this")]
    assert wishes(state(answers=[*answers, *others])) == ["the person asks: three"]
    assert wishes(state(answers=answers[:2])) == ["the person asks: one", "the person asks: two"]
