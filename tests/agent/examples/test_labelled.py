"""Measured on labelled texts: whatever is read as a promise is one, and few are missed."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable

import pytest

from agent.examples import read_clauses
from tests.tables import in_one_test

from .labelled import (
    WAYS_OF_A_BUG,
    Labelled,
    Score,
    bugs,
    canonical,
    clause_label,
    labelled,
    promises,
    reports_of,
    score_clauses,
    score_examples,
    score_reports,
    symptom,
)

SENTENCES = labelled("sentences")
LATER = labelled("second_look")
LANGUAGES = sorted({text.language for text in SENTENCES})


def test_there_are_sentences_in_eleven_languages() -> None:
    assert len(LANGUAGES) == 11
    assert len(SENTENCES) + len(LATER) >= 500
    assert sum(1 for text in SENTENCES if not text.labels) >= 150, "as many that only look like an example"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_promise_is_one_and_nearly_all_are_read(language: str) -> None:
    texts = [text for text in SENTENCES if text.language == language]
    wrong = {text.text: found for text in texts if (found := promises(text.text, text.code) - _wanted(text))}
    assert wrong == {}
    assert score_examples(texts).recall >= 0.97


def _wanted(text: Labelled) -> set[str]:
    return set(map(canonical, text.labels))


def test_of_sentences_written_after_the_reader_every_promise_is_one_too() -> None:
    score = score_examples(LATER)
    assert score.precision == 1.0
    assert score.recall >= 0.95


def test_of_whole_tasks_as_people_type_them_every_promise_is_one_and_nearly_all_are_read() -> None:
    texts = labelled("typed")
    assert len(texts) >= 290
    wrong = {text.text: found for text in texts if (found := promises(text.text, text.code) - _wanted(text))}
    assert wrong == {}
    assert score_examples(texts).recall >= 0.9


def test_words_without_quotes_are_values_only_where_nothing_else_can_be_meant() -> None:
    texts = labelled("unquoted")
    assert sum(not text.labels for text in texts) >= 14, "more that only look like an example"
    wrong = {text.text: found for text in texts if (found := promises(text.text, text.code) - _wanted(text))}
    assert wrong == {}
    assert score_examples(texts).recall >= 0.7


@pytest.mark.parametrize(
    ("name", "score_of", "texts", "recall"),
    [
        ("examples", score_examples, 200, 0.9),
        ("clauses", score_clauses, 170, 0.85),
        ("reports", score_examples, 50, 0.7),
    ],
)
def test_what_others_say_or_do_is_neither_promise_nor_demand(
    name: str, score_of: Callable[[Iterable[Labelled]], Score], texts: int, recall: float
) -> None:
    score = score_of(labelled(f"hearsay/{name}"))
    assert score.texts >= texts
    assert score.precision == 1.0
    assert score.recall >= recall


@pytest.mark.parametrize(
    ("name", "score_of", "texts", "recall"),
    [("examples", score_examples, 155, 0.79), ("clauses", score_clauses, 120, 0.82)],
)
def test_of_sentences_as_people_chat_nothing_is_read_wrongly_and_most_is_read(
    name: str, score_of: Callable[[Iterable[Labelled]], Score], texts: int, recall: float
) -> None:
    score = score_of(labelled(f"chat/{name}"))
    assert score.texts >= texts
    assert score.precision == 1.0
    assert score.recall >= recall


def test_of_whole_reports_only_what_should_be_is_law() -> None:
    score = score_examples(text for text in labelled("reports") if text.code)
    assert score.precision == 1.0
    assert score.recall >= 0.9


def test_the_bugs_do_what_their_reports_say() -> None:
    for bug in bugs():
        space: dict[str, object] = {}
        exec(bug["code"], space)
        if bug["does"].startswith("raises "):
            with pytest.raises(getattr(builtins, bug["does"].removeprefix("raises "))):
                eval(bug["call"], space)
        else:
            assert repr(eval(bug["call"], space)) == bug["does"], bug["name"]


@pytest.mark.slow
def test_no_symptom_of_a_bug_becomes_law_in_six_ways_of_telling_it() -> None:
    assert len(bugs()) >= 40
    told = [reports_of(bug) for bug in bugs()]
    chosen = [
        [all_ways[(place * 5 + step * 17) % len(all_ways)] for step in range(WAYS_OF_A_BUG)]
        for place, all_ways in enumerate(told)
    ]
    for bug, reports in zip(bugs(), chosen, strict=True):
        assert all(symptom(bug) not in promises(report.text, report.code) for report in reports)
    score = score_reports(report for reports in chosen for report in reports)
    assert score.wrong == 0
    assert score.recall >= 0.93


@pytest.mark.corpus
def test_no_symptom_of_a_bug_becomes_law_in_any_way_of_telling_it() -> None:
    score = score_reports(report for bug in bugs() for report in reports_of(bug))
    assert score.texts > 2500
    assert score.wrong == 0
    assert score.recall >= 0.93


@in_one_test("text", labelled("clauses"), ids=lambda text: text.text[:40])
def test_a_clause_quotes_the_task_and_says_what_stands_there(text: Labelled) -> None:
    clauses = read_clauses(text.text, text.code)
    assert set(map(clause_label, clauses)) <= text.labels
    assert all(clause.text and clause.text in text.text for clause in clauses)


def test_nearly_all_clauses_are_read() -> None:
    assert score_clauses(labelled("clauses")).recall >= 0.97


def test_line_ends_of_windows_and_a_list_change_nothing() -> None:
    for text in SENTENCES[::3]:
        windows = text.text.replace("\n", "\r\n")
        assert promises(windows, text.code) == promises(text.text, text.code), text.text
