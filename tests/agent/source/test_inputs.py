"""Calls taken from asserts and new inputs made of them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.source.inputs import are_alike, mutate_calls, read_constraints, split_assert


@pytest.mark.parametrize(
    ("source", "pair"),
    [
        ("assert f([1], k=2) == {'a': 1}", ("f([1], k=2)", "{'a': 1}")),
        ("assert 3 == f(1)", ("f(1)", "3")),
        ("assert f(1) is None", ("f(1)", "None")),
        ("assert f(1)", ("f(1)", "True")),
        ("assert not f(1)", ("f(1)", "False")),
        ("assert f(1) == g(2)", None),
        ("assert f(1) < 3", None),
        ("assert abs(f(1) - 2) < 1e-6", None),
        ("assert isinstance(f(1), int)", None),
        ("assert x.f(1)", None),
        ("x = 1", None),
    ],
)
def test_an_assert_is_split_into_call_and_value_only_when_it_states_one(
    source: str, pair: tuple[str, str] | None
) -> None:
    assert split_assert(source) == pair


def test_mutated_calls_are_new_distinct_and_bounded() -> None:
    made = mutate_calls(["f([1, 2, 3], 2)", "f([], 0)"], seed=1, limit=25)
    assert len(made) == len(set(made)) == 25
    assert not set(made) & {"f([1, 2, 3], 2)", "f([], 0)"}


def test_the_same_seed_gives_the_same_calls_and_another_seed_others() -> None:
    calls = ["f('abc', [1.5, 2.0])"]
    assert mutate_calls(calls, 3) == mutate_calls(calls, 3) != mutate_calls(calls, 4)


literals = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(-9, 9).map(lambda x: round(x, 2))
    | st.text("ab ", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("k", max_size=2), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.lists(literals, min_size=1, max_size=3), st.integers(0, 9))
def test_every_argument_keeps_its_type_and_every_call_parses(values: list[object], seed: int) -> None:
    for call in mutate_calls([f"f({', '.join(map(repr, values))})"], seed, limit=10):
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        assert [type(ast.literal_eval(arg)) for arg in node.args] == [type(value) for value in values]


def test_stated_constraints_are_respected() -> None:
    constraints = read_constraints(
        "Given a non-empty sorted list of distinct positive integers and a positive integer k."
    )
    assert constraints == {"non_empty", "sorted", "positive", "unique"}
    made = mutate_calls(["f([1, 4, 6], 2)"], seed=0, limit=30, constraints=constraints)
    assert made
    for call in made:
        items, k = (ast.literal_eval(arg) for arg in ast.parse(call, mode="eval").body.args)  # type: ignore[attr-defined]
        assert items
        assert items == sorted(set(items))
        assert min([*items, k]) > 0


def test_calls_without_literal_arguments_give_nothing() -> None:
    assert mutate_calls(["f(x)", "f()", "not a call", "f(*[1])", "f(**{'a': 1})"], seed=0) == ()


def test_a_number_within_a_text_is_changed_and_the_rest_of_it_stays() -> None:
    made = mutate_calls(["rpn('7 2 /')"], seed=0)
    assert {"rpn('-7 2 /')", "rpn('7 -2 /')"} & set(made), made


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ("f(Decimal('1.5'))", "f(Decimal('2.5'))"),
        ("f(Fraction(1, 2))", "f(Fraction(3, 2))"),
        ("f(b'ab')", "f(b'ba')"),
        ("f(date(2024, 1, 5))", "f(datetime.date(2024, 1, 6))"),
        ("f([datetime(2024, 1, 5, 8)])", "f([datetime.datetime(2024, 1, 5, 7, 59)])"),
        ("f(timedelta(days=2))", "f(datetime.timedelta(days=3))"),
        ("f('2024-01-05')", "f('2024-01-06')"),
        ("f('from 08:00')", "f('from 08:02')"),
        ("box([Point(0, y=5)])", "box([Point(1, y=5)])"),
        ("box((Segment(Point(0, 5), 'a'),))", "box((Segment(Point(1, 5), 'a'),))"),
        ("paint(Color.RED, 3)", "paint(Color.RED, 4)"),
    ],
)
def test_values_of_the_library_and_objects_of_the_program_are_changed(known: str, wanted: str) -> None:
    made = mutate_calls([known], seed=0, limit=60)
    assert wanted in made
    assert known not in made
    assert all(ast.unparse(ast.parse(call, mode="eval")) == call for call in made)


@pytest.mark.parametrize(
    ("call", "alike"),
    [
        ("chunk([], 1)", True),
        ("chunk([4], 2.5)", True),
        ("list(chunk([4], 2))", True),
        ("chunk('abc', 2)", False),
        ("chunk(None, 2)", False),
        ("chunk([1])", True),
        ("other('a')", True),
        ("chunk(x, 2)", True),
    ],
)
def test_an_input_is_alike_where_its_arguments_have_types_that_known_ones_have(call: str, alike: bool) -> None:
    assert are_alike(call, ["chunk([1, 2], 1)", "chunk([3], 2)"]) is alike
