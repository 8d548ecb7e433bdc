"""Counts, times, prices and names as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import pytest

from agent.outcome.words import (
    ATTEMPT_WORDS,
    ORIGIN_WORDS,
    SCRIPTED,
    TIER_WORDS,
    counted,
    decisive_first,
    duration,
    money,
    plural,
    reads_well,
    role_words,
    sentence,
    verdict_words,
    who_answers,
)
from agent.state import AttemptKind, Origin


@pytest.mark.parametrize(
    ("words", "names"),
    [(ORIGIN_WORDS, get_args(Origin)), (ATTEMPT_WORDS, get_args(AttemptKind)), (TIER_WORDS, ("T0", "T1", "T2"))],
)
def test_each_has_words_of_its_own(words: Mapping[str, str], names: tuple[str, ...]) -> None:
    assert set(words) == set(names)
    assert all(words.values())
    assert len(set(words.values())) == len(names)


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (8765, "8.8k"), (99_999, "100.0k"), (100_000, "100k"), (123_999, "123k")],
)
def test_a_count_is_short(count: int, told: str) -> None:
    assert counted(count) == told


@pytest.mark.parametrize(("count", "told"), [(0, "0 checks"), (1, "1 check"), (2, "2 checks")])
def test_one_thing_is_no_plural(count: int, told: str) -> None:
    assert plural(count, "check") == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0, "0 ms"), (0.25, "250 ms"), (1, "1.0 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (61.9, "1 min 1 s"),
        (3725, "62 min 5 s"),
    ],
)  # fmt: skip
def test_a_time_is_told_in_the_unit_that_fits(seconds: float, told: str) -> None:
    assert duration(seconds) == told


@pytest.mark.parametrize(
    ("usd", "told"),
    [(None, "price unknown"), (0, "no cost"), (0.00012, "$0.0001"), (0.5, "$0.5000"), (1, "$1.00"), (12.345, "$12.35")],
)
def test_a_price_that_nobody_knows_is_not_zero(usd: float | None, told: str) -> None:
    assert money(usd) == told


def test_names_of_the_engine_are_told_in_words() -> None:
    assert role_words("memory_summarizer") == "Memory summariser"
    assert role_words("spec_tester") == "Spec tester"
    words = {
        "verified": "Verified",
        "partly_verified": "Partly verified",
        "unverified": "Unverified",
        "failed": "Failed",
    }
    assert {word: verdict_words(word) for word in words} == words
    assert verdict_words("") == verdict_words("else") == "none"


@pytest.mark.parametrize(
    ("provider", "model", "told"),
    [("mock", "m", SCRIPTED), ("openai", "gpt", "openai · gpt"), ("openai", "", "openai"), ("", "", "")],
)
def test_who_answers_is_named_by_service_and_model(provider: str, model: str, told: str) -> None:
    assert who_answers(provider, model) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 of 1 checks of the task itself pass", "the one check of the task itself passes"),
        ("1 of 1 other demands that could be tried hold", "the one other demand that could be tried holds"),
        ("1 of 1 confirmed checks pass", "the one confirmed check passes"),
        ("1 of 1 checks are right", "the one check is right"),
        ("3 of 3 further checks pass", "all 3 further checks pass"),
        ("12 of 12 checks pass", "all 12 checks pass"),
        ("3 of 4 checks pass", "3 of 4 checks pass"),
        ("3 of 3 inputs equal", "3 of 3 inputs equal"),
        ("compared with 1 independent program: 1 of 1 inputs equal", "an independent program gives the same result"),
    ],
)
def test_counts_are_reworded_as_a_person_would_say_them(text: str, told: str) -> None:
    assert reads_well(text) == told


def test_what_decides_stands_first() -> None:
    assert decisive_first("3 of 3 checks pass; it hangs; ; 2 of 3 agree; 10 of 10 hold") == (
        "it hangs; 2 of 3 agree; 3 of 3 checks pass; 10 of 10 hold"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("it hangs", "It hangs"), ("f(1) gives 2", "f(1) gives 2"), ("my_name is lost", "my_name is lost"),
        ("note: it hangs", "Note: it hangs"), ("x[0] is 1", "x[0] is 1"), ("s3 fails", "s3 fails"),
        ("", ""), (" ", " "),
    ],
)  # fmt: skip
def test_a_sentence_begins_with_a_capital_and_an_identifier_stays(text: str, told: str) -> None:
    assert sentence(text) == told
