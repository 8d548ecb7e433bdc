"""The slow but obvious witness: when a checker is asked for, how it is tried, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from agent.checks.execution import Run
from agent.events import CandidateWritten, Noted, SuiteWritten
from agent.nodes import reference
from agent.nodes.reference import CHECKED, write_reference
from agent.session.roles import CodeReply
from agent.state import AgentState, Candidate, Decision
from agent.state.done import Done
from agent.trust.agreement import CONFIRMING
from sandbox.types import CallOutput

from .scripted import ENDED, TEXT, Script, state

CALLS = tuple(f"f({n})" for n in range(40))
CHECKER = CodeReply("def wrong(answer, n):\n    return '' if answer == n + 1 else 'no'\n")


def given(calls: tuple[str, ...] = CALLS, **more: Any) -> AgentState:
    domain: Any = type("Domain", (), {"small": calls, "calls": calls, "larger": (), "source": "", "entry": "f"})()
    return state(domains=[domain], decisions=[Decision("second_attempt", "", "c1")], **more)


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the checker says of the programs' own answers (`own`) and of changed ones (`changed`, a list)."""
    told: dict[str, Any] = {"own": "''", "changed": ["'no'"], "answer": lambda n: str(n + 1), "asked": []}

    async def run_calls(_context: Any, _config: Any, program: Candidate, calls: list[str]) -> Run:
        told["asked"].append((program, tuple(calls)))
        if program.id != "checker":
            answers = {call: CallOutput("value", told["answer"](int(call[2:-1]))) for call in calls}
            return Run(program.id, "probes", ENDED, outputs=answers)
        half = len(calls) // 2
        words = [told["own"]] * half + (told["changed"] * len(calls))[: len(calls) - half]
        outputs = {call: CallOutput("value", word) for call, word in zip(calls, words, strict=True)}
        return Run(program.id, "probes", ENDED, outputs=outputs)

    monkeypatch.setattr(reference, "run_calls", run_calls)
    return told


async def written(form: Any, of: AgentState, reply: CodeReply | None = CHECKER) -> tuple[Any, Script]:
    script = Script({"reference": reply})
    return await write_reference(of, script, form, 2), script  # type: ignore[arg-type]


async def test_a_program_that_tries_everything_is_a_candidate_of_its_own() -> None:
    update, script = await written("program", given(), CodeReply("def f(n):\n    return n + 1\n"))
    (one,) = update["candidates"]
    assert (one.id, one.kind, one.parent, one.root) == ("c2", "reference", None, "c2")
    ((role, name, seen),) = script.asked
    assert (role, name, seen["template"], seen["task"]) == ("reference", "independent:2", "program", TEXT)
    assert seen["options"].data == {"kind": "independent", "written": 1}
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c2"]


@pytest.mark.parametrize(("count", "template"), [(CONFIRMING - 1, "program"), (CONFIRMING, "checker")])
async def test_a_checker_needs_as_many_inputs_as_confirm(says: dict[str, Any], count: int, template: str) -> None:
    _, script = await written("checker", given(CALLS[:count]))
    assert script.asked[0][2]["template"] == template


async def test_without_inputs_a_program_is_asked_for() -> None:
    _, script = await written("checker", state(decisions=[Decision("second_attempt", "", "c1")]))
    assert script.asked[0][2]["template"] == "program"


@pytest.mark.parametrize("form", ["program", "checker"])
async def test_no_reply_brings_nothing(form: Any) -> None:
    update, script = await written(form, given(), None)
    assert (update, script.told) == ({}, [])


async def test_a_checker_becomes_one_check_for_each_input(says: dict[str, Any]) -> None:
    update, script = await written("checker", given())
    assert [name for _, name, _ in script.asked] == ["checker:2"]
    assert update["done"] == [Done("failed", "independent:2")], "no program is asked for in this form again"
    (suite,) = update["suites"]
    assert (suite.id, suite.origin, suite.header) == ("reference:1", "reference", CHECKER.code)
    assert [one.call for one in suite.checks] == list(CALLS[-CHECKED:]), "the largest of the small ones"
    first = suite.checks[0]
    assert (first.name, first.is_property) == ("test_property_answer_1", True)
    assert 'assert wrong(f(16), 16) == ""' in first.source
    assert [event.suite for event in script.of(SuiteWritten)] == ["reference:1"]
    assert script.of(Noted) == []


async def test_it_is_tried_on_a_programs_answers_and_on_changed_ones(says: dict[str, Any]) -> None:
    await written("checker", given())
    (best, calls), (checker, questions) = says["asked"]
    assert (best.id, calls) == ("c1", CALLS[-CHECKED:])
    assert checker.code == CHECKER.code
    assert questions[0] == "wrong(17, 16)"
    assert len(questions) == 2 * CHECKED
    own = set(questions[:CHECKED])
    assert not own & set(questions[CHECKED:]), "a changed answer is another one"


@pytest.mark.parametrize(
    ("changed", "usable"),
    [(["'no'"], True), (["'no'", "''", "''", "''"], True), (["''", "''", "''", "''", "'no'"], False), (["''"], False)],
)
async def test_a_checker_that_refuses_too_few_changed_answers_is_thrown_away(
    says: dict[str, Any], changed: list[str], usable: bool
) -> None:
    says["changed"] = changed
    update, script = await written("checker", given())
    assert ("suites" in update) == usable
    refused = sum(word != "''" for word in (changed * CHECKED)[:CHECKED])
    told = f"the checker of answers was thrown away: it finds {CHECKED - refused} of {CHECKED} changed answers right"
    assert script.of(Noted) == ([] if usable else [Noted(told)])
    assert update["done"] == [Done("failed", "independent:2")]


@pytest.mark.parametrize("own", ["None", "True", "no", "3"])
async def test_a_checker_that_says_no_sentence_is_thrown_away(says: dict[str, Any], own: str) -> None:
    says["own"] = own
    update, script = await written("checker", given())
    told = "the checker of answers was thrown away: it gives no sentence for some answers of a program"
    assert ("suites" in update, script.of(Noted)) == (False, [Noted(told)])


async def test_a_program_that_answers_nothing_shows_no_checker_to_be_usable(says: dict[str, Any]) -> None:
    says["answer"] = lambda _n: "<object>"
    update, script = await written("checker", given())
    assert ("suites" in update, len(script.of(Noted))) == (False, 1)


async def test_a_checker_that_refuses_right_answers_too_is_kept_for_the_arbiter_to_judge(says: dict[str, Any]) -> None:
    """The program on whose answers it is tried may be wrong itself."""
    says["own"] = "'no'"
    update, _ = await written("checker", given())
    assert "suites" in update
