"""Bugs of varied programs, told by hand: nothing that the repaired program refutes is read from a report as law, and
nothing that it does, too, as a symptom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.examples import read_brief
from agent.examples.types import Example
from agent.given.symptoms import Reproduction, calls_to_try, kept_already, reproduce, wishes_of
from agent.state import Run
from sandbox.types import CallOutput


@dataclass(frozen=True)
class Told:
    """One bug told in one way."""

    name: str
    code: str
    right: str
    text: str
    says_what_is_right: bool


def _told() -> Iterator[Told]:
    text = Path(__file__).with_name("varied.txt").read_text(encoding="utf-8")
    for block in re.split(r"^##### ", text, flags=re.MULTILINE)[1:]:
        name, rest = block.split("\n", 1)
        program, *reports = re.split(r"^(!!|\?\?)\n", rest, flags=re.MULTILINE)
        code, repair = program.rstrip("\n").rsplit("#>> ", 1)
        wrong, right = (part.replace("\\n", "\n") for part in repair.split(" ## "))
        for sign, report in zip(reports[::2], reports[1::2], strict=True):
            yield Told(name, code, code.replace(wrong, right), report.strip("\n"), sign == "!!")


TOLD = list(_told())


def answers(code: str, calls: tuple[str, ...]) -> dict[str, CallOutput]:
    return {call: answer(code, call) for call in calls}


def answer(code: str, call: str) -> CallOutput:
    space: dict[str, object] = {}
    exec(code, space)
    try:
        return CallOutput("value", repr(eval(call, space)))
    except Exception as error:  # noqa: BLE001 - whatever the program raises is its answer
        return CallOutput("exception", type(error).__name__)


def holds(code: str, example: Example) -> bool:
    space: dict[str, object] = {"pytest": pytest}
    exec(code, space)
    try:
        exec(example.source, space)
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - any of them refutes the example
        return False
    return True


def law_of(told: Told) -> tuple[list[Example], Reproduction]:
    """Returns what the report demands, after the given program was tried on it, and what of it was reproduced."""
    brief = read_brief(told.text, told.code, ())
    outputs = answers(told.code, calls_to_try(brief))
    run = cast(Run, SimpleNamespace(outputs=outputs))
    found, wishes = reproduce(brief, told.code, outputs), wishes_of(brief, run)
    idle: Any = () if wishes else kept_already(brief, run, found)
    return [*(() if idle else brief.examples), *wishes], found


@pytest.mark.parametrize("told", TOLD, ids=lambda told: f"{told.name}: {told.text[:30]}")
def test_the_repaired_program_refutes_nothing_that_was_read(told: Told) -> None:
    law, found = law_of(told)
    assert [example.source for example in law if not holds(told.right, example)] == []
    for symptom in found.symptoms:
        assert answers(told.right, tuple(symptom.does)) != symptom.does


def test_what_is_said_to_be_right_is_mostly_read() -> None:
    telling = [told for told in TOLD if told.says_what_is_right]
    read = [told for told in telling if any(not holds(told.code, example) for example in law_of(told)[0])]
    assert len(telling) >= 180
    assert len(read) / len(telling) >= 0.79
