"""Sentences for the person and for the models say what happened: found by whole runs that were read word by word."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agent.by_output.drawn import Drawing
from agent.by_output.running import Shown
from agent.checks.trace import HARNESS, MARK
from agent.counting.counted import CONTRADICTION, contradictions_in
from agent.dialogue.telling import (
    KEPT_BACK,
    MEASURED,
    NOTHING_SHOWN,
    failures_told,
    outcomes_told,
    passed_told,
    tried_told,
)
from agent.events.conclusion import Picture, PrintedFigure, ScriptEvidence
from agent.examples import read_brief
from agent.given.symptoms import Symptom, symptom_suite
from agent.nodes.diagnose import _only_law
from agent.nodes.repair import has_more_to_learn
from agent.nodes.settle import _assumption
from agent.nodes.write import _failed
from agent.outcome.evidence import _about_programs, _about_set_aside, _quarantined
from agent.outcome.printed import left_out_of, said_of
from agent.state import AgentState, Candidate, Ruling, Run, Suite, Task
from agent.state.findings import Finding, Inspection
from agent.trust.facts import OUTPUT
from sandbox.types import CallOutput, Execution, Isolation

from .test_golden_prompts import FAILED, PASSED, check, ran

ISOLATION = Isolation("limits", *["open"] * 6)


def program(name: str, code: str, kind: str = "independent", strategy: str = "") -> Candidate:
    return Candidate(id=name, code=code, kind=kind, parent=None, root=name, strategy=strategy)  # pyright: ignore[reportArgumentType]


def script(figures: list[str], *by: str) -> ScriptEvidence:
    told = tuple(PrintedFigure(label, 1.0, "1") for label in figures)
    return ScriptEvidence(ended="ok", figures=told, repeated=True, by_chance=False, own_data=False, recomputed_by=by)


def test_an_answer_that_is_a_word_is_told_beside_the_figures() -> None:
    assert said_of(script(["total"]), "Region: north\nTotal: 1\n") == ["It printed: Region: north / Total: 1."]
    said = "The answer: Gehalt Müller: 1 EUR; Total: 2 kg."
    assert said_of(script(["gehalt müller", "total"]), "Gehalt  Müller: 1 EUR\nTotal: 2 kg.\n")[0] == said


def test_it_is_told_that_nobody_checked_the_data_that_a_script_made_for_itself() -> None:
    (_, said) = said_of(replace(script(["mean"], "c2"), own_data=True), "mean: 1\n")
    assert said.endswith("from the data that this script made; how it made them nobody checked.")


def test_what_was_compared_by_its_figures_is_said_to_have_the_same_figures() -> None:
    assert said_of(script(["total"], "c2"), "total: 1\n")[-1] == "An independent program puts out the same figures."
    assert said_of(script([], "c2"), "north\n")[-1] == "An independent program puts out the same."
    chance = replace(script(["mean"], "c2", "c3"), by_chance=True)
    assert said_of(chance, "mean 1\n")[-1].startswith("2 independent programs draw the same, as far as chance")


def test_it_is_told_what_of_a_picture_nobody_looked_at() -> None:
    pictures = (Picture("a.png", 9, 9, False), Picture("b.png", 9, 9, False))
    shown = Shown(Execution("ok", ISOLATION), (), (Drawing("a.png"),), pictures, "")
    text = "Write a script that plots two curves with a legend and saves them as a.png and b.png."
    given = AgentState(task=Task(text), brief=read_brief(text, None, ()))
    told = ["nobody looked at what b.png shows", "nobody looked at title, legend and colours of a.png"]
    assert left_out_of(given, shown) == told
    assert left_out_of(given, replace(shown, pictures=(), drawings=())) == []


def test_a_contradiction_is_told_without_a_role_that_may_not_have_seen_it() -> None:
    why = "the task contradicts itself, as a model reads it"
    rulings = [
        Ruling("a", "task", "adversary", why, is_contradiction=True),
        Ruling("b", "test", "arbiter", "f(1) is 2"),
    ]
    given = AgentState(task=Task("Write f(n)."), rulings=rulings)
    assert _quarantined(given) == {"a": why, "b": "arbiter: f(1) is 2"}


@pytest.mark.parametrize("kind", ["script", "program"])
def test_what_a_script_prints_is_its_output_and_no_further_demand(kind: str) -> None:
    text = {
        "script": "Write a script that throws two dice 1000 times, prints the mean and saves a histogram as dice.png",
        "program": "Write a command-line program that reads an integer from standard input and prints its square.",
    }[kind]
    brief = read_brief(text, None, ())
    assert brief.kind == kind
    assert bool([one for one in brief.clauses if one.kind == "output"]) is (kind == "program")


def test_scripts_that_differ_are_told_by_what_they_put_out() -> None:
    run = Execution("ok", ISOLATION)
    outputs = {"c1": CallOutput("value", "420"), "c2": CallOutput("value", "150")}
    runs = [Run(name, "script", run, outputs={OUTPUT: output}) for name, output in outputs.items()]
    state = AgentState(task=Task("t"), candidates=[program("c1", "a = 1"), program("c2", "b = 2")], runs=runs)
    said = _assumption(state, OUTPUT, [])
    assert "150" in said
    assert "420" in said
    assert OUTPUT not in said


def test_a_program_against_which_nothing_speaks_is_not_called_a_failure() -> None:
    sound = program("c9", "def clamp(value, low, high):\n    return min(max(low, value), high)")
    state = replace(FAILED, candidates=[*FAILED.candidates, sound])
    assert [_failed(state, one) for one in state.candidates] == [True, False]


def test_lessons_are_drawn_from_different_programs_only() -> None:
    first, finding = FAILED.candidates[0], FAILED.diagnoses[0]
    again = replace(first, id="c2", code=first.code + "# mended\n")
    other = replace(first, id="c3", code=first.code.replace("max", "min"))
    twice = [finding, replace(finding, candidate="c2")]
    assert not has_more_to_learn(replace(FAILED, candidates=[first, again], diagnoses=twice))
    thrice = [*twice, replace(finding, candidate="c3")]
    assert has_more_to_learn(replace(FAILED, candidates=[first, again, other], diagnoses=thrice))
    blamed = [*thrice[:2], replace(finding, candidate="c3", fault="test")]
    assert not has_more_to_learn(replace(FAILED, candidates=[first, again, other], diagnoses=blamed))


SLOW = Finding("in linear time", "time", "broken", "time grows with the exponent 2.0")


def test_a_measured_clause_is_told_as_law_and_nobody_is_asked_who_is_at_fault() -> None:
    passing = replace(FAILED, runs=[], inspections=[Inspection("c1", (SLOW,))])
    told = failures_told(passing, "c1")
    assert len(told) == 1
    assert "in linear time" in told[0]
    assert MEASURED in told[0]
    assert _only_law(passing, passing.candidates[0])
    both = failures_told(replace(FAILED, inspections=[Inspection("c1", (SLOW,))]), "c1")
    assert any(MEASURED in one for one in both), "beside a failing check, too"
    assert not _only_law(replace(FAILED, runs=[]), FAILED.candidates[0]), "where nothing accuses it"


def test_a_task_that_is_held_to_contradict_itself_is_a_doubt_about_the_program_that_follows_it() -> None:
    state = AgentState(task=Task("is_even(n) tells whether n is even. is_even(3) == True"))
    assert contradictions_in(state) == []
    assert contradictions_in(replace(state, problems=[f"{CONTRADICTION}: 3 is odd"])) == [CONTRADICTION]
    twice = read_brief("Write double(n): double(2) == 4, double(2) == 5, double(3) == 6", None, ())
    assert contradictions_in(replace(state, brief=twice)) == [
        "the task contradicts itself: it promises 4 and 5 for double(2)"
    ]


def test_equal_programs_are_told_once() -> None:
    told = tried_told([program("c1", "x = 1"), program("c2", "x = 2"), program("c3", "x = 1\n")])
    assert told == ["c1:\nx = 1", "c2:\nx = 2"]


def test_what_nobody_wrote_is_not_counted_as_written() -> None:
    given, repair = program("c1", "x = 1", "given"), program("c2", "x = 2", "repair")
    lean = program("c3", "x = 3", "repair", "smallest change")
    state = AgentState(task=Task("t", code="x = 1"), candidates=[given, repair, lean])
    assert _about_programs(state, lean)[0].startswith("1 program was written; this is c3, ")


def test_recorded_behaviour_is_no_test_that_was_wrong() -> None:
    assert "on 2 other inputs was" in _about_set_aside(["kept.test_kept_1", "kept.test_kept_2", "spec:1.test_a"])[0]
    assert "on another input was" in _about_set_aside(["kept.test_kept_1"])[0]
    assert _about_set_aside(["spec:1.test_a"]) == []
    assert _about_set_aside([]) == []


def reported(call: str, gives: str) -> Suite:
    suite = symptom_suite([Symptom(f"{call} gives {gives}", {call: CallOutput("value", gives)})])
    assert suite is not None
    return suite


def test_a_reported_fault_is_told_in_one_line_and_not_beside_what_should_be_instead() -> None:
    suite = reported("clamp(8, 0, 3)", "8")
    failing = ran("c1", "symptom", test_symptom_1="what is reported still shows: clamp(8, 0, 3) gives 8")
    state = replace(FAILED, suites=[*FAILED.suites, suite], runs=[*FAILED.runs, failing])
    told = next(one for one in failures_told(state, "c1") if "reports" in one)
    assert told.splitlines()[0] == "must not be so: clamp(8, 0, 3) gives 8"
    assert len(told.splitlines()) == 2, "the message would say the same again"
    twice = replace(state, suites=[*FAILED.suites, reported("clamp(5, 0, 3)", "5")])
    assert not any("must not be so" in one for one in failures_told(twice, "c1")), "the example says what it must be"


def test_only_a_check_that_fails_and_is_kept_back_is_told_of_as_such() -> None:
    passing = replace(FAILED, runs=[ran("c1", "task", test_example_1="")])
    assert failures_told(passing, "c1") == [NOTHING_SHOWN]
    change = replace(FAILED.candidates[0], id="c2", kind="repair", parent="c1")
    failing = ran("c2", "spec:1", test_low="assert 9 == 0", test_high="")
    after = replace(passing, candidates=[*FAILED.candidates, change], runs=[*passing.runs, failing])
    told = failures_told(after, "c1")
    assert told[0] == NOTHING_SHOWN
    assert told[1].startswith("c2, a change that was tried, fails clamp(-1, 0, 3) == 0"), "or it is made again"
    spec = FAILED.suites[-1]
    hidden = replace(spec, checks=tuple(replace(one, held_out=True) for one in spec.checks))
    failing = replace(passing, suites=[FAILED.suites[0], hidden], runs=[ran("c1", "spec:1", test_low="assert 9 == 0")])
    assert failures_told(failing, "c1") == [KEPT_BACK]


def test_recorded_behaviour_that_holds_is_told_as_one_line_and_equal_tests_once() -> None:
    calls = [f"clamp({n}, 0, 3)" for n in range(4)]
    checks = [check(f"test_kept_{n}", call, "0", suite="kept", origin="kept") for n, call in enumerate(calls)]
    kept = Suite("kept", "kept", "", tuple(checks))
    again = replace(FAILED.suites[-1], id="spec:2")
    run = ran("c1", "kept", test_kept_0="", test_kept_1="", test_kept_2="", test_kept_3="assert 3 == 0")
    state = replace(PASSED, suites=[*PASSED.suites, again, kept], runs=[*PASSED.runs, run])
    told = passed_told(state, "c1")
    assert told[-1] == "as the given program did, on 3 inputs such as clamp(0, 0, 3) == 0"
    assert len(told) == len(set(told)) == len(passed_told(PASSED, "c1")) + 1
    evidence = outcomes_told(state, "c1")
    assert "fail: clamp(3, 0, 3) == 0" in evidence, "what has changed is told one by one"
    assert evidence[-1] == f"pass: {told[-1]}"


def test_a_line_that_breaks_off_returns_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def inner(x):\n    try:\n        return 1 // x\n    finally:\n        x = 5\n\n\n"
    code += "def f(x):\n    return inner(x)\n"
    (tmp_path / "program.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "program", raising=False)
    tracing = sys.gettrace()
    for call, last in (("f(0)", "raised ZeroDivisionError"), ("f(1)", "line 9 returns 1")):
        exec(HARNESS.format(limit=100, head=9, tail=9, mark=MARK, call=call), {})
        sys.settrace(tracing)
        lines = [line.removeprefix(MARK) for line in capsys.readouterr().out.splitlines()]
        assert lines[-1].startswith(last)
        assert not any("returns None" in line for line in lines), lines
