"""Demands on how a program is written, and on what it leaves as it was."""

from __future__ import annotations

import pytest

from agent.state import Check

from .conftest import Inspect


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("clause", "code", "standing"),
    [
        ("Write it in one line.", "def tidy(xs):\n    return sorted(xs)", "kept"),
        ("Write it in one line.", "def tidy(xs):\n    ys = sorted(xs)\n    return ys", "open"),
        ("Do it in a single pass.", "def tidy(xs):\n    return sorted(xs)", "open"),
        ("It lazily yields the items.", "def tidy(xs):\n    yield from xs", "kept"),
    ],
)
async def test_how_it_is_to_be_written_is_seen_or_told_as_not_checked(
    inspected: Inspect, clause: str, code: str, standing: str
) -> None:
    endless = Check(
        "spec.t", "t", "spec", "def t():\n    from itertools import count\n    assert next(tidy(count())) == 0"
    )
    findings = await inspected(f"Write a function `tidy(xs)`. {clause}", code, passed=(endless,))
    assert [finding.standing for finding in findings if finding.kind == "algorithm"] == [standing]


EAGER = "def down(n):\n    if n < 0:\n        raise ValueError\n    def steps():\n        yield n\n    return steps()"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("demand", "code", "standing"),
    [
        (
            "A negative n raises ValueError at once.",
            "def down(n):\n    if n < 0:\n        raise ValueError\n    yield n",
            "broken",
        ),
        (
            "A negative n raises ValueError.",
            "def down(n):\n    if n < 0:\n        raise ValueError\n    yield n",
            "kept",
        ),
        ("A negative n raises ValueError immediately.", EAGER, "kept"),
    ],
)
async def test_a_generator_function_raises_nothing_at_once(
    inspected: Inspect, demand: str, code: str, standing: str
) -> None:
    stated = "def t():\n    with pytest.raises(ValueError):\n        list(down(-1))"
    check = Check("spec.t", "t", "spec", stated, sentence=demand)
    findings = await inspected(f"Write a generator `down(n)`. {demand}", code, passed=(check,))
    assert [finding.standing for finding in findings if finding.kind == "raises"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("call", "code", "standing"),
    [
        ("tidy([3, 1])", "def tidy(xs):\n    xs.sort()\n    return xs", "broken"),
        ("tidy([3, 1])", "def tidy(xs):\n    return sorted(xs)", "kept"),
        ("tidy([{'a': 1}])", "def tidy(xs):\n    xs[0]['b'] = 2\n    return list(xs)", "open"),
    ],
)
async def test_a_new_list_leaves_the_old_one_as_it_is(inspected: Inspect, call: str, code: str, standing: str) -> None:
    findings = await inspected("Write a function `tidy(xs)` that puts xs in order and returns a new list.", code, call)
    assert [finding.standing for finding in findings if finding.kind == "unchanged"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("quoted", "stream", "standing"),
    [
        ("prints their product", "stdout", "open"),
        ("prints an error to stderr", "stderr", "kept"),
    ],
)
async def test_of_several_sentences_on_what_is_printed_each_needs_a_check_of_its_own(
    inspected: Inspect, quoted: str, stream: str, standing: str
) -> None:
    task = (
        "Write a command line program: it takes two integers as arguments and prints their product. With fewer than two"
        " arguments it prints an error to stderr."
    )
    source = f"def test_it():\n    assert run_program([]).{stream} == '4'"
    found = await inspected(task, "print(4)", passed=(Check("spec.t", "t", "spec", source, sentence=quoted),))
    prints = [one.standing for one in found if one.kind == "output"]
    assert prints == (["open", "kept"] if standing == "kept" else ["kept", "open"]), found
