"""What kind of task a text is: measured on labelled texts, half of which nobody looks at."""

from __future__ import annotations

from typing import get_args

import pytest

from agent.examples import read_brief
from agent.examples.outputs import demand_of, files_of, inline_table
from agent.examples.types import TaskKind
from tests.agent.examples.kinds_labelled import kind_texts, share_of_demands, share_right

TEXTS = kind_texts()
HALVES = {"looked at": [t for t in TEXTS if not t.is_apart], "apart": [t for t in TEXTS if t.is_apart]}


def test_there_are_texts_enough_in_five_languages_of_every_kind() -> None:
    assert len(TEXTS) >= 200
    assert len({text.language for text in TEXTS}) >= 5
    assert {text.kind for text in TEXTS} == set(get_args(TaskKind)), "a kind that nothing asks for must not exist"
    assert min(map(len, HALVES.values())) >= 100


@pytest.mark.parametrize("half", HALVES)
def test_nearly_all_are_read_as_a_person_reads_them(half: str) -> None:
    assert share_right(HALVES[half]) >= 0.97
    assert share_of_demands(HALVES[half]) >= 0.97


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("Implement K-means clustering from scratch and plot the clusters with centroids X", "script"),
        ("Generate 100 random numbers and plot a histogram", "script"),
        ("Calculate the average salary by department from this CSV", "data"),
        ("Create a CSV with sample data, then read it and calculate statistics", "script"),
    ],
)
def test_the_headline_tasks_of_earlier_systems(task: str, kind: str) -> None:
    brief = read_brief(task, None, ())
    assert (brief.kind, brief.sure) == (kind, True)


def test_a_file_is_read_or_made_by_the_word_that_stands_nearest() -> None:
    text = "Read in.csv, sort it and save it as out.csv. Draw the totals into chart.png. Then read out.csv again."
    assert files_of(text) == files_of("Load in.csv. Write out.csv. chart.png")
    assert (files_of(text).read, files_of(text).made) == (("in.csv",), ("out.csv", "chart.png"))


@pytest.mark.parametrize(
    "text",
    [
        "Save the first ten squares in out.csv",
        "Write the results in out.csv",
        "the sum should be saved in out.csv",
        "Speichere das Ergebnis in out.csv",
        "Das Ergebnis soll in out.csv gespeichert werden",
        "Enregistre le résultat dans le fichier out.csv",
        "Guarda el resultado en out.csv",
        "Salve o resultado em out.csv",
        "Сохрани результат в out.csv",
    ],
)
def test_what_is_put_into_a_file_is_not_read_from_it(text: str) -> None:
    assert (files_of(text).read, files_of(text).made) == ((), ("out.csv",))


def test_what_lies_in_a_file_already_is_read() -> None:
    for text in ("The sales are stored in in.csv. Plot them.", "Write a program that sums the values in in.csv"):
        assert files_of(text).read == ("in.csv",)
        assert files_of(f"Create a bar chart of what is in in.csv. {text}").read == ("in.csv",)


def test_what_is_given_under_another_name_is_not_asked_for() -> None:
    text = "Print the total of sales.csv"
    assert demand_of(text, ()).missing == ("sales.csv",)
    assert demand_of(text, ["Sales.CSV"]).missing == ()
    assert demand_of(text, ["sales (1).csv"]).missing == ()
    assert demand_of(text, ["notes.txt"]).missing == ("sales.csv",)


def test_a_table_in_the_text_is_data_and_a_list_in_a_sentence_is_none() -> None:
    assert inline_table("average age:\nname,age\nann,30\nbob,40")
    assert not inline_table("Write red, green and blue.\nThen write one, two and three.")


def test_letters_are_no_picture() -> None:
    assert not demand_of("Write a program that draws a triangle of stars", ()).picture
    assert demand_of("Draw a triangle and save it as a.png", ()).picture
