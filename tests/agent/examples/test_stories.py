"""Stories of one object on a line or on several are read as examples, with all that is done before."""

from __future__ import annotations

import pytest

from agent.examples import read_brief

HEAD = "Write a class Till with add(x), take(x) and total(). "


def read(text: str) -> list[str]:
    return [example.source for example in read_brief(text, None, ()).examples]


@pytest.mark.parametrize(
    "text",
    [
        "Example: t = Till(); t.add(5); t.take(2); t.total() -> 3.",
        "For instance t = Till(), t.add(5), t.take(2), t.total() == 3.",
        "`t = Till(); t.add(5); t.take(2); t.total() => 3`",
        "\n\nt = Till()\nt.add(5)\nt.take(2)\nt.total() -> 3",
        "\n```python\nt = Till()\nt.add(5)\nt.take(2)\nt.total()  # -> 3\n```",
        "Beispiel: t = Till(); t.add(5); t.take(2); t.total() gibt 3.",
        "例如 t = Till(); t.add(5); t.take(2); t.total() 返回 3。",
    ],
)
def test_a_story_is_an_example(text: str) -> None:
    assert read(HEAD + text) == ["t = Till()\nt.add(5)\nt.take(2)\nassert t.total() == 3"]


@pytest.mark.parametrize("said", ["t.left == 3", "t.left is 3.", "t.left -> 3"])
def test_an_attribute_may_be_what_a_story_is_about(said: str) -> None:
    assert read(f"{HEAD}Example: t = Till(); t.add(3); {said}") == ["t = Till()\nt.add(3)\nassert t.left == 3"]
    assert read(f"{HEAD}Example: t = Till(); t.left = 9; t.add(3); t.total() -> 3") == []


def test_what_was_asked_before_belongs_to_what_follows() -> None:
    told = read(f"{HEAD}t = Till(); t.add(5) -> 5; t.add(5) -> 10; t.take(20) raises ValueError; t.total() -> 10")
    assert told == [
        "t = Till()\nassert t.add(5) == 5",
        "t = Till()\nt.add(5)\nassert t.add(5) == 10",
        "t = Till()\nt.add(5)\nt.add(5)\nwith pytest.raises(ValueError):\n    t.take(20)",
    ], "behind an error nobody knows what was changed"


@pytest.mark.parametrize(
    "text",
    [
        "t = Till(); t.add(x); t.total() -> 2.",
        "t = Till(); t.add(2); t.total() should not return 3.",
        "t = Till(); t.add(2); t.total() -> 3 is wrong, it is 2.",
        "t = Till(); t.add(2); t.total() -> 3 if there was 1 before.",
        "t = Till(); t.add(2) and so on until t.total() -> 30.",
        "t = Till(); t.add(2); what should t.total() -> 3 mean?",
        "Currently t = Till(); t.total() -> 1, but I want t.total() -> 0.",
        "t = make(); t.add(2); t.total() -> 2.",
        "t = Till(start); t.add(2); t.total() -> 2.",
    ],
)
def test_a_story_with_a_gap_or_a_doubt_promises_nothing(text: str) -> None:
    assert read(HEAD + text) == []


def test_of_given_code_a_story_may_be_a_report() -> None:
    code = "class Till:\n    def total(self):\n        return 1\n"
    assert read_brief("t = Till(); t.total() -> 1", code, ()).examples == ()


def test_two_stories_of_the_same_steps_with_different_ends_contradict_each_other() -> None:
    text = f"{HEAD}\nt = Till(); t.add(1); t.total() -> 2\nt = Till(); t.add(1); t.total() -> 3"
    brief = read_brief(text, None, ())
    assert brief.examples == ()
    assert [(one.kind, one.names) for one in brief.clauses] == [("contradiction", ("t.total()", "2", "3"))]


STACK = """class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def peek(self):
        return self.items[0]
"""


def reported(text: str) -> list[str]:
    return [example.source for example in read_brief(text, STACK, ()).examples]


@pytest.mark.parametrize(
    "text",
    [
        "s = Stack(); s.push(1); s.push(2); s.peek() gives 1 but should give 2",
        "```python\ns = Stack()\ns.push(1)\ns.push(2)\ns.peek()  # 1, should be 2\n```",
        ">>> s = Stack()\n>>> s.push(1)\n>>> s.push(2)\n>>> s.peek()\n1\n\nI'd expect 2.",
        "### Steps\n\n```\ns = Stack()\ns.push(1)\ns.push(2)\ns.peek()\n```\n\n### Expected\n\n2\n\n### Actual\n\n1",
    ],
)
def test_of_a_reported_story_what_should_come_is_read(text: str) -> None:
    assert reported(text) == ["s = Stack()\ns.push(1)\ns.push(2)\nassert s.peek() == 2"]


def test_what_a_reported_story_prints_is_compared_as_a_text() -> None:
    told = reported("s = Stack()\ns.push(1)\ns.push(2)\nprint(s.peek())  # prints 1, should print 2")
    assert told == ["s = Stack()\ns.push(1)\ns.push(2)\nassert str(s.peek()) == '2'"]


@pytest.mark.parametrize(
    "text",
    [
        "s = Stack(); s.push(1); s.push(2); s.peek() gives 1",
        ">>> s = Stack()\n>>> s.push(1)\n>>> s.peek()\n1",
    ],
)
def test_what_comes_of_a_reported_story_is_no_law_and_neither_is_what_belongs_to_another_step(text: str) -> None:
    assert reported(text) == []


def test_and_then_leads_to_the_next_step() -> None:
    told = reported("s = Stack(); s.push(1); s.push(2) and then s.peek() is 1, should be 2")
    assert told == ["s = Stack()\ns.push(1)\ns.push(2)\nassert s.peek() == 2"]


@pytest.mark.parametrize(
    "text",
    [
        "it = Countdown(2); next(it) -> 2, and then next(it) raises StopIteration.",
        "it = Countdown(2)\nnext(it)  # 2\nnext(it)  # StopIteration",
    ],
)
def test_an_iterator_is_asked_by_next_and_ends_by_an_exception(text: str) -> None:
    told = [one.source for one in read_brief(f"Write an iterator class Countdown.\n\n{text}", None, ()).examples]
    made = "it = Countdown(2)\n"
    assert told == [
        f"{made}assert next(it) == 2",
        f"{made}next(it)\nwith pytest.raises(StopIteration):\n    next(it)",
    ]


def test_what_is_said_of_a_method_that_the_given_class_has_not_is_a_wish() -> None:
    told = "Add a method last(): s = Stack(); s.push(1); s.push(2); s.last() == 2. Now s.last() raises AttributeError."
    assert reported(told) == ["s = Stack()\ns.push(1)\ns.push(2)\nassert s.last() == 2"]
    assert reported("Add last(). s = Stack(); s.push(1); s.last() raises AttributeError") == []
