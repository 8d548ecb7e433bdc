"""Orders, ties and halves: what an answer shows of them, and what only a check that has one does."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.state import Check

from .conftest import Inspect, stated

RANK = "`rank(text)` returns the distinct words from most to least frequent; ties come in alphabetical order. "
COUNTED = "sorted(dict.fromkeys(text.split()), key=lambda w: (-text.split().count(w), w))"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "expected", "standings"),
    [
        (COUNTED, "['a', 'b']", ("kept", "kept")),
        (COUNTED, "['b', 'a']", ("kept", "open")),
        (f"{COUNTED}[::-1]", "['a', 'b']", ("open", "kept")),
    ],
)
async def test_a_named_order_is_looked_at_in_answers_and_its_rule_for_ties_needs_a_tie(
    inspected: Inspect, result: str, expected: str, standings: tuple[str, str]
) -> None:
    call = "rank('b a')" if expected == "['a', 'b']" else "rank('b b a')"
    check = stated("test_ties", call, expected, "ties come in alphabetical order")
    code = f"def rank(text):\n    return {result}"
    found = await inspected(RANK, code, "rank('x y y')", "rank('y x y z')", passed=(check,))
    order, ties = (one.standing for one in found if one.kind == "sorted")
    assert (order, ties) == standings, found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("task", "result", "standing"),
    [
        ("`f(xs)` returns the numbers in descending order. f([1, 3]) == [3, 1]", "sorted(xs)[::-1]", "kept"),
        ("`f(xs)` returns the numbers in descending order. f([3, 1]) == [3, 1]", "xs", "open"),
        (
            "`f(xs)` returns the names in alphabetical order. f(['b', 'A']) == ['A', 'b']",
            "sorted(xs, key=str.lower)",
            "kept",
        ),
        (
            "`f(xs)` returns the pairs sorted by name. f([('b', 1), ('a', 2)]) == [('a', 2), ('b', 1)]",
            "sorted(xs)",
            "kept",
        ),
        ("`f(xs)` returns the pairs sorted by age. f([('b', 1)]) == [('b', 1)]", "sorted(xs)", "open"),
    ],
)
async def test_an_order_by_value_is_compared_and_one_by_a_key_needs_a_check(
    inspected: Inspect, task: str, result: str, standing: str
) -> None:
    examples = [
        Check(f"task.{number}", f"t{number}", "task", one.source, one.call, one.expected, sentence=one.sentence)
        for number, one in enumerate(read_brief(task, None, ()).examples)
    ]
    found = await inspected(task, f"def f(xs):\n    return {result}", "f([4, 7])", passed=tuple(examples))
    assert [one.standing for one in found if one.kind == "sorted"] == [standing], found


KEYED = [
    ("returns the names of the people sorted by age in ascending order", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("returns the names of the people by score in descending order", "[('al', 5), ('bo', 3)]", "['al', 'bo']"),
    ("returns the names from highest to lowest score", "{'al': 5, 'bo': 3}", "['al', 'bo']"),
    ("returns the names ordered descending according to their score", "{'al': 5, 'bo': 3}", "['al', 'bo']"),
    (
        "returns the keys of the mapping, ordered by their values in descending order",
        "{'al': 5, 'bo': 3}",
        "['al', 'bo']",
    ),
    ("returns the words sorted by length and then in alphabetical order", "['aa', 'b']", "['b', 'aa']"),
    ("returns the names by last name in alphabetical order", "['al z', 'bo a']", "['bo a', 'al z']"),
    ("returns the numbers by absolute value in descending order", "[1, -3, 2]", "[-3, 2, 1]"),
    ("returns the versions in ascending order", "['1.10', '1.9']", "['1.9', '1.10']"),
    ("returns the permutation of indices that sorts nums in ascending order", "[9, 1, 5]", "[1, 2, 0]"),
    (
        "returns the even numbers in ascending order first, then the odd numbers in descending order",
        "[1, 2, 3, 4]",
        "[2, 4, 3, 1]",
    ),
    ("returns the numbers in ascending order", "[30, 2, 11]", "[11, 2, 30]"),
    ("returns the numbers in ascending order, zeros at the end", "[0, 2, 1]", "[1, 2, 0]"),
    ("sorts by absolute value. Return them in descending order", "[1, -3, 2]", "[-3, 2, 1]"),
    ("gibt die Namen nach Alter in aufsteigender Reihenfolge", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("renvoie les noms selon l'âge dans l'ordre croissant", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("devuelve los nombres según la edad en orden ascendente", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("restituisce i nomi secondo l'età in ordine crescente", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("retorna os nomes conforme a idade em ordem crescente", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("возвращает имена по возрасту в порядке возрастания", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("返回按年龄升序排列的姓名", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
    ("名前を年齢の昇順に返す", "[('bo', 3), ('al', 5)]", "['bo', 'al']"),
]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("order", "given", "answer"), KEYED)
async def test_an_order_by_something_else_is_never_held_against_the_right_answer(
    inspected: Inspect, order: str, given: str, answer: str
) -> None:
    task = f"`f(xs)` {order}. f({given}) == {answer}. Do not use `eval`."
    check = Check("task.t1", "t1", "task", "", f"f({given})", answer)
    found = await inspected(task, f"def f(xs):\n    return {answer}", passed=(check,))
    assert {(one.standing, one.told) for one in found if one.kind == "sorted"} <= {("kept", "the passed check task.t1")}


def test_how_many_steps_lead_to_an_order_is_no_order() -> None:
    for task in (
        "Write `f(xs)` that returns how many swaps are needed to sort the list in ascending order.",
        "`f(xs)` gives the swaps needed; return what makes it be in ascending order. f([2, 1]) == 1",
    ):
        assert [clause for clause in read_brief(task, None, ()).clauses if clause.kind == "sorted"] == []


SCORES = "Return the names, highest score first. Ties are broken alphabetically."
VOTES = "Return the words from most to least frequent. Ties are broken alphabetically."
LENGTHS = "Return the words sorted by length. Ties are broken alphabetically."
CENTS = "Return the total, rounded to two decimals, half up."


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("demand", "call", "expected", "standing"),
    [
        (SCORES, "f({'al': 3, 'bo': 2})", "['al', 'bo']", "open"),
        (SCORES, "f({'bo': 3, 'al': 3})", "['al', 'bo']", "kept"),
        (SCORES, "f([('al', 3), ('bo', 2)])", "['al', 'bo']", "open"),
        (SCORES, "f([('bo', 3), ('al', 3)])", "['al', 'bo']", "kept"),
        (SCORES, "f([('al', 3), ('bo', 2), ('al', 2)])", "['al', 'bo']", "open"),
        (SCORES, "f([('bo', 3), ('al', 3)])", "[('al', 3), ('bo', 3)]", "kept"),
        (SCORES, "f(Table(['bo', 'al']))", "[('al', 3), ('bo', 3)]", "kept"),
        (SCORES, "f(Table(['bo', 'al']))", "[('al', 3), ('bo', 2)]", "open"),
        (SCORES, "f([{'name': 'al', 'score': 3}, {'name': 'bo', 'score': 2}])", "['al', 'bo']", "open"),
        (VOTES, "f(['al', 'bo', 'al'])", "['al', 'bo']", "open"),
        (VOTES, "f(['bo', 'al'])", "['al', 'bo']", "kept"),
        (VOTES, "f('aab')", "{'a': 2, 'b': 1}", "open"),
        ("Return the most frequent words, ties in alphabetical order.", "f('a b a')", "['a']", "open"),
        ("Return the most frequent words, ties in alphabetical order.", "f('b a')", "['a']", "kept"),
        (LENGTHS, "f(['bob', 'al'])", "['al', 'bob']", "open"),
        (LENGTHS, "f(['bo', 'al'])", "['al', 'bo']", "kept"),
        ("Return the most frequent number; for a tie, the smallest.", "f([1, 2, 2])", "2", "open"),
        ("Return the most frequent number; for a tie, the smallest.", "f([2, 1, 1, 2])", "1", "kept"),
        (CENTS, "f([1.5, 2])", "3.5", "open"),
        (CENTS, "f([0.35])", "0.35", "open"),
        (CENTS, "f([0.125])", "0.13", "kept"),
        (CENTS, "f([0.1, 0.025])", "'0.13'", "kept"),
        ("Return the total, rounded half up.", "f([2.5])", "3", "kept"),
        ("Return the total, rounded half up.", "f([3.5])", "4", "open"),  # so does half to even
        ("Return the total, rounded half to even.", "f([2.5])", "2", "kept"),
        ("Return the total, rounded half to even.", "f([3.5])", "4", "open"),
        ("Return the total in euros. Half a cent is rounded up.", "f([0.375])", "0.38", "open"),
        ("Return the total in euros. Half a cent is rounded up.", "f([0.125])", "0.13", "kept"),
    ],
)
async def test_a_rule_for_ties_or_halves_is_shown_only_by_a_check_that_has_one(
    inspected: Inspect, demand: str, call: str, expected: str, standing: str
) -> None:
    check = Check("task.t1", "t1", "task", "", call, expected)
    found = await inspected(f"`f(xs)`: {demand}", f"def f(xs):\n    return {expected}", passed=(check,))
    rule = [one for one in found if "half" in one.text.lower() or "tie" in one.text.lower()]
    assert [one.standing for one in rule] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("printed", "standing"), [("1.50", "kept"), ("1.505", "open"), ("none", "open")])
async def test_the_decimals_of_a_program_are_those_that_passed_checks_see_printed(
    inspected: Inspect, printed: str, standing: str
) -> None:
    """What it reads has no part in it."""
    source = f"def test_a():\n    assert run_program([], '1.125 2', {{}}).stdout.strip() == {printed!r}"
    check = Check("spec:1.test_a", "test_a", "spec", source)
    task = "Write a program that reads numbers from standard input and prints their average with two decimals."
    found = await inspected(task, "print(1)", passed=(check,))
    assert {one.standing for one in found if "decimals" in one.text} - {"kept"} == {standing} - {"kept"}, found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("quote", "looks", "standing"),
    [
        ("Otherwise it prints that there is none to stderr", "'none' in {}.stderr", "kept"),
        ("Otherwise it prints that there is none to stderr", "{}.stdout == ''", "open"),
        ("It reads a file and tells how many lines it has", "{}.stderr == ''", "open"),
    ],
)
async def test_what_goes_to_standard_error_is_shown_by_a_check_of_that_sentence_that_looks_there(
    inspected: Inspect, quote: str, looks: str, standing: str
) -> None:
    task = "Write a program that gets a file name as argument. It reads a file and tells how many lines it has."
    source = f"def test_a():\n    assert {looks.format('run_program([])')}"
    check = Check("spec:1.test_a", "test_a", "spec", source, sentence=quote)
    found = await inspected(f"{task} Otherwise it prints that there is none to stderr.", "print(1)", passed=(check,))
    assert [one.standing for one in found if "stderr" in one.text] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("order", "call", "standing"),
    [
        ("(-text.split().count(w), w)", "rank('a b')", "kept"),
        ("-text.split().count(w)", "rank('a b')", "open"),
        ("-text.split().count(w)", "rank('a b a b')", "open"),
    ],
)
async def test_ties_that_are_given_in_the_order_of_letters_show_no_order_by_letters(
    inspected: Inspect, order: str, call: str, standing: str
) -> None:
    check = stated("test_ties", call, "['a', 'b']", "ties come in alphabetical order")
    code = f"def rank(text):\n    return sorted(dict.fromkeys(text.split()), key=lambda w: {order})"
    found = await inspected(RANK, code, call, passed=(check,))
    assert [one.standing for one in found if one.kind == "sorted"][1] == standing, found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("typed", "standing"), [("b a", "kept"), ("a b", "open")])
async def test_a_program_shows_how_it_orders_ties_by_input_that_has_them_in_another_order(
    inspected: Inspect, typed: str, standing: str
) -> None:
    sentence = "On ties the alphabetically first word comes first"
    source = f"def test_a():\n    assert run_program([], {typed!r}, {{}}).stdout == 'a 1\\nb 1\\n'"
    check = Check("spec.test_a", "test_a", "spec", source, None, None, sentence=sentence)
    task = f"Write a program that reads words from standard input and prints the most frequent ones. {sentence}."
    found = await inspected(task, "print(1)", passed=(check,))
    assert [one.standing for one in found if sentence in one.text] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("quote", "standing"), [("ties come in alphabetical order", "kept"), ("", "open")])
async def test_only_a_property_that_quotes_the_rule_for_ties_shows_it(
    inspected: Inspect, quote: str, standing: str
) -> None:
    source = "def test_property_length():\n    assert all(len(rank(t)) <= len(t.split()) for t in ('a', 'a b'))"
    check = Check("adversary:1.test_property_length", "test_property_length", "adversary", source, sentence=quote)
    found = await inspected(RANK, f"def rank(text):\n    return {COUNTED}", "rank('x y y')", passed=(check,))
    assert [one.standing for one in found if one.kind == "sorted"][1] == standing


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("printed", "standings"),
    [
        (["a 2", "b 2", "c 1"], ["kept", "kept"]),
        (["a 3", "b 2"], ["kept", "open"]),
        (["a 3"], ["open", "open"]),
    ],
)
async def test_the_order_of_what_a_program_prints_is_shown_by_a_check_of_its_lines(
    inspected: Inspect, printed: list[str], standings: list[str]
) -> None:
    sentence = "It prints each word with its count, one per line, most frequent first, ties alphabetically"
    for told in (f".splitlines() == {printed}", " == " + repr("\n".join(printed) + "\n")):
        source = f"def test_a():\n    assert run_program([], 'c b a b a', {{}}).stdout{told}"
        check = Check("spec.test_a", "test_a", "spec", source, None, None, sentence=sentence)
        task = f"Write a program that reads words from standard input. {sentence}."
        found = await inspected(task, "print(1)", passed=(check,))
        assert [one.standing for one in found if one.kind == "sorted"] == standings, found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "standing"),
    [("re.findall('[a-z]+', text)", "kept"), ("sorted(re.findall('[a-z]+', text))", "open"), ("['c']", "open")],
)
async def test_parts_of_a_text_stand_in_the_order_of_the_text(inspected: Inspect, result: str, standing: str) -> None:
    task = "Write words(text) that returns all words in order of appearance."
    found = await inspected(task, f"import re\ndef words(text):\n    return {result}", "words('b1a b')")
    assert [one.standing for one in found if one.kind == "order"] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
async def test_halves_and_kinds_are_seen_in_answers_that_hold_decimals(inspected: Inspect) -> None:
    task = "Write vat(net, rate) which returns a tuple (vat, gross), both as Decimal rounded half up to cents."
    code = "from decimal import Decimal as D\ndef vat(net, rate):\n    return D('0.03'), D('0.53')"
    source = "def test_a():\n    assert vat('0.50', 5)[0] == Decimal('0.03')"
    check = Check("spec:1.a", "a", "spec", source, sentence="both as Decimal rounded half up to cents")
    found = await inspected(task, code, "vat('0.50', 5)", passed=(check,))
    assert [one.standing for one in found if one.kind == "type"] == ["kept"], found
    assert [one.standing for one in found if one.kind == "output"] == ["kept", "kept"], found
    assert "2 numbers in the answers to known inputs" in next(one.told for one in found if one.kind == "output")
