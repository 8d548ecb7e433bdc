"""Demands that passed checks show where no input can be written as a literal, and messages that nobody looks at."""

from __future__ import annotations

import pytest

from agent.state import Check

from .conftest import Inspect

MONEY = "from decimal import Decimal\n\n\ndef share(amount, parts):\n    return [amount / parts] * parts\n"


def stating(source: str, sentence: str = "") -> Check:
    return Check("spec:1.t", "t", "spec", source, None, None, sentence=sentence)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("cents", "standings"),
    [("'1.00'", {"type": "kept", "output": "kept"}), ("'1.000'", {"type": "kept", "output": "open"})],
)
async def test_values_of_decimals_are_seen_in_the_checks_that_state_them(
    inspected: Inspect, cents: str, standings: dict[str, str]
) -> None:
    task = "Write share(amount, parts) with Decimal amounts. It returns a list of amounts rounded to two decimals."
    check = stating(f"assert share(Decimal('2.00'), 2) == [Decimal({cents}), Decimal({cents})]")
    found = await inspected(task, MONEY, passed=(check,))
    assert {one.kind: one.standing for one in found} == standings, found


@pytest.mark.asyncio(loop_scope="session")
async def test_the_type_of_what_a_coroutine_gives_is_seen_where_asyncio_runs_it(inspected: Inspect) -> None:
    task = "Write an async function fetch(urls, get). Return a list of results."
    code = "async def fetch(urls, get):\n    return [await get(url) for url in urls]\n"
    check = stating("assert asyncio.run(fetch([1, 2], double)) == [2, 4]")
    found = await inspected(task, code, passed=(check,))
    assert [one.standing for one in found if one.kind == "type"] == ["kept"], found
    other = stating("assert len(asyncio.run(fetch([1, 2], double))) == 2")
    found = await inspected(task, code, passed=(other,))
    assert [one.standing for one in found if one.kind == "type"] == ["open"], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("test", "standing"),
    [
        ("with pytest.raises(SyntaxError):\n        parse('x')", "open"),
        ("with pytest.raises(SyntaxError, match='1'):\n        parse('x')", "kept"),
        ("with pytest.raises(SyntaxError) as told:\n        parse('x')\n    assert '1' in str(told.value)", "kept"),
    ],
)
async def test_the_message_of_an_exception_is_checked_by_who_looks_at_it(
    inspected: Inspect, test: str, standing: str
) -> None:
    sentence = "A line without = raises SyntaxError with the line number in the message"
    code = "def parse(text):\n    raise SyntaxError('line 1')\n"
    check = stating(f"def t():\n    {test}\n", sentence)
    found = await inspected(f"Write parse(text). {sentence}.", code, passed=(check,))
    assert [one.standing for one in found if one.kind == "raises"] == [standing], found
