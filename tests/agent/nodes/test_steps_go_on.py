"""How a task of several steps goes from one step to the next; no program is run."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from agent.by_output.leaving import Left
from agent.by_output.running import Shown
from agent.checks.execution import SCRIPT, Run
from agent.events import CandidateWritten, Noted
from agent.nodes import next_step as box
from agent.nodes.next_step import JOINED
from agent.state import AgentState, Candidate, Task
from agent.state.done import Done
from agent.state.steps import Step, Steps
from sandbox.types import Artifact

from .scripted import ENDED, Script, candidate, state, step

module = import_module("agent.nodes.next_step")
keep = module._kept
TWO = Steps("Make a list, then add it up.", {}, (Step("Make a list"), Step("Add the list up")))


@pytest.fixture(autouse=True)
def _kept_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The open step ends with the word that its `reason` names, instead of being run."""

    async def kept(_state: Any, steps: Steps, _context: Any) -> Steps:
        done = replace(steps.parts[steps.at], word=steps.parts[steps.at].reason or "verified", code="print(1)")
        return replace(steps, parts=(*steps.parts[: steps.at], done, *steps.parts[steps.at + 1 :]), written=3)

    monkeypatch.setattr(module, "_kept", kept)


def at(place: int, *words: str, **more: Any) -> AgentState:
    """The run while this step is open; `words` say how steps end."""
    parts = [replace(one, reason=word) for one, word in zip(TWO.parts, (*words, "", ""), strict=False)]
    return state(**{"steps": replace(TWO, parts=tuple(parts), at=place), "lessons": ["old"], "candidates": []} | more)


def fresh(update: Any) -> dict[str, Any]:
    """What the update puts in the place of what the step before had."""
    names = ("candidates", "proposals", "diagnoses", "decisions", "done")
    return {name: update[name].value for name in names}


async def test_the_first_step_begins_with_a_task_of_its_own_and_nothing_else() -> None:
    script = Script()
    update = await step(box, at(-1, done=[Done("classified"), Done("lacks", "x")]), script)
    assert (update["steps"].at, update["task"].text.splitlines()[0]) == (0, "Make a list")
    assert update["brief"].kind == "script"
    assert update["lessons"] == []
    assert fresh(update) == {
        "candidates": [], "proposals": [], "diagnoses": [], "decisions": [], "done": [Done("lacks", "x")],
    }  # fmt: skip
    assert script.of(Noted) == [Noted("step 1 of 2 begins: Make a list")]


async def test_a_step_that_passed_is_followed_by_the_next_one() -> None:
    script = Script()
    update = await step(box, at(0), script)
    assert (update["steps"].at, update["steps"].parts[0].word) == (1, "verified")
    assert script.of(Noted) == [Noted("step 2 of 2 begins: Add the list up")]


async def test_a_later_failure_opens_the_earlier_step_again() -> None:
    script = Script()
    update = await step(box, at(1, "", "failed"), script)
    assert update["steps"].at == 0
    assert update["steps"].parts[0].blamed
    assert script.of(Noted) == [
        Noted("step 1 is opened again, because step 2 failed"),
        Noted("step 1 of 2 begins: Make a list"),
    ]


@pytest.mark.parametrize(
    ("given", "exhausted"),
    [
        (at(0, "failed"), ""),
        (at(0, done=[Done("lacks", "left")]), ""),
        (at(0), "the budget is spent"),
    ],
    ids=["the first failed", "a package is missing", "nothing is left to spend"],
)
async def test_steps_that_cannot_go_on_are_joined_as_they_are(
    monkeypatch: pytest.MonkeyPatch, given: AgentState, exhausted: str
) -> None:
    ran: list[Candidate] = []

    async def run_script(_context: Any, _config: Any, program: Candidate, _demand: Any) -> Run:
        ran.append(program)
        return Run(program.id, "script", ENDED)

    monkeypatch.setattr(module, "run_script", run_script)
    script = Script()
    script.session.exhausted = lambda: exhausted
    update = await step(box, given, script)
    assert update["steps"].at == 2
    assert update["task"] == Task(TWO.text)
    (program,) = fresh(update)["candidates"]
    assert (program.code, program.strategy, program.kind) == ("print(1)", JOINED, "first")
    assert (program.id, program.root, program.note) == ("c4", "c4", "the steps, one after the other")
    assert ran == [program]
    assert [run.candidate for run in update["runs"]] == ["c4"]
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c4"]
    assert script.task == Task(TWO.text), "what follows is about the whole task"


async def test_without_any_program_nothing_is_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    async def kept(_state: Any, steps: Steps, _context: Any) -> Steps:
        failed = replace(steps.parts[0], word="failed")
        return replace(steps, parts=(failed, *steps.parts[1:]))

    monkeypatch.setattr(module, "_kept", kept)
    update = await step(box, at(0), Script())
    assert (update["steps"].at, fresh(update)["candidates"]) == (2, [])
    assert "brief" not in update


async def test_a_program_that_the_step_has_already_is_tried_again_with_those_beside_it() -> None:
    given = at(0)
    parts = (given.steps.parts[0], replace(TWO.parts[1], code="print(2)", beside=("print(3)",)))  # type: ignore[union-attr]
    script = Script()
    update = await step(box, replace(given, steps=replace(TWO, parts=parts, at=0)), script)
    note = "as it was, with other files before it"
    assert fresh(update)["candidates"] == [
        Candidate("c4", "print(2)", "first", None, "c4", note=note),
        Candidate("c5", "print(3)", "independent", None, "c5", note=note),
    ]
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c4", "c5"]
    blamed = (parts[0], replace(parts[1], blamed="it made step 3 fail"))
    update = await step(box, replace(given, steps=replace(TWO, parts=blamed, at=0)), Script())
    assert fresh(update)["candidates"] == [], "a blamed program is written anew"


LEFT = (Left("list.csv: 3 rows"), Left("sum.txt: empty", "it is empty"))
SHOWN = Shown(replace(ENDED, status="ok"), (Artifact("list.csv", "text/csv", b"1"),), (), (), "", LEFT)


async def kept_step(monkeypatch: pytest.MonkeyPatch, of: AgentState, found: Shown) -> tuple[Steps, Script]:
    async def show(_context: Any, _config: Any, _code: str, _demand: Any) -> Shown:
        return found

    monkeypatch.setattr(module, "show", show)
    script = Script()
    return await keep(of, of.steps, script), script


WRITTEN = [candidate("c4", "print(1)"), replace(candidate("c5", "print(2)"), root="c5", kind="independent")]


async def test_of_a_step_its_program_its_files_and_what_was_found_of_them_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = at(0, candidates=WRITTEN, runs=[Run(one.id, SCRIPT, replace(ENDED, status="ok")) for one in WRITTEN])
    of = replace(of, steps=replace(TWO, parts=(replace(TWO.parts[0], lessons=("before", "old")), TWO.parts[1]), at=0))
    steps, script = await kept_step(monkeypatch, of, SHOWN)
    done, following = steps.parts
    assert (done.code, done.beside, done.left, done.seen) == (
        *("print(1)", ("print(2)",), {"list.csv": b"1"}, ("list.csv: 3 rows",)),
    )
    assert done.lessons == ("before", "old"), "each is kept once"
    assert (following, steps.written, steps.at) == (TWO.parts[1], 5, 0)
    assert script.of(Noted) == [Noted(f"step 1 of 2: {done.word}: {done.reason}")]
    ended, script = await kept_step(
        monkeypatch, of, replace(SHOWN, execution=replace(ENDED, status="error", error="E: x"))
    )
    assert (ended.parts[0].word, ended.parts[0].reason) == ("failed", "E: x")
    assert script.of(Noted) == [Noted("step 1 of 2: failed: E: x")]


@pytest.mark.parametrize(
    ("more", "code", "word", "reason"),
    [
        ({}, "", "failed", "no program was written"),
        ({"done": [Done("exhausted", "budget", "40 calls")]}, "", "unverified", "budget: 40 calls"),
        ({"candidates": WRITTEN, "done": [Done("lacks", "left", "no index")]}, "print(2)", "unverified",
         "it needs left, which is not installed here: no index"),
    ],
)  # fmt: skip
async def test_a_step_that_could_not_be_done_says_why(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, Any], code: str, word: str, reason: str
) -> None:
    steps, script = await kept_step(monkeypatch, at(1, **more), SHOWN)
    done = steps.parts[1]
    assert (done.code, done.word, done.reason, done.left) == (code, word, reason, {})
    assert script.of(Noted) == [Noted(f"step 2 of 2: {word}: {reason}")]
    assert steps.parts[0] == TWO.parts[0]
