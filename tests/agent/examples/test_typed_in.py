"""Sentences that name what is typed into a program and what it prints for that."""

from __future__ import annotations

from ast import literal_eval
from types import SimpleNamespace

import pytest

from agent.examples import read_brief
from agent.examples.runs.samples import program_examples

SQUARE = "Write a program that reads an integer n from stdin and prints something about it. "


def read_as(text: str) -> list[tuple[str, list[str]]]:
    """What is typed, and the lines that are to be printed, for each example."""
    found = read_brief(text, None, ()).examples
    sources = [one.source.split("\n") for one in found]
    typed = [first.removeprefix("ran = run_program([], ").removesuffix(")") for first, *_ in sources]
    lines = [source[-1].removeprefix("assert lines == ") for source in sources]
    return [(literal_eval(given), literal_eval(wanted)) for given, wanted in zip(typed, lines, strict=True)]


@pytest.mark.parametrize(
    ("text", "typed", "lines"),
    [
        (SQUARE + "For n = 3 the output is: 6", "3\n", ["6"]),
        (SQUARE + "For n = 3 the output is: 6\nUse no loops.", "3\n", ["6"]),
        (SQUARE + "When the input is 3, it prints 9.", "3\n", ["9"]),
        (SQUARE + "If the input is 3, the program should print 9.", "3\n", ["9"]),
        (SQUARE + "Example: Input: 3 / Output: 9", "3\n", ["9"]),
        (SQUARE + "Example input: 3. Example output: 9.", "3\n", ["9"]),
        (SQUARE + "For n = 3 the output is:\n\n  *\n ***\n*****\n", "3\n", ["  *", " ***", "*****"]),
        (SQUARE + "For n = 3 the output is:\n```\n2\n3\n5\n```\n", "3\n", ["2", "3", "5"]),
        (SQUARE + "If n is 0, it prints 'zero'.", "0\n", ["zero"]),
        ("Read integers from stdin, print their gcd. Given the input `12 18`, the output is `6`.", "12 18\n", ["6"]),
        ('Read lines from stdin, print how many words. For the input "a b c" the output is 3.', "a b c\n", ["3"]),
        ("Program that reads n from stdin and prints 'even' or 'odd'. With input 4 it prints even.", "4\n", ["even"]),
        (
            "Ein Programm, das n von der Standardeingabe liest und n! ausgibt. Für n = 5 ist die Ausgabe 120.",
            "5\n",
            ["120"],
        ),
        (
            "Un programa que lea n de la entrada estándar e imprima su cuadrado. Si la entrada es 3, la salida es 9.",
            "3\n",
            ["9"],
        ),
        ("Un programme qui lit n sur l'entrée standard et affiche n². Pour n = 3, la sortie est 9.", "3\n", ["9"]),
    ],
)  # fmt: skip
def test_a_sentence_that_names_input_and_output_is_an_example(text: str, typed: str, lines: list[str]) -> None:
    assert read_as(text) == [(typed, lines)]


@pytest.mark.parametrize(
    "text",
    [
        "Write a program that asks the user for a number and prints its square. When the input is 3, it prints 9.",
        "A program that prompts for a number and prints its square.\n\nInput: 3\nOutput: 9\n",
        "Ein Programm, das nach einer Zahl fragt und ihr Quadrat ausgibt. Bei Eingabe 3 ist die Ausgabe 9.",
    ],
)
@pytest.mark.parametrize(
    ("printed", "passes"),
    [
        ("9\n", True),
        ("Number: 9\n", True),
        ("What number?9", True),
        ("Please type a number:\n9\n", True),
        ("Number: 19\n", False),
        ("Number: -9\n", False),
        ("9 is it\n", False),
        ("Number: 9\nBye\n", False),
    ],
)
def test_a_program_that_asks_for_its_input_may_print_its_question(text: str, printed: str, passes: bool) -> None:
    (example,) = read_brief(text, None, ()).examples
    names = {"run_program": lambda _args, _stdin: SimpleNamespace(stdout=printed)}
    if passes:
        exec(example.source, names)
    else:
        with pytest.raises(AssertionError):
            exec(example.source, names)


def test_one_sentence_may_hold_two() -> None:
    told = SQUARE + "For n = 3 the output is 9 and for n = 4 the output is 16."
    assert read_as(told) == [("3\n", ["9"]), ("4\n", ["16"])]


@pytest.mark.parametrize(
    "sentence",
    [
        "If the input is 0, it prints nothing.",
        "When the input is -1, the program prints an error.",
        'If the input is 0, print "invalid" to stderr.',
        'If the input is negative, print "invalid".',
        "For n = 3 the output is 6 lines.",
        "For n = 3 the output is 5, 4 and 3.",
        "For n = 3 the output is 9, followed by 4.",
        "For n = 3 the output is: 1\n2\n3\n",
        "For n = 3 the output is:\n1\n2\nFor n = 1:\n1\n",
        "For n = 3 the output is:\nThe sum of all the numbers.\n",
        "For n = 3 the output is about 9.",
        "For n = 3 it currently prints 7.",
        "For n = 3 the output must not be 7.",
        "For n = 3, is the output 6?",
        "For the input 3 it prints `1 2 3`, one per line.",
        "If the input is 3 lines long, the output is 3.",
        "The maximum input is 100 and the output is at most 10000.",
    ],
)
def test_what_is_less_than_the_whole_output_or_doubted_is_none(sentence: str) -> None:
    assert read_as(SQUARE + sentence) == []


@pytest.mark.parametrize(
    "text",
    [
        "Write a program that reads n integers from stdin and prints their sum. For n = 3 the output is 6.",
        "Write a program that reads n and k from stdin and prints n choose k. For n = 3 the output is 6.",
        "Write a program that reads n from stdin, then n numbers, and prints their sum. For n = 2 the output is 0.",
        "Write a program that reads n from stdin. Then it reads n names. It prints them. For n = 1 the output is 6.",
        "Write a program that takes n as an argument and prints its square. When the input is 3, it prints 9.",
    ],
)
def test_a_number_that_may_not_be_the_whole_input_is_none(text: str) -> None:
    assert read_as(text) == []


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("Sample Input", "Sample Output"), ("Input:", "Output:"), ("Eingabe:", "Ausgabe:"), ("Entrada", "Salida"),
        ("Beispieleingabe 1:", "Beispielausgabe 1:"), ("Exemple d'entrée :", "Exemple de sortie :"),
        ("样例输入\uff1a", "样例输出\uff1a"), ("入力例:", "出力例:"), ("Vstup:", "Výstup:"),
    ],
)  # fmt: skip
def test_a_sample_run_is_read_below_its_labels_in_several_languages(given: str, printed: str) -> None:
    (only,) = program_examples(f"Sum.\n\n{given}\n3\n1 2 3\n\n{printed}\n6\n")
    assert only.source.startswith("ran = run_program([], '3\\n1 2 3\\n')")
    assert only.source.endswith("== ['6']")
