"""Forms of an example beyond running text, and what keeps a promise from being one."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from tests.tables import in_one_test

from .labelled import promises


@in_one_test(
    "words, wanted",
    [
        ("f([1], [2])\n[1, 2]", {"f([1], [2]) == [1, 2]"}),
        ("f([1], [2]) returns:\n\n```\n[1, 2]\n```", {"f([1], [2]) == [1, 2]"}),
        ("| call | result |\n|---|---|\n| `f([1], [2])` | `[1, 2]` |", {"f([1], [2]) == [1, 2]"}),
        ("| a | b | f(a, b) |\n|---|---|---|\n| [1] | [2] | [1, 2] |", {"f([1], [2]) == [1, 2]"}),
        ("| a [kg] | b (of us) | result (kg) |\n|---|---|---|\n| [1] | [2] | [1, 2] |", {"f([1], [2]) == [1, 2]"}),
        ("| a (kg) | b | the sum (EUR) |\n|---|---|---|\n| [1] | [2] | [1, 2] |", set[str]()),
        ("| a | b | got | want |\n|---|---|---|---|\n| [1] | [2] | [1] | [1, 2] |", {"f([1], [2]) == [1, 2]"}),
        ("| a | b | expected |\n|---|---|---|\n| 1 | 2 | raises TypeError |", {"f(1, 2) raises TypeError"}),
        (
            "Germany ('DE') is free.\n\n| a | b | result |\n|---|---|---|"
            "\n| DE | 2 | 0 |\n| AT | 2 | 4.5 |\n| any | 2 | 9 |",
            {"f('DE', 2) == 0", "f('AT', 2) == 4.5"},
        ),
        (
            "It is 'cold', 'warm' or an error.\n\n| a | b | result |\n|---|---|---|\n| 1 | 2 | cold |\n| 3 | 2 | warm |"
            "\n| -9 | 2 | ValueError |\n| 9 | 9 | later |",
            {"f(1, 2) == 'cold'", "f(3, 2) == 'warm'", "f(-9, 2) raises ValueError"},
        ),
        (
            "A multiple gives 'Fizz', else the number as a text.\n\n| a | b | result |\n|---|---|---|"
            "\n| 3 | 3 | Fizz |\n| 4 | 3 | 4 |",
            {"f(3, 3) == 'Fizz'"},
        ),
        ("Input: a = [1], b = [2]\nOutput: [1, 2]", {"f([1], [2]) == [1, 2]"}),
        ("Input: a = [1], b = [2]\nOutput: [1]\nExpected: [1, 2]", {"f([1], [2]) == [1, 2]"}),
        ("Input: a = [1], b = [2]\nActual: [1]", set[str]()),
        ("Input:\n[1]\n[2]\nOutput:\n[1, 2]", {"f([1], [2]) == [1, 2]"}),
        ("For a = [1] and b = [2] the result should be [1, 2].", {"f([1], [2]) == [1, 2]"}),
        ("self.assertEqual(f([1], [2]), [1, 2])", {"f([1], [2]) == [1, 2]"}),
        ("f(10**6, 1) returns 1000001", {"f(10 ** 6, 1) == 1000001"}),
        ("f(10**999, 1) returns 1", set[str]()),
        ("f(f([1], []), [2]) == [1, 2]", {"f(f([1], []), [2]) == [1, 2]"}),
        ("f(g([1]), [2]) == [1, 2]", set[str]()),
        ("f(list(range(2)), []) == [0, 1]", {"f(list(range(2)), []) == [0, 1]"}),
        ("f([1], [2]) gives the string `ab`", {"f([1], [2]) == 'ab'"}),
        ("f([1], [2]) gives the string 12", set[str]()),
        ("f([1], [2]) gives set()", {"f([1], [2]) == set()"}),
        ("f([1], [2]) raises TypeError: no lists", {"f([1], [2]) raises TypeError"}),
        ("f([1], [2]) returns [1, 2] (`[1, 2]`).", {"f([1], [2]) == [1, 2]"}),
        ("f([1], [2]) returns [1, 2] ([2, 1]).", set[str]()),
    ],
)
def test_a_form_and_what_it_promises(words: str, wanted: set[str]) -> None:
    assert promises(f"Write f(a, b=None).\n\n{words}\n", None) == wanted


@pytest.mark.parametrize(
    "heading",
    [
        "These are wrong:",
        "What I get:",
        "## Current behaviour",
        "It must not do this:",
        "**Actual output**",
        "Suppose this:",
    ],
)
def test_a_heading_takes_back_what_stands_under_it(heading: str) -> None:
    assert promises(f"Write f(n).\n\n{heading}\n\n- f(2) -> 4\n- f(3) -> 9\n", None) == set()


@pytest.mark.parametrize(
    "heading", ["Expected:", "## Expected behaviour", "What I want:", "It should do this:", "Erwartet:"]
)
def test_a_heading_makes_law_of_what_stands_under_it_in_a_report(heading: str) -> None:
    wanted = {"f(2) == 4", "f(3) == 9"}
    code = "def f(n):\n    return n\n"
    assert promises(f"{heading}\n\n- f(2) -> 4\n- f(3) -> 9\n", code) == wanted
    assert promises("Look:\n\n- f(2) -> 4\n- f(3) -> 9\n", code) == set()


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("Write f(value: str). 14.5 should return 15.", set[str]()),
        (
            "Write f(value: float). 14.5 should return 15 and -14.5 should return -15.",
            {"f(14.5) == 15", "f(-14.5) == -15"},
        ),
        ("Write f(value). It takes a string. 14.5 should return 15.", set[str]()),
        ('Write f(value). f("1") is 1. 14.5 should return 15.', {"f('1') == 1"}),
        ("Write f(a, b). 14.5 should return 15.", set[str]()),
        ("Write f(a, b=1). For a = 2 and b = 3, return 6.", {"f(2, 3) == 6"}),
    ],
)
def test_a_bare_input_counts_where_it_is_clear_what_it_is_given_to(task: str, wanted: set[str]) -> None:
    assert promises(task, None) == wanted


def test_the_same_promise_in_two_spellings_is_one() -> None:
    text = "Write f(n).\nassert f(2)==4\nf(2) should return 4. f(2.0) is 4.0. assert f(2.0) == 4.0\n"
    assert promises(text, None) == {"f(2) == 4", "f(2.0) == 4.0"}


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("Schreibe eine Funktion namens verdopple, die f(2) nicht ruft.", "verdopple"),
        ("编写一个名为 add 的函数", "add"),
        ("add(a, b) という関数を書いてください。", "add"),
        ("Écris une fonction `somme`.", "somme"),
        ("Напишите функцию add(a, b).", "add"),
        ("Sort psort(xs) in O(n log n), psort([2, 1]) -> [1, 2]", "psort"),
        ("Write a function sum(a, b).", "sum"),
    ],
)
def test_the_name_is_read_in_other_languages(text: str, entry: str) -> None:
    assert read_brief(text, None, ()).entry_point == entry


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            "A month beyond 12 raises ValueError; no int raises TypeError.",
            ["A month beyond 12 raises ValueError", "no int raises TypeError"],
        ),
        (
            "Nothing raises ValueError, too much ends in Overdrawn (a class of the module).",
            ["Nothing raises ValueError"],
        ),
        ("If it gives 0, raise ValueError.", ["If it gives 0, raise ValueError"]),
        (
            "If x is 0, raise ValueError; if x is a list, raise TypeError.",
            ["If x is 0, raise ValueError; if x is a list, raise TypeError"] * 2,
        ),
        (
            "Raise ValueError, TypeError or KeyError if x is not valid.",
            ["Raise ValueError, TypeError or KeyError if x is not valid"] * 3,
        ),
    ],
)
def test_each_of_several_exceptions_is_told_with_its_own_condition(sentence: str, told: list[str]) -> None:
    found = [clause.text for clause in read_brief(f"Write f(x). {sentence}", None, ()).clauses]
    assert found == told


def test_the_brief_carries_the_clauses() -> None:
    brief = read_brief(
        "psort(xs) sorts in O(n log n), within 1 s for 10^6 elements, e.g. psort([2,1]) -> [1,2]", None, ()
    )
    assert [clause.text for clause in brief.clauses] == [
        "psort(xs) sorts in O(n log n)",
        "within 1 s for 10^6 elements",
    ]
    assert [example.call for example in brief.examples] == ["psort([2, 1])"]


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        (
            "Build a package `calc` with modules parse and run. calc.run.value('1+2') -> 3",
            {"calc.run.value('1+2') == 3"},
        ),
        ("Baue ein Paket namens calc. calc.value(2) ergibt 4", {"calc.value(2) == 4"}),
        ("Write a function f(x). numpy.abs(2) -> 2, f(1) -> 2", {"f(1) == 2"}),
    ],
)
def test_a_function_of_a_package_is_called_by_its_path(task: str, wanted: set[str]) -> None:
    brief = read_brief(task, None, ())
    assert {example.source.removeprefix("assert ") for example in brief.examples} == wanted
    assert brief.entry_point is None or "." not in brief.entry_point, "a path is no name that a program can define"


@in_one_test(
    "text",
    [
        "`M(5,'EUR') == M(5,'USD')` should be False",
        "`M(1,2) == M(1,3)` is `False`",
        "`M('1.0') == M('1')` -> True and `M('1.0') == M('2')` -> False",
        "`M('1.0') == M('2')`: False",
        "M('1.0') == M('2'), which is False",
        "M('1.0') == M('2') (False)",
        "- M(1) == M(2)  # False",
        "```\nM(1) == M(2)\nFalse\n```",
        "M(1) == M(2)\nM(1) == M(3)\nFalse",
        "M(1) == M(2)\nOutput: False",
        "M(1) == M(2). Never.",
        "`M(1) == M(2)`\n\nThis should give False.",
        "The expression\n\n    M(1) == M(2)\n\nshould be false.",
        "Such things as\nM(1) == M(2)\nare slow.",
        "print(M(1) == M(2))  # False",
        "`M(1) == M(2)` ergibt False",
        "`M(1) == M(2)` doit être False",
        "`M(1) == M(2)` debe dar False",
        "`M(1) == M(2)` 应该为 False",
        "`M(1)==M(2)` raises TypeError",
        "It raises TypeError for\n- M(1) == M(2)",
        "It supports comparisons such as `M(1) == M(2)`",
        "It supports comparisons. For example, M(1) == M(2).",
        "Which of these is true?\nM(1) == M(2)",
        "These are not equal.\n\nM(1) == M(2)",
        "Traps:\n- M(1) == M(2)",
        "A bad solution has sum(M(3)) == 3",
        "`M('a') == M('b')` happens rarely",
        "Both `sum(M(3)) == 3` and its negation are tested",
        "`list(M(3)) == [1,2,3]` is what I'd expect from range, but ours is `list(M(3)) == [3,2,1]`",
        "It is no error if assert not (\n    M(1) == M(2)\n)",
        "M(1) == M(2) or M(1) == M(3).",
    ],
)
def test_an_equation_beside_any_other_word_is_no_promise(text: str) -> None:
    assert promises(f"Write a class M(*values). {text}", None) == set()


def test_a_session_says_itself_whether_its_equation_holds() -> None:
    text = "Write a class M(amount).\n\n>>> M(5) == M(6)\nFalse\n"
    wanted = {"assert (M(5) == M(6)) == False"}
    assert promises(text, None) == promises(f"{text}\nExamples:\n\nM(5) == M(6)\n", None) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "list(f(3)) == [0, 1, 2]. It is lazy. sum(f(3)) == 3",
        "For example, list(f(3)) == [0, 1, 2] and `sum(f(3)) == 3`.",
        "The following must hold:\n\n- `list(f(3)) == [0, 1, 2]`\n- sum(f(3)) == 3\n",
        "Zum Beispiel list(f(3)) == [0, 1, 2]; sum(f(3)) == 3",
    ],
)
def test_equations_that_stand_alone_are_promises(text: str) -> None:
    found = {example.source for example in read_brief(f"Write a generator f(n). {text}", None, ()).examples}
    assert found == {"assert list(f(3)) == [0, 1, 2]", "assert sum(f(3)) == 3"}


@pytest.mark.parametrize(
    ("call", "shown", "wanted"),
    [
        ("f(2)", "4", ["4"]),
        ("f('Bo')", "Hello, Bo!", ["Hello, Bo!"]),
        ("f('hi', 8)", "********\n*  hi  *\n********", ["********", "*  hi  *", "********"]),
        ("f([1])", "1\n  2\n<BLANKLINE>\n3", ["1", "  2", "", "3"]),
    ],
)
def test_a_session_that_prints_a_value_promises_its_text(call: str, shown: str, wanted: list[str]) -> None:
    docstring = f"def f(*a):\n    >>> print({call})\n" + "".join(f"    {line}\n" for line in shown.split("\n"))
    for text in (f"Write f(*a).\n\n>>> print({call})\n{shown}\n\nIt is fast.", docstring):
        (only,) = read_brief(text, None, ()).examples
        for value, holds in (("\n".join(wanted), True), ("\n".join(wanted) + "\n", False), (None, False)):
            assert _holds(only.source, value) is holds


def _holds(source: str, value: str | None) -> bool:
    def f(*_: object) -> str | None:
        return value

    try:
        exec(source, {"f": f})  # an example that the reader made of a text that stands above
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    "shown",
    [
        "Hello...",
        "<f object at 0x7f00>",
        "{2, 1}",
        "Hello\nNone",
        "Hello\nThe function must be fast, too.",
    ],
)
def test_a_printed_text_that_may_vary_or_end_elsewhere_is_no_promise(shown: str) -> None:
    assert read_brief(f"Write f(n).\n\n>>> print(f(2))\n{shown}\n", None, ()).examples == ()


def test_a_value_is_what_a_session_pretty_prints_and_never_what_a_printing_expression_gives() -> None:
    for shows in ("pprint(f(2))", "pprint.pprint(f(2))", "pp(f(2))", "f(2)"):
        assert promises(f"Write f(n).\n\n>>> {shows}\n{{'a': 1}}\n", None) == {"f(2) == {'a': 1}"}
    for shows in ("[print(x) for x in f(2)]", "f(2) or print(3)", "pprint(f(2), width=9)"):
        assert promises(f"Write f(n).\n\n>>> {shows}\n3\n", None) == set()


def test_only_one_printed_value_is_a_promise() -> None:
    text = "Write f(n).\n\n>>> print(f(2), f(3))\n4 6\n>>> print(f(2), end='')\n4\n"
    assert read_brief(text, None, ()).examples == ()


@pytest.mark.parametrize(
    "text",
    [
        "Write a function f(n) that prints the square of n.\n\n>>> f(2)\n4\n",
        "Write a function to print the square, f(n). For example f(2) -> 4.",
        "Write f(n): prints the square. f(2) gives 4",
        "Escribe una función f(n) que imprima el cuadrado. f(2) -> 4",
        "Schreibe f(n), das das Quadrat auf der Konsole ausgibt. f(2) -> 4",
    ],
)
def test_what_a_function_that_prints_shows_is_no_returned_value(text: str) -> None:
    assert promises(text, None) == {"f(2) shows '4'"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Write f(n) that prints the square and returns it. f(2) -> 4", {"f(2) == 4"}),
        ("Write f(n), which prints nothing. f(2) -> 4", {"f(2) == 4"}),
        ("Write f(n) that prints the square. f(2) == 4", {"f(2) == 4"}),
        ("Write f(n) that prints the square. f('x') raises TypeError.", {"f('x') raises TypeError"}),
        ("Write f(n), the square, and a script that prints f(3). f(2) -> 4", {"f(2) == 4"}),
        ("Write f(n) for a printer that prints pages. f(2) -> 4", {"f(2) == 4"}),
    ],
)
def test_a_word_of_printing_elsewhere_takes_no_example_away(text: str, wanted: set[str]) -> None:
    assert promises(text, None) == wanted


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("Add a function perimeter(w, h) to this. perimeter(2, 3) == 10", "perimeter"),
        ("Add to this module: perimeter(w, h), all sides together. perimeter(2, 3) == 10", "perimeter"),
        ("Schreib noch eine Funktion umfang(w, h) dazu. umfang(2, 3) ergibt 10", "umfang"),
    ],
)
def test_a_function_that_given_code_lacks_is_to_be_added(text: str, entry: str) -> None:
    brief = read_brief(text, "def area(w, h):\n    return w * h\n", ())
    assert (brief.kind, brief.signature) == ("extend", f"def {entry}(w, h)")
    assert [one.source for one in brief.wished] == [f"assert {entry}(2, 3) == 10"]


def test_a_function_that_only_calls_the_given_code_is_none_to_be_added() -> None:
    brief = read_brief("area(2, 3) gives 5 when called from run(x)", "def area(w, h):\n    return w + h\n", ())
    assert (brief.kind, brief.entry_point) == ("fix", "area")
