"""What the debugger is believed, what is learned, and which program a diagnosis leads to."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.events import CandidateWritten, CriticSpoke, Diagnosed, LessonsLearned, SuiteWritten
from agent.nodes import critic, learn
from agent.nodes.hints import HINTED
from agent.nodes.repair import MAX_LESSONS, RepairOrder, has_more_to_learn, learned, repair
from agent.session.roles import CodeReply, CriticReply, DiagnosisReply, LessonsReply
from agent.state import AgentState, Decision, Diagnosis, Run
from agent.state.done import Done
from llm.errors import BadReply
from llm.replies.files import join_files, split_files
from sandbox.types import CallOutput, Execution, Isolation

from .scripted import FAILED, PASSED, TEXT, Script, candidate, check, ran, state, step, suite

diagnoses, critics, repairs = (import_module(f"agent.nodes.{name}") for name in ("diagnose", "critic", "repair"))
SPEC, LAW = suite(check("a")), suite(check("b", "task"))
DIAGNOSE = [Decision("diagnose", "it fails", "c1")]
SAID = DiagnosisReply("code", "it adds two", "logic", 0.8, "add one")


def failing(*groups: Any, **more: Any) -> AgentState:
    groups = groups or (SPEC,)
    return state(*groups, **{"runs": [ran("c1", one, FAILED) for one in groups], "decisions": DIAGNOSE} | more)


async def diagnosed(monkeypatch: pytest.MonkeyPatch, said: Any, of: AgentState | None = None) -> tuple[Any, Script]:
    async def converse(*_given: Any) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    monkeypatch.setattr(diagnoses, "_converse", converse)
    script = Script()
    script.go_without = lambda _role, error: script.problems.append(str(error))  # type: ignore[attr-defined]
    return await step(diagnoses.diagnose, of or failing(), script), script


@pytest.mark.parametrize(
    ("fault", "believed"), [("code", "code"), ("test", "test"), ("task", "task"), ("nobody", "unknown")]
)
async def test_a_diagnosis_is_kept_and_told_with_all_that_the_debugger_said(
    monkeypatch: pytest.MonkeyPatch, fault: str, believed: str
) -> None:
    update, script = await diagnosed(monkeypatch, replace(SAID, fault=fault))
    (found,) = update["diagnoses"]
    assert (found.candidate, found.fault, found.explanation, found.repair_hint, found.confidence) == (
        *("c1", believed, "it adds two", "add one", 0.8),
    )
    assert script.told == [
        Diagnosed(
            candidate="c1", fault=found.fault, category=found.category, confidence=0.8, explanation="it adds two",
            repair_hint="add one",
        )
    ]  # fmt: skip
    assert "problems" not in update


async def test_an_unknown_category_is_told_as_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    update, _ = await diagnosed(monkeypatch, replace(SAID, category="nonsense"))
    assert update["diagnoses"][0].category == "other"
    update, _ = await diagnosed(monkeypatch, replace(SAID, category="timeout"))
    assert update["diagnoses"][0].category == "timeout"


@pytest.mark.parametrize(("groups", "law"), [((LAW,), True), ((SPEC,), False), ((LAW, SPEC), True)])
async def test_only_where_nothing_but_the_task_speaks_against_it_the_code_is_at_fault_whatever_is_said(
    monkeypatch: pytest.MonkeyPatch, groups: Any, law: bool
) -> None:
    update, _ = await diagnosed(monkeypatch, replace(SAID, fault="test"), failing(*groups))
    assert (update["diagnoses"][0].fault == "code") == law, "a disputed test is not held against the program"


async def test_without_a_debugger_counting_alone_says_how_it_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Execution("timeout", Isolation("limits", *["open"] * 6), error="stopped after 5 s")
    runs = [replace(ran("c1", SPEC, FAILED), execution=ended)]
    update, script = await diagnosed(monkeypatch, BadReply("no words"), failing(runs=runs))
    (found,) = update["diagnoses"]
    assert (found.fault, found.confidence, found.explanation, found.repair_hint) == (
        *("code", 0.0, "stopped after 5 s", ""),
    )
    assert script.problems == ["no words"]
    assert [event.explanation for event in script.of(Diagnosed)] == ["stopped after 5 s"]


@pytest.mark.parametrize(
    ("status", "category"),
    [("timeout", "timeout"), ("memory", "memory"), ("error", "other"), ("fail", "other"), (None, "other")],
)
async def test_by_counting_alone_only_time_and_memory_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, status: Any, category: str
) -> None:
    run = ran("c1", LAW, FAILED)
    runs = [replace(run, execution=replace(run.execution, status=status))] if status else [run]
    update, _ = await diagnosed(monkeypatch, BadReply("no words"), failing(LAW, runs=runs))
    (found,) = update["diagnoses"]
    assert (found.category, "f(1) gave 3" in found.explanation) == (category, True), "the failing check is told"


async def test_a_program_that_must_do_without_a_package_needs_no_debugger(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Execution("error", Isolation("limits", *["open"] * 6), error="No module named 'left'")
    ended = replace(ended, missing_packages=("left", "a"))
    runs = [replace(ran("c1", SPEC, FAILED), execution=ended)]
    update, _ = await diagnosed(
        monkeypatch, AssertionError("asked"), failing(runs=runs, done=[Done("without", "left")])
    )
    (found,) = update["diagnoses"]
    assert (found.category, found.confidence) == ("import", 0.9)
    assert found.repair_hint == "Do without a and left: not installed here, and the task does not ask for it."
    update, _ = await diagnosed(monkeypatch, SAID, failing(runs=runs))
    assert update["diagnoses"][0].explanation == "it adds two", "nobody said that it must do without"


def blamed(name: str = "c1", fault: Any = "code", confidence: float = 0.5, hint: str = "add one") -> Diagnosis:
    return Diagnosis(name, fault, "other", confidence, f"{name} adds two", hint, "s")


TWO = [candidate(), candidate("c2", "def f(n): return n + 3")]


@pytest.mark.parametrize(
    ("found", "more"),
    [
        ([blamed()], False),
        ([blamed(), blamed("c2")], True),
        ([blamed(), blamed()], False),
        ([blamed(), blamed("c2", "test")], False),
        ([blamed(), blamed("c2"), blamed("c2", "test")], False),
    ],
)
async def test_lessons_are_asked_for_once_different_programs_failed_by_their_own_fault(
    found: list[Diagnosis], more: bool
) -> None:
    given = failing(candidates=TWO, diagnoses=found)
    assert has_more_to_learn(given) == more
    script = Script({"memory_summarizer": LessonsReply(["one"])})
    assert await step(learn, given, script) == ({"lessons": ["one"]} if more else {})


async def test_not_more_than_five_lessons_are_kept_and_told() -> None:
    given = failing(candidates=TWO, diagnoses=[blamed(), blamed("c2")], lessons=["old"])
    script = Script({"memory_summarizer": LessonsReply([str(n) for n in range(9)])})
    update = await step(learn, given, script)
    assert update == {"lessons": [str(n) for n in range(MAX_LESSONS)]}
    assert script.told == [LessonsLearned(("0", "1", "2", "3", "4"))]
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["lessons"]) == ("lessons:2", "summarise", ["old"])
    assert seen["new_evidence"][:2] == ["c1: other: c1 adds two", "c2: other: c2 adds two"]
    assert await step(learn, given, Script()) == {}


@pytest.mark.parametrize(
    ("lessons", "found", "known"),
    [
        (["a lesson", f"{HINTED[0]} c1: unused"], [blamed()], ("a lesson",)),
        ([f"{HINTED[0]} c1: unused"], [blamed(), blamed("c2", hint="")], ("c2 adds two",)),
        ([], [blamed(), blamed("c2", "test")], ("c1 adds two add one",)),
        ([], [blamed(confidence=0.0)], ()),
        ([], [], ()),
    ],
)
def test_another_run_is_told_lessons_or_what_was_wrong_last(
    lessons: list[str], found: list[Diagnosis], known: tuple[str, ...]
) -> None:
    assert learned(failing(candidates=TWO, diagnoses=found, lessons=lessons)) == known


async def repaired(
    monkeypatch: pytest.MonkeyPatch, reply: CodeReply | None, *, place: int = 0, strategy: str = "minimal", **more: Any
) -> tuple[Any, Script]:
    async def no_trace(*_given: Any) -> str:
        return "the trace"

    monkeypatch.setattr(repairs, "trace_failure", no_trace)
    given = failing(**{"diagnoses": [blamed()]} | more)
    script = Script({"generator": reply})
    return await step(repair, RepairOrder(given, strategy, place), script), script


RIGHT = CodeReply("def f(n): return n + 1\n")


async def test_a_repair_is_asked_for_with_the_diagnosis_and_becomes_a_member_of_the_family(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    update, script = await repaired(monkeypatch, RIGHT)
    (one,) = update["candidates"]
    assert (one.id, one.kind, one.parent, one.root, one.strategy) == ("c2", "repair", "c1", "c1", "minimal")
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["task"], seen["trace"]) == ("repair:1", "repair", TEXT, "the trace")
    assert seen["diagnosis"] == "other: c1 adds two\nadd one"
    assert (seen["strategy"], seen["edits"], seen["excerpt"]) == ("Change as little as possible.", False, False)
    assert seen["options"].data == {"kind": "repair", "parent": "c1", "code": candidate().code, "written": 1}
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c2"]


async def test_repairs_written_together_keep_apart_and_a_repair_under_review_is_a_proposal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = AgentConfig(strategies=2, autonomy="review_all")
    update, script = await repaired(monkeypatch, RIGHT, place=1, strategy="rethink", config=config)
    (one,) = update["proposals"]
    assert (one.id, one.strategy, "candidates" in update, script.told) == ("c3", "rethink", False, [])
    assert script.asked[0][1] == "repair:1:rethink"
    assert script.asked[0][2]["options"].data["written"] == 2


@pytest.mark.parametrize(("rewritten", "anew"), [(0, True), (1, True), (2, False)])
async def test_an_unsure_diagnosis_leads_to_a_new_program_only_while_rewrites_are_left(
    monkeypatch: pytest.MonkeyPatch, rewritten: int, anew: bool
) -> None:
    written = [candidate(f"c{n}", f"def f(n): return {n}", "rewrite") for n in range(2, 2 + rewritten)]
    more = {"candidates": [candidate(), *written], "diagnoses": [blamed(confidence=0.1)]}
    update, script = await repaired(monkeypatch, RIGHT, config=AgentConfig(max_rewrites=2), **more)
    assert (update["candidates"][0].kind == "rewrite") == anew
    assert (script.asked[0][2]["template"] == "rewrite") == anew


async def test_without_a_usable_reply_there_is_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await repaired(monkeypatch, None))[0] == {}
    edit = CodeReply("<<<<<<< SEARCH\nnothing like it\n=======\nx\n>>>>>>> REPLACE\n")
    update, script = await repaired(monkeypatch, edit)
    assert update == {}
    assert script.problems[0].startswith("a repair could not be applied: ")


async def objected(monkeypatch: pytest.MonkeyPatch, reply: CriticReply | None, gives: CallOutput) -> tuple[Any, Script]:
    async def run_calls(_context: Any, _config: Any, one: Any, calls: list[str]) -> Run:
        return Run(one.id, "probes", failing().runs[0].execution, outputs=dict.fromkeys(calls, gives))

    monkeypatch.setattr(critics, "run_calls", run_calls)
    script = Script({"critic": reply})
    return await step(critic, state(SPEC, runs=[ran("c1", SPEC, PASSED)], decisions=DIAGNOSE), script), script


async def test_an_objection_that_its_input_bears_out_becomes_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    objection = CriticReply("zero is forgotten", "f(0)", "1")
    update, script = await objected(monkeypatch, objection, CallOutput("value", "2"))
    (group,) = update["suites"]
    (one,) = group.checks
    assert (group.id, group.origin, group.against) == ("critic:1", "critic", "c1")
    assert (one.call, one.expected, one.sentence) == ("f(0)", "1", "zero is forgotten")
    assert "assert f(0) == 1" in one.source
    assert script.of(CriticSpoke) == [CriticSpoke("zero is forgotten", "f(0)", True)]
    assert [event.suite for event in script.of(SuiteWritten)] == ["critic:1"]
    assert update["done"] == [Done("critic")]
    ((_, name, seen),) = script.asked
    assert (name, seen["template"], seen["code"]) == ("critic:1", "review", candidate().code)


@pytest.mark.parametrize(
    "objection",
    [
        CriticReply("it is ugly"),
        CriticReply("it is wrong", "f(0)", "2"),
        CriticReply("it is wrong", "f(0)", "something else"),
        CriticReply("it is wrong", "", "1"),
        CriticReply("it is wrong", "f(", "1"),
    ],
)
async def test_any_other_objection_is_a_note(monkeypatch: pytest.MonkeyPatch, objection: CriticReply) -> None:
    update, script = await objected(monkeypatch, objection, CallOutput("value", "2"))
    assert update == {"done": [Done("critic")]}
    assert script.told == [CriticSpoke(objection.objection, objection.input, False)]


@pytest.mark.parametrize("reply", [None, CriticReply()])
async def test_no_objection_is_not_told(monkeypatch: pytest.MonkeyPatch, reply: CriticReply | None) -> None:
    update, script = await objected(monkeypatch, reply, CallOutput("value", "2"))
    assert (update, script.told) == ({"done": [Done("critic")]}, [])


FILES = join_files({"main.py": "import part\nprint(part.one())\n", "part.py": "def one():\n    return 2\n"})
PART = join_files({"part.py": "def one():\n    return 1\n"})


async def test_a_repair_of_some_files_leaves_the_others_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = candidate(code=FILES)
    update, _ = await repaired(monkeypatch, CodeReply(PART), candidates=[whole])
    files = split_files(update["candidates"][0].code)
    assert files == {"main.py": "import part\nprint(part.one())\n", "part.py": "def one():\n    return 1\n"}


async def test_a_program_written_anew_holds_only_what_its_author_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    unsure = [blamed(confidence=0.1)]
    update, _ = await repaired(monkeypatch, CodeReply(PART), candidates=[candidate(code=FILES)], diagnoses=unsure)
    assert (update["candidates"][0].code, update["candidates"][0].kind) == (PART, "rewrite")


@pytest.mark.parametrize(("confidence", "kept"), [(0.1, "def h(n):\n    return 1\n"), (0.9, None)])
async def test_one_file_in_place_of_several_is_a_program_only_where_all_is_written_anew(
    monkeypatch: pytest.MonkeyPatch, confidence: float, kept: str | None
) -> None:
    found = [blamed(confidence=confidence)]
    reply = CodeReply("def h(n):\n    return 1\n")
    update, script = await repaired(monkeypatch, reply, candidates=[candidate(code=FILES)], diagnoses=found)
    assert [one.code for one in update.get("candidates", ())] == ([kept] if kept else [])
    assert bool(script.problems) is (kept is None)


async def test_a_part_of_a_program_that_changes_nothing_of_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    long = candidate(code="def f(n):\n    return n + 2\n\n\ndef g(n):\n    return f(n)\n")
    monkeypatch.setattr(Script, "room_for_code", lambda _self, _role: 10)
    update, script = await repaired(monkeypatch, CodeReply("def h(n):\n    return 1\n"), candidates=[long])
    assert update == {}
    assert script.problems == ["a repair could not be applied: it changes no definition of the program"]


@pytest.mark.parametrize(("room", "excerpt"), [(1000, False), (30, True)])
async def test_the_debugger_sees_the_program_its_parent_and_what_was_found_before(
    monkeypatch: pytest.MonkeyPatch, room: int, excerpt: bool
) -> None:
    async def trace(*_: Any) -> str:
        return "n = 1"

    monkeypatch.setattr(diagnoses, "trace_failure", trace)
    whole = "def f(n):\n    return n + 2\n\n\ndef g():\n    return 'not asked for'\n"
    repaired = replace(candidate("c2", whole, "repair"), parent="c1")
    before = Diagnosis("c1", "test", "other", 0.5, "it adds two", "", "s")
    of = failing(candidates=[candidate(), repaired], runs=[ran("c2", SPEC, FAILED)], diagnoses=[before])
    script: Any = Script()
    script.room_for_code = lambda _role: room
    seen = await diagnoses._variables(of, script, repaired)
    assert (seen["excerpt"], seen["code"] == whole, seen["trace"]) == (excerpt, not excerpt, "n = 1")
    assert seen["previous_diagnoses"] == ["c1: test, other: it adds two"]
    assert "+def g():" in seen["diff"]
    assert (await diagnoses._variables(failing(), script, candidate()))["diff"] == ""
