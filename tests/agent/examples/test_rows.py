"""Several promises in one row are read by their form; rows that promise nothing are not."""

from __future__ import annotations

from tests.tables import in_one_test

from .labelled import Labelled, canonical, labelled, promises, score_examples

HOSTILE = [text for text in labelled("rows") if text.language == "hostile"]
TOLD = [text for text in labelled("rows") if text.language == "told"]


def test_there_are_many_rows_that_promise_nothing() -> None:
    assert len(HOSTILE) >= 100


@in_one_test("text", HOSTILE, ids=lambda text: text.text.rpartition("\n\n")[2][:50])
def test_a_row_that_promises_nothing_is_not_read(text: Labelled) -> None:
    assert promises(text.text, text.code) == set()


@in_one_test("text", TOLD, ids=lambda text: text.text.rpartition("\n\n")[2][:50])
def test_what_is_read_of_a_row_is_promised(text: Labelled) -> None:
    assert promises(text.text, text.code) <= set(map(canonical, text.labels))


def test_nearly_all_rows_are_read() -> None:
    assert score_examples(TOLD).recall >= 0.95
