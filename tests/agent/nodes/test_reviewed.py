"""What becomes of proposed repairs when the person has seen them."""

from __future__ import annotations

from typing import Any

import pytest

from agent.done import Done
from agent.events import CandidateWritten
from agent.nodes import review_repair
from agent.state import Candidate, Diagnosis, PersonAnswer

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
