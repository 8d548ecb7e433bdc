"""What becomes of proposed repairs when the person has seen them."""

from __future__ import annotations

from typing import Any

import pytest

from agent.events import CandidateWritten
from agent.nodes import review_repair
from agent.nodes.repair_review import QUESTION, sent_back, wishes
from agent.state import Candidate, Diagnosis, PersonAnswer
from agent.state.done import Done

from .scripted import Script, candidate, state, step

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
    assert update["answers"] == [PersonAnswer(script.questions[0][0], action, answer.get("text", ""))]
    assert update["done"] == [Done("reviewed", "2", action)]
    if action == "edit":
        assert update["candidates"][0].note == "as the person edited it"


async def test_the_person_sees_the_latest_diagnosis_and_every_proposal() -> None:
    old = Diagnosis("c1", "test", "timeout", 0.1, "too slow", "nothing", "t")
    script = Script(answer={"action": "approve"})
    of = state(candidates=[candidate()], proposals=[ONE, TWO], diagnoses=[old, WHY])
    await step(review_repair, of, script)
    seen: Any = script.questions[0][1]
    told = {"candidate": "c1", "fault": "code", "category": "other", "confidence": 0.5, "explanation": "it adds two"}
    assert (told | {"repair_hint": "add one"}).items() <= seen.items()
    assert len(seen["proposals"]) == 2
    assert seen["proposals"][0].items() <= seen.items(), "the first one stands at the top level"


@pytest.mark.parametrize(
    ("words", "times"),
    [([], 0), (["revise"], 1), (["revise", "revise"], 2), (["revise", "approve"], 0), (["approve", "revise"], 1)],
)
def test_repairs_were_sent_back_as_often_as_the_person_did_so_up_to_now(words: list[str], times: int) -> None:
    assert sent_back(state(done=[Done("reviewed", str(at), word) for at, word in enumerate(words)])) == times


def test_the_last_two_wishes_of_the_person_are_heard() -> None:
    answers = [PersonAnswer(QUESTION, "revise", text) for text in ("one", "two", "", "three")]
    others = [PersonAnswer(QUESTION, "approve", "no wish"), PersonAnswer("another", "revise", "nor this")]
    assert wishes(state(answers=[*answers, *others])) == ["the person asks: three"]
    assert wishes(state(answers=answers[:2])) == ["the person asks: one", "the person asks: two"]
