"""What a script put out is told in sentences, and what its last run showed."""

# ruff: noqa: E501 - tables with a sentence in a line
from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from agent.by_output.drawn import Axes, Drawing
from agent.checks.execution import SCRIPT, Run
from agent.events.conclusion import DrawnAxes, Picture, PrintedFigure, ScriptEvidence
from agent.examples.types import Demand
from agent.nodes.intake import brief_of
from agent.outcome.printed import left_out_of, said_of, script_evidence
from agent.state import AgentState, Candidate, Task
from agent.trust.facts import LACKS_OUTPUT, OUTPUT
from sandbox.types import CallOutput, Execution, Isolation

box: Any = import_module("agent.outcome.printed")
ENDED = Execution("ok", Isolation("limits", *["open"] * 6))
TASK = "Print the mean and the median of 1, 2 and 6."
SAID = ScriptEvidence(ended="ok", repeated=True, by_chance=False, own_data=False)
MEAN = PrintedFigure("mean", 3.0, "3")
PICTURE = Picture("p.png", 4, 3, False)


@pytest.mark.parametrize(
    ("more", "printed", "said"),
    [
        ({}, "", []),
        ({}, " \n", []),
        ({"ended": "missing output", "lacks": f"{LACKS_OUTPUT}no picture"}, "", ["Run as a script it ends, but no picture."]),
        ({"ended": "crash", "lacks": "KeyError: 'a'"}, "x", ["Run as a script it ended with crash: KeyError: 'a'."]),
        ({"figures": [MEAN]}, "mean:  3.\n\n", ["The answer: mean: 3."]),
        ({"figures": [MEAN]}, "mean 3\nso it is", ["It printed: mean 3 / so it is."]),
        ({"figures": [PrintedFigure("", 3.0, "3")]}, "3", ["It printed: 3."]),
        ({"figures": [MEAN] * 12}, "mean 3", ["The answer: mean 3."]),
        ({"figures": [MEAN] * 13}, "mean 3", ["It printed: mean 3."]),
        ({}, "\n".join("abcdefghijkl"), [f"It printed: {' / '.join('abcdefghijkl')}."]),
        ({}, "\n".join("abcdefghijklmn"), [f"It printed: {' / '.join('abcdefghijkl')} and 2 more lines."]),
        ({}, "x" * 700, [f"It printed: {'x' * 600}."]),
        ({"pictures": [PICTURE], "files": ["p.png", "a.csv", "b.csv"]}, "",
         ["It drew p.png (4 x 3 pixels).", "It wrote a.csv, b.csv."]),
        ({"repeated": False}, "", ["Run once more, it prints other figures; these are the last ones."]),
    ],
)  # fmt: skip
def test_what_was_put_out_is_told(more: dict[str, Any], printed: str, said: list[str]) -> None:
    assert said_of(replace(SAID, **more), printed) == said


@pytest.mark.parametrize(
    ("more", "one", "two"),
    [
        ({}, "An independent program puts out the same.", "2 independent programs put out the same."),
        ({"figures": [MEAN]}, "An independent program puts out the same figures.", "2 independent programs put out the same figures."),
        ({"pictures": [PICTURE]}, "An independent program draws the same where both draw.", "2 independent programs draw the same where both draw."),
        ({"by_chance": True}, "An independent program draws the same, as far as chance lets it be compared.",
         "2 independent programs draw the same, as far as chance lets it be compared."),
        ({"own_data": True, "by_chance": True},
         "An independent program computes the same figures from the data that this script made; how it made them nobody checked.",
         "2 independent programs compute the same figures from the data that this script made; how it made them nobody checked."),
    ],
)  # fmt: skip
def test_who_recomputed_it_is_told_with_what_they_have_in_common(more: dict[str, Any], one: str, two: str) -> None:
    assert [said_of(replace(SAID, **more, recomputed_by=ids), "")[-1] for ids in (["c2"], ["c2", "c3"])] == [one, two]


BEST, OTHER, KIN = (
    Candidate("c1", "print(3)", "first", None, "c1"), Candidate("c2", "print(6/2)", "independent", None, "c2"),
    Candidate("c3", "print(3)  # c1", "repair", "c1", "c1"),
)  # fmt: skip


def output(printed: str) -> CallOutput:
    return CallOutput("value", box.output_of(Execution("ok", ENDED.isolation, stdout=printed), (), Demand()).text)


def script(**printed: str) -> AgentState:
    """A run in which these programs printed this."""
    runs = [Run(name, SCRIPT, ENDED, True, outputs={OUTPUT: output(text)}) for name, text in printed.items()]
    return AgentState(task=Task(TASK), brief=brief_of(Task(TASK)), candidates=[BEST, OTHER, KIN], runs=runs)


def shown(printed: str = "mean: 3\n", **more: Any) -> Any:
    ended = Execution("ok", ENDED.isolation, stdout=printed)
    facts = {"artifacts": (), "drawings": (), "pictures": (), "lacks": "", "left": (), "fate": "ok", "execution": ended}
    return SimpleNamespace(**facts | more)


@pytest.mark.parametrize(
    ("state", "last", "repeated"),
    [
        (script(c1="mean: 3\n"), "mean: 3\n", True), (script(c1="mean: 4\n"), "mean: 3\n", False),
        (script(c2="mean: 4\n"), "mean: 3\n", True), (script(), "mean: 3\n", True),
        (script(c1="mean: 3\nmore: 4\n"), "more: 4\nmean: 3\n", False),
    ],
)  # fmt: skip
def test_the_last_run_gives_what_was_judged_or_other_figures(state: AgentState, last: str, repeated: bool) -> None:
    assert script_evidence(state, BEST, shown(last)).repeated is repeated


@pytest.mark.parametrize(
    ("printed", "by"),
    [
        ({"c1": "mean: 3\n", "c2": "mean: 3\n", "c3": "mean: 3\n"}, ("c2",)), ({"c1": "mean: 3\n", "c2": "mean: 4\n"}, ()),
        ({"c2": "mean: 3\n"}, ()), ({"c1": "mean: 3\n"}, ()),
    ],
)  # fmt: skip
def test_only_programs_of_other_authors_recompute_it(printed: dict[str, str], by: tuple[str, ...]) -> None:
    assert script_evidence(script(**printed), BEST, shown()).recomputed_by == by


def test_figures_pictures_axes_and_files_are_evidence() -> None:
    pictures = (PICTURE,)
    drawings = (Drawing("p.png", (Axes("T", "time"),)),)
    files = (SimpleNamespace(name="p.png"), SimpleNamespace(name="a.csv"))
    evidence = script_evidence(script(), BEST, shown(pictures=pictures, drawings=drawings, artifacts=files))
    assert evidence.figures == (MEAN,)
    assert evidence.pictures == (PICTURE,)
    assert evidence.axes == (DrawnAxes("p.png", "T", "time", ""),)
    assert (evidence.files, evidence.ended, evidence.lacks) == (("p.png", "a.csv"), "ok", "")
    broken = Execution("error", ENDED.isolation, error="KeyError: 'a'")
    assert script_evidence(script(), BEST, shown(fate="crash", execution=broken)).lacks == "KeyError: 'a'"
    assert script_evidence(script(), BEST, shown(fate="missing output", lacks="no picture")).lacks == "no picture"


def test_statistics_that_the_task_names_and_a_script_leaves_out_are_told() -> None:
    of = script()
    assert [bool(left_out_of(of, shown(printed))) for printed in ("mean: 3\nmedian: 2\n", "mean: 3\n")] == [
        False,
        True,
    ]
    assert left_out_of(of, shown("mean: 3\n", fate="crash")) == []


@pytest.mark.parametrize(
    ("kind", "code", "starts"),
    [
        ("function", "if __name__ == '__main__':\n    f()", True), ("class", "if __name__ == '__main__':\n    f()", True),
        ("function", "if x:\n    f()", False), ("function", "print(__name__)", False),
        ("program", "if __name__ == '__main__':\n    f()", False),
    ],
)  # fmt: skip
def test_a_module_with_a_main_guard_starts_something(kind: str, code: str, starts: bool) -> None:
    of: Any = SimpleNamespace(brief=SimpleNamespace(kind=kind))
    assert box._starts_something(of, Candidate("c1", code, "first", None, "c1")) is starts
    assert box._starts_something(SimpleNamespace(brief=None), BEST) is False


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("output", "starts", "fate", "kept"),
    [
        (True, False, "ok", ["p.png"]), (True, False, "crash", ["p.png"]), (False, True, "ok", ["p.png"]),
        (False, True, "crash", None), (False, False, "ok", None),
    ],
)  # fmt: skip
async def test_files_of_the_last_run_are_kept_where_the_program_is_to_run_by_itself(
    monkeypatch: pytest.MonkeyPatch, output: bool, starts: bool, fate: str, kept: list[str] | None
) -> None:
    stored: list[str] = []
    last = shown(fate=fate, artifacts=("p.png",))

    async def show(*_: Any) -> Any:
        return last

    async def keep(artifact: str) -> None:
        stored.append(artifact)

    monkeypatch.setattr(box, "show", show)
    monkeypatch.setattr(box, "by_output", lambda _: output)
    monkeypatch.setattr(box, "_starts_something", lambda *_: starts)
    context: Any = SimpleNamespace(keep=keep)
    assert await box.last_run(script(), context, BEST) is (None if kept is None else last)
    assert stored == (kept or [])
