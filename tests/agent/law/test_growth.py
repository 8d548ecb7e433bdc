"""Claims as functions of the size, and the exponent that is fitted to what was measured."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.examples.types import Clause
from agent.law.checkers.complexity import compared_with_claim
from agent.law.growth import explodes, exponent_of, growth_function, scaling_of
from agent.law.measure import Measurement, Profile
from agent.law.shapes import Variant

SIZES = [1000.0, 32000.0]


@pytest.mark.parametrize(
    ("claim", "exponent"),
    [
        ("1", 0.0), ("n", 1.0), ("n log n", 1.12), ("log n", 0.12), ("n^2", 2.0), ("n*m", 2.0), ("v + e", 1.0),
        ("sqrt(n)", 0.5), ("(v + e) log v", 1.12), ("n log log n", 1.06), ("min(n, m)", 1.0), ("log^2 n", 0.23),
        ("n^(1/2)", 0.5), ("√n", 0.5), ("2^n", math.inf), ("n!", math.inf), ("n * amount", 2.0),
    ],
)  # fmt: skip
def test_a_claim_has_the_exponent_of_what_it_says(claim: str, exponent: float) -> None:
    function = growth_function(claim)
    assert function is not None
    assert exponent_of(function, SIZES) == pytest.approx(exponent, abs=0.01)


@pytest.mark.parametrize("claim", ["amortized", "the length", "", "n +", "__import__('os')", "log exponent", "n[0]"])
def test_what_is_not_understood_is_no_claim(claim: str) -> None:
    assert growth_function(claim) is None


def test_a_parameter_is_a_variable() -> None:
    function = growth_function("log exponent", ("base", "exponent"))
    assert function is not None
    assert exponent_of(function, SIZES) < 0.2


@given(st.floats(0.1, 4.0), st.floats(1e-7, 1.0))
def test_the_slope_of_a_power_is_its_exponent(exponent: float, factor: float) -> None:
    points = [(float(size), factor * size**exponent) for size in (16, 32, 64, 128, 256)]
    found = scaling_of(points)
    assert found.exponent == pytest.approx(exponent, abs=0.01)
    assert found.low <= found.exponent <= found.high
    assert found.high - found.low < 0.05


def test_noise_widens_the_interval() -> None:
    found = scaling_of([(16, 1.0), (32, 3.0), (64, 3.0), (128, 9.0)])
    assert found.high - found.low > 0.5


def test_a_claim_is_told_as_a_growth_and_a_flat_time_without_a_minus() -> None:
    """A bare "claimed 1" beside an exponent would read as linear time."""
    flat = Profile(
        tuple(Measurement(size, seconds) for size, seconds in ((1024, 1.0), (2048, 1.0), (4096, 0.999))), None
    )
    claim = growth_function("1")
    assert claim is not None
    judged = compared_with_claim(
        Clause("in constant time", "complexity", "time", growth="1"), claim, Variant("lists", (), True, False), flat
    )
    assert judged is not None
    assert judged.told.startswith("exponent 0.00 [")
    assert judged.told.endswith("of CPU time at sizes 1024 to 4096, on lists, claimed O(1)")


@pytest.mark.parametrize(
    ("claim", "told"),
    [("2^n", True), ("n!", True), ("n * 2^n", True), ("n^3", False), ("n log n", False), ("1", False)],
)
def test_a_claim_explodes_if_no_power_of_the_size_keeps_up(claim: str, told: bool) -> None:
    function = growth_function(claim)
    assert function is not None
    assert explodes(function) is told


@pytest.mark.parametrize(("growth", "standing"), [("2^n", "kept"), ("n * 2^n", "kept"), ("3^n", "broken")])
def test_a_claim_that_explodes_is_compared_where_it_was_measured(growth: str, standing: str) -> None:
    """Between the largest sizes it is steeper than between all of them."""
    sizes = (4, 5, 7, 9, 12, 16)
    claim, own = growth_function("2^n"), growth_function(growth)
    assert claim is not None
    assert own is not None
    measured = Profile(tuple(Measurement(size, 1e-7 * own(size)) for size in sizes), None)
    clause = Clause("in O(2^n)", "complexity", "time", growth="2^n")
    judged = compared_with_claim(clause, claim, Variant("lists", (), True, False), measured)
    assert judged is not None
    assert judged.standing == standing
