"""Which tasks are said to be decidable by trying every possibility."""

from __future__ import annotations

import pytest

from agent.examples.bruteforce import reference_form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Return the length of the longest increasing subsequence of xs.", "program"),
        ("Write min_coins(coins, total): the fewest coins whose values add up to total, -1 if impossible.", "program"),
        ("How many ways are there to climb n steps by 1 or 2?", "program"),
        ("count_pairs(xs, k) counts the pairs whose difference is k", "program"),
        ("Return the maximum sum of a contiguous part of the list.", "program"),
        ("Say whether the list can be split into two parts of equal sum.", "program"),
        ("is_prime(n) tells whether n is a prime number", "program"),
        ("Give the minimum number of edits; the answer is guaranteed to be unique.", "program"),
        ("Return any pair of indices whose values add up to the target.", "checker"),
        ("order(tasks, before) gives a topological ordering; if there are several solutions, one will do", "checker"),
        ("Colour the graph so that neighbours differ. Any valid colouring may be returned.", "checker"),
        ("Return the unique letters of both words, in any order.", "checker"),
        ("Write slugify(title), which turns a title into the last part of a web address.", None),
        ("Return the middle value. The list holds at least one number.", None),
        ("Add the two numbers and return the sum as text.", None),
        ("Write a class Account with deposit and withdraw.", None),
        ("Turn a number into Roman numerals.", None),
    ],
)
def test_a_task_is_decidable_by_its_own_words(text: str, form: str | None) -> None:
    assert reference_form(text) == form
