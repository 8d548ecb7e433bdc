"""Names of the standard library that an example uses come with it; any other unknown name makes it none."""

from __future__ import annotations

import pytest

from agent.examples import read_brief

from .labelled import promises


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (">>> asyncio.run(f(2))\n4", ["import asyncio"]),
        (">>> f(date(2020, 5, 1))\n4", ["from datetime import date"]),
        (">>> f(datetime.date(2020, 5, 1))\n4", ["import datetime"]),
        (">>> f(datetime(2020, 5, 1))\n4", ["from datetime import datetime"]),
        (">>> f(Decimal('1'), Decimal('2'))\n4", ["from decimal import Decimal"]),
        (">>> from datetime import date\n>>> f(date(2020, 5, 1))\n4", ["from datetime import date"]),
        (">>> math = f(2)\n>>> math.value + f(1)\n4", []),
        (">>> f(len('a'))\n4", []),
    ],
)
def test_a_session_imports_what_it_uses_of_the_standard_library(shown: str, wanted: list[str]) -> None:
    (only,) = read_brief(f"Write f(n).\n\n{shown}\n", None, ()).examples
    assert [line for line in only.source.split("\n") if "import " in line] == wanted


def test_a_class_of_the_task_is_not_imported_from_the_standard_library() -> None:
    text = "Write a class Counter with total().\n\n>>> c = Counter()\n>>> c.total()\n0\n"
    assert "import" not in read_brief(text, None, ()).examples[0].source


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("Write f(d). f(date(2024, 6, 1)) -> True", "from datetime import date"),
        ("Write f(d).\nassert f(date(2024, 6, 1)) == 29", "from datetime import date"),
        ("Write f(d).\nassert f(datetime.date(2024, 6, 1)) == datetime.date(2024, 6, 2)", "import datetime"),
        ("Write f(x). f(Decimal('1.5')) is 3.", "from decimal import Decimal"),
    ],
)
def test_values_of_the_library_are_imported_wherever_they_stand(text: str, imported: str) -> None:
    (only,) = read_brief(text, None, ()).examples
    assert only.source.split("\n")[0] == imported
    assert only.call is not None
    assert only.expected is not None


def test_a_call_that_needs_more_than_values_of_the_library_is_evaluated_in_its_check_only() -> None:
    (only,) = read_brief("Write f(n).\n\n>>> asyncio.run(f(2))\n4\n", None, ()).examples
    assert (only.call, only.expected) == (None, None)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Write latest(days). latest([date(2020, 1, 1), date(2021, 1, 1)]) returns 2021.", "latest([date("),
        ("Write merged(d). merged({'a': Decimal('1')}) == Decimal('2')", "merged({'a': Decimal('1')})"),
        ("gross(net: Decimal) -> Decimal: adds tax.\n\n>>> gross(Decimal('10'))\nDecimal('11.90')\n", "gross(Decimal("),
    ],
)
def test_values_of_the_library_are_read_within_lists_and_dicts_and_beside_a_signature(text: str, source: str) -> None:
    (only,) = read_brief(text, None, ()).examples
    assert only.source.split("\n")[-1].startswith(f"assert {source}")


def test_bytes_are_values_and_functions_spelled_with_types_are_known() -> None:
    text = """rle(data: bytes) -> bytes: run lengths. unrle(data: bytes) -> bytes is the inverse.

    rle(b"aa") == b"\\x02a"
    unrle(b"\\x02a") -> b"aa"
    """
    found = [one.source for one in read_brief(text, None, ()).examples]
    assert found == [r"assert rle(b'aa') == b'\x02a'", r"assert unrle(b'\x02a') == b'aa'"]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("dataclasses P(x: int, y: int)", "mid(P(0, 4), P(2, 2)) == P(1, 3)"),
        ("dataclasses P(x: int, y: int)", "assert mid(P(0, 4), P(2, 2)) == P(1, 3)"),
        ("a dataclass P with the fields x and y,", "mid([P(0, 4), P(2, 2)], 1) == 3"),
    ],
)
def test_examples_hold_objects_of_classes_that_are_to_be_written(told: str, shown: str) -> None:
    (only,) = read_brief(f"Write {told} and a function mid(a, b).\n\n{shown}\n", None, ()).examples
    assert only.source == f"assert {shown.removeprefix('assert ')}"


def test_an_example_with_an_object_of_a_class_that_nobody_told_of_is_none() -> None:
    assert not read_brief("Write depth(root).\n\ndepth(Node(1, Node(2), None)) == 2\n", None, ()).examples


def test_an_assert_with_a_name_of_nothing_known_is_no_promise() -> None:
    assert promises("Write f(n).\n\nx = f(LIMIT)\nassert x == 3", None) == set()
    assert promises("Make f faster.\n\nassert f(LIMIT) == 3", "LIMIT = 3\n\ndef f(n):\n    return n") <= {
        "assert f(LIMIT) == 3"
    }
