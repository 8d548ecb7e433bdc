"""Figures are read with their words and compared as far as they were printed."""

from __future__ import annotations

import pytest

from agent.by_output.agreement import prompts_of, settled, settled_outputs, settled_runs
from agent.by_output.drawn import Axes, Drawing
from agent.by_output.figures import Figure, close, figures_in, same_figures
from agent.by_output.output import made_data, output_of
from agent.examples.types import Brief, Demand
from agent.session.fingerprints import hashed
from agent.state import AgentState, Candidate, Run, Task
from agent.trust import CandidateFacts
from agent.trust.facts import WORDING
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
        ("north 44.8%\nsouth 55.2 %", "north 0.448\nsouth 0.552", True),
        ("north 44.8%", "north 44.8", True),
        ("north 44.8%", "north 0.447", False),
        ("growth -52.1%", "growth: -0.5208", True),
        ("1. pen 17\n2. pad 4", "pen 17\npad 4", True),
        ("2. pen 17\n4. pad 4", "pen 17\npad 4", False),
        ("1. half", "half", False),
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


def test_pictures_that_differ_are_told_apart_in_words() -> None:
    ran = Execution("ok", ISOLATION, artifacts=(Artifact("a.png", "image/png", b"\x89PNG"),))
    told = {
        f"c{height}": output_of(ran, [Drawing("a.png", (Axes(bars=[height, 1.0]),))], Demand(picture=True))
        for height in (2, 3)
    }
    settled = settled_outputs(told, list(told), Demand(picture=True))
    assert [one.text for one in settled.values()] == ["a picture", "a picture (with other content, no. 2)"]


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


@pytest.mark.parametrize(
    ("headed", "bare", "same"),
    [
        ("The first 4 primes: 2, 3, 5, 7", "2\n3\n5\n7", True),
        ("The first 4 primes\n2\n3\n5\n7", "2 3 5 7", True),
        ("The first 4 primes: 2, 3, 5, 7", "2\n3\n5\n8", False),
        ("The first 6 primes: 2, 3, 5, 7", "2\n3\n5\n7", False),
        ("1, 2, 3, 4", "1, 2, 3", False),
        ("1\n2\n3\n4", "1\n2\n3", False),
    ],
)
def test_a_heading_may_repeat_a_number_of_the_task(headed: str, bare: str, same: bool) -> None:
    demand = Demand(numbers=(4,))
    told = {
        name: output_of(Execution("ok", ISOLATION, stdout=text), (), demand)
        for name, text in (("c1", headed), ("c2", bare))
    }
    for order in (["c1", "c2"], ["c2", "c1"]):
        settled = settled_outputs(told, order, demand)
        assert (settled["c1"] == settled["c2"]) is same


@pytest.mark.parametrize(
    ("code", "prompts"),
    [
        ("print('Your age:')\nage = input()", ("Your age:",)),
        ("import sys\nprint('Your age?')\nage = sys.stdin.readline()", ("Your age?",)),
        ("print('Thank you')\nage = input('Age')", ("Age",)),
        ("print('Totals:')\nprint(3)", ()),
    ],
)
def test_a_question_that_a_program_prints_before_it_reads_is_a_prompt(code: str, prompts: tuple[str, ...]) -> None:
    assert prompts_of(code) == prompts


ASKING = "height = float(input('Height in m: '))\nprint(f'BMI: {80 / height**2:.1f}')"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Height in m: BMI: 44.9", "44.9", True),
        ("Height in m: BMI: 44.9", "Your BMI is 44.9", True),
        ("Height in m: BMI: 44.9", "44.8", False),
        ("Height in m: Hello, Ann", "Hello, Ann", True),
        ("Height in m: Hello, Ann", "Hello, Bob", False),
        ("Height in m: 7 is prime", "7 is not prime", False),
        ("Height in m: divisible by 3", "not divisible by 3", False),
        ("Height in m: even number: 4", "odd number: 4", False),
        ("Height in m: 1\n2", "1\n2\n3", False),
        ("Height in m: .5", "5", False),
        ("Height in m: > 5", "5", False),
        ("Height in m: Invalid height: 5", "5", False),
        ("Height in m: Total: $5", "5", True),
    ],
)
def test_how_a_program_asks_for_its_input_is_left_to_its_author(one: str, other: str, same: bool) -> None:
    runs = {name: {"run": CallOutput("value", repr({"stdout": text}))} for name, text in (("c1", one), ("c2", other))}
    settled = settled_runs(runs, {"c1": ASKING, "c2": "print(1)"})
    assert (settled["c1"] == settled["c2"]) is same
    assert settled_runs(runs, {"c1": "print(1)", "c2": "print(1)"}) == runs, "where no program asks"


@pytest.mark.parametrize(
    ("one", "other", "task", "same"),
    [
        (("", 1), ("", 2), "Print the word.", True),
        (("", 1), ("", 2), "Print the word; exit with 2 where there is none.", False),
        (("", 1), ("", 0), "Print the word.", False),
        (("a", 1), ("b", 1), "Print the word.", False),
    ],
)
def test_which_status_a_refusal_has_is_left_to_its_author(
    one: tuple[str, int], other: tuple[str, int], task: str, same: bool
) -> None:
    ended = {"c1": one, "c2": other}
    told = {
        name: CallOutput("value", repr({"stdout": text, "exit_code": status})) for name, (text, status) in ended.items()
    }
    program = Brief(kind="program", hard=False, entry_point=None, signature=None)
    state = AgentState(task=Task(task), brief=program, candidates=[Candidate(n, "", "first", None, n) for n in told])
    (first, second), _ = settled(state, [CandidateFacts(n, n, outputs={"run": told[n]}) for n in told], Demand())
    assert (first.outputs == second.outputs) is same


@pytest.mark.parametrize(
    ("one", "other", "task", "worded"),
    [
        (("Added", "1. [ ] milk", "Done 1", ""), ("added milk", "[ ] 1 milk", "Done: milk", ""), Task("A list"), "012"),
        (("1", "2 eggs", "no", "ok"), ("milk (1)", "eggs (3)", "nothing", "done"), Task("A list"), "023"),
        (("Added", "milk", "Done"), ("added", "milk", "done"), Task("A list"), ""),
        (("Added", "listed"), ("added", "shown"), Task("A list"), ""),
        (("Added", "listed", "Done"), ("added", "shown", "done"), Task("A list", tests="def test(): ..."), ""),
    ],
    ids=["words", "a figure differs", "one run is equal", "too few runs", "tests fix the words"],
)
def test_what_programs_only_word_otherwise_is_compared_by_their_checks(
    one: tuple[str, ...], other: tuple[str, ...], task: Task, worded: str
) -> None:
    told = {
        name: {str(n): CallOutput("value", repr({"stdout": text, "exit_code": 0})) for n, text in enumerate(texts)}
        for name, texts in {"c1": one, "c2": other}.items()
    }
    program = Brief(kind="program", hard=False, entry_point=None, signature=None)
    state = AgentState(task=task, brief=program, candidates=[Candidate(n, n, "first", None, n) for n in told])
    found, apart_from = settled(state, [CandidateFacts(n, n, outputs=told[n]) for n in told], Demand())
    assert (apart_from == WORDING) is bool(worded)
    for each in found:
        assert sorted(call for call, output in each.outputs.items() if output.kind == "opaque") == list(worded)


@pytest.mark.parametrize("order", [("4", "even: 4", "odd: 4"), ("odd: 4", "4", "even: 4")])
def test_a_bare_figure_does_not_make_two_labels_that_differ_one_answer(order: tuple[str, ...]) -> None:
    runs = {text: {"run": CallOutput("value", repr({"stdout": text}))} for text in order}
    settled = settled_runs(runs, dict.fromkeys(order, ASKING))
    assert settled["even: 4"] != settled["odd: 4"]


@pytest.mark.parametrize(("figures", "same"), [("mean 2.00", True), ("mean 2.50", False)])
def test_what_a_script_made_for_itself_is_handed_on_and_its_figures_are_recomputed(figures: str, same: bool) -> None:
    chance = Demand(by_chance=True)
    table = Artifact("own.csv", "text/csv", b"a\n1\n3\n")
    maker = Execution("ok", ISOLATION, stdout="mean 2.0", artifacts=(table,))
    told = {"c1": output_of(maker, (), chance), "c2": output_of(Execution("ok", ISOLATION, stdout=figures), (), chance)}
    assert made_data(Run("c1", "script", hashed(maker), outputs={"<output>": told["c1"]})) == {"own.csv": table.data}
    assert settled_outputs(told, ["c1", "c2"], chance)["c1"].kind == "opaque", "another author has other data"
    settled = settled_outputs(told, ["c1", "c2"], chance, {"c2": "c1"})
    assert (settled["c1"] == settled["c2"]) is same
    assert settled["c1"].kind == settled["c2"].kind == "value"


def test_a_summary_of_the_answers_is_handed_to_nobody_who_shall_compute_them_anew() -> None:
    data, summary = (
        Artifact("data.csv", "text/csv", b"a\n1\n3\n8\n"),
        Artifact("summary.csv", "text/csv", b"name,value\nmean,4.00\nsum,12\n"),
    )
    ran = Execution("ok", ISOLATION, stdout="mean 4.0\nsum 12", artifacts=(data, summary))
    run = Run("c1", "script", hashed(ran), outputs={"<output>": output_of(ran, (), Demand())})
    assert made_data(run) == {"data.csv": data.data}


@pytest.mark.parametrize(
    ("table", "printed", "summary"),
    [
        ("name,age\nAnn,30\nBob,40\nCy,50\n", "mean 40\nstdev 10.0\nmax 50", False),
        ("name,age\nAnn,30\nBob,40\nCy,50\n", "mean age 40", False),
        ("name;dept;pay\nAnn;IT;45\nBob;IT;45\nCy;HR;32\nDi;HR;32\n", "IT: 45\nHR: 32", False),
        ("dept,mean_pay\nIT,45\nHR,32\n", "IT: 45\nHR: 32", True),
        ("mean,stdev\n40,10\n", "mean 40\nstdev 10", True),
        ("mean_age\n40\n", "mean age: 40", True),
        (",age,height\nmean,40,3\nmax,50,4\n", "mean age 40\nmean height 3\nmax age 50\nmax height 4", True),
        ("a\n40\n10\n", "[40, 10]", True),
        ("stat,value\navg,5.5\nstdev,1.2\n", "Mean: 5.5\nStandard deviation: 1.2", True),
        ("5.5\n1.2\n", "Mean: 5.5\nStandard deviation: 1.2", True),
    ],
)
def test_data_of_which_an_answer_is_one_are_no_summary(table: str, printed: str, *, summary: bool) -> None:
    ran = Execution("ok", ISOLATION, stdout=printed, artifacts=(Artifact("a.csv", "text/csv", table.encode()),))
    run = Run("c1", "script", hashed(ran), outputs={"<output>": output_of(ran, (), Demand())})
    assert bool(made_data(run)) is not summary


def test_a_file_that_is_not_known_to_its_end_is_handed_to_nobody() -> None:
    long = Execution("ok", ISOLATION, stdout="mean 2", artifacts=(Artifact("a.csv", "text/csv", b"1\n" * 20_000),))
    silent = Execution("ok", ISOLATION, stdout="done", artifacts=(Artifact("a.csv", "text/csv", b"1"),))
    for ran in (long, silent):
        output = output_of(ran, (), Demand())
        assert made_data(Run("c1", "script", hashed(ran), outputs={"<output>": output})) == {}
