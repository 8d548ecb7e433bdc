"""A task text made uniform, with every place traceable to the person's own words."""

# ruff: noqa: RUF001 E501

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.examples import read_brief, read_clauses
from agent.examples.conflicts import told_contradiction
from agent.examples.grammar.reading import MAX_CHARS, read
from agent.examples.types import Clause
from agent.examples.vocabulary import hints, pattern, section_names
from tests.tables import in_one_test

from .labelled import labelled, promises

FRAGMENTS = st.sampled_from(
    [
        "f(2)", "f(", ")", "[", "]", "(", "'", '"', "`", "“", "”", "「", "」", " should return ", " gibt ", "返回", "は", "を返す",
        "4", "-4", ".", ",", ";", ":", "->", "==", "=", "\n", "\r\n", "\n\n", " ", "\t", "| a | b |", "|---|---|", "```", ">>> ",
        "# ", "- ", "Input: ", "Output: ", "O(n)", "1 <= n <= 5", "ValueError", " raises ", " not ", " if ", "<code>", "</code>",
        "&lt;", "<br>", "１２", "（", "）", "，", "。", "\u3000", "…", "\\", "é", "ё", "\u200b", "\x00", "10^6", " within 1 s",
        "def f(n):", "class A:", "assert ", "None", "True", "Write a function f(n). ", " at most 5 items", " in place", "😀",
    ]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=40).map("".join)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_nothing_that_is_typed_makes_reading_fail(text: str) -> None:
    brief = read_brief(text, None, ())
    assert all(clause.text in text for clause in brief.clauses)
    read_brief(text, "def f(n):\n    return n\n", ())


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_every_place_leads_back_to_what_was_typed(text: str) -> None:
    reading = read(text)
    assert len(reading.places) == len(reading.text) + 1
    assert reading.places == sorted(reading.places)
    assert len(reading.masked) == len(reading.text)
    assert reading.quote(0, len(reading.text)) in text
    assert all(
        text[place] == reading.text[at] for at, place in enumerate(reading.places[:-1]) if reading.text[at] == "f"
    )


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [
        ("f（２）＝４，f(3)", "f(2)=4, f(3)"),
        ("例如f(2)返回4", "例如 f(2)返回 4"),
        ("“f(2)” gives “a”", '`f(2)` gives "a"'),
        ("f(“a”) is „b“", 'f("a") is "b"'),
        ("f('１２') is “３”", "f('１２') is \"３\""),
        ("「f(2)」は", "`f(2)`は"),
        ("<p><code>f(2)</code> &rarr; 4</p>", "\n`f(2)` → 4\n"),
        ("strip('<b>x</b>') is 'x'", "strip('<b>x</b>') is 'x'"),
        ("10<sup>6</sup>", "10^6"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("f(−2)", "f(-2)"),
    ],
)
def test_one_spelling_outside_of_strings(typed: str, read_as: str) -> None:
    assert read(typed).text == read_as


@pytest.mark.parametrize("said", ["only the first time", "before the others", "when the event comes"])
def test_when_something_is_called_is_no_name(said: str) -> None:
    text = f"Write an EventEmitter class. once(event, handler) registers a handler that is called {said}."
    brief = read_brief(text, None, ())
    assert (brief.kind, brief.entry_point) == ("class", "EventEmitter")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Wer am 29.02. geboren ist, wird am 1. März älter. Sonst nicht.", 2),
        ("Runde auf 2. Gib dann den 3. Wert aus.", 2),
        ("It returns 2. Then it stops.", 2),
        ("Put numbers for letters (A=10 ... Z=35). The rest stays as it is.", 2),
        ("एक फ़ंक्शन f(n) लिखो। साल 1 से कम हो तो ValueError दें।", 2),
        ("اكتب الدالة f(n)؟ ثم أعد 4.", 2),
    ],
)
def test_sentences_end_by_the_signs_of_each_script_and_not_within_a_date(text: str, sentences: int) -> None:
    reading = read(text)
    begins = [0, *reading.stops]
    assert sum(bool(reading.text[a:b].strip()) for a, b in zip(begins, reading.stops, strict=False)) == sentences


def test_the_words_shown_are_the_person_s_own_and_not_cut_at_a_dot_inside_of_the_example() -> None:
    text = 'Write closest_integer(value).\nFor example closest_integer("14.5. x") should\nreturn 15，and no more. Next.'
    (example,) = read_brief(text, None, ()).examples
    assert example.sentence == 'For example closest_integer("14.5. x") should return 15，and no more.'


def test_a_clause_keeps_the_line_ends_and_signs_of_the_task() -> None:
    text = "Sort it（O（n log n））,\r\nwithin １ s for 10<sup>6</sup> items"
    assert all(clause.text in text for clause in read_clauses(text))
    assert {clause.kind for clause in read_clauses(text)} == {"complexity", "time"}


def test_what_is_not_read_of_an_endless_text_is_its_end() -> None:
    assert promises("Write f(n). f(2) == 4. " + "word " * MAX_CHARS, None) == {"f(2) == 4"}


LOWERED = {one.text: one.text.lower() for name in ("sentences", "clauses", "second_look") for one in labelled(name)}


@in_one_test("name", [name for name in section_names() if hints(name) is not None])
def test_a_table_is_only_passed_over_where_it_finds_nothing(name: str) -> None:
    parts = hints(name) or ()
    for text, lowered in LOWERED.items():
        if not any(part in lowered for part in parts):
            assert not pattern(name).search(text)


@pytest.mark.parametrize(
    ("text", "promised"),
    [
        ("Write encode(text) and decode(text): encode('aa') returns '2a' and decode('2a') returns 'aa'.", 2),
        ("Write two functions, encode(text) and decode(text). Example: decode('2a') == 'aa'", 1),
        ("Schreibe zwei Funktionen kodiere(text) und dekodiere(text). Beispiel: dekodiere('2a') == 'aa'", 1),
        ("Write encode(text) that compresses and decode(text) that restores, e.g. decode('2a') == 'aa'.", 1),
        ("Write a function add(a, b), sub(a, b) and mul(a, b). sub(3, 2) == 1, mul(2, 3) == 6", 2),
        ("I need helpers:\n1. add(a, b) adds\n2. `sub(a, b)` takes away\n\nadd(1, 2) == 3, sub(3, 2) should be 1.", 2),
        (
            "Build a package 'kit' with two modules: 'clean' with strip(text) and 'count' with words(text). "
            "Example: words('a b') == {'a': 1, 'b': 1}",
            1,
        ),
        ("Write a function wrap(fn), and fn(x) that may be any callable. For fn = abs, fn(-2) returns 2.", 0),
        ("Write a function solve(n), where f(n) = f(n-1) + g(n) and g(n) = 2. g(3) == 2", 0),
        ("Write a function phi(n) that counts the k with gcd(n, k) = 1. gcd(4, 2) == 2", 0),
    ],
)
def test_every_function_that_is_asked_for_has_its_examples(text: str, promised: int) -> None:
    assert len(read_brief(text, None, ()).examples) == promised


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Write double(n): double(2) == 4, double(2) == 5, double(3) == 6", [("double(2)", "4", "5")]),
        ("Write double(n): double(2) == 4, double(2) == 4.0, double(3) == 6", []),
        ("Write next_id(), which counts: next_id() returns 1, then next_id() returns 2", []),
        ("Write next_id(p): next_id('a') returns 'a1', a second next_id('a') returns 'a2'", []),
    ],
)
def test_examples_that_contradict_each_other_are_not_passed_over(text: str, names: list[tuple[str, ...]]) -> None:
    clauses = read_brief(text, None, ()).clauses
    assert [clause.names for clause in clauses if clause.kind == "contradiction"] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Write mean(xs) that returns the average rounded to 2 decimals. mean([1, 1, 2]) -> 1.333", ("mean([1, 1, 2])", "1.333")),
        ("Write largest(xs). An empty list raises ValueError. largest([1, 5]) -> 5, largest([]) -> 0", ("largest([])", "0")),
        ("Write total(xs). It must raise ValueError if xs is empty. total([1, 2]) == 3, total([]) == 0", ("total([])", "0")),
        ("Write half(n). Raise ValueError if n is 0. half(4) == 2, half(0) == 0", ("half(0)", "0")),
        ("Write root(n), with 0 <= n <= 100. root(4) -> 2, root(121) -> 11", ("root(121)", "11")),
        ("Write root(n). Raises ValueError for n outside 0 to 100. root(4) -> 2, root(121) -> 11", ("root(121)", "11")),
        ("Write digits(n) that returns a list of digits. digits(12) -> [1, 2], digits(7) -> 7", ("digits(7)", "7")),
    ],
)  # fmt: skip
def test_an_example_that_breaks_a_demand_of_its_task_contradicts_it(text: str, names: tuple[str, ...]) -> None:
    clauses = read_brief(text, None, ()).clauses
    assert [clause.names for clause in clauses if clause.kind == "contradiction"] == [names]


@pytest.mark.parametrize(
    "text",
    [
        "Write mean(xs, digits=2) that returns the average rounded to 2 decimals. mean([1, 1, 2], 3) -> 1.333",
        "Write mean(xs, digits=2) that returns the average rounded to 2 decimals by default. mean([1], 3) -> 1.333",
        "Write mean(xs) that returns the average rounded to 2 decimals, unless it is below 1. mean([0.5]) -> 0.1234",
        "Write mean(xs) that returns the average rounded to 2 decimals. mean([1, 2]) -> 1.5",
        "Write mean(xs) that returns a text, rounded to 2 decimals. mean([1, 2]) -> '1.505 (raw)'",
        "Write stats(xs). The mean has 2 decimals, the deviation has 4 decimals. stats([1]) -> 1.3333",
        "Write largest(xs). An empty list raises ValueError. largest([1, 5]) -> 5, largest([0]) -> 0",
        "Write largest(xs, default). An empty list raises ValueError. largest([], 3) -> 3",
        "Write largest(xs). An empty list raises ValueError unless strict is off. largest([]) -> 0",
        "Write root(n), with 0 <= n <= 100. root(4) -> 2, root(100) -> 10",
        "Write root(n). Raises ValueError if n is between 5 and 9. root(4) -> 2, root(121) -> 11",
        "Write root(n). Raises ValueError for n outside 0 to 100. root(4) -> 2, root(100) -> 10",
        "Write clamp(n, low, high) with 0 <= low <= 10. clamp(120, 3, 100) -> 100",
        "Write digits(n) that returns a list of digits. digits(12) -> [1, 2], digits(-7) -> None",
        "Write digits(n) that returns a list of digits. digits(12) -> [1, 2], digits(7) -> (7,)",
        "Write digits(n) that returns a list of digits, or an int for one digit. digits(12) -> [1, 2], digits(7) -> 7",
        "Write half(n) that returns an int. half(4) -> 2, half(3) -> 1.5",
        "Write pick(n) that returns a list. pick(4) -> 'a', pick(3) -> 'b'",
    ],
)
def test_an_example_of_another_case_breaks_no_demand(text: str) -> None:
    assert "contradiction" not in {clause.kind for clause in read_brief(text, None, ()).clauses}


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Withdrawing more than the balance raises ValueError, and the balance stays as it was.", True),
        ("withdraw raises ValueError if amount > balance; the balance does not change then.", True),
        ("Raises KeyError and leaves the store unchanged.", True),
        ("It raises IndexError, and nothing is changed.", False),
        ("Raises ValueError when the price remains above 10.", False),
        ("Raise ValueError if the value is not changed within 5 seconds.", False),
        ("Raises KeyError if the key is missing and the default stays unset.", False),
        ("pop raises IndexError on an empty stack.", False),
        ("The balance stays as it was until withdraw raises ValueError.", False),
        ("Löst ValueError aus, und der Kontostand bleibt unverändert.", True),
    ],
)
def test_what_stays_behind_an_error_is_a_demand_of_its_own(sentence: str, told: bool) -> None:
    clauses = read_brief(f"Write a class Account with withdraw(amount). {sentence}", None, ()).clauses
    assert (("raises", "state") in {(clause.kind, clause.subject) for clause in clauses}) == told


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("Return the k most frequent words of a text.", True),
        ("Return the longest palindrome in a string.", True),
        ("Sort the people by age.", True),
        ("Gruppiere die Wörter nach ihrer Länge.", True),
        ("Ordena las personas por edad.", True),
        ("Return the most frequent word; ties come in alphabetical order.", False),
        ("Sort the people by age, stably.", False),
        ("Rotate a list k places to the right.", False),
        ("Reverse the words of a sentence.", False),
        ("Return the matrix in spiral order.", False),
        ("Return the smallest number of a list.", False),
        ("Sort a list of numbers.", False),
    ],
)
def test_only_what_is_ranked_sorted_or_grouped_leaves_a_choice_among_equals(text: str, open_: bool) -> None:
    assert read_brief(text, None, ()).ties_open == open_


@pytest.mark.parametrize("words", ["Remember: no imports!", "It failed again for me.", "I asked again and again."])
def test_a_common_word_takes_no_contradiction_away(words: str) -> None:
    text = f"Write f(x) that doubles x. {words} f(1) -> 2, f(1) -> 3, f(5) -> 10"
    assert "contradiction" in {clause.kind for clause in read_brief(text, None, ()).clauses}


@pytest.mark.parametrize(
    ("above", "wanted"),
    [
        ("@pytest.mark.parametrize('n', [1])\ndef test_small(n):\n", ["assert f(2) == 4"]),
        ("class TestF(unittest.TestCase):\n    def test_small(self):\n    ", ["assert f(2) == 4"]),
        ("@pytest.mark.xfail\ndef test_small():\n", []),
        ("@unittest.skip('later')\ndef test_small():\n    # not now\n", []),
        ("@pytest.mark.skip\ndef test_other():\n    assert f(3) == 4\n\ndef test_small():\n", ["assert f(2) == 4"]),
        ("def test_small():\n    with pytest.raises(AssertionError):\n    ", []),
    ],
)
def test_tests_say_what_is_asked_for_unless_they_are_off(above: str, wanted: list[str]) -> None:
    brief = read_brief(f"Write a function f(n).\n\n{above}    assert f(2) == 4\n", None, ())
    assert (brief.entry_point, [one.source for one in brief.examples]) == ("f", wanted)


def test_a_comment_behind_an_assert_may_make_it_a_guess_and_says_nothing_of_the_next() -> None:
    text = "Write f(n).\n\nassert f(2) == 4  # roughly\nassert f(3) == 9  # nine\nassert f('# about') == 1\n"
    assert [example.source for example in read_brief(text, None, ()).examples] == [
        "assert f(3) == 9  # nine",
        "assert f('# about') == 1",
    ]


def test_a_session_may_define_what_it_hands_to_the_function() -> None:
    shown = ">>> @again(3)\n... def f():\n...     return 5\n>>> f()\n5\n"
    for asked in ("a function again(times)", "a decorator again(times, errors=(Exception,))"):
        brief = read_brief(f"Write {asked} that repeats a failed call.\n\n{shown}", None, ())
        assert brief.entry_point == "again"
        assert [clause for clause in brief.clauses if clause.subject == "f"] == []
        assert len(brief.examples) == 1


def test_a_comma_inside_brackets_ends_no_part_of_a_sentence() -> None:
    text = "Write f(a, b=(1,)) that takes the pair (a, (b, c)) without using recursion."
    assert [clause.text for clause in read_brief(text, None, ()).clauses if clause.kind == "forbidden"] == [text[:-1]]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("Schreibe paare(werte): Paare. Es muss auch mit Strömen funktionieren (faul).", "paare"),
        ("编写一个函数f(n)。", "f"),
        ("Write a function named f(n) that functionalizes (a bit).", "f"),
    ],
)
def test_a_name_follows_a_word_and_is_no_part_of_it(text: str, entry: str) -> None:
    assert read_brief(text, None, ()).entry_point == entry


def test_an_object_that_is_made_with_a_value_by_name_states_no_default() -> None:
    text = "Write a class Stack with push(x). Stack(limit=3) holds at most limit items."
    assert [clause for clause in read_brief(text, None, ()).clauses if clause.kind == "signature"] == []
    text = "Write a class Stack(limit=3) with push(x)."
    assert [c.names for c in read_brief(text, None, ()).clauses if c.kind == "signature"] == [("limit=3",)]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Write f(day). f(date(2024, 5, 1)) -> date(2025, 5, 1)", "f(date(2024, 5, 1)) == date(2025, 5, 1)"),
        ("Write f(paid). f(Decimal('10')) returns [Decimal('5'), Decimal('5')].", "[Decimal('5'), Decimal('5')]"),
        ("Write f(paid).\n>>> f(Decimal('10'))\nDecimal('7')\n", "f(Decimal('10')) == Decimal('7')"),
        ("Write f(n).\n>>> f(3)\ndatetime.date(2020, 1, 1)\n", "f(3) == datetime.date(2020, 1, 1)"),
    ],
)
def test_dates_and_decimals_are_values_of_examples(text: str, claim: str) -> None:
    (example,) = read_brief(text, None, ()).examples
    assert claim in example.source
    assert "import" in example.source


def test_a_word_in_front_of_a_bracket_is_no_date() -> None:
    assert read_brief("Write f(n). f(3) gives date (of today). f(4) gives date(today).", None, ()).examples == ()


@pytest.mark.parametrize(("more", "read"), [("", 1), (" It returns None.", 1), (" It returns the number.", 0)])
def test_a_function_that_prints_may_return_none(more: str, read: int) -> None:
    text = (
        f'Write a function down(n) that prints the numbers from n to 1, then "Go!".\n\n>>> down(2)\n2\n1\nGo!\n\n{more}'
    )
    assert len(read_brief(text, None, ()).examples) == read


@pytest.mark.parametrize(
    ("text", "names", "told"),
    [
        ("", ("f(1)", "2", "3"), "it promises 2 and 3 for f(1)"),
        ("It returns a str", ("f(1)", "2"), "“It returns a str”, and for f(1) it promises 2"),
    ],
)
def test_a_contradiction_is_one_sentence(text: str, names: tuple[str, ...], told: str) -> None:
    assert told_contradiction(Clause(text, "contradiction", names=names)) == told


@pytest.mark.parametrize("short", ["z. B.", "z.B.", "p. ej.", "p. ex.", "u. a."])
def test_shortened_words_end_no_sentence_and_lead_to_an_example(short: str) -> None:
    read = read_brief(f"Write half(n), {short} half(4) = 2, {short} half(6) = 3.", None, ()).examples
    assert [(each.call, each.expected) for each in read] == [("half(4)", "2"), ("half(6)", "3")]
