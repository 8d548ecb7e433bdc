"""A table in one test tries every row and names those that fail."""

from __future__ import annotations

import pytest

from tests.tables import in_one_test


def test_every_row_is_tried_and_each_that_fails_is_named() -> None:
    tried: list[int] = []

    @in_one_test("number, most", [(1, 1), (2, 1), (3, 1), (4, 9)], ids=lambda row: f"number {row[0]}")
    def small(number: int, most: int) -> None:
        tried.append(number)
        if number == 3:
            pytest.fail("three")
        assert number <= most

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows") as failed:
        small()
    assert tried == [1, 2, 3, 4]
    assert [one.__notes__ for one in failed.value.exceptions] == [["The row is: number 2"], ["The row is: number 3"]]


@in_one_test("number", [1, 2])
def test_what_is_no_part_of_a_row_is_a_fixture(number: int, request: pytest.FixtureRequest) -> None:
    assert request.node.name == "test_what_is_no_part_of_a_row_is_a_fixture"
    assert number in (1, 2)
