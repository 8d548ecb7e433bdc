"""Code in the task's text that makes something and asserts what holds of it is read as examples."""

from __future__ import annotations

import pytest

from agent.examples import read_brief

HEAD = "Write a class Till(owner, start=0) with add(x), take(x) and the attribute total.\n\n"
SCENE = "t = Till('Ann', 10)\nassert t.add(5) == 15\nassert t.total == 15"
READ = ["t = Till('Ann', 10)\nassert t.add(5) == 15", "t = Till('Ann', 10)\nt.add(5) == 15\nassert t.total == 15"]


def read(text: str) -> list[str]:
    return [example.source for example in read_brief(text, None, ()).examples]


@pytest.mark.parametrize(
    "layout",
    [
        "{}",
        "What fails is not counted.\n\n{}",
        "It may be empty. Examples:\n{}",
        "Examples:\n\n{}\n\nIt has to be fast.",
        "```python\n{}\n```",
        "    {}",
    ],
)
def test_each_assert_is_an_example_with_all_that_is_done_before(layout: str) -> None:
    indent = "\n    " if layout.startswith(" ") else "\n"
    assert read(HEAD + layout.format(SCENE.replace("\n", indent))) == READ


def test_a_failed_test_that_is_pasted_shows_what_has_to_hold() -> None:
    code = "def total(xs):\n    return sum(xs[1:])\n"
    pasted = (
        "    def test_it():\n        t = total([1, 2])\n>       assert t == 3\nE       assert 2 == 3\n\na.py:3: Error"
    )
    read_in = read_brief(f"This test fails, fix the function:\n\n{pasted}", code, ()).examples
    assert [example.source for example in read_in] == ["t = total([1, 2])\nassert t == 3"]


def test_an_error_that_is_awaited_is_an_example_too() -> None:
    told = read(f"{HEAD}t = Till('B')\nwith pytest.raises(ValueError):\n    t.take(1)\nassert t.total == 0")
    raised = "t = Till('B')\nwith pytest.raises(ValueError):\n    t.take(1)"
    assert told == [raised, f"{raised}\nassert t.total == 0"]


def test_what_becomes_of_an_argument_and_of_a_generator_may_be_shown() -> None:
    assert read("Write put_in_order(xs).\n\nxs = [3, 1]\nput_in_order(xs)\nassert xs == [1, 3]") == [
        "xs = [3, 1]\nput_in_order(xs)\nassert xs == [1, 3]"
    ]
    assert read("Write gen(n), a generator.\n\ng = gen(2)\nassert next(g) == 1")[0] == "g = gen(2)\nassert next(g) == 1"


@pytest.mark.parametrize(
    "text",
    [
        f"These asserts are wrong:\n{SCENE}",
        "y = other(3)\nassert y == 2",
        "t = Till(start)\nassert t.total == 3",
        "t = Till('Ann', ...)\nassert t.total == 3",
        "import os\nt = os.listdir('.')\nassert t == []",
    ],
)
def test_other_names_and_doubts_promise_nothing(text: str) -> None:
    assert read(HEAD + text) == []


@pytest.mark.parametrize("said", ["== [(1, 2), (3,)]", "-> [(1, 2), (3,)]", "gives [(1, 2), (3,)]"])
def test_what_a_generator_yields_may_be_shown_as_a_list(said: str) -> None:
    text = "Write a generator chunks(items, n). The last tuple may be shorter. Example: list(chunks([1, 2, 3], 2)) "
    assert read(text + said) == ["assert list(chunks([1, 2, 3], 2)) == [(1, 2), (3,)]"]
