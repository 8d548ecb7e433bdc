"""What differs between two versions of a program is told completely and only once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agent.given.difference import changed_lines, hunks

LINES = st.lists(st.sampled_from(["", "a = 1", "b = 2", "    pass"]), max_size=12)


@given(LINES, LINES)
def test_the_parts_make_up_both_texts(before: list[str], after: list[str]) -> None:
    found = hunks(before, after)
    assert [line for _, low, high, _, _ in found for line in before[low:high]] == before
    assert [line for _, _, _, start, end in found for line in after[start:end]] == after
    assert all((before[low:high] == after[start:end]) == (kind == "equal") for kind, low, high, start, end in found)
    assert all(one[0] != "equal" or other[0] != "equal" for one, other in pairwise(found))


def test_one_changed_line_of_many_is_one_change() -> None:
    before = ["def f():", "    return 1", "", ""] * 3000
    after = [*before[:6000], "new", *before[6000:]]
    assert [hunk for hunk in hunks(before, after) if hunk[0] != "equal"] == [("insert", 6000, 6000, 6000, 6001)]
    assert changed_lines("\n".join(before), "\n".join(after)) == 1
