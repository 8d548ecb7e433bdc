"""What of a task no example, clause or check is about: told, and never passed over in silence."""

from __future__ import annotations

import json

import pytest

from agent.examples import read_brief
from agent.law import unnamed_in
from agent.law.unnamed import told_unnamed, unchecked_demands, unnamed
from agent.runs import AgentRuns
from agent.state import AgentState, Check, Fault, Ruling, Suite, Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

TASK = (
    "Write a function `wrap(text, width)` for our mailer. Lines have at most width characters. Several spaces count as"
    " one. Instances of a tab are kept.\n>>> wrap(\"a  b\", 3)\n['a b']\n"
)


def left(task: str, *quotes: str) -> list[str]:
    checks = [Check(f"spec:1.test_{n}", "t", "spec", "", sentence=quote) for n, quote in enumerate(quotes)]
    return unnamed(task, read_brief(task, None, ()), checks)


def test_a_sentence_is_named_by_the_check_that_quotes_it_or_most_of_it() -> None:
    three = ["Lines have at most width characters", "Several spaces count as one", "Instances of a tab are kept"]
    assert left(TASK) == three
    assert left(TASK, "Several spaces count as one.", "lines have  at most width") == [three[2]]
    assert left(TASK, "tab") == three
    assert left(TASK, f"{three[0]}. {three[1]}", "a tab is kept, and so are instances of it") == []


def test_a_demand_is_about_its_own_part_of_a_sentence() -> None:
    task = "Write pivot(rows). Regions in the order in which they first appear, months that are empty get a zero."
    assert left(task) == ["months that are empty get a zero"]
    assert left(task, "Regions in the order in which they first appear, months that are empty get a zero.") == []


@pytest.mark.parametrize(
    ("call", "expected", "rest"),
    [
        ("pivot([('b', 1), ('a', 2)])", "{'a': 2, 'b': 1}", ["The keys are sorted ascending"]),
        ("pivot([('b', 1), ('a', 2)])", "{'b', 'a'}", ["The keys are sorted ascending"]),
        ("list(pivot([('b', 1), ('a', 2)]))", "['a', 'b']", []),
        ("pivot([('b', 1), ('a', 2)])", "{'a': [1, 2]}", []),
    ],
)
def test_an_order_is_not_seen_by_a_check_that_compares_what_has_none(call: str, expected: str, rest: list[str]) -> None:
    task = "Write pivot(rows) that gives the sum by key. The keys are sorted ascending."
    source = f"assert {call} == {expected}"
    check = Check("spec:1.t", "t", "spec", source, call, expected, sentence="The keys are sorted ascending.")
    assert unnamed(task, read_brief(task, None, ()), [check]) == rest


def test_a_message_is_not_seen_by_a_check_that_asks_for_the_exception_alone() -> None:
    part = "a line without it -> SyntaxError with the line number in the message"
    task = f"Write parse(text) that parses lines. Errors: {part}; an empty key -> KeyError."
    for more, rest in (("", [f"Errors: {part}"]), (", match='1'", [])):
        source = f"def t():\n    with pytest.raises(SyntaxError{more}):\n        parse('x')\n"
        check = Check("spec:1.t", "t", "spec", source, sentence=part)
        assert unnamed(task, read_brief(task, None, ()), [check]) == rest


def test_what_a_given_program_is_to_do_besides_is_not_passed_over() -> None:
    code = "def chunks(items, size):\n    return [items[i:i + size] for i in range(0, len(items), size)]\n"
    task = (
        "Add an optional parameter fill to my function: the last chunk is filled up with it. Also fill=None has to fill"
        " with None.\n\nchunks([1, 2, 3], 2, fill=0) == [[1, 2], [3, 0]]"
    )
    brief = read_brief(task, code, ())
    assert brief.kind == "extend"
    told = unnamed(task, brief, [Check("spec:1.t", "t", "spec", "", sentence="the last chunk is filled up with it")])
    assert told == ["Also fill=None has to fill with None"]


def test_a_few_words_that_open_the_task_and_end_in_a_colon_are_told_by_what_follows() -> None:
    cache = "class LRU with get(key).\n- get returns the value or -1 if there is none."
    assert left(f"Implement an LRU cache:\n\n{cache}", "get returns the value or -1 if there is none") == []
    helpers = "I need three small helper functions for my temperature app:\n1. c_to_f(c) gives Fahrenheit"
    assert left(helpers, "c_to_f(c) gives Fahrenheit") == []
    long = "Implement a cache that forgets what was used least recently of all:"
    assert left(f"{long}\n\n{cache}", "get returns the value or -1 if there is none") == [long]


def test_the_number_of_a_sentence_is_no_part_of_it() -> None:
    task = "Write notice(years).\n\n(1) {0}.\n2) It is {1}.\n(b) Years before 25 are not counted."
    said = "It is one month below two years, two months from then on, three months from ten years on"
    task = task.format(said, "more for those who have served longer than anybody else")
    assert left(task, said, "It is more for those who have served longer than anybody else") == [
        "Years before 25 are not counted"
    ]


def test_a_short_sentence_that_names_the_file_of_a_program_asks_for_nothing_else() -> None:
    task = "Write a small command line tool count.py. It counts lines. {}\n\n$ printf 'a' | python count.py\n1\n"
    more = "With count.py the words of a long text from stdin are never counted"
    assert left(task.format(""), "It counts lines") == []
    assert left(task.format(f"{more}."), "It counts lines") == [more]


def test_examples_cover_the_first_sentence_on_a_program_without_a_name() -> None:
    task = "Write a program that reads numbers from standard input and prints what they add up to."
    task += " Blank lines are passed over."
    assert left(f"{task}\n\n`printf '1\\n2\\n' | python add.py` prints 3", "Blank lines are passed over") == []
    assert left(f"{task}\n\n`printf '1\\n2\\n' | python add.py` prints 3") == ["Blank lines are passed over"]


def test_the_heading_of_a_table_asks_for_nothing() -> None:
    table = "| a (kg) | result |\n|---|---|\n| 1 | 2 |\n| many | more |\n"
    assert left(f"Write f(a). Weights are given in kg.\n\n{table}") == ["Weights are given in kg", "| many | more |"]


def test_an_abbreviation_in_front_of_an_example_is_no_sentence() -> None:
    for lead in ("E.g.", "e.g.", "I.e.", "Z.B.", "Ex."):
        assert left(f"Write split(total). The parts add up. {lead} split(2) → [1, 1].", "The parts add up") == []


def test_a_sentence_with_a_few_words_of_another_is_not_named_by_it() -> None:
    task = "Write grade(points). 90 points or more are an A. Exactly 90 points are still a B. grade(1) == 'C'"
    assert left(task, "90 points or more are an A") == ["Exactly 90 points are still a B"]


def test_of_a_sentence_that_lists_several_things_the_parts_that_nothing_quotes_are_told() -> None:
    listed = "Columns are padded on the right to one width, rows are put on lines of their own, no line ends in a blank"
    task = f"Write table(rows). {listed}. table([]) == ''"
    assert left(task) == [listed]
    assert left(task, "rows are put on lines of their own") == [
        "Columns are padded on the right to one width",
        "no line ends in a blank",
    ]
    assert left(task, "Columns are padded on the right") == [
        "rows are put on lines of their own, no line ends in a blank"
    ]
    assert left(task, listed) == []


def test_a_few_words_belong_to_the_part_before_them() -> None:
    listed = "Small numbers keep their plain B, from there on the units KiB, MiB, GiB, each 1024 times the one before"
    task = f"Write a function size(n). {listed}, with exactly one decimal, rounded half up. size(0) == '0 B'"
    assert left(task, "Small numbers keep their plain B", "each 1024 times the one before") == [
        "from there on the units KiB, MiB, GiB",
        "with exactly one decimal, rounded half up",
    ]


def test_a_quotation_that_goes_on_into_the_next_part_is_about_both() -> None:
    listed = 'It turns a text such as "1h30m", "45m" or "1h5m10s" into a number of seconds, and rounds nothing at all'
    task = f"Write a function seconds(text). {listed}. seconds('') == 0"
    assert left(task, 'a text such as "1h30m", "45m" or "1h5m10s" into a number', "and rounds nothing at all") == []


def test_examples_cover_what_a_heading_says_first_and_not_what_it_goes_on_to_list() -> None:
    more = "rows are put on lines of their own, no line ends in a blank"
    task = f"Write table(rows) that lays out rows of words as columns: {more}. table([]) == ''"
    assert left(task) == [more]
    assert left(task, "no line ends in a blank") == ["rows are put on lines of their own"]


def test_examples_cover_no_later_sentence_that_names_the_function() -> None:
    task = (
        "Write wrap(text) that cuts a text into lines. In no case may wrap change the words of the text. wrap('') == []"
    )
    assert left(task) == ["In no case may wrap change the words of the text"]


@pytest.mark.parametrize(
    ("task", "rest"),
    [
        ("Write a function to find woodall numbers.\n\nis_woodall(383) == True", []),
        (
            "Gib das längste der Wörter zurück. Gleich lange bleiben in Reihe. longest(['a', 'bb']) == 'bb'",
            ["Gleich lange bleiben in Reihe"],
        ),
        (
            "I have many words in my shop. I need a function that gives the longest word. Of equal ones the first is"
            " meant. longest(['a', 'bb']) == 'bb'",
            ["I have many words in my shop", "Of equal ones the first is meant"],
        ),
    ],
)
def test_examples_that_alone_name_the_function_cover_the_sentence_that_asks_for_it(task: str, rest: list[str]) -> None:
    assert left(task) == rest


def test_what_stands_between_semicolons_is_a_sentence_by_itself() -> None:
    task = (
        "Write mixed(items, seed) that gives the items in any order; equal seeds give equal results; mixed([], 1) == []"
    )
    assert left(task) == ["equal seeds give equal results"]


def test_a_short_sentence_in_which_the_name_is_a_word_is_not_met_by_every_call() -> None:
    task = "Write page(items, number): the items of that page. {} past the end is empty. page([1], 1) == [1]"
    assert left(task.format("A page")) == ["A page past the end is empty"]
    assert left(task.format("`page`")) == []


def test_a_quotation_of_one_sentence_is_no_paraphrase_of_another() -> None:
    task = "Write page(items, number). The first page is 1. A page beyond the end is empty. page([1], 1) == [1]"
    assert left(task, "The first page is 1") == ["A page beyond the end is empty"]
    assert left(task, "The first page is 1", "pages beyond the end are empty, each page of them") == []


def test_lines_of_sessions_and_of_programs_and_words_that_introduce_them_are_no_sentences() -> None:
    session = ">>> @again(3)\n... def f():\n...     return 5\n>>> f()\n5\n"
    assert left(f"Write again(times). A failed call is repeated. For example:\n\n{session}") == [
        "A failed call is repeated"
    ]
    block = "with Indenter() as ind:\n    ind.print('a')\n    with ind:\n        ind.print('b')\n"
    assert left(f"Write a class Indenter. Each level has four blanks.\n\n{block}") == ["Each level has four blanks"]


def test_a_sentence_by_which_inputs_were_made_is_about_something() -> None:
    task = "Write f(n). Never more than a thousand of them come. f(2) == 4"
    limit = "Never more than a thousand of them come"
    assert left(task) == [limit]
    assert unnamed(task, read_brief(task, None, ()), [], [f"{limit}."]) == []


@pytest.mark.parametrize(
    ("task", "sentences"),
    [
        ("Write f(n) that gives n squared. f(2) == 4. Never print.", []),
        ("Write `f(n)` that turns a number into what a board of squares with sides that long holds. f(2) == 4", []),
        (
            "Write `f(n)` that turns a number into what a board of squares with sides that long holds.",
            ["Write `f(n)` that turns a number into what a board of squares with sides that long holds"],
        ),
        ("Schreibe f(n). Das Ergebnis ist das Quadrat. f(2) == 4", ["Das Ergebnis ist das Quadrat"]),
        ("写一个函数 f(n)。结果是 n 的平方再加一个常数。例如 f(2) == 4", ["结果是 n 的平方再加一个常数"]),
        ("Fix it: f(n) is wrong for two. It must give four.", None),
    ],
)
def test_examples_clauses_headings_and_given_code_are_no_such_sentence(task: str, sentences: list[str] | None) -> None:
    brief = read_brief(task, "def f(n):\n    return n\n" if sentences is None else None, ())
    assert unnamed(task, brief, ()) == (sentences or [])


def test_the_persons_own_tests_are_what_a_sentence_asks_for_that_wants_them_to_pass() -> None:
    task = "Make these tests pass. Lines have at most ten characters."
    own = Check("person.test_a", "test_a", "person", "def test_a():\n    assert wrap('a') == ['a']")
    brief = read_brief("Write wrap(text).", None, ())
    assert unnamed(task, brief, [own]) == ["Lines have at most ten characters"]
    assert unnamed(task, brief, []) == ["Make these tests pass", "Lines have at most ten characters"]


def test_the_sentence_for_the_verdict_names_three_and_counts_the_others() -> None:
    assert told_unnamed([]) == ""
    assert told_unnamed(list("abcde")).endswith("is known to be about “a”, “b”, “c” and 2 more")
    assert told_unnamed(["a long\n    line"]).endswith("“a long line”")


@pytest.mark.parametrize(
    "sentence",
    ["It must work lazily", "Er muss faul sein", "Elle ne doit pas attendre", "Debe ser perezosa", "必须是惰性的"],
)
def test_what_leaves_no_choice_is_a_demand_that_is_not_checked(sentence: str) -> None:
    told = f"not checked: {sentence!r} (no example and no passed check is known to be about it)"
    assert unchecked_demands(["It should be nice", "You may assume that it always holds", sentence]) == [told]


BILL = (
    "Write a function bill(price, percent) that takes the percentage from the price. The bill is rounded to two"
    " decimals, halves up. A percentage of more than a hundred counts as a hundred."
    " bill(100.0, 10) == 90.0 and bill(8.0, 50) == 4.0."
)
PROGRAM = """\
from decimal import ROUND_HALF_UP, Decimal


def bill(price, percent):
    left = Decimal(str(price)) * (100 - min(percent, 100)) / 100
    return float(left.quantize(Decimal("0.01"), ROUND_HALF_UP))
"""
TESTS = 'def test_nothing():\n    """takes the percentage from the price"""\n    assert bill(5.0, 0) == 5.0'
ATTACK = """\
def test_property_half():
    '''The bill is rounded to two decimals, halves up.'''
    assert bill(0.05, 50) == 0.03
"""


async def bill(live_runs: AgentRuns, server: ModelServer, attack: str, task: str = BILL) -> Played:
    replies = {"generator": fenced(PROGRAM), "spec tester": fenced(TESTS), "adversarial tester": attack}
    server.answer = lambda role, _times: replies.get(role, "{}")
    order = Order(Task(task), {"valid_inputs": False, "mutation_seconds": 0})
    return await follow(live_runs, await live_runs.begin(order))


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_the_adversary_is_shown_what_is_left_and_what_it_then_shows_is_counted(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    """A half that comes of two numbers is a half, and a demand that was open before the attack is looked at again."""
    passed_over = "A percentage of more than a hundred counts as a hundred"
    run = await bill(live_runs, model_server, fenced(ATTACK))
    shown = next(words for role, words in model_server.prompts if role == "adversarial tester")
    assert passed_over in shown
    assert "halves up (no check of this sentence" in shown
    assert run.outcome["evidence"]["unnamed"] == [passed_over]
    assert f"is known to be about “{passed_over}”" in run.outcome["verdict_reason"]
    assert run.outcome["verdict"] == "verified", run.outcome["verdict_reason"]
    model_server.prompts.clear()
    alone = await bill(live_runs, model_server, json.dumps({"inputs": ["bill(0.05, 50)"]}))
    assert alone.outcome["verdict"] == "partly_verified"
    assert "not checked: 'halves up'" in alone.outcome["verdict_reason"]


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_a_demand_that_nothing_is_about_keeps_the_program_from_being_verified_and_is_told_once(
    live_runs: AgentRuns, model_server: ModelServer
) -> None:
    demand = "A percentage of more than a hundred must count as a hundred"
    task = BILL.replace("more than a hundred counts", "more than a hundred must count")
    run = await bill(live_runs, model_server, fenced(ATTACK), task)
    assert run.outcome["verdict"] == "partly_verified"
    assert run.outcome["verdict_reason"].count(demand) == 1
    quoting = ATTACK + f"\n\ndef test_property_more():\n    '''{demand}.'''\n    assert bill(8.0, 120) == 0.0\n"
    assert (await bill(live_runs, model_server, fenced(quoting), task)).outcome["verdict"] == "verified"


@pytest.mark.parametrize(("fault", "rest"), [("task", []), ("test", ["It must keep equal words in their order"])])
def test_a_sentence_that_another_was_found_to_decide_against_is_not_passed_over(fault: Fault, rest: list[str]) -> None:
    task = "Write a function top(words) for lists. It must keep equal words in their order. top(['b']) == ['b']"
    check = Check("reading:1.a", "a", "adversary", "", sentence="It must keep equal words in their order.")
    torn = Ruling(check.id, "task", "adversary", "the task contradicts itself", is_contradiction=True)
    state = AgentState(
        task=Task(task),
        brief=read_brief(task, None, ()),
        suites=[Suite("reading:1", "adversary", "", (check,))],
        rulings=[torn, Ruling(check.id, fault, "arbiter", "the other sentence gives it")],
    )
    assert unnamed_in(state, "c1") == rest
