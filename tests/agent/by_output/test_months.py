"""Months are the same by number, by name and as the data write them; a figure of another month is another one."""

from __future__ import annotations

import pytest

from agent.by_output.agreement import settled_outputs
from agent.by_output.output import output_of
from agent.by_output.words import DataWords
from agent.examples.types import Demand
from sandbox.types import CallOutput, Execution, Isolation

NO_ISOLATION = Isolation("limits", *["open"] * 6)
AS_IN_THE_DATA = "North: 400.00\n2024-01: 300.00\n2024-02: 350.00\n"


def put_out(printed: str, answers: tuple[str, ...]) -> CallOutput:
    done = Execution("ok", NO_ISOLATION, stdout=printed)
    return output_of(done, (), Demand(), lambda _: DataWords(answers))


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("North 400\n1 300\n2 350\n", True),
        ("North 400\nFebruary: 350\nJanuary: 300\n", True),
        ("North 400\nMonat 01: 300\nMonat 02: 350\n", True),
        ("North 400\n1 350\n2 300\n", False),
        ("North 400\n1 300\n3 350\n", False),
        ("North 400\n1 300\n2 351\n", False),
        ("North 400\n300\n350\n", False),
    ],
)
def test_other_names_of_the_months_part_no_scripts(printed: str, same: bool) -> None:
    told = {"c1": put_out(AS_IN_THE_DATA, ("2024-01", "2024-02", "north")), "c2": put_out(printed, ("north",))}
    for order in (("c1", "c2"), ("c2", "c1")):
        settled = settled_outputs(told, order, Demand())
        assert (settled["c1"] == settled["c2"]) is same


def test_months_of_two_years_are_not_told_by_number() -> None:
    told = {
        "c1": put_out("2023-01: 3\n2024-01: 4\n", ("2023-01", "2024-01")),
        "c2": put_out("1 3\n1 4\n", ()),
    }
    settled = settled_outputs(told, ("c1", "c2"), Demand())
    assert settled["c1"] != settled["c2"]
