"""Demands on what a program prints, and for which inputs it prints nothing."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.state import Check
from agent.state.findings import Finding

from .conftest import Inspect

SHOW = "def show(items):\n    for item in items:\n        print(item)\n"
WORDS = "Write a program that reads words from stdin and counts them. Upper and lower case do not matter. "


def seeing(sentence: str, source: str) -> Check:
    return Check("spec:1.test_a", "test_a", "spec", f"def test_a(capsys):\n    {source}\n", sentence=sentence)


def of_kind(found: list[Finding], kind: str, words: str) -> list[str]:
    return [one.standing for one in found if one.kind == kind and words in one.text]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    "sentence",
    [
        "If items is empty, print nothing.",
        "For an empty list it prints nothing.",
        "On an empty list print nothing.",
        "It must not print when an item is negative.",
    ],
)
async def test_what_prints_nothing_for_some_inputs_may_print_for_others(inspected: Inspect, sentence: str) -> None:
    task = f"Write show(items): prints each item on its own line. {sentence}"
    words = sentence.rpartition(", ")[2].strip(".")
    assert of_kind(await inspected(task, SHOW, "show([1, 2])"), "output", words) == ["open"]
    check = seeing(sentence, "show([])\n    assert capsys.readouterr().out == ''")
    assert of_kind(await inspected(task, SHOW, "show([1])", passed=(check,)), "output", words) == ["kept"]


@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_never_to_print_is_refuted_by_what_it_prints(inspected: Inspect) -> None:
    found = await inspected("Write show(items) which sorts items; do not print anything.", SHOW, "show([1, 2])")
    assert of_kind(found, "output", "do not print") == ["broken"]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("typed", "sentence", "standing"),
    [
        ("Hi hi", "Upper and lower case do not matter.", "kept"),
        ("hi hi", "Upper and lower case do not matter.", "open"),
        ("Hi hi", "It counts them.", "open"),
    ],
)
async def test_case_is_ignored_where_a_check_of_that_types_a_letter_in_both_cases(
    inspected: Inspect, typed: str, sentence: str, standing: str
) -> None:
    check = seeing(sentence, f"assert run_program([], {typed!r}, {{}}).stdout == '2'")
    found = await inspected(WORDS, "print(len(input().split()))", passed=(check,))
    assert of_kind(found, "any_case", "Upper") == [standing]


def test_an_order_to_print_in_so_many_decimals_is_one_demand() -> None:
    brief = read_brief("Write a program that adds up the numbers of a file. Print the sum with two decimals.", None, ())
    assert [(one.kind, one.names, one.decimals) for one in brief.clauses if "sum" in one.text] == [("output", (), 2)]
