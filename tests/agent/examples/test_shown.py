"""What a call shows: text that a task prints behind a call is checked as it is seen, and never as a returned value."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.programs import example_suite
from sandbox import Mode, Program
from sandbox.types import Sandbox

from .labelled import promises

GREET = "Write a function greet(name) that prints a greeting.\n\n"
BARE = "Write greet(name).\n\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (GREET + '>>> greet("Bob")\nHello, Bob!', "greet('Bob') shows 'Hello, Bob!'"),
        (GREET + '>>> greet("Bob")\n42 greetings', "greet('Bob') shows '42 greetings'"),
        ("Write menu() that prints a menu and waits for input.\n\n>>> menu()\n1) Go", "menu() shows '1) Go'"),
        (GREET + 'greet("Bob") prints "Hello, Bob!"', "greet('Bob') prints 'Hello, Bob!'"),
        (GREET + "greet('Bob') prints `Hello, Bob!`", "greet('Bob') prints 'Hello, Bob!'"),
        (BARE + '>>> greet("Bob")\nHello, Bob!', "greet('Bob') shows 'Hello, Bob!'"),
        (BARE + '>>> greet("小明")\n你好\uff0c小明\uff01', "greet('小明') shows '你好\uff0c小明\uff01'"),
        (BARE + 'In [1]: greet("Bob")\nHello\n  Bob', "greet('Bob') shows 'Hello\\n  Bob'"),
        (BARE + 'greet("Bob") prints "Hello, Bob!"', "greet('Bob') shows 'Hello, Bob!'"),
        (BARE + 'greet("Bob") must print "Hello, Bob!"', "greet('Bob') prints 'Hello, Bob!'"),
        (BARE + 'It returns nothing. greet("Bob") must print "Hi"', "greet('Bob') shows 'Hi'"),
        ('Schreibe greet(name). greet("Bob") gibt "Hallo" aus.', "greet('Bob') shows 'Hallo'"),
        ('Schreibe greet(name). greet("Bob") soll "Hallo" ausgeben.', "greet('Bob') prints 'Hallo'"),
        ('Schrijf greet(name). greet("Bob") toont "Hallo".', "greet('Bob') shows 'Hallo'"),
        ('Napisz greet(name). greet("Bob") wypisuje "Hej".', "greet('Bob') shows 'Hej'"),
        (BARE + ">>> greet('')\nValueError: no name", "greet('') raises ValueError"),
        (BARE + ">>> from hello import greet\n>>> greet('x')\n'X'", "greet('x') == 'X'"),
    ],
)
def test_a_text_behind_a_call_is_what_one_sees_of_it(text: str, wanted: str) -> None:
    assert promises(text, None) == {wanted}


@pytest.mark.parametrize(
    "shown",
    [
        "about twelve",
        "returns the greeting",
        "4 (since 2 * 2)",
        "Result: 4",
        "<greeting>",
        "Hello...",
        "This is what I would like to see.",
        "'a'\n'b'",
    ],
)
def test_what_may_be_the_authors_words_on_a_value_is_no_text(shown: str) -> None:
    assert promises(f"{BARE}>>> greet('Bob')\n{shown}", None) == set()


def test_what_a_function_prints_by_chance_is_no_promise() -> None:
    assert promises("Write roll(). It rolls a dice.\n\n>>> roll()\nYou rolled a 4", None) == set()


def test_two_texts_for_one_call_are_both_left_out() -> None:
    session = '>>> greet("Bob")\n{}\n\n'
    assert promises(BARE + session.format("hello bob") + session.format("Hello, Bob!"), None) == set()


def test_a_report_that_orders_what_is_printed_is_about_the_output() -> None:
    text = 'greet("Bob") is wrong. It should print "Hello, Bob!".'
    assert promises(text, "def greet(name):\n    print('hello', name)") == {"greet('Bob') prints 'Hello, Bob!'"}


@pytest.mark.parametrize("call", ["greet(name)", "greet(np.array([1]))", "greet(people[0])"])
def test_a_session_that_uses_a_name_of_nothing_known_is_no_promise(call: str) -> None:
    assert promises(f"{BARE}>>> {call}\n4", None) == set()


PRINTS = "def greet(name):\n    print(f'Hello, {name}!')"
RETURNS = "def greet(name):\n    return f'Hello, {name}!'"
WRONG = "def greet(name):\n    print('Hello,', name, '!')"
TOLD = 'Write greet(name).\n\ngreet("Bob") must print "Hello, Bob!"'
SESSION = 'Write greet(name).\n\n>>> greet("Ann")\nHello, Ann!\n>>> greet("Bob")\nHello, Bob!'


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("mode", ["inprocess", "split"])
@pytest.mark.parametrize(
    ("text", "program", "holds"),
    [
        (TOLD, PRINTS, True),
        (TOLD, RETURNS, False),
        (TOLD, WRONG, False),
        (SESSION, PRINTS, True),
        (SESSION, RETURNS, True),
        (SESSION, WRONG, False),
    ],
)
async def test_what_is_seen_is_checked_in_every_mode(
    sandbox: Sandbox, mode: Mode, text: str, program: str, holds: bool
) -> None:
    suite = example_suite(read_brief(text, None, ()).examples)
    assert suite is not None
    tests = "\n\n".join([suite.header, *(check.source for check in suite.checks)])
    execution = await sandbox.run(Program(solution=program, tests=tests, mode=mode))
    assert {check.status for check in execution.checks} == {"pass" if holds else "fail"}


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        ("4", ["4"]), ("None", ["None"]), ("4 \n5", ["4", "5"]), (" 1", [" 1"]), ("None\n4", ["None", "4"]),
        ("This is a sentence of words.\n1", ["This is a sentence of words.", "1"]),
        ("4\nNone", None), ("1\nThis is prose that follows it.", None), ("<f object at 0x7f>", None), ("{1, 2}", None),
    ],
)  # fmt: skip
def test_printed_text_is_an_example_where_no_prose_and_no_chance_is_in_it(shown: str, lines: list[str] | None) -> None:
    sources = [
        one.source for one in read_brief(f"Write f(n).\n\n>>> print(f(2))\n{shown}\n\nIt ends.", None, ()).examples
    ]
    expected = f"assert [line.rstrip() for line in str(f(2)).split('\\n')] == {lines}"
    assert sources == ([] if lines is None else [expected])
