"""Bugs of varied programs, told by hand: nothing that the repaired program refutes is read from a report as law, and
nothing that it does, too, as a symptom."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.examples import read_brief
from agent.examples.types import Example
from agent.given.symptoms import Reproduction, as_shown, calls_to_try, kept_already, reproduce, wishes_of
from agent.state import Run
from sandbox.types import CallOutput
from tests.tables import in_one_test


@dataclass(frozen=True)
class Told:
    """One bug told in one way."""

    name: str
    code: str
    right: str
    text: str
    sign: str
    """"!!" for a report that says what is right, "~~" for one that only says what the program does, else "??"."""


def _told(name: str) -> Iterator[Told]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for block in re.split(r"^##### ", text, flags=re.MULTILINE)[1:]:
        name, rest = block.split("\n", 1)
        program, *reports = re.split(r"^(!!|\?\?|~~)\n", rest, flags=re.MULTILINE)
        code, repair = program.rstrip("\n").rsplit("#>> ", 1)
        wrong, right = (part.replace("\\n", "\n") for part in repair.split(" ## "))
        for sign, report in zip(reports[::2], reports[1::2], strict=True):
            yield Told(name, code, code.replace(wrong, right), report.strip("\n"), sign)


VARIED, PEOPLE, CHAT = (list(_told(f"{name}.txt")) for name in ("varied", "people", "chat"))


def answers(code: str, calls: tuple[str, ...]) -> dict[str, CallOutput]:
    return {call: answer(code, call) for call in calls}


def answer(code: str, call: str) -> CallOutput:
    space = space_of(code)
    try:
        given = eval(call, space)
    except Exception as error:  # noqa: BLE001 - whatever the program raises is its answer
        return CallOutput("exception", type(error).__name__)
    return CallOutput("value", repr(vars(given) if isinstance(given, SimpleNamespace) else given))


def holds(code: str, example: Example) -> bool:
    printed = io.StringIO()
    capsys = SimpleNamespace(readouterr=lambda: SimpleNamespace(out=printed.getvalue()))
    space = space_of(code)
    before = {*space}
    try:
        with contextlib.redirect_stdout(printed):
            exec(example.source, space)
            for test in [space[name] for name in {*space} - before if name.startswith("test_")]:
                cast(Any, test)(capsys)
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - any of them refutes the example
        return False
    return True


def space_of(code: str) -> dict[str, object]:
    """The names that checks and calls of the program see."""
    space: dict[str, object] = {"pytest": pytest, "outcome_of": outcome_of, "run_program": partial(run_program, code)}
    if "input()" not in code and "sys.stdin" not in code:
        exec(code, space)
    return space


def outcome_of(step: Callable[[], object]) -> object:
    try:
        return step()
    except Exception as error:  # noqa: BLE001 - that is what it gives
        return f"raises {type(error).__name__}"


def run_program(code: str, argv: object = (), stdin: str = "") -> SimpleNamespace:
    """Runs a program of these reports, which reads what is typed and prints."""
    printed, status = io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            exec(code, {"__name__": "__main__"})
        except Exception:  # noqa: BLE001 - Python would end with this status
            status = 1
    return SimpleNamespace(stdout=printed.getvalue().rstrip(), exit_code=status)


@cache
def law_of(told: Told) -> tuple[list[Example], Reproduction]:
    """Returns what the report demands, after the given program was tried on it, and what of it was reproduced."""
    brief = read_brief(told.text, told.code, ())
    outputs = answers(told.code, calls_to_try(brief))
    run = cast(Run, SimpleNamespace(outputs=outputs))
    found, wishes = reproduce(brief, told.code, outputs), wishes_of(brief, run)
    idle: Any = () if wishes else kept_already(brief, run, found)
    return [*(() if idle else brief.examples), *wishes], found


@in_one_test("told", [*VARIED, *PEOPLE], ids=lambda told: f"{told.name}: {told.text[:30]}")
def test_the_repaired_program_refutes_nothing_that_was_read(told: Told) -> None:
    law, found = law_of(told)
    assert [example.source for example in law if not holds(told.right, example)] == []
    for symptom in found.symptoms:
        assert as_shown(answers(told.right, tuple(symptom.does))) != symptom.does


@pytest.mark.parametrize(("reports", "least"), [(VARIED, 0.86), (PEOPLE, 0.84)], ids=["varied", "people"])
def test_what_is_said_to_be_right_is_mostly_read(reports: list[Told], least: float) -> None:
    telling = [told for told in reports if told.sign == "!!"]
    read = [told for told in telling if any(not holds(told.code, example) for example in law_of(told)[0])]
    assert len(telling) >= 160
    assert len(read) / len(telling) >= least


def test_of_reports_as_people_chat_nothing_is_read_wrongly_and_most_is_read() -> None:
    assert len(CHAT) >= 330
    read = [(told, *law_of(told)) for told in CHAT]
    wrong = [(told.text, law) for told, law, _ in read if not all(holds(told.right, example) for example in law)]
    assert wrong == []
    missed = [told.text for told, law, _ in read if told.sign == "!!" and all(holds(told.code, one) for one in law)]
    assert len(missed) <= 22, missed
    assert sum(told.sign == "~~" and not found.symptoms for told, _, found in read) <= 3
    assert {read_brief(told.text, told.code, ()).kind for told in CHAT} == {"fix"}


@pytest.mark.parametrize(
    "report",
    [
        "500 error in production, it's mean([]) that raises ZeroDivisionError",
        "3 users wrote to us that mean([]) raises ZeroDivisionError",
        "since 2024 mean([]) raises ZeroDivisionError",
    ],
)
def test_a_number_that_counts_something_else_is_no_result(report: str) -> None:
    brief = read_brief(report, "def mean(xs):\n    return sum(xs) / len(xs)\n", ())
    assert (brief.examples, brief.wished, brief.guessed) == ((), (), ())


def test_what_is_said_to_come_out_is_mostly_seen() -> None:
    telling = [told for told in PEOPLE if told.sign == "~~"]
    assert sum(bool(law_of(told)[1].symptoms) for told in telling) / len(telling) >= 0.9
