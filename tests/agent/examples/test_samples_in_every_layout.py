"""Sample runs of programs are read whole under every label and in every layout in which people show them."""

from __future__ import annotations

import pytest

from agent.examples import read_brief

TASK = "Write a program that reads n and then n numbers from standard input and prints their sum and their mean.\n\n"
LABELS = [
    ("Input", "Output"),
    ("Sample Input", "Sample Output"),
    ("Example input", "Expected output"),
    ("inputCopy", "outputCopy"),
    ("Beispieleingabe", "Beispielausgabe"),
    ("Entrada de ejemplo", "Salida de ejemplo"),
    ("Exemple d'entrée", "Exemple de sortie"),
    ("Esempio di input", "Esempio di output"),
    ("Пример ввода", "Пример вывода"),
    ("Входные данные", "Выходные данные"),
    ("输入样例", "输出样例"),
    ("入力例", "出力例"),
    ("Przykładowe wejście", "Przykładowe wyjście"),
    ("예제 입력", "예제 출력"),
]
LAYOUTS = [
    "{given}:\n3\n1 2 3\n{shown}:\n6\n2.0\n",
    "{given}\n3\n1 2 3\n{shown}\n6\n2.0\n",
    "{given} 1:\n\n3\n1 2 3\n\n{shown} 1:\n\n6\n2.0\n",
    "{given}:\n```\n3\n1 2 3\n```\n{shown}:\n```\n6\n2.0\n```\n",
    "**{given}**\n\n```\n3\n1 2 3\n```\n\n**{shown}**\n\n```\n6\n2.0\n```\n",
    "### {given}\n\n```text\n3\n1 2 3\n```\n\n### {shown}\n\n```text\n6\n2.0\n```\n",
    "- {given}:\n  3\n  1 2 3\n- {shown}:\n  6\n  2.0\n",
    "**{given}:**\n\n    3\n    1 2 3\n\n**{shown}:**\n\n    6\n    2.0\n",
    "**{given}**\n\n`3`\n`1 2 3`\n\n**{shown}**\n\n`6`\n`2.0`\n",
    "Example:\n{given}\n3\n1 2 3\n{shown}\n6\n2.0\n\nNote\nThe mean follows the sum.",
]
READ = (
    "ran = run_program([], '3\\n1 2 3\\n')\n"
    "lines = [line.rstrip() for line in ran.stdout.rstrip().splitlines()]\n"
    "assert lines == ['6', '2.0']"
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sample_run_is_read_under_every_label(layout: str) -> None:
    read = {
        label: [
            one.source for one in read_brief(TASK + layout.format(given=label[0], shown=label[1]), None, ()).examples
        ]
        for label in LABELS
    }
    assert read == {label: [READ] for label in LABELS}


@pytest.mark.parametrize("label", [("Input", "Output"), ("Eingabe", "Ausgabe"), ("输入", "输出")])
def test_rows_behind_their_labels_are_read_whole(label: tuple[str, str]) -> None:
    text = TASK + f"{label[0]}: 3\n1 2 3\n{label[1]}: 6\n2.0\n"
    assert [one.source for one in read_brief(text, None, ()).examples] == [READ]


@pytest.mark.parametrize(
    "told",
    [
        "Input\nThe first line holds n, the second n numbers.\nOutput\nPrint the sum and the mean.\n",
        "Input:\n- n\n- n numbers\n\nOutput:\nthe sum, then the mean\n",
        "Input: integers\nOutput: integer\n",
        "Input:\nn, then n numbers\nOutput:\nsum and mean\n",
        "Input\nn\na1 a2 a3\nOutput\nsum\n",
        "Eingabe\nDie erste Zeile enthält n, die zweite n Zahlen.\nAusgabe\nGib die Summe aus.\n",
        "Entrada\nLa primera línea contiene n.\nSalida\nImprime un número.\n",
        "输入\n第一行包含整数 n。\n输出\n输出一个整数。\n",
        "Ввод\nВ первой строке дано число n.\nВывод\nВыведите одно число.\n",  # noqa: RUF001
    ],
)
def test_what_describes_input_and_output_is_no_sample(told: str) -> None:
    assert [one.source for one in read_brief(TASK + told, None, ()).examples] == []


def test_below_such_words_the_sample_is_still_read() -> None:
    told = (
        "Input\n\nThe first line contains an integer n (1 <= n <= 100).\n\nOutput\n\nPrint one integer.\n\n"
        "Example\n\nInput\n3\n1 2 3\n\nOutput\n6\n2.0\n"
    )
    assert [one.source for one in read_brief(TASK + told, None, ()).examples] == [READ]
    sample = "Input\nThe first line holds n.\nSample Input\n3\n1 2 3\nSample Output\n6\n2.0\n"
    assert [one.source for one in read_brief(TASK + sample, None, ()).examples] == [READ]


@pytest.mark.parametrize(
    ("task", "given", "shown"),
    [
        ("reads a line and prints its words in reverse order", "I like the sum.", "sum. the like I"),
        ("reads a word and prints yes if it is a palindrome, otherwise no", "anna", "yes"),
        ("reads a line and prints how many words it has", "The quick brown fox.", "4"),
        ("reads lines and prints each word with its count", "the cat", "the: 1\ncat: 1"),
        ("reads a name and greets it", "Ann", "Hello, Ann!"),
    ],
)
def test_a_run_of_words_is_a_sample(task: str, given: str, shown: str) -> None:
    text = f"Write a program that {task} (standard input and output).\n\nInput:\n{given}\nOutput:\n{shown}\n"
    (example,) = read_brief(text, None, ()).examples
    assert repr(f"{given}\n") in example.source


WATERMELON = """Pete and Billy bought a watermelon of w kilos. They want two parts, each of an even number of kilos.

Input
The only input line contains integer number w (1 <= w <= 100), the weight of the watermelon.

Output
Print YES, if the boys can divide it so; and NO in the opposite case.

Examples
inputCopy
8
outputCopy
YES
Note
For example, the boys can divide the watermelon into two parts of 2 and 6 kilos (or of 4 and 4).
"""
SUBSTRINGS = """You are given a string S. Print the number of its distinct non-empty substrings.

Input
The input is given from Standard Input in the following format:

S

Output
Print the answer.

Sample Input 1
yay

Sample Output 1
5
S has the following five distinct non-empty substrings:

a
y
"""
PLUS = "## 题目描述\n\n输入两个整数 a, b，输出它们的和。\n\n## 输入格式\n\n两个整数。\n\n## 输出格式\n\n一个整数。\n\n"  # noqa: RUF001
PLUS_SAMPLE = "## 输入输出样例 #1\n\n### 输入 #1\n\n```\n20 30\n```\n\n### 输出 #1\n\n```\n50\n```\n"


@pytest.mark.parametrize(
    ("text", "given", "shown"),
    [(WATERMELON, "8\n", ["YES"]), (SUBSTRINGS, "yay\n", ["5"]), (PLUS + PLUS_SAMPLE, "20 30\n", ["50"])],
)
def test_a_contest_statement_asks_for_a_program_and_shows_its_samples(text: str, given: str, shown: list[str]) -> None:
    brief = read_brief(text, None, ())
    assert brief.kind == "program"
    (example,) = brief.examples
    assert f"run_program([], {given!r})" in example.source
    assert f"== {shown!r}" in example.source


def test_the_only_method_of_a_class_takes_what_its_examples_give() -> None:
    text = (
        "Return indices of the two numbers that add up to target.\n\nExample 1:\n\nInput: nums = [2,7], target = 9\n"
        "Output: [0,1]\nExplanation: 2 + 7 == 9.\n\nclass Solution:\n"
        "    def twoSum(self, nums: List[int], target: int) -> List[int]:\n"
    )
    assert [one.source for one in read_brief(text, None, ()).examples] == [
        "assert Solution().twoSum([2, 7], 9) == [0, 1]"
    ]


def runs_of(text: str) -> list[tuple[str, str]]:
    """What each sample run gives to the program, and the list of the lines that it prints."""
    sources = [one.source for one in read_brief(text, None, ()).examples]
    return [
        (one.split("run_program([], ")[1].split(")\n")[0], one.rpartition("assert lines == ")[2]) for one in sources
    ]


@pytest.mark.parametrize(
    "below",
    [
        "Explanation\n10 = 5 * 2\n",
        "Note: zero is divided by all.\n",
        "Constraints:\nat most 100 numbers\n",
        "Hinweis\nNull gilt.\n",
        "Explicación\n10 = 5 * 2\n",
        "Sample Input\n10 5\nSample Output\nyes\n",
    ],
)
def test_a_heading_ends_what_is_printed(below: str) -> None:
    text = f"Write a program that says whether b divides a.\n\nSample Input\n10 5\nSample Output\nyes\n{below}"
    assert runs_of(text) == [("'10 5\\n'", "['yes']")]


def test_a_word_of_which_the_task_speaks_is_no_heading() -> None:
    text = 'Write a program that prints "Hint: up" below 50.\n\nSample Input\n30\nSample Output\nHint: up\n'
    assert runs_of(text) == [("'30\\n'", "['Hint: up']")]


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        ("Cold.\nPut on a warm coat now.", "['Cold.', 'Put on a warm coat now.']"),
        ("COLD\n-5 C\nPut on a warm coat now.", "['COLD', '-5 C', 'Put on a warm coat now.']"),
        ("cold\nPut on a warm coat now.", None),
        ("cold\n(the word that is printed)", None),
        ("cold <- the word", None),
        ("```\ncold\nPut on a warm coat now.\n```", "['cold', 'Put on a warm coat now.']"),
    ],
)
def test_words_below_what_is_printed_may_be_about_it(shown: str, lines: str | None) -> None:
    text = f"Write a program for the weather.\n\nSample Input:\n-5\nSample Output:\n{shown}\n"
    assert [told for _, told in runs_of(text)] == ([lines] if lines else [])


@pytest.mark.parametrize(
    ("described", "label"),
    [
        ("Input\nTwo integers a and b.\nOutput\nyes or no\n", ("Sample Input", "Sample Output")),
        ("Input:\nItem, price\nOutput:\nTotal\n", ("Example input", "Example output")),
        ("Input\nA string s.\nOutput\nYES or NO\n", ("Input", "Output")),
        ("输入\n一个整数n\n\n输出\n一个整数\n", ("样例输入", "样例输出")),
    ],
)
def test_what_stands_above_the_samples_describes_them(described: str, label: tuple[str, str]) -> None:
    text = f"Write a program.\n\n{described}\n{label[0]}\n10 5\n{label[1]}\nyes\n"
    assert runs_of(text) == [("'10 5\\n'", "['yes']")]


@pytest.mark.parametrize(
    "told",
    [
        "The old program did:\n\nInput:\n1 2\nOutput:\n12\n",
        "Input:\n1 2\nOutput:\n12\nExpected:\n3\n",
        "Input:\n1 2\nOutput:\n12\n\nExpected:\n3\n",
        "If there are several answers, print any of them.\n\nInput:\n3\nOutput:\n2 3 1\n",
        "Print the numbers in any order.\n\nInput:\n3\nOutput:\n2 3 1\n",
        "Any answer within 1e-4 is accepted.\n\nInput:\n2\nOutput:\n1.41421\n",
        "$ python sum.py numbers.txt\n12\n",
        "$ python sum.py 2\nusage: sum.py a b\n",
    ],
)
def test_a_run_of_which_another_output_may_be_right_is_no_promise(told: str) -> None:
    assert runs_of(f"Write a program that reads numbers.\n\n{told}") == []


def test_one_word_is_sure_where_any_answer_is_right() -> None:
    text = "Write a program. If there are several answers, print any of them, or NO.\n\nInput:\n3\nOutput:\nNO\n"
    assert runs_of(text) == [("'3\\n'", "['NO']")]
