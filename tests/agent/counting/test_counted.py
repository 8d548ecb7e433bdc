"""What is counted of a run's state, on which alone the policy decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.checks.execution import PROBES, SCRIPT, Run
from agent.config import AgentConfig
from agent.counting.counted import (
    ABORTED,
    brute_force_of,
    facts_of,
    outcomes_so_far,
    reasons_to_stop,
    runs_of,
    spent_of,
)
from agent.state import (
    AgentState,
    CheckOutcome,
    Decision,
    Mutation,
    PersonAnswer,
    Ruling,
)
from agent.state.done import Done
from sandbox.types import CallOutput
from tests.agent.counting.states import ANSWER, LAW, NOT_RUN, OUTPUT, SPEC, TIMED_OUT, blames, counted
from tests.agent.nodes.scripted import ENDED, FAILED, PASSED, candidate, check, ran, state, suite
from tests.tables import in_one_test


@in_one_test(
    "of, field, count",
    [
        (state(LAW), "independents", 0),
        (state(LAW, candidates=[candidate(), candidate("c2", kind="independent")]), "independents", 1),
        (state(LAW, candidates=[candidate(), candidate("c2", kind="reference")]), "independents", 1),
        (state(LAW, done=[Done("failed", "independent:1"), Done("failed", "rewrite:1")]), "independents", 1),
        (state(LAW, candidates=[candidate(kind="independent")], done=[Done("failed", "independent:2")]),
         "independents", 2),
        (state(LAW), "rewrites", 0),
        (state(LAW, candidates=[candidate(), candidate("c2", kind="rewrite")]), "rewrites", 1),
        (state(LAW, done=[Done("failed", "independent:1"), Done("failed", "rewrite:1")]), "rewrites", 1),
        (state(LAW, candidates=[candidate(kind="rewrite")], done=[Done("failed", "rewrite:2")]), "rewrites", 2),
        (state(LAW, diagnoses=[blames("c1", "code"), blames("c1", "test")]), "repairs", {"c1": 1}),
        (state(LAW, candidates=[candidate(), replace(candidate("c2", kind="repair"), root="c1")],
               diagnoses=[blames("c1", "code"), blames("c2", "code")]), "repairs", {"c1": 2}),
        (state(LAW, diagnoses=[blames("c1", "test")]), "refused", {"c1"}),
        (state(LAW, diagnoses=[blames("c1", "test"), blames("c1", "code")]), "refused", set()),
        (state(LAW, diagnoses=[blames("c1", "code"), blames("c1", "test")]), "diagnosed", {"c1"}),
        (state(LAW, done=[Done("arbitrated", "spec.a"), Done("left open", "f(1)")]), "arbitrated", {"spec.a"}),
        (state(LAW, done=[Done("arbitrated", "spec.a"), Done("left open", "f(1)")]), "left_open", {"f(1)"}),
        (state(LAW, decisions=[Decision("critic", ""), Decision("critic", ""), Decision("conclude", "")]),
         "chosen", {"critic": 2, "conclude": 1}),
        (state(LAW, decisions=[Decision("critic", ""), Decision("critic", "")]), "judged", 2),
        *((state(LAW, done=[Done(what)] if told else []), field, told)  # type: ignore[arg-type]
          for what, field in (("asked", "asked"), ("inputs", "inputs_done"), ("adversary", "adversary_done"),
                              ("inputs tried", "inputs_tried"), ("critic", "critic_done"),
                              ("attacked", "tests_alone")) for told in (True, False)),
        (state(LAW, done=[Done("attacked"), Done("inputs tried")]), "tests_alone", False),
        (state(LAW), "unattacked", True), (state(LAW, done=[Done("attacked")]), "unattacked", False),
        (state(LAW, config=AgentConfig(adversary=False)), "unattacked", False),
        (state(LAW, brief=OUTPUT), "unattacked", False),
        *((state(LAW, config=AgentConfig(**{option: on})), field, on)  # type: ignore[arg-type]
          for option, field in (("valid_inputs", "use_inputs"), ("adversary", "use_adversary"),
                                ("arbiter", "use_arbiter")) for on in (True, False)),
        *((state(LAW, brief=OUTPUT), field, False) for field in ("use_inputs", "use_adversary")),
        (state(LAW, config=AgentConfig(max_repairs=7, max_rewrites=5)), "max_repairs", 7),
        (state(LAW, config=AgentConfig(max_repairs=7, max_rewrites=5)), "max_rewrites", 5),
        (state(LAW, config=AgentConfig(max_repairs=7)), "max_repairs_per_root", 2),
        (state(LAW, config=AgentConfig(max_repairs=7, believe_tests=True)), "max_repairs_per_root", 7),
        (state(LAW, config=AgentConfig(independent_attempts=1)), "max_independents", 1),
    ],
)  # fmt: skip
def test_what_was_done_and_may_still_be_done_is_counted(of: AgentState, field: str, count: Any) -> None:
    assert getattr(spent_of(of, ""), field) == count


@pytest.mark.parametrize(
    ("of", "worth"),
    [
        (state(LAW), False), (state(SPEC), True), (state(LAW, brief=replace(ANSWER, hard=True)), True),
        (state(LAW, rulings=[Ruling("spec.a", "test", "arbiter", "")]), True),
        (state(LAW, candidates=[candidate(), candidate("c2", kind="repair")]), True),
        *((state(LAW, candidates=[candidate(), candidate("c2", kind=kind)]), False)
          for kind in ("independent", "reference")),
        (state(SPEC, brief=OUTPUT), False), (state(SPEC, config=AgentConfig(critic=False)), False),
    ],
)  # fmt: skip
def test_a_critic_is_worth_its_price_after_trouble_and_where_little_is_sure(of: AgentState, *, worth: bool) -> None:
    assert spent_of(of, "").use_critic is worth


@pytest.mark.parametrize(
    ("of", "reasons"),
    [
        (state(), []), (state(answers=[PersonAnswer("clarify", "approve")]), []),
        (state(answers=[PersonAnswer("clarify", "approve"), PersonAnswer("ambiguous", "abort")]), [ABORTED]),
        (state(done=[Done("exhausted", "budget", "40 calls"), Done("failed", "critic")]), ["budget: 40 calls"]),
        (state(done=[Done("exhausted", "provider", "401")], answers=[PersonAnswer("clarify", "abort")]),
         [ABORTED, "provider: 401"]),
    ],
)  # fmt: skip
def test_why_no_model_may_be_asked_any_more(of: AgentState, reasons: list[str]) -> None:
    assert reasons_to_stop(of) == reasons
    assert spent_of(of, "").exhausted == (reasons[0] if reasons else "")
    assert spent_of(of, "the time is over").exhausted == "the time is over"


@pytest.mark.parametrize(
    ("kind", "form", "told"),
    [
        ("function", "reference", "reference"), ("function", "checker", "checker"), ("function", None, None),
        ("class", "reference", None), ("script", "reference", None), ("data", "checker", None),
        ("program", "reference", "reference"), ("program", "checker", None),
    ],
)  # fmt: skip
def test_brute_force_needs_something_to_call_and_a_checker_a_function(kind: Any, form: Any, told: str | None) -> None:
    of = state(planned_form=form, brief=replace(ANSWER, kind=kind, hard=True))
    assert brute_force_of(of) == told
    assert spent_of(of, "").hard is (told is not None)
    assert not spent_of(replace(of, config=AgentConfig(reference=False)), "").hard
    assert not spent_of(replace(of, brief=replace(ANSWER, kind=kind)), "").hard, "a task is hard by its words"
    assert brute_force_of(replace(of, brief=None)) is None


def test_a_check_is_what_it_states_and_what_was_ruled_of_it_last() -> None:
    rulings = [
        Ruling("spec.a", "code", "arbiter", "it is wrong"), Ruling("spec.a", "test", "person", "I say so"),
        Ruling("spec.b", "unknown", "arbiter", "open", value="7"),
        Ruling("task.a", "task", "arbiter", "two sentences", is_contradiction=True),
    ]  # fmt: skip
    mutations = [Mutation("c1", 1, 2, (), ("spec.a",)), Mutation("c2", 2, 2, (), ("spec.a", "spec.b"))]
    of = state(LAW, SPEC, rulings=rulings, mutations=mutations, runs=[ran("c1", SPEC, PASSED)])
    law, one, other = facts_of(of).checks
    assert [(c.id, c.anchor, c.kills, c.ruling, c.ruled_by, c.read_as, c.contradicts) for c in (law, one, other)] == [
        ("task.a", True, 0, "task", "arbiter", "", "two sentences"),
        ("spec.a", False, 2, "test", "person", "", ""),
        ("spec.b", False, 1, None, "arbiter", "7", ""),
    ]
    assert (other.call, other.expected) == ("f(2)", CallOutput("value", "3"))
    assert facts_of(replace(of, runs=[])).checks[2].expected is None, "nobody has evaluated it"
    believed = replace(of, config=AgentConfig(believe_tests=True))
    assert {one.anchor for one in facts_of(believed).checks} == {True}


def test_suites_vote_for_an_equal_value_of_the_same_call_once_each() -> None:
    again = check("b", suite="spec:2")
    suites = [
        suite(check("a", suite="spec:1"), check("c", suite="spec:1")), suite(again),
        suite(check("a", suite="spec:3", expected="9")), suite(check("a", suite="spec:4", call="f(2)")),
        suite(check("a", "critic")), suite(check("z", suite="spec:5", call=None, expected=None)),
    ]  # fmt: skip
    told = {one.id: one.votes for one in facts_of(state(*suites)).checks}
    assert told == {
        "spec:1.a": 2, "spec:1.c": 2, "spec:2.b": 2, "spec:3.a": 1, "spec:4.a": 1, "critic.a": 2, "spec:5.z": 1,
    }  # fmt: skip
    assert facts_of(state(*suites)).suites == 5
    assert facts_of(state()).suites == 1


def test_an_input_is_excluded_by_a_sentence_of_the_task_alone_and_never_one_that_a_person_stated() -> None:
    said = "For zero it returns one."
    of = state(LAW, SPEC, admitted={"f(1)": said, "f(2)": "n must be even"})
    assert [one.excluded for one in facts_of(of).checks] == ["", said, ""]
    assert facts_of(state(SPEC, admitted={"f(1)": ""})).checks[0].excluded == ""
    assert facts_of(replace(of, inputs=["f(1)", "f(9)", "f(9)"])).tried == ("f(9)",)


def test_the_family_of_the_program_that_its_author_saw_is_known() -> None:
    seen = suite(check("a", "adversary"), against="c2")
    pool = [candidate(), replace(candidate("c2", kind="repair"), root="c1")]
    assert facts_of(state(seen, candidates=pool)).checks[0].against == "c1"
    assert facts_of(state(seen)).checks[0].against is None


def test_of_several_runs_the_last_outcome_counts_and_none_of_a_suite_that_was_taken_away() -> None:
    gone = suite(check("x", "critic"))
    runs = [ran("c1", SPEC, FAILED), ran("c1", SPEC, PASSED), ran("c2", SPEC, FAILED), ran("c1", gone, FAILED)]
    runs += [Run("c1", SCRIPT, ENDED), Run("c1", PROBES, ENDED)]
    of = state(SPEC, runs=runs)
    assert outcomes_so_far(of, "c1") == {"spec.a": PASSED, "spec.b": PASSED}
    assert [run.suite for run in runs_of(of, "c1")] == ["spec", "spec", SCRIPT, PROBES]
    fewer = replace(SPEC, checks=SPEC.checks[:1])
    assert outcomes_so_far(replace(of, suites=[fewer]), "c1") == {"spec.a": PASSED}


@pytest.mark.parametrize(
    ("outcome", "letter"),
    [(PASSED, "P"), (FAILED, "F"), (CheckOutcome("error"), "E"), (TIMED_OUT, "T"), (NOT_RUN, None),
     (CheckOutcome("skipped"), None)],
)  # fmt: skip
def test_each_end_of_a_check_is_a_letter_and_a_reference_may_be_slow(outcome: CheckOutcome, letter: str | None) -> None:
    of = state(LAW, runs=[ran("c1", LAW, outcome)])
    assert counted(of).outcomes.get("task.a") == letter
    slow = counted(replace(of, candidates=[candidate(kind="reference")]))
    assert slow.outcomes.get("task.a") == (None if letter == "T" else letter)
