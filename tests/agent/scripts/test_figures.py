"""Figures are read with their words and compared as far as they were printed."""

from __future__ import annotations

import pytest

from agent.examples.types import Demand
from agent.scripts.agreement import settled_outputs
from agent.scripts.drawn import Axes, Drawing
from agent.scripts.figures import Figure, close, figures_in, same_figures
from agent.scripts.output import output_of
from sandbox.types import Artifact, CallOutput, Execution, Isolation

ISOLATION = Isolation("limits", *["open"] * 6)


def same(one: str, other: str, *, ordered: bool = False) -> bool:
    return same_figures(figures_in(one), figures_in(other), ordered=ordered)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Engineering: 85000\nHR: 62000", "HR 62000.00\nEngineering 85000.0", True),
        ("north 10\nsouth 20", "north 20\nsouth 10", False),
        ("mean 3.14", "mean: 3.14159", True),
        ("mean 3.14", "mean: 3.15", False),
        ("count 3", "count 3.4", False),
        ("total 1,234.50", "total 1234.5", True),
        ("total 1234", "total 1234.4", True),
        ("a 1\nb 2", "a 1", False),
        ("on 2024-01-05 it was 7", "2024-01-05: 7.0", True),
        ("1e-3", "0.001", True),
        ("mean 5, median 4", "median 4, mean 5", True),
        ("mean 5, median 4", "mean 4, median 5", False),
    ],
)
def test_two_texts_with_the_same_figures(one: str, other: str, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_the_order_counts_where_it_is_asked_for() -> None:
    assert same("b 2\na 1", "a 1\nb 2")
    assert not same("b 2\na 1", "a 1\nb 2", ordered=True)


def test_a_row_of_a_table_lends_its_words_to_every_column() -> None:
    assert [figure.words for figure in figures_in("HR  62000  3")] == [("hr",), ("hr",)]


def test_names_and_dates_are_no_figures() -> None:
    assert figures_in("q1 col_2 2024-01-05 10:30 v1.2.3") == []


def test_small_counts_are_exact() -> None:
    assert not close(Figure("3", ()), Figure("3.4", ()))
    assert close(Figure("300", ()), Figure("300.4", ()))


def test_chance_is_compared_by_nobody() -> None:
    chance = Demand(by_chance=True)
    told = {name: output_of(Execution("ok", ISOLATION, stdout="3"), (), chance) for name in ("c1", "c2")}
    assert {output.kind for output in settled_outputs(told, ["c1", "c2"], chance).values()} == {"opaque"}
    assert settled_outputs({"c1": CallOutput("exception", "KeyError")}, ["c1"], Demand())["c1"].kind == "exception"


@pytest.mark.parametrize(
    ("counts", "numbers", "said"),
    [
        ((150, 120), (), ["lines", "opaque"]),
        ((150, 120), (150,), ["lines", "other lines"]),
        ((1000, 1001), (1000,), ["lines", "lines"]),
    ],
)
def test_how_much_of_chance_is_drawn_parts_programs_only_where_the_task_says_how_much(
    counts: tuple[int, int], numbers: tuple[int, ...], said: list[str]
) -> None:
    demand = Demand(picture=True, by_chance=True, numbers=numbers)
    ran = Execution("ok", ISOLATION, stdout="x 1")
    told = {
        f"c{place}": output_of(ran, [Drawing("a.png", (Axes(lines=[[0.5] * count]),))], demand)
        for place, count in enumerate(counts)
    }
    first, second = settled_outputs(told, list(told), demand).values()
    found = "opaque" if second.kind == "opaque" else "lines" if first == second else "other lines"
    assert ["lines", found] == said


def test_bars_without_a_value_are_counted_by_nobody() -> None:
    demand = Demand(picture=True, by_chance=True)
    drawing = Drawing("a.png", (Axes(bars=[1.0, float("nan")]),))
    told = {name: output_of(Execution("ok", ISOLATION, stdout="x"), [drawing], demand) for name in ("c1", "c2")}
    assert len(settled_outputs(told, list(told), demand)) == 2


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        ("who;sum\r\nAnn;17.0;1\r\nBob;21.5;2\r\n", True),
        ("name,total,n\nBob,21.50,2\nAnn,17,1\n", True),
        ("name,total,n\nAnn,18,1\nBob,21.5,2\n", False),
        ("name,total,n\nAnn,17,1\nBob,21.5,3\n", False),
    ],
)
def test_tables_that_are_written_are_compared_by_their_figures(other: str, equal: bool) -> None:
    demand = Demand(makes=("a.csv",))
    told = {
        name: output_of(
            Execution("ok", ISOLATION, stdout="done", artifacts=(Artifact("a.csv", "text/csv", text.encode()),)),
            (),
            demand,
        )
        for name, text in (("c1", "name,total,n\nAnn,17.0,1\nBob,21.5,2\n"), ("c2", other))
    }
    assert (len(set(settled_outputs(told, list(told), demand).values())) == 1) is equal


def test_a_decimal_comma_parts_no_number() -> None:
    values = [figure.value for figure in figures_in("Mittel: 3.800,25 EUR; a 12,5; b -0,123456; c 1,234; d 12,345.5")]
    assert values == [3800.25, 12.5, -0.123456, 1234.0, 12345.5]
    assert same("Mittel: 12,30 EUR", "Mittel: 12.3 EUR")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("(1,2)", [1, 2]),
        ("(1, 2)", [1, 2]),
        ("items: 10,20", [10, 20]),
        ("items: 1,2,3", [1, 2, 3]),
        ("Mittel: 12,30", [12, 30]),
        ("[1,-2] Mittel: 12,30 EUR, max 7,5", [1, -2, 12.3, 7.5]),
        ("1.234,5 at (3,4)", [1234.5, 3, 4]),
        ("1,234 and 1,234,567.8", [1234, 1234567.8]),
        ("2024-01-05,7", [7]),
    ],
)
def test_a_comma_parts_numbers_unless_the_text_writes_decimal_commas(text: str, values: list[float]) -> None:
    assert [figure.value for figure in figures_in(text)] == values
