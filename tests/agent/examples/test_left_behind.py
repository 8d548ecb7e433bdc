"""What an argument is after a call is an example, where the text surely says so."""

from __future__ import annotations

import pytest

from agent.examples import read_brief

HEAD = "Write sort_it(a), which sorts a list in place. "
PROMISED = ["a = [3, 1]\nsort_it(a)\nassert a == [1, 3]"]


def read(text: str, code: str | None = None) -> list[str]:
    return [example.source for example in read_brief(HEAD + text, code, ()).examples]


@pytest.mark.parametrize(
    "text",
    [
        "Example: `a = [3, 1]; sort_it(a); a == [1, 3]`.",
        "For example, with a = [3, 1], after sort_it(a), a is [1, 3].",
        "Given a = [3, 1], after calling sort_it(a), `a` should be [1, 3].",
        "\n\n```python\na = [3, 1]\nsort_it(a)\nassert a == [1, 3]\n```",
        "\n\na = [3, 1]\nsort_it(a)\n# a is now [1, 3]",
        "Beispiel: a = [3, 1]; sort_it(a); danach ist a [1, 3].",
        "Mit a = [3, 1] ist nach sort_it(a) a == [1, 3].",
    ],
)
def test_what_a_call_leaves_behind_is_an_example(text: str) -> None:
    assert read(text) == PROMISED


@pytest.mark.parametrize(
    "text",
    [
        "It must not be that a = [3, 1]; sort_it(a); a == [1, 3].",
        "My old code did a = [3, 1]; sort_it(a); a == [3, 1], which is wrong.",
        "a = [3, 1]; sort_it(a); is a == [1, 3]?",
        "a = [3, 1]; b = sort_it(a); b == [1, 3] and a == [3, 1].",
        "a = [3, 1]; sort_it(a); a == [1, 3] is wrong, a must be [3, 1].",
        "For a = [3, 1]: after sort_it(a), a is [1, 3] or [3, 1].",
        "For a = [3, 1]: after sort_it(a), a is [1, 3][0].",
        "\n\n```\na = [3, 1]\nsort_it(a)\na == [3, 1]  # False\n```",
        "\n\n```\na = [3, 1]\nsort_it(a)\na == [3, 1]\n# -> False\n```",
        "a = {3, 1}; sort_it(a); a is {}",
        "a = [3, 1, 2]; sort_it(a); a == [1, 3, ...].",
        "a = [3, 1]; other(a); a == [1, 3].",
        "a = [3, 1]; sort_it(b); a == [1, 3].",
        "a = [3, x]; sort_it(a); a == [x, 3].",
        "Suppose a = [3, 1]; sort_it(a); a == [1, 3] roughly.",
    ],
)
def test_what_is_denied_doubted_or_about_something_else_is_none(text: str) -> None:
    assert read(text) == []


def test_what_a_session_says_is_false_is_no_example() -> None:
    (only,) = read("\n\n>>> a = [3, 1]\n>>> sort_it(a)\n>>> a == [3, 1]\nFalse\n")
    assert "(a == [3, 1]) == False" in only


def test_what_given_code_does_is_no_promise() -> None:
    code = "def sort_it(a):\n    a.reverse()\n"
    assert read("It is wrong: a = [3, 1, 2]; sort_it(a); a == [2, 1, 3].", code) == []


def test_a_hostile_text_is_cheap() -> None:
    assert read("a = [" * 3000) == []
    assert read("a = [1]; sort_it(a); " * 300) == []
