"""Words out of the data are part of a script's answer; how an author puts things is not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agent.by_output.agreement import settled_outputs
from agent.by_output.output import output_of
from agent.by_output.words import data_words
from agent.examples.types import Demand
from sandbox.types import CallOutput, Execution, Isolation

ISOLATION = Isolation("limits", *["open"] * 6)
SALES = {"sales.csv": b"region,amount\nnorth,420\nsouth,300\neast,420\n"}
TASK = "Which region of sales.csv sold most?"
PLAIN = "print(best, total)"


def put_out(printed: str, code: str = PLAIN, files: Mapping[str, bytes] = SALES, task: str = TASK) -> CallOutput:
    execution = Execution("ok", ISOLATION, stdout=printed)
    return output_of(execution, (), Demand(), lambda text: data_words(text, code, files, task))


def agree(
    one: str,
    other: str,
    *,
    codes: tuple[str, str] = (PLAIN, PLAIN),
    files: Mapping[str, bytes] = SALES,
    task: str = TASK,
) -> bool:
    told = {"c1": put_out(one, codes[0], files, task), "c2": put_out(other, codes[1], files, task)}
    settled = settled_outputs(told, ["c1", "c2"], Demand(), task=task)
    return settled["c1"] == settled["c2"]


def test_another_cell_beside_the_same_figure_is_another_answer() -> None:
    assert not agree("north 420", "east 420")
    assert not agree("north 420", "420")
    assert agree("north 420", "north  420.0")
    assert agree("North: 420", "NORTH 420")


def test_how_an_author_puts_it_is_no_answer() -> None:
    codes = ('print(f"The best region is {best} with {total}")', 'print("Most sales:", best, total)')
    assert agree("The best region is north with 420", "Most sales: north 420", codes=codes)
    assert not agree("The best region is north with 420", "Most sales: east 420", codes=codes)


@pytest.mark.parametrize(
    ("one", "other", "task", "same"),
    [
        ("north 420\nsouth 300\neast 420", "north 420\nsouth 300\neast 420\nTotal 1140", "Sales by region", True),
        ("north 420\nsouth 300\neast 420", "north 420\nsouth 300\neast 420\nTotal 1140", "Sales and total", False),
        ("north 420\nsouth 300\neast 420", "north 420\nsouth 301\neast 420\nTotal 1140", "Sales by region", False),
        ("north 0.5\neast 0.5", "north 50%\neast 50 %\nSum of all: 1", "Share of each region", True),
        ("north, south, east", "north\nsouth\neast", "List the regions", True),
        ("north, south, east", "north\neast\nsouth", "List the regions", False),
        ("1. north: 420\n2. east: 420", "north 420\neast 420", "The best two", True),
        ("1. north: 420\n2. east: 420", "north 420\neast 421", "The best two", False),
    ],
)
def test_what_stands_beside_the_answer_does_not_part_it(one: str, other: str, task: str, same: bool) -> None:
    assert agree(one, other, codes=(PLAIN, 'print("Total", whole)'), task=task) is same


def test_a_part_of_a_time_or_date_is_no_word_of_the_data() -> None:
    files = {"server.log": b"2024-05-01 10:05:12 ERROR disk\n2024-05-01 11:00:44 ERROR disk\n"}
    task = "How many errors are there per hour?"
    assert agree(
        "2024-05-01 10h: 1\n2024-05-01 11h: 1", "2024-05-01 10:00 1\n2024-05-01 11:00 1", files=files, task=task
    )
    assert not agree("2024-05-01 11: 1", "2024-05-02 11: 1", files={"b.log": b"2024-05-01\n2024-05-02\n"}, task=task)


TABLE = "north 420\nsouth 300\neast 420\n"
SAYS = 'print("Region that sold most:", best, total); print("The region that sold the least:", worst)'


@pytest.mark.parametrize(
    ("short", "long", "same"),
    [
        ("north 420", f"{TABLE}Region that sold most: north 420", True),
        ("north 420", f"{TABLE}Region that sold most: north", True),
        ("north", f"{TABLE}Region that sold most: north 420", True),
        ("north", "Region that sold most: north 420", True),
        ("north 420", f"{TABLE}Region that sold most: east 420", False),
        ("south 300", f"{TABLE}Region that sold most: north 420", False),
        ("north 420", f"{TABLE}Region that sold most: north 420\nThe region that sold the least: south", False),
        ("north 500", f"{TABLE}Region that sold most: north", False),
        ("north 420", TABLE, False),
        ("north 420\nsouth 300", "Region that sold most: north 300\nRegion that sold most: south 420", False),
        ("north: most 420, least 7", f"{TABLE}Region that sold most: north, most 7, least 420", False),
    ],
)
def test_who_shows_the_table_before_the_answer_contradicts_nobody(short: str, long: str, same: bool) -> None:
    assert agree(short, long, codes=(PLAIN, SAYS)) is same
    assert agree(long, short, codes=(SAYS, PLAIN)) is same


@pytest.mark.parametrize(
    ("one", "other", "rows", "same"),
    [
        ("There are no rows.", "The file is empty", False, True),
        ("There are no rows.", "0 rows were read", False, True),
        ("There are no rows.", "average: 3", False, False),
        ("Yes", "No", True, False),
    ],
)
def test_where_the_data_have_no_rows_each_author_says_so_in_other_words(
    one: str, other: str, rows: bool, same: bool
) -> None:
    told = {"c1": put_out(one), "c2": put_out(other)}
    settled = settled_outputs(told, ["c1", "c2"], Demand(), task=TASK, rows=rows)
    assert (settled["c1"] == settled["c2"]) is same


@pytest.mark.parametrize("other", ["amount north 420", "region\nnorth 420\nName: amount, dtype: int64"])
def test_heads_of_columns_may_stand_in_one_output_only(other: str) -> None:
    assert agree("north 420", other)


def test_heads_of_columns_are_an_answer_where_each_names_another() -> None:
    files = {"gaps.csv": b"price,stock\n1,\n,2\n"}
    assert not agree("price 1", "stock 1", files=files, task="Which column of gaps.csv has most gaps?")


def test_what_the_task_itself_says_may_stand_in_one_output_only() -> None:
    task = "How much did north sell?"
    assert agree("north 420", "420", task=task)
    assert not agree("north 420", "south 420", task="Does north or south sell more?")


def test_keys_of_json_are_heads_and_binary_files_are_not_read() -> None:
    files = {"a.json": b'[{"region": "north", "amount": 420}, {"region": "east", "amount": 420}]'}
    assert agree("region north amount 420", "north 420", files=files)
    assert not agree("north 420", "east 420", files=files)
    assert agree("north 420", "east 420", files={"a.xlsx": b"PK\0\0north east"})


def test_files_in_other_encodings_are_read() -> None:
    text = "Stadt;Wert\nKöln;7\nMünchen;7\n"
    for data in (text.encode("utf-8-sig"), text.encode("cp1252"), text.encode("utf-16")):
        assert not agree("Köln 7", "München 7", files={"a.csv": data})


def test_the_difference_is_told_in_words() -> None:
    told = {name: put_out(f"{name} 420") for name in ("north", "east")}
    shown = [out.text for out in settled_outputs(told, ["north", "east"], Demand()).values()]
    assert shown == ["420 (north)", "420 (east)"]
