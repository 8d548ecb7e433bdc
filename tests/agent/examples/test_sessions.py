"""Commands that a task shows or tells become law, as far as all of their input is there."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.examples.runs.samples import program_examples
from tests.tables import in_one_test


@in_one_test(
    "text, call, claim",
    [
        ("`echo 3 | prog` prints 9", "run_program([], '3\\n')", "lines == ['9']"),
        ("`echo 3 | prog` prints 9. It takes no arguments.", "run_program([], '3\\n')", "lines == ['9']"),
        ("`echo 3 | python square.py` should print `9`.", "run_program([], '3\\n')", "lines == ['9']"),
        ("`python add.py 2 3` prints 5", "run_program(['2', '3'], '')", "lines == ['5']"),
        ('`greet --name Ann` outputs "Hello, Ann!"', "run_program(['--name', 'Ann'], '')", "['Hello, Ann!']"),
        ("`echo 3 | quadrat.py` gibt `9` aus", "run_program([], '3\\n')", "lines == ['9']"),
        ("`printf '1\\n2\\n' | sum.py` prints 3", "run_program([], '1\\n2\\n')", "lines == ['3']"),
        ("`python div.py 1 0` exits with status 2", "run_program(['1', '0'], '')", "exit_code == 2"),
        (
            "`python div.py` prints a usage line to stderr and exits with code 2.",
            "run_program([], '')",
            "exit_code == 2",
        ),
        ("```\n$ python add.py 1 2\n3\n$ python add.py 2 2\n4\n```", "run_program(['2', '2'], '')", "lines == ['4']"),
        ("Squares a number.\n\n$ echo 3 | python prog.py\n9\n", "run_program([], '3\\n')", "lines == ['9']"),
        ("Example:\n$ python add.py 1 2\n3\n$ python add.py 2 2\n4\n\nNo more.", "(['2', '2'], '')", "lines == ['4']"),
        ("  $ python hi.py Ann\n  Hello, Ann!\n", "(['Ann'], '')", "lines == ['Hello, Ann!']"),
        ("Example: echo 3 | python prog.py prints 9", "run_program([], '3\\n')", "lines == ['9']"),
        ("e.g. echo hello world | count --words gives 2", "(['--words'], 'hello world\\n')", "lines == ['2']"),
        ("python add.py 2 -3 prints -1", "run_program(['2', '-3'], '')", "lines == ['-1']"),
        ("python add.py 1 1 prints 2\npython add.py 2 2 prints 4", "run_program(['1', '1'], '')", "lines == ['2']"),
        ("python add.py 1 1 prints 2 and python add.py 2 2 prints 4.", "(['1', '1'], '')", "lines == ['2']"),
        ("`echo hello | python upper.py` should give HELLO", "run_program([], 'hello\\n')", "lines == ['HELLO']"),
        ("echo hello | python back.py prints olleh.", "run_program([], 'hello\\n')", "lines == ['olleh']"),
        ("`echo big world | python turn.py` prints world big", "'big world\\n'", "lines == ['world big']"),
        ("`prog <<< 5` prints 25", "run_program([], '5\\n')", "lines == ['25']"),
        ("Input `1 2 3` prints `6`.", "run_program([], '1 2 3\\n')", "lines == ['6']"),
        ("For the input `1 2 3` it should print `6`.", "run_program([], '1 2 3\\n')", "lines == ['6']"),
        ("Input: `abc`, output: `ABC`", "run_program([], 'abc\\n')", "lines == ['ABC']"),
        ("e.g. input `1\\n2` gives `3`", "run_program([], '1\\n2\\n')", "lines == ['3']"),
        ("编写程序。例如输入 `1\\n2` 输出 `3`", "run_program([], '1\\n2\\n')", "lines == ['3']"),
        ("Die Eingabe `1 2` gibt `3` aus.", "run_program([], '1 2\\n')", "lines == ['3']"),
        ('From stdin, not from an argument. Input `[{"a": 1}]` prints `a`', """'[{"a": 1}]\\n'""", "lines == ['a']"),
    ],
)
def test_a_command_and_what_it_promises(text: str, call: str, claim: str) -> None:
    sources = [example.source for example in program_examples(text)]
    assert any(call in source and claim in source for source in sources), sources
    for source in sources:
        compile(source, "example", "exec")


@in_one_test(
    "text",
    [
        "`cat numbers.txt | prog` prints 9",
        "`prog < numbers.txt` prints 9",
        "`echo 3 | prog` does not print 9",
        "`python div.py` prints `usage: div.py` to stderr",
        "`len` returns 3",
        "Input `1 2` does not print `4`",
        "For the input `1 2` it must never print `4`",
        "Input `1 2` prints `4`, but it should print `3`",
        "Input `1 2` prints `4` to stderr",
        "Input `name` prints `Hello, name!`",
        "Input `n` prints `square`",
        "From stdin. Input `1 2` and -r prints `2 1`",
        "From stdin. The input `1 2` with the option for sums prints `3`",
        "Input `Ann` prints `Hello, <name>!`",
        "It takes the number as its only argument. Input `3` prints `9`",
        "run python add.py and it prints 5",
        "python add.py with two numbers prints 5",
        "```\nann 5\n```",
        "run `pip install x` and it prints something",
        "```\n$ python a.py\n...\n```",
        "$ python add.py 1 2\n3\nThe numbers stand behind the name.",
        "$ python add.py 1 2",
        "It costs\n$ 5 a piece\nand more",
        "This is broken:\n$ python square.py 3\n6",
        "At the moment, python square.py 3 prints 6",
        "It should not be that python square.py 3 prints 6.",
        "`python square.py 3` prints 6. That is wrong.",
        "python square.py 3 prints 6, but it should print 9.",
        "echo 3 | python stars.py prints 3 lines of stars.",
        "python stars.py 3 prints 3\ntimes the word.",
        "`echo hello | python a.py` prints nothing",
        "`cat a.csv | python convert.py` gives JSON",
        "`echo hello | python a.py` prints hello twice",
        "`echo hello | python a.py` prints hello to stderr",
        "`echo hello | python a.py` should print HELLO, not Hello",
        "python count.py 3 prints 1 2 3",
        "python count.py 3 prints 1, 2 and 3",
        "python share.py 10 prints 5%.",
        "python share.py 9999 prints 1,234.",
        'echo Bob | python greet.py prints "Hello" and then "Bye".',
    ],
)
def test_what_is_not_all_there_promises_nothing(text: str) -> None:
    assert program_examples(text) == []


def test_the_example_makes_a_program_of_the_task_and_is_law() -> None:
    brief = read_brief("A program that squares its input: `echo 3 | python square.py` prints 9", None, ())
    assert brief.kind == "program"
    assert len(brief.examples) == 1


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("For the input\n1\n2\n4\nit prints 6.", ["6"]),
        ("Given this input:\n1\n2\n4\nthe program should print `6`.", ["6"]),
        ("For the input\n1\n2\n4\nit prints an error.", []),
        ("For the input\n1\n2\n4\nit does not print 7.", []),
        ("It prints 6.", []),
    ],
)
def test_an_input_on_lines_of_its_own_and_what_it_leads_to_is_law(told: str, wanted: list[str]) -> None:
    task = f"Write a program that reads integers from standard input, one per line, and prints a number. {told}"
    sources = [example.source for example in read_brief(task, None, ()).examples]
    assert len(sources) == len(wanted)
    assert all(f"assert lines == {[text]!r}" in source for source, text in zip(sources, wanted, strict=True))
    assert all("run_program([], '1\\n2\\n4\\n'" in source for source in sources)


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("input: 5\noutput: 0 1 1 2 3", ["['0 1 1 2 3']"]),
        ("Input: 4\nOutput: even\n\nInput: 7\nOutput: odd", ["['even']", "['odd']"]),
        ("Eingabe: 123\nAusgabe: 6", ["['6']"]),
        ("Input: an integer n\nOutput: 120", []),
        ("Input: 2 3\nOutput: the sum", []),
        ("Input: 1-100\nOutput: integer", []),
        ("Input: 5\nOutput: list", []),
    ],
)
def test_a_line_of_input_in_figures_and_its_output_are_law(told: str, wanted: list[str]) -> None:
    brief = read_brief(f"Write a program that reads from stdin.\n{told}", None, ())
    assert [example.source.rpartition(" == ")[2] for example in brief.examples] == wanted


def test_a_run_that_labels_tell_is_quoted_from_its_input_to_its_last_label() -> None:
    code = "a, b = map(int, input().split())\nprint(a)\n"
    told = "Input:\n1 2\nExpected:\n3\nActual:"
    brief = read_brief(f"My program prints the wrong sum.\n\n{told}\n1\n", code, ())
    assert [(one.sentence, one.expected) for one in brief.wished] == [(told, "'3'")]
    assert [(one.sentence, one.stated) for one in brief.stepwise] == [(told, ("'1'",))]
