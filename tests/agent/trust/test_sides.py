"""A limit in words and a comparison that puts its number on the other side."""

from __future__ import annotations

import pytest

from agent.trust import misplaced, undecided
from tests.tables import in_one_test


def program(comparison: str) -> str:
    return f"def f(x):\n    if {comparison}:\n        return 1\n    return 0\n"


@in_one_test(
    "words, right, wrong",
    [
        ("50 euros or more", "x >= 50", "x > 50"),
        ("at least 50", "50 <= x", "50 < x"),
        ("below 50", "not x >= 50", "x <= 50"),
        ("fewer than 50", "x < 50", "50 >= x"),
        ("greater than or equal to 50", "x >= 50", "x > 50"),
        ("more than 50", "x > 50", "x >= 50"),
        ("50 % or less", "x <= 50", "50 > x"),
        ("exceeds 2.5", "x > 2.5", "x >= 2.5"),
        ("from 50 pieces on", "x >= 50", "x > 50"),
        ("von 50 Stück an", "x >= 50", "x > 50"),
        ("mindestens 50", "x >= 50", "x > 50"),
        ("50 oder weniger", "x <= 50", "x < 50"),
        ("plus de 50", "x > 50", "x >= 50"),
        ("al menos 50", "x >= 50", "x > 50"),
        ("at least $50", "x >= 50", "x > 50"),
        ("at least: 50", "x >= 50", "x > 50"),
        ("below a 50", "x < 50", "x <= 50"),
        ("from 10 (inclusive) to 50 (exclusive)", "10 <= x < 50", "10 <= x <= 50"),
        ("from 50 (inclusive) to 90 (exclusive)", "50 <= x < 90", "50 < x < 90"),
        ("between 10 and 50 (inclusive)", "10 <= x <= 50", "10 <= x < 50"),
        ("between 50 (exclusive) and 90", "x > 50", "x >= 50"),
        ("until 50 (exclusive)", "x < 50", "x <= 50"),
    ],
)
def test_only_the_other_side_is_told(words: str, right: str, wrong: str) -> None:
    text = f"f(x) is 1 where x is {words}, else 0."
    assert misplaced(program(right), text) == []
    number = "2.5" if "2.5" in words else "50"
    (told,) = misplaced(program(wrong), text)
    assert told.startswith(f"line 2: `{wrong}` has {number} on the other side than “")


def test_limits_are_also_read_where_their_numbers_are_words() -> None:
    text = "f(years) is 3 from five years on. Ab zehn Jahren an ist es 4."
    assert misplaced(program("years >= 5"), text) == []
    (told,) = misplaced(program("years > 5"), text)
    assert told == "line 2: `years > 5` has 5 on the other side than “from five years on” of the task"


def test_the_words_and_a_named_limit_are_told() -> None:
    code = "FREE = 50\n\ndef f(x):\n    return 0 if x > FREE else 3\n"
    (told,) = misplaced(code, "Orders of 50 euros  or more ship free.")
    assert told == "line 4: `x > FREE` has 50 on the other side than “50 euros or more” of the task"


@in_one_test(
    "text, comparison",
    [
        ("at least 50 and more than 50", "x > 50"),  # on both sides
        ("at least 50", "x > 49"),  # another number
        ("at least 50", "x == 50"),
        ("at least 50", "x >= 50 and x > 50"),  # one of them is as the task says
        ("at least 50", "x is True > 50 > y() >= 50"),
        ("at least 2", "x > 2"),  # small numbers are in programs for other reasons
        ("the number 50", "x > 50"),
        ("from 50 pieces to 90", "x > 50"),
        ("50 pieces on a shelf", "x > 50"),
        ("at least " + "far " * 12 + "50", "x > 50"),
        ("50 " + "far " * 12 + "or more", "x > 50"),
        ("at least 50", "x > '50'"),
        ("at least 50", "x > 50 or x == 50"),
        ("at least 50", "x + 1 > 50"),  # not the quantity itself
        ("at least 50", "x.count(1) > 50"),
        ("at least 50", "len(self) > 50"),
        ("between 50 and under 65", "x > 50"),
        ("from 50 up to 65", "x > 50"),
        ("the average over 50 values", "x >= 50"),
        ("split unter 50 people", "x <= 50"),
        ("at most 50 of them", "x >= 50"),
        ("up to 50 of them", "x >= 50"),
    ],
)
def test_what_may_mean_something_else_is_not_told(text: str, comparison: str) -> None:
    assert misplaced(program(comparison), text) == []


def test_a_text_may_begin_with_its_limit_and_three_is_one() -> None:
    assert misplaced(program("x > 50"), "50 or more")[0].endswith("than “50 or more” of the task")
    assert misplaced(program("x > 3"), "it is at least 3")[0].endswith("than “at least 3” of the task")


def test_a_name_that_is_set_twice_is_no_limit() -> None:
    assert misplaced("a = 50\na = 51\nb = x > a\n", "at least 50") == []
    assert misplaced("a = 50\nb = x > a\n", "at least 50") != []


def test_an_example_at_the_limit_settles_it() -> None:
    assert misplaced(program("x > 50"), "at least 50", ["assert f(50) == 0"]) == []
    assert misplaced(program("x > 50"), "at least 50", ["50"]) == []
    assert misplaced(program("x > 50"), "at least 50", ["assert f(150) == 1"]) != []


@in_one_test(
    "text, comparison",
    [
        ("The minimum age is 18.", "x >= 18"),
        ("Orders of at least $100 ship free.", "x >= 100"),
        ("Orders over $100 ship free.", "x > 100"),
        ("Passwords need 8+ characters.", "len(x) < 8"),
        ("A: 90+, B: 80+, C: 70+", "x >= 90"),
        ("must not exceed 100", "x > 100"),
        ("minimum 50", "x >= 50"),
        ("50 max", "x <= 50"),
        ("at most: 100", "x > 100"),
        ("50 euros and more", "x >= 50"),
        ("x lies in [1900, 2100].", "1900 <= x <= 2100"),
        ("Valid years are 1900..2100.", "1900 <= x <= 2100"),
        ("heavier than 20 kg", "x > 20"),
        ("strictly between 10 and 20", "10 < x < 20"),
        ("children up to and including 12 are free", "x <= 12"),
        ("up to but not including 12", "x < 12"),
        ("up to (and including) 12", "x <= 12"),
        ("in the half-open range from 10 to 20", "10 <= x < 20"),
        ("until 12 (exclusive)", "x < 12"),
        ("until 12, exclusive", "x < 12"),
        ("from 10 (inclusive) to 20 (exclusive)", "10 <= x < 20"),
        ("first 10 items", "len(x) > 10"),
        ("a week has 7 days", "x > 7"),
        ("years since 1970", "x < 1970"),
        ("count down from 10", "x > 10"),
        ("the average over 5 values", "len(x) >= 5"),
        ("add them until the sum reaches 50", "x < 50"),
        ("Score 90 gives A, 80 gives B.", "x >= 90"),
        ("bis einschließlich 12", "x <= 12"),
        ("ab 18 Jahren", "x >= 18"),
        ("à partir de 18 ans", "x >= 18"),
        ("hasta 12", "x <= 12"),
        ("più di 12", "x > 12"),
        ("12以上", "x >= 12"),
    ],
)
def test_a_right_program_is_not_told_of(text: str, comparison: str) -> None:
    assert undecided(program(comparison), text) == []
    assert misplaced(program(comparison), text) == []


def test_what_is_no_program_is_not_read() -> None:
    assert misplaced("def f(:", "at least 50") == []


@pytest.mark.parametrize(
    "code",
    [
        "def f(o, x):\n    if len(o) >= 50:\n        return\n    o.append(x)\n",
        "def f(o, x):\n    if len(o) >= 50:\n        return\n    heappush(o, x)\n",
        "def f(o, x):\n    if len(o) >= 50:\n        return\n    o[x] = 1\n",
        "def f(o, x):\n    while len(o) >= 50:\n        o = o + [x]\n",
        "def f(o, x):\n    while len(o) >= 50:\n        o += (x,)\n",
        "class C:\n    def add(self):\n        if self.n >= 50:\n            self.n += 1\n",
        "class C:\n    def add(self):\n        if self.n >= 50:\n            self.n = self.n + 1\n",
        "def f(xs, depth):\n    return depth >= 50 or f(xs, depth + 1)\n",
        "def f(xs):\n    return [x for at, x in enumerate(xs) if at >= 50]\n",
        "def f(xs):\n    return [xs[i] for i in range(len(xs)) if i >= 50]\n",
    ],
)
def test_what_is_counted_may_be_compared_before_the_next_one(code: str) -> None:
    assert misplaced(code, "It is done for more than 50.") == []
    assert misplaced(program("x >= 50"), "It is done for more than 50.") != []


@pytest.mark.parametrize(
    "code",
    [
        "def pay(h, rate):\n    if h < 40:\n        return h * rate\n    return 40 * rate + (h - 40) * rate * 2\n",
        "LIMIT = 40\ndef cut(hours):\n    return LIMIT if hours >= LIMIT else hours\n",
        "def cut(text):\n    return text if len(text) < 40 else text[:40]\n",
    ],
)
def test_what_gives_the_same_on_both_sides_is_right_on_both(code: str) -> None:
    assert misplaced(code, "What is more than 40 is treated otherwise.") == []


def test_what_is_added_up_or_only_measured_is_no_counter() -> None:
    assert (
        misplaced("def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t > 50\n", "at least 50") != []
    )
    assert misplaced("def f(word):\n    return len(word) > 8\n", "at least 8 letters") != []


@pytest.mark.parametrize(
    ("words", "comparison"),
    [
        ("the quiet hours last until 50", "x <= 50"),
        ("the quiet hours last until 50", "x < 50"),
        ("up to 50", "x < 50"),
        ("from 50", "x > 50"),
        ("over 50", "x >= 50"),
        ("30 to 50", "x < 50"),
        ("bis 50", "50 > x"),
        ("up to $50", "x < 50"),
    ],
)
def test_a_limit_that_only_the_program_decides_is_told(words: str, comparison: str) -> None:
    told = f"no example shows on which side 50 lies, which line 2 decides: `{comparison}`"
    assert undecided(program(comparison), words) == [told]
    assert undecided(program(comparison), words, ["assert f(50) == 1"]) == []
    assert undecided(program(comparison), words, given=program(comparison)) == []
    assert undecided(program(comparison), words, given=program("x != 50")) == [told]


@in_one_test(
    "words, comparison",
    [
        ("up to 50", "x <= 50"),
        ("from 50", "x >= 50"),
        ("over 50", "x > 50"),
        ("under 50", "x < 50"),
        ("30 to 50", "30 <= x <= 50"),
        ("between 30 and 50", "not 30 <= x <= 50"),
        ("between 30 and 50", "x == 50"),
        ("until 50", "x == 50"),
        ("until 50", "x != 50"),
        ("30-50", "x < 50"),
        ("from 50 - 60", "x > 50"),
        ("from 50 \N{EN DASH} 60", "x > 50"),
        ("up to 50 + 3", "x < 50"),
        ("up to -50", "x < 50"),
        ("up to 50..60", "x < 50"),
        ("1 <= x <= 50", "x < 50"),
        ("at least 50", "x > 50"),  # contradicted by its words, which is told elsewhere
        ("at least 50", "x >= 50"),
        ("until 50", "x < 50 or 100 - x > 50 or x > 50"),
        ("until 2", "x < 2"),
        ("until 60", "x < 50"),
    ],
)
def test_what_most_people_read_so_is_not_open(words: str, comparison: str) -> None:
    assert undecided(program(comparison), words) == []


@pytest.mark.parametrize(
    ("compared", "looked_at"),
    [
        ("x", True), ("x.total", True), ("x['total']", True), ("len(x)", True), ("sum(x)", True),
        ("max(x)", False), ("x + y", False), ("len(self)", False),
    ],
)  # fmt: skip
def test_only_a_plain_quantity_its_length_or_its_sum_is_looked_at(compared: str, looked_at: bool) -> None:
    code = f"def free(self, x, y):\n    return {compared} > 50\n"
    assert bool(misplaced(code, "50 or more is free.")) == looked_at


@pytest.mark.parametrize(("number", "looked_at"), [("2", False), ("3", True), ("2.5", True)])
def test_whole_numbers_below_three_stand_in_programs_for_other_reasons(number: str, looked_at: bool) -> None:
    code = f"def f(n):\n    return n > {number}\n"
    assert bool(misplaced(code, f"{number} or more is free.")) == looked_at
    assert bool(undecided(code, f"Count until {number}.")) == looked_at


def test_a_number_that_one_sentence_settles_is_settled_for_all() -> None:
    code = "def f(n):\n    return n < 6\n"
    assert undecided(code, "Count until 6.")
    assert undecided(code, "Count until 6. The numbers are 1 to 6 inclusive.") == []
    assert undecided(code, "The numbers are 1 to 6 inclusive. Count until 6.") == []
