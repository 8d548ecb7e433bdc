"""What is repeated and measured at the end of a run, and when stored runs say how often such evidence was right."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from agent.checks.execution import Run
from agent.config import AgentConfig
from agent.nodes.intake import brief_of
from agent.state import AgentState, Candidate, CheckOutcome, Mutation, Task
from agent.trust import Verdict
from agent.trust.chance import Grounds

from .scripted import ENDED, FAILED, PASSED, TEXT, Script, candidate, check, ran, state, suite

box = import_module("agent.nodes.conclude")
GROUP, OTHER = suite(check(), check("b")), suite(check("c", "task"))
BEST = candidate()


async def confirmed(
    monkeypatch: pytest.MonkeyPatch, of: AgentState, **ends: Any
) -> tuple[tuple[bool, str], list[tuple[str, set[str]]]]:
    """How the pass is repeated: `ends` holds the execution of a suite; the others are confirmed."""
    asked: list[tuple[str, set[str]]] = []

    async def run_suite(_context: Any, _config: Any, best: Candidate, group: Any, without: set[str]) -> Run:
        asked.append((group.id, without))
        return Run(best.id, group.id, ends.get(group.id, replace(ENDED, confirmed=True)))

    monkeypatch.setattr(box, "run_suite", run_suite)
    return await box._confirm(of, Script(), BEST), asked


async def test_every_suite_with_a_pass_is_repeated_without_what_did_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = {"spec.a": PASSED, "spec.b": FAILED}
    of = state(GROUP, OTHER, runs=[replace(ran("c1", GROUP, PASSED), outcomes=outcomes), ran("c1", OTHER, PASSED)])
    assert await confirmed(monkeypatch, of) == ((True, ""), [("spec", {"spec.b"}), ("task", set())])


async def test_checks_that_were_not_executed_count_as_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    of = state(GROUP, runs=[replace(ran("c1", GROUP, PASSED), outcomes={"spec.a": PASSED})])
    assert (await confirmed(monkeypatch, of))[1] == [("spec", {"spec.b"})]
    nothing = state(GROUP, runs=[ran("c1", GROUP, CheckOutcome("not_run"))])
    assert await confirmed(monkeypatch, nothing) == ((False, ""), []), "there is no pass to repeat"


@pytest.mark.parametrize(
    ("ended", "reason"),
    [
        (replace(ENDED, unconfirmed_reason="it hangs", error="an error"), "it hangs"),
        (replace(ENDED, error="an error"), "an error"),
        (ENDED, "the pass was not repeated"),
    ],
)
async def test_the_reason_is_told_where_a_pass_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, ended: Any, reason: str
) -> None:
    of = state(GROUP, OTHER, runs=[ran("c1", GROUP, PASSED), ran("c1", OTHER, PASSED)])
    assert (await confirmed(monkeypatch, of, spec=ended))[0] == (False, reason)
    assert (await confirmed(monkeypatch, of, spec=ended, task=ended))[0] == (False, reason), "each reason once"


async def test_without_checks_there_is_nothing_to_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    of = state(brief=brief_of(Task(TEXT)))
    assert (await confirmed(monkeypatch, of))[0] == (False, "there is no check whose pass could be repeated")
    script = Task("Print the first ten primes.")
    told = (await confirmed(monkeypatch, state(task=script, brief=brief_of(script))))[0][1]
    assert told.startswith("a script's output is judged by comparison")


MEASURED = Mutation("c1", 3, 4, ("a survivor",), ())


@pytest.mark.parametrize(
    ("of", "again"),
    [
        (state(mutations=[MEASURED]), False),
        (state(mutations=[replace(MEASURED, candidate="c2")]), True),
        (state(suite(check(origin="adversary")), mutations=[MEASURED]), True),
        (state(suite(check(origin="adversary")), mutations=[replace(MEASURED, survivors=())]), False),
    ],
    ids=["known", "another program", "attacked since", "nothing survived"],
)
async def test_mutants_are_measured_again_only_where_that_may_change_something(
    monkeypatch: pytest.MonkeyPatch, of: AgentState, again: bool
) -> None:
    async def measure(*_given: Any) -> str:
        return "measured"

    monkeypatch.setattr(box, "measure", measure)
    found = await box._mutation(of, Script(), BEST)
    assert (found == "measured") == again
    assert again or found == of.mutations[-1]


async def test_mutants_are_measured_where_an_adversary_is_wanted_and_nothing_is_only_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def measure(*_given: Any) -> str:
        return "measured"

    monkeypatch.setattr(box, "measure", measure)
    assert await box._mutation(state(), Script(), BEST) == "measured"
    assert await box._mutation(state(config=AgentConfig(adversary=False)), Script(), BEST) is None
    assert await box._mutation(state(explanation="it adds"), Script(), BEST) is None


GROUNDS = Grounds(clear=True, failed=False, examples=2, checks=2, agrees=False, differs=False, disputed=False)
FUNCTION = state(brief=brief_of(Task(TEXT)))


@pytest.mark.parametrize(
    ("of", "grounds", "repeated", "told"),
    [
        (FUNCTION, GROUNDS, True, True),
        (FUNCTION, GROUNDS, False, False),
        (FUNCTION, replace(GROUNDS, failed=True), False, True),
        (FUNCTION, None, True, False),
        (replace(FUNCTION, brief=None), GROUNDS, True, False),
        (replace(FUNCTION, task=Task(TEXT, code="def f(n): return n")), GROUNDS, True, False),
        (replace(FUNCTION, config=AgentConfig(believe_tests=True)), GROUNDS, True, False),
        (replace(FUNCTION, brief=replace(brief_of(Task(TEXT)), kind="class")), GROUNDS, True, False),
    ],
)
def test_a_chance_is_told_only_of_functions_from_a_text_whose_pass_was_repeated(
    of: AgentState, grounds: Any, repeated: bool, told: bool
) -> None:
    assert (box._chance(of, Verdict("verified", (), None, grounds), repeated) is not None) == told


CLASS = "class A:\n    def __eq__(self, other): return True"


@pytest.mark.parametrize(
    ("text", "code", "asks"),
    [
        (TEXT, None, True), (TEXT, "def f(n): return n", True), (TEXT, CLASS, False),
        ("Write a class Stack with push(x) and pop().", None, False), ("", None, False),
    ],
)  # fmt: skip
def test_where_only_functions_are_asked_for_no_object_may_judge_itself(text: str, code: str | None, asks: bool) -> None:
    task = Task(text or TEXT, code=code)
    assert box._asks_for_functions(state(task=task, brief=brief_of(task) if text else None)) is asks


async def test_figures_over_data_left_to_chance_are_never_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "demand_of", lambda _state: SimpleNamespace(by_chance=True))
    monkeypatch.setattr(box, "recomputing", lambda _state: {})
    found, reason = (await confirmed(monkeypatch, state()))[0]
    assert (found, reason.startswith("its data are left to chance or to its author")) == (False, True)
    monkeypatch.setattr(box, "recomputing", lambda _state: {"c2": "c1"})
    reason = (await confirmed(monkeypatch, state()))[0][1]
    assert "chance" not in reason, "another program recomputed its figures"
