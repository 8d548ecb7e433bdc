# ruff: noqa: E501, RUF001
"""Promises of objects that are told in words: each one that is read holds of a right class, and only of that."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from tests.tables import in_one_test

STACK = (
    "class {name}:\n    def __init__(self):\n        self.xs = []\n    def {push}(self, x):\n        self.xs.append(x)\n"
    "    def {pop}(self):\n        return self.xs.pop()\n    def {size}(self):\n        return len(self.xs)\n"
    "    def {total}(self):\n        return sum(self.xs)\n"
)
WORDS = {"name": "Box", "push": "add", "pop": "pop", "size": "size", "total": "total"}
RIGHT = STACK.format(**WORDS)
WRONG = RIGHT.replace("self.xs.append(x)", "self.xs[:] = [x]").replace(".pop()", ".pop() + 1")
HEAD = "Write a class Box with add(x), pop(), size() and total(). "


def holds(source: str, code: str) -> bool:
    space: dict[str, object] = {"pytest": pytest}
    exec(code, space)
    try:
        exec(source, space)
    except (AssertionError, IndexError):
        return False
    return True


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (HEAD + "After add(1) and add(2), total() is 3.", 1),
        (HEAD + "For example, after `add(1)`, then `add(2)`, `total()` returns `3`.", 1),
        (HEAD + "after b.add(1), b.add(2): b.total() == 3", 1),
        (HEAD + "After add(1) and add(2), pop() returns 2 and size() is 1.", 2),
        (HEAD + "After add(1) and add(2), pop() returns 2 and size() is 2.", 2),
        (HEAD + "After add(4) and add(4.5), total() should be 8.5.", 1),
        (
            "Écris une classe Box avec add(x), pop() et size(). Après add(1) puis add(2), pop() renvoie 2 et size() vaut 1.",
            2,
        ),
        ("Schreibe eine Klasse Box mit add(x) und total(). Nach add(1) und add(2) soll total() 3 liefern.", 1),
        ("Schreibe eine Klasse Box mit add(x) und total(). Nach add(1) und add(2) ist total() gleich 3.", 1),
        ("Scrivi una classe Box con add(x) e total(). Dopo add(1) e add(2), total() restituisce 3.", 1),
        ("Escreva uma classe Box com add(x) e total(). Depois de add(1) e add(2), total() retorna 3.", 1),
        ("Напиши класс Box с методами add(x) и total(). После add(1) и add(2), total() возвращает 3.", 1),
        ("Escribe una clase Box con add(x) y total(). Después de add(1) y add(2), total() devuelve 3.", 1),
        ("编写一个类 Box，包含方法 add(x) 和 total()。在 add(1) 和 add(2) 之后，total() 返回 3。", 1),
        ("Boxクラスを書いてください。add(1)、add(2)の後、total()は3を返す。", 1),
    ],
)
def test_what_an_object_gives_after_calls_of_its_methods_is_a_promise(text: str, count: int) -> None:
    brief = read_brief(text, None, ())
    assert brief.entry_point == "Box"
    assert len(brief.examples) == count
    assert all(holds(example.source, RIGHT) for example in brief.examples), "meant of this moment or of the next"
    assert not holds(brief.examples[0].source, WRONG)


@in_one_test(
    "text",
    [
        "Write a class Box(capacity) with add(x) and total(). After add(1), total() is 1.",
        "Write a class Box with a given capacity, with add(x) and size(). After add(1), size() is 1.",
        HEAD + "With three slots, after add(1), size() is 1.",
        HEAD + "b = Box(3). After b.add(1), b.total() is 1.",
        HEAD + "After add(1), is total() 2?",
        HEAD + "After add(1), total() must not be 2.",
        HEAD + "After add(1), c.total() is 2.",
        HEAD + "After add(1) or add(2), size() is 1.",
        HEAD + "After add(1), total() is about 1.",
        HEAD + "If, after add(1), total() is 2, something is wrong.",
        HEAD + "total() is 3 after the second call.",
        HEAD + "Calling add(1) is fine. After add(2), total() is 3.",
        HEAD + "After add(1), size() is 1 when n is 2.",
        HEAD + "After add(1), size() is 1 (n is 2).",
        HEAD + "Imagine a box with 1 and 2 inside. After add(3), size() is 3.",
        HEAD + "After pop(), size() is 0.",
        HEAD + "After add(1), size() is 1, with a base of 0.",
        HEAD + "Nach add(1) ist size() gleich 1, wenn n 2 ist.",
        "Write a class Box holding at most n items, with add(x) and size(). After add(1), size() is 1.",
        "Write a class Box with add(x) and size(). The owner's name is passed when a box is opened. After add(1), size() is 1.",
        "Write a class Box of n rows and m columns with add(x) and size(). After add(1), size() is 1.",
        "Write a class Box seeded by an integer, with add(x) and size(). After add(1), size() is 1.",
        "Write a class Box bound to a sheet, with add(x) and size(). After add(1), size() is 1.",
    ],
)
def test_what_might_be_meant_otherwise_is_no_promise(text: str) -> None:
    assert read_brief(text, None, ()).examples == ()


@pytest.mark.parametrize(
    "story",
    [
        "After add(1), total() is 1. After add(2), total() is 3.",
        "After add(1) and add(2), pop() is 2. After pop(), size() is 0.",
        "- After add(1), total() is 1.\n- After add(2), total() is 3.",
        "- After add(1), total() is 1.\n- After add(1) and add(2), total() is 3.",
        "Nach add(1) ist total() gleich 1. Nach add(2) ist total() gleich 3.",
        "在 add(1) 之后，total() 返回 1。在 add(2) 之后，total() 返回 3。",
    ],
)
def test_only_the_first_sentence_of_a_story_surely_begins_with_a_new_object(story: str) -> None:
    (example,) = read_brief(f"{HEAD}\n{story}", None, ()).examples
    assert example.sentence in story.split("2)")[0] or "pop() is 2" in example.sentence
    assert holds(example.source, RIGHT)


def test_an_example_says_nothing_of_a_class_that_is_made_with_arguments() -> None:
    (example,) = read_brief(f"{HEAD}After add(1), total() is 1.", None, ()).examples
    with pytest.raises(pytest.skip.Exception):
        holds(example.source, RIGHT.replace("__init__(self)", "__init__(self, size)"))


def test_of_given_code_a_report_is_no_promise_and_what_it_cannot_do_yet_is_one() -> None:
    def sources(text: str) -> list[str]:
        return [example.source for example in read_brief(text, RIGHT, ()).examples]

    assert sources("After add(1), total() gives 5.") == []
    assert sources("After add(1), total() gives 5 but it should be 1.") == [
        "it = Box()\nit.add(1)\nassert it.total() == 1"
    ]
    assert sources("Add a method clear(). After add(1) and clear(), total() is 0.")[0].endswith("it.total() == 0")
    assert sources("Add a parameter times=1 to total(). After add(2), total(times=2) is 4.")[0].endswith(
        "(times=2) == 4"
    )
    helped = RIGHT + "def reset():\n    return Box()\n"
    assert read_brief("Mend it: after reset(), total() should be 0.", helped, ()).examples == ()
    needs = RIGHT.replace("__init__(self)", "__init__(self, size)")
    assert read_brief("Mend it: after add(1), total() should be 1.", needs, ()).examples == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Write a class Ledger with the methods deposit(amount) and balance().", "Ledger"),
        ("Écris une classe Pile avec empiler(x) et taille().", "Pile"),
        ("编写一个类 Counter，包含方法 add(x)。", "Counter"),
        ("Напиши класс Счётчик с методами add(x) и total().", "Счётчик"),
        ("Write a class that counts words: add(text) adds a text.", None),
    ],
)
def test_a_class_is_called_by_its_own_name_and_never_by_that_of_a_method(text: str, name: str | None) -> None:
    brief = read_brief(text, None, ())
    assert (brief.kind, brief.entry_point) == ("class", name)
    assert "def" not in (brief.signature or "")


POINT = (
    "class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n"
    "    def mirror(self):\n        return Point(self.y, self.x)\n"
)


def test_an_object_behind_an_arrow_is_compared_by_what_it_holds() -> None:
    head = "Write a class Point(x, y) with a method mirror()."
    (told,) = read_brief(f"{head} Point(1, 2).mirror() -> Point(2, 1)", None, ()).examples
    assert holds(told.source, POINT)
    assert not holds(told.source, POINT.replace("self.y, self.x)", "self.x, self.y)"))
    assert read_brief(f"{head} Somebody's Point(1, 2).mirror() -> Point(2, 1) is wrong", None, ()).examples == ()
