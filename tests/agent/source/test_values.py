"""Which values nobody would tell apart."""

from __future__ import annotations

import pytest

from agent.source.values import alike, same_value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("6", "6.0"),
        ("0.3", "0.30000000000000004"),
        ("[1, (2.0, 'a')]", "[1.0, (2, 'a')]"),
        ("{'a': 275.0}", "{'a': 275}"),
    ],
)
def test_the_spelling_of_a_number_and_its_rounding_make_no_other_value(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "True"),
        ("[1]", "(1,)"),
        ("'6'", "6"),
        ("0.3", "0.31"),
        ("10000000000000001", "10000000000000002"),
        ("[1, 2]", "[1]"),
        ("{'a': 1}", "{'b': 1}"),
        ("f(1)", "f(2)"),
    ],
)
def test_what_differs_in_kind_length_or_size_is_another_value(one: str, other: str) -> None:
    assert not alike(one, other)


def test_where_the_kind_of_number_matters_it_is_told() -> None:
    assert not same_value("6", "6.0")
