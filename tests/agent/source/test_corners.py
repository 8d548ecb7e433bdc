"""Inputs that are always tried, by the types of known ones."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.source.corners import corner_calls
from agent.source.inputs import arguments_of, mutate_calls
from tests.agent.source.test_inputs import literals


@pytest.mark.parametrize(
    ("known", "tried"),
    [
        ("f('ab cd')", ["''", "' '", "'a'", "'aa'", "'  ab cd '", "'ab  cd'", "'cd ab ab cd'"]),
        ("f([3, 1])", ["[]", "[3]", "[3, 3]", "[3, 1, 3]", "[3, 1, -3]", "[1, 3]", "[0, 1]"]),
        ("f(['ab', 'c'])", ["['ab', 'c', 'ba']", "['ba', 'ab', 'c']", "['', 'c']"]),
        ("f([('a', 1), ('b', 2)])", ["[('a', 1), ('b', 2), ('b', 1)]", "[('b', 1), ('a', 1), ('b', 2)]"]),
        ("f([{'n': 1, 'k': 2}, {'n': 3, 'k': 4}])", ["[{'n': 1, 'k': 2}, {'n': 3, 'k': 4}, {'n': 3, 'k': 2}]"]),
        (
            "f({'n': 1, 'rows': [{'n': 2, 'rows': []}, {'n': 3, 'rows': [4]}]})",
            ["{'n': 1, 'rows': [{'n': 2, 'rows': []}, {'n': 3, 'rows': []}]}", "{'n': 1, 'rows': []}"],
        ),
        ("f({'a': 5, 'b': 7})", ["{}", "{'a': 5}", "{'a': 5, 'b': 5}", "{'b': 7, 'a': 5}"]),
        ("f(7)", ["0", "1", "-1", "-7", "18", "17", "19"]),
        ("f(10.5)", ["0.0", "-10.5", "2.5", "0.125", "1.005"]),
        ("f('a', 'b')", ["'b', 'a'", "'a', 'a'"]),
        ("f(b'ab')", ["b''", "b'a'", "b'aa'"]),
        ("f(Decimal('10.5'))", ["Decimal('0')", "Decimal('-10.5')", "Decimal('0.005')"]),
        ("f(date(2024, 5, 6))", ["datetime.date(2024, 12, 31)", "datetime.date(2024, 2, 29)"]),
        ("f([Point(4, 5)])", ["[]", "[Point(4, 5), Point(4, 5)]", "[Point(0, 5)]"]),
    ],
)  # fmt: skip
def test_each_type_has_its_corners(known: str, tried: list[str]) -> None:
    made = corner_calls([known], ends=[18])
    assert [call for call in (f"f({args})" for args in tried) if call not in made] == []


def test_what_has_parts_of_one_shape_keeps_it() -> None:
    made = map(arguments_of, corner_calls(["f([[1, 2], [3, 4]])", "g([(1, 'a'), (2, 'b')])"]))
    assert {len(row) for rows in made if rows for row in rows[0]} == {2}


def test_what_a_phrase_of_the_task_excludes_is_not_tried() -> None:
    made = list(map(arguments_of, corner_calls(["f([1, 2], 3)"], {"non_empty", "positive"})))
    assert made
    assert all(args and args[0] and min([*args[0], args[1]]) > 0 for args in made)


def test_a_generator_whose_items_are_gathered_is_called_itself() -> None:
    assert "chunks([], 2)" in corner_calls(["list(chunks([1, 2, 3], 2))"])
    assert mutate_calls(["sorted(pairs([3, 1]))"], seed=0)[0].startswith("pairs([")
    assert corner_calls(["list(x)", "len(f([1]))"]) == ()


def test_of_calls_with_the_same_types_the_longest_is_changed() -> None:
    made = corner_calls(["f([1], 2)", "f([4, 5, 6], 2)", "f('a')"])
    assert "f([6, 5, 4], 2)" in made
    assert "f('')" in made
    assert corner_calls(["f(x)", "f()", "f(None)", "no call"]) == ()


@given(st.lists(literals, min_size=1, max_size=3))
def test_any_literal_can_be_changed_and_keeps_its_type(values: list[object]) -> None:
    known = f"f({', '.join(map(repr, values))})"
    made = corner_calls([known], ends=[3], limit=200)
    assert len(set(made)) == len(made)
    for call in made:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        kinds = [type(value) for value in values]
        assert [type(ast.literal_eval(arg)) for arg in node.args] == kinds
        assert call != known
