"""Comparing values and sentences that arrive as text."""

from __future__ import annotations

import pytest

from agent.source.values import sentence_in

CYRILLIC = "Строка не должна быть пустой, числа положительные."
TASK = 'Write f(xs) that returns the "largest" item; it\n raises ValueError for an empty list. 如果列表为空则返回零。'


@pytest.mark.parametrize(
    "quote",
    ["raises ValueError for an empty list.", "RAISES  valueerror", "it raises", "f(xs)", "列表为空", "“returns the”"],
)
def test_words_of_the_text_are_a_quote(quote: str) -> None:
    assert sentence_in(quote, TASK)


@pytest.mark.parametrize(
    "quote", ["", "x", "f", "...", "list", "aises ValueError", "an emp", "ises Val", "为空", "no such words"]
)
def test_a_letter_a_single_word_or_a_part_of_one_is_none(quote: str) -> None:
    assert not sentence_in(quote, TASK)


def test_a_word_is_not_cut_in_any_alphabet() -> None:
    assert sentence_in("не должна быть пустой", CYRILLIC)
    assert not sentence_in("трока не должна", CYRILLIC)
    assert not sentence_in("не должна быть пуст", CYRILLIC)
    assert not sentence_in("ße ist lang", "Die Straße ist lang.")
