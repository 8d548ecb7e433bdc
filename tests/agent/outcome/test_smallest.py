"""Which changes of a repair are taken back; programs are told to end alike by a script and not run."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from agent.checks.execution import PROBES
from agent.events import CandidateWritten, ChecksRan
from agent.examples import read_brief
from agent.outcome import smallest
from agent.outcome.smallest import MAX_TRIED, NOTE, SMALLEST, Changes, runs_alike, with_smallest_change
from agent.state import AgentState, Candidate, CheckOutcome, Run, Task
from agent.state.findings import Finding, Inspection
from sandbox.types import CallOutput
from tests.agent.nodes.scripted import ENDED, Script, check, state, suite

GIVEN = "def f(n):\n    a = 1\n    b = 2\n    c = n\n    return a + b + c\n"
REPAIR = "def f(n):\n    a = 1\n    b = 3\n    c = n + 0\n    return a + c\n"
GROUP = suite(check(call="f(1)"))
TEXT = "Fix f: it returns n plus three instead of n plus one."


def repaired(code: str = REPAIR, **more: Any) -> AgentState:
    task = Task(TEXT, code=GIVEN)
    given = Candidate("c1", GIVEN, "given", None, "c1")
    best = Candidate("c2", code, "repair", "c1", "c1", "minimal")
    brief = replace(read_brief(TEXT, GIVEN, ()), kind="fix")
    return state(GROUP, **{"task": task, "brief": brief, "candidates": [given, best], "runs": runs_of("c2")} | more)


def runs_of(name: str, status: Any = "pass", output: str = "2") -> list[Run]:
    ended = CheckOutcome(status)
    return [
        Run(name, GROUP.id, ENDED, True, {GROUP.checks[0].id: ended}),
        Run(name, PROBES, ENDED, outputs={"f(1)": CallOutput("value", output)}),
    ]


class World:
    """What ends as the repair does: programs that hold all of `needed`; lines in `idle` never run."""

    needed: tuple[str, ...] = ("return a + c",)
    idle: tuple[int, ...] | None = ()
    output = "2"

    def __init__(self) -> None:
        self.tried: list[str] = []
        self.findings: dict[str, str] = {}

    def status(self, code: str) -> Any:
        return "pass" if all(part in code for part in self.needed) else "fail"


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    told = World()

    async def run_suite(_context: Any, _config: Any, program: Candidate, _group: Any) -> Run:
        told.tried.append(program.code)
        return runs_of(program.id, told.status(program.code))[0]

    async def run_calls(_context: Any, _config: Any, program: Candidate, _calls: Any) -> Run:
        return runs_of(program.id, output=told.output)[1]

    async def measure_coverage(*_given: Any) -> Any:
        return None if told.idle is None else SimpleNamespace(missing=told.idle)

    async def inspect_new(of: AgentState, _context: Any) -> list[Inspection]:
        lean = of.candidates[-1].id
        return [Inspection(lean, tuple(finding(text, told.findings.get(text, "kept")) for text in told.findings))]

    for stand_in in (run_suite, run_calls, measure_coverage, inspect_new):
        monkeypatch.setattr(smallest, stand_in.__name__, stand_in)
    return told


def finding(text: str, standing: Any) -> Finding:
    return Finding(text, "form", standing, "seen")


async def leanest(of: AgentState) -> tuple[AgentState, Candidate, Script]:
    script = Script()
    after, best = await with_smallest_change(of, script, of.candidates[-1])  # type: ignore[arg-type]
    return after, best, script


async def test_what_makes_no_difference_is_taken_back(world: World) -> None:
    of = repaired()
    after, best, script = await leanest(of)
    assert best.code == GIVEN.replace("a + b + c", "a + c")
    assert (best.id, best.parent, best.root, best.strategy, best.note) == ("c3", "c2", "c1", SMALLEST, NOTE)
    assert after.candidates == [*of.candidates, best]
    assert [run.candidate for run in after.runs[len(of.runs) :]] == ["c3", "c3"]
    assert [event.candidate for event in script.of(CandidateWritten)] == ["c3"]
    assert [event.candidate for event in script.of(ChecksRan)] == ["c3"], "probes are not told as checks"


async def test_what_makes_a_difference_stays(world: World) -> None:
    world.needed = ("b = 3", "c = n + 0", "return a + c")
    of = repaired()
    after, best, script = await leanest(of)
    assert (after, best, script.told) == (of, of.candidates[-1], [])


async def test_another_answer_on_any_input_is_a_difference(world: World) -> None:
    world.output = "3"
    of = repaired()
    assert (await leanest(of))[1] == of.candidates[-1]


@pytest.mark.parametrize("idle", [None, (3, 4)])
async def test_lines_that_never_ran_or_of_which_nobody_knows_stay(world: World, idle: Any) -> None:
    world.idle = idle
    of = repaired()
    code = (await leanest(of))[1].code
    assert ("b = 3" in code, "c = n + 0" in code) == (True, True)


async def test_changed_words_are_taken_back_together(world: World) -> None:
    given = GIVEN.replace("    a = 1\n", "    a = 1  # one\n")
    of = repaired(GIVEN.replace("    a = 1\n", "    a = 1  # uno\n").replace("a + b + c", "a + c"))
    of = replace(of, task=Task(TEXT, code=given), candidates=[replace(of.candidates[0], code=given), of.candidates[1]])
    _, best, _ = await leanest(of)
    assert "# one" in best.code
    assert "return a + c" in best.code


@pytest.mark.parametrize(
    "of",
    [
        replace(repaired(), brief=None),
        replace(repaired(), brief=replace(read_brief(TEXT, GIVEN, ()), kind="extend")),
        replace(repaired(), candidates=[repaired().candidates[0], replace(repaired().candidates[1], kind="rewrite")]),
    ],
    ids=["no brief", "an extension", "a rewrite"],
)
async def test_only_a_repair_of_a_fault_is_made_smaller(world: World, of: AgentState) -> None:
    after, best, _ = await leanest(of)
    assert (after, best, world.tried) == (of, of.candidates[-1], [])


@pytest.mark.parametrize(("seen", "smaller"), [("kept", True), ("open", False), ("broken", False)])
async def test_a_clause_that_would_no_longer_be_seen_to_hold_keeps_the_repair(
    world: World, seen: str, smaller: bool
) -> None:
    world.findings = {"without loops": seen}
    kept = Inspection("c2", (finding("without loops", "kept"), finding("other", "open")))
    of = repaired(inspections=[kept])
    after, best, script = await leanest(of)
    assert (best.id, bool(script.told)) == (("c3", True) if smaller else ("c2", False))
    assert len(after.inspections) == (2 if smaller else 1)


async def test_programs_end_alike_only_if_every_check_does(world: World) -> None:
    of = repaired()
    lean = replace(of.candidates[1], id="c3")
    assert len(await runs_alike(of, Script(), of.candidates[1], lean)) == 2  # type: ignore[arg-type]
    failed = replace(of, runs=runs_of("c2", "fail"))
    assert await runs_alike(failed, Script(), of.candidates[1], lean) == []  # type: ignore[arg-type]


def test_the_repair_itself_is_no_change_to_be_tried() -> None:
    one = Changes(GIVEN, GIVEN.replace("a + b + c", "a + c"))
    assert one.places(()) == []
    two = Changes(GIVEN, REPAIR)
    assert (two.places(None), two.without(())) == ([], REPAIR)
    places = two.places(())
    assert two.without(places) == GIVEN
    assert 2 <= len(places) <= MAX_TRIED
