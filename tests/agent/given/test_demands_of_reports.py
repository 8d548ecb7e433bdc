"""What a report demands of given code is law where the code does otherwise; what it does already is none."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.given.difference import names_input
from agent.given.symptoms import kept_already, reproduce, wishes_of
from agent.state import Run
from sandbox.types import CallOutput, Execution
from tests.tables import in_one_test

from .test_symptoms import HALF, ISOLATION, raised, value


@in_one_test(
    "text, wished",
    [
        ("Fix this so that tuples work, e.g. half((4, 5)) == 4", ["assert half((4, 5)) == 4"]),
        ("it blows up on []. I want 0 then, e.g. half([]) == 0", ["assert half([]) == 0"]),
        ("Please fix it: for example half(3) == 1.5 and half(2) == 1", ["assert half(3) == 1.5"]),
        ("something is off with it: half(3) == 1", []),
        ("It gives nonsense at the moment, e.g. half(3) == 1", []),
        ("Fix it. It is wrong that e.g. half(3) == 1", []),
        ("It must hold half(3) == 1.5. Please fix it.", ["assert half(3) == 1.5"]),
        ("Something is off with it. It should be exact (e.g. half(3) == 1.5).", ["assert half(3) == 1.5"]),
        ("It takes the lower one, e.g. half(3) == 2. Fix it.", []),
        ("It is too coarse, for example half(3) == 2. Please fix it with /.", []),
        ("Threes give a whole number, e.g. half(3) == 2 . Fix that.", []),
        ("It is off (e.g. half(3) == 2, while 1.5 is right).", []),
        ("It should be exact (e.g. half(3) == 2, while 1.5 is right). Fix the bug.", []),
        ("It should be exact but takes the lower one, e.g. half(3) == 2. Fix it.", []),
        ("It should not be so coarse, e.g. half(3) == 2. Fix it.", []),
        ("It rounds so that whole numbers come out, e.g. half(3) == 2. Fix it.", []),
        ("It must stop cutting, e.g. half(3) == 2. Fix it.", []),
        ("Fix the rounding, e.g. half(3) == 2", []),
        ("Bug. Example: half(3) == 2", []),
        ("I want you to look at the output, e.g. half(3) == 2. Please fix the bug.", []),
    ],
)
def test_what_a_report_shows_as_an_example_is_demanded_where_the_code_does_otherwise(
    text: str, wished: list[str]
) -> None:
    brief = read_brief(text, "def half(n):\n    return n // 2\n", ())
    assert brief.kind == "fix"
    assert [example.source for example in brief.wished] == wished


@pytest.mark.parametrize(
    ("told", "given", "wished"),
    [
        ("19.6", value("19.625"), False),
        ("20", value("19.625"), False),
        ("19", value("19.625"), False),
        ("[3.14, 'a b']", value("[3.14159, 'a b']"), False),
        ("19.7", value("19.625"), True),
        ("1.5", value("1"), True),
        ("[3.14, 'a']", value("[3.14159, 'b']"), True),
        ("[3.14]", value("[3.14159, 2]"), True),
        ("19.6", raised("ValueError"), True),
        ("19.6", value("19.6"), False),
    ],
)
def test_what_a_report_wishes_is_not_what_the_program_gives_rounded(told: str, given: CallOutput, wished: bool) -> None:
    brief = read_brief(f"I want it mended. It must hold half(39.25) == {told}", HALF, (), "fix")
    ran = Run("given", "calls", Execution("ok", ISOLATION), outputs={"half(39.25)": given})
    assert [wish.expected for wish in wishes_of(brief, ran)] == ([told] if wished else [])


AREA = "def area(w, h):\n    return w * w\n"


@pytest.mark.parametrize(
    ("call", "body", "named"),
    [
        ("area(2, 3)", "if (w, h) == (2, 3):\n        return 6\n    return w * w", True),
        ("area(2, 3)", "if w == 2 and 3 == h:\n        return 6\n    return w * w", True),
        ("area(2, h=3)", "return {(2, 3): 6}.get((w, h), w * w)", True),
        ("area(2, 3)", "return w * h", False),
        ("area(2, 0)", "if h == 0:\n        return 0\n    return w * w", False),
        ("area(0)", "if w == 0:\n        return 0\n    return w * w", False),
        ("area([])", "if w == []:\n        return 0\n    return w * w", False),
        ("area(x)", "return x", False),
    ],
)
def test_a_repair_that_names_the_reported_input_is_seen(call: str, body: str, *, named: bool) -> None:
    assert names_input(AREA, f"def area(w, h):\n    {body}\n", call) is named


@pytest.mark.parametrize(
    ("told", "outputs", "dropped"),
    [
        ("Fix this: half(3) should be 1.", {"half(3)": value("1")}, True),
        (
            "Fix this: half(3) should be 1 and half(5) should be 2.5.",
            {"half(3)": value("1"), "half(5)": value("2")},
            False,
        ),
        (
            "Fix half: half(3) should be 1. half(5) crashes.",
            {"half(3)": value("1"), "half(5)": raised("KeyError")},
            False,
        ),
        ("Fix this: half(3) correctly gives 1, as it should. The rest is wrong.", {"half(3)": value("1")}, False),
    ],
)
def test_what_a_report_demands_and_the_program_does_is_no_promise_where_nothing_else_shows_a_fault(
    told: str, outputs: dict[str, CallOutput], *, dropped: bool
) -> None:
    brief = read_brief(told, HALF, ())
    assert brief.examples
    run = Run("given", "calls", Execution("ok", ISOLATION), outputs=outputs)
    assert bool(kept_already(brief, run, reproduce(brief, HALF, outputs))) is dropped
