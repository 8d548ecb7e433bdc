"""The word tables: whole words, any white space, and what must stand in a text for a table to find anything."""

from __future__ import annotations

import pytest

from agent.examples.vocabulary import alternatives, hints, meanings, named, pattern, section_names
from tests.tables import in_one_test

LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja", "pl", "nl", "other"}


@in_one_test("name", section_names())
def test_every_expression_of_a_table_finds_something_short_of_everything(name: str) -> None:
    assert alternatives(name)
    assert pattern(name).fullmatch("") is None
    assert not any(item.startswith(("|", " ")) or item.endswith("|") for item in alternatives(name))


@pytest.mark.parametrize(
    ("table", "text", "found"),
    [
        ("must", "it should\n  also", "should\n  also"),
        ("must", "shoulder", None),
        ("gives", "应返回4", "返回"),
        ("gives", "gives", "gives"),
        ("gives", "forgives", None),
        ("denied", "doesn't", "doesn't"),
        ("denied", "it doesnt end", "doesnt"),
        ("not_empty", "a non-empty list", "a non-empty list"),
        ("not_empty", "a list of non-empty tuples", None),
    ],
)
def test_words_are_found_whole_and_across_white_space(table: str, text: str, found: str | None) -> None:
    match = pattern(table).search(text)
    assert (match.group() if match else None) == found


def test_a_hint_is_the_rarest_part_that_cannot_be_missing() -> None:
    assert {"warshall", "dijkstra"} <= {part for _, _, parts in named("algorithms") for part in parts or ()}
    assert hints("change") == ("alter", "chang", "edit", "modif", "mutat", "touch")
    assert "place" in (hints("in_place") or ())


def test_tables_of_meanings_have_their_meanings_as_keys() -> None:
    assert dict(meanings("seconds")).keys() == {"0.001", "1", "60"}
    assert not dict(meanings("growth")).keys() & LANGUAGES
