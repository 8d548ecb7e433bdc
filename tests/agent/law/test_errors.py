"""Demands for errors: which check shows that one is kept, on which inputs it is tried, and what is left behind it."""

from __future__ import annotations

import pytest

from agent.state import Check, Origin

from .conftest import Inspect

SORTED = "`tidy(xs)` returns the numbers in order. For example tidy([3, 1, 2]) == [1, 2, 3]. "


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("origin", "sentence", "standing"),
    [
        ("spec", "Raise a ValueError if the order is unknown.", "kept"),
        ("spec", "", "kept"),
        ("spec", "Raise a ValueError for a size of zero.", "open"),
        ("kept", "", "open"),
    ],
)
async def test_an_error_is_checked_by_the_check_that_asks_for_it(
    inspected: Inspect, origin: Origin, sentence: str, standing: str
) -> None:
    source = "def test_bad():\n    with pytest.raises(ValueError):\n        tidy(None)"
    check = Check(f"{origin}.test_bad", "test_bad", origin, source, sentence=sentence)
    (finding,) = await inspected(
        SORTED + "Raise a ValueError if the order is unknown.", "def tidy(xs): ...", passed=(check,)
    )
    assert finding.standing == standing
    assert finding.told == "the passed check spec.test_bad, which a model wrote" or standing == "open"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_check_of_one_error_says_nothing_of_the_other(inspected: Inspect) -> None:
    task = "Write f(q). A negative quantity raises ValueError, a price that is not a number raises ValueError."
    source = "def test_bad():\n    with pytest.raises(ValueError):\n        f(None)"
    check = Check("spec.test_bad", "test_bad", "spec", source, sentence="A negative quantity raises ValueError")
    findings = await inspected(task, "def f(q): ...", passed=(check,))
    assert [finding.standing for finding in findings] == ["kept", "open"]


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_for_a_limit_is_tried_beyond_it(inspected: Inspect) -> None:
    task = "Write `steps(n)`; steps(3) == [0, 1, 2]. Raise a ValueError if n is below 1."
    lazy = "def steps(n):\n    return list(range(n))"
    (finding,) = await inspected(task, lazy)
    assert (finding.standing, finding.told) == ("open", "steps(0) gives []")
    (finding,) = await inspected(
        task, lazy.replace("    return", "    if n < 1:\n        raise ValueError\n    return")
    )
    assert (finding.standing, finding.told) == ("kept", "steps(0) and steps(-1) raise ValueError")


@pytest.mark.parametrize(
    ("body", "standing"),
    [
        ("with pytest.raises(ValueError):\n        take(a, 9)", "open"),
        ("with pytest.raises(ValueError):\n        take(a, 9)\n    assert a == [1]", "kept"),
        ("try:\n        take(a, 9)\n    except ValueError:\n        pass\n    assert a == [1]", "kept"),
        ("with pytest.raises(KeyError):\n        take(a, 9)\n    assert a == [1]", "open"),
        ("assert a == [1]\n    with pytest.raises(ValueError):\n        take(a, 9)", "open"),
    ],
)
@pytest.mark.asyncio(loop_scope="session")
async def test_what_stays_behind_an_error_is_shown_by_a_check_that_goes_on(
    inspected: Inspect, body: str, standing: str
) -> None:
    task = "Write take(a, n). Taking too many raises ValueError, and nothing that a holds is lost but stays as it was."
    check = Check("spec.test_a", "test_a", "spec", f"def test_a():\n    a = [1]\n    {body}")
    findings = await inspected(task, "def take(a, n):\n    raise ValueError", passed=(check,))
    told = [one for one in findings if one.text.endswith("as it was")]
    assert [one.standing for one in told][-1] == standing


@pytest.mark.parametrize(
    ("sentence", "code", "standing"),
    [
        ("n must be from 0 to 9, else ValueError.", "if n > 9:", "open"),
        ("n must be from 0 to 9, else ValueError.", "if not 0 <= n <= 9:", "kept"),
        ("Raises ValueError for n outside 0 to 9.", "if n < 0:", "open"),
        ("Raises ValueError if n is between 0 and 9.", "if 0 <= n <= 9:", "kept"),
    ],
)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_on_both_sides_of_a_range_is_tried_on_both(
    inspected: Inspect, sentence: str, code: str, standing: str
) -> None:
    source = "def test_bad():\n    with pytest.raises(ValueError):\n        f(10)"
    check = Check("spec.test_bad", "test_bad", "spec", source, sentence=sentence)
    program = f"def f(n):\n    {code}\n        raise ValueError\n    return n"
    findings = await inspected(f"Write f(n). {sentence} f(20) == 20", program, passed=(check,))
    assert [one.standing for one in findings if one.kind == "raises"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("which", "called", "standing"),
    [
        ("in both", ("double",), "open"),
        ("in both", ("double", "half"), "kept"),
        ("for a negative number", ("double",), "kept"),
    ],
)
async def test_a_demand_on_several_functions_needs_a_check_of_each(
    inspected: Inspect, which: str, called: tuple[str, ...], standing: str
) -> None:
    sentence = f"Anything below zero must raise ValueError {which}"
    sources = [f"def test_{name}():\n    with pytest.raises(ValueError):\n        {name}(-1)" for name in called]
    checks = [Check(f"spec:1.{n}", str(n), "spec", source, sentence=sentence) for n, source in enumerate(sources)]
    code = "def double(n):\n    return 2 * n\n\ndef half(n):\n    return n / 2\n"
    task = f"Write two functions double(n) and half(n). {sentence}."
    found = [one for one in await inspected(task, code, passed=checks) if one.kind == "raises"]
    assert [one.standing for one in found] == [standing], found
