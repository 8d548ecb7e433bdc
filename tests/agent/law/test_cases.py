"""What is said of one case of the input, and of letters whose case is to be ignored."""

from __future__ import annotations

import pytest

from agent.examples.clauses.cases import kinds_listed
from agent.law.checkers.cases import check_case
from agent.state import Check
from sandbox.types import Sandbox

from .conftest import Inspect, bench_for

LOWER = "Write median(xs): for an even count the smaller of the two middle values. median([3, 1, 2]) == 2"
MIDDLE = "def median(xs):\n    return sorted(xs)[(len(xs) - 1) // 2]"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("def test_one():\n    assert median([5]) == 5", "open"),
        ("def test_even():\n    assert median([2, 1]) == 1", "kept"),
        ("def test_property_all():\n    for xs in ([1], [2, 1]):\n        assert median(xs) == min(xs)", "kept"),
    ],
)
async def test_what_is_said_of_a_case_is_checked_by_an_input_of_that_case_alone(
    inspected: Inspect, source: str, standing: str
) -> None:
    (finding,) = await inspected(LOWER, MIDDLE, "median([4, 3])", passed=(Check("spec.t", "t", "spec", source),))
    assert (finding.kind, finding.standing) == ("case", standing), finding


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("False for anything else, including strings and bool", ("text", "truth value")),
        ("It returns None for negative numbers, zero and strings.", ("negative", "zero", "text")),
        ("Raise ValueError if n is negative, zero or not an integer.", ("negative", "zero", "fraction")),
        ("Raise ValueError if n is less than 0 or not an integer.", ("negative", "fraction")),
        ("For None or an empty string return ''.", ("nothing", "empty")),
        ("Bei negativen Zahlen oder 0 wird ValueError ausgelöst.", ("negative", "zero")),
        ("ValueError if n is negative; zero gives 1.", ()),
        ("It works for positive and negative numbers.", ()),
        ("Return True for strings that are equal, and False otherwise.", ()),
        ("A function for lists of strings and numbers.", ()),
        ("If the first is zero and the second negative, return 1.", ()),
        ("For 0, 1 and 2 return 1.", ()),
    ],
)
def test_kinds_of_inputs_that_stand_beside_each_other_are_listed(text: str, kinds: tuple[str, ...]) -> None:
    assert kinds_listed(text) == kinds


AGES = "Write valid(age): True for whole numbers, False for anything else, including strings and bool. valid(3) == True"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("asserted", "standing"),
    [("valid('3') == False", ["kept", "open"]), ("[valid(x) for x in ('3', True)] == [False] * 2", ["kept", "kept"])],
)
async def test_each_kind_of_inputs_that_a_sentence_lists_needs_a_check(
    inspected: Inspect, asserted: str, standing: list[str]
) -> None:
    code = "def valid(age):\n    return isinstance(age, int)"
    source = f"def test_other():\n    assert {asserted}"
    found = await inspected(AGES, code, passed=(Check("spec.t", "t", "spec", source),))
    assert [one.standing for one in found if one.kind == "case"] == standing, found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("condition", "standing"), [("n < 0", "open"), ("n <= 0 or n != int(n)", "kept")])
async def test_an_error_for_several_kinds_of_inputs_is_tried_on_each(
    inspected: Inspect, condition: str, standing: str
) -> None:
    task = "Write f(n) == n. Raise ValueError for negative numbers, zero and non-integers. f(3) == 3"
    code = f"def f(n):\n    if {condition}:\n        raise ValueError(n)\n    return n"
    source = "def test_it():\n    with pytest.raises(ValueError):\n        f(-1)"
    (finding,) = await inspected(task, code, passed=(Check("spec.t", "t", "spec", source),))
    assert (finding.kind, finding.standing) == ("raises", standing), finding
    assert standing == "kept" or "f(0) gives 0" in finding.told


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "standing"), [("word in text.split()", "open"), ("word.lower() in text.lower().split()", "kept")]
)
async def test_letters_in_the_other_case_are_tried_where_case_is_to_be_ignored(
    inspected: Inspect, result: str, standing: str
) -> None:
    task = "Write holds(text, word): whether word is in text, ignoring case. holds('a cat', 'cat') == True"
    (finding,) = await inspected(task, f"def holds(text, word):\n    return {result}")
    assert (finding.kind, finding.standing) == ("any_case", standing), finding


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("code", "standing"),
    [
        ("return {'half': 1, 'ten': 2}[mode.lower()]", "kept"),
        ("return {'half': 1, 'ten': 2}.get(mode, 3)", "open"),
        ("return len(mode)", "open"),
    ],
)
async def test_the_name_of_a_mode_is_tried_in_the_other_case_where_another_name_matters(
    inspected: Inspect, code: str, standing: str
) -> None:
    task = f"Write price(mode), ignoring case. price('half') == {4 if 'len' in code else 1}"
    found = await inspected(task, f"def price(mode):\n    {code}")
    assert [one.standing for one in found if one.kind == "any_case"] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("given", "standing"), [("['b', 'A', 'a']", "kept"), ("['b', 'A', 'c']", "open")])
async def test_words_that_differ_in_case_alone_are_equal_where_case_is_ignored(
    inspected: Inspect, given: str, standing: str
) -> None:
    task = "Write f(xs): the words sorted, ignoring case; words that differ only in case keep their original order. "
    answer = repr(sorted(eval(given), key=str.lower))
    shown = Check("task.t", "t", "task", f"assert f({given}) == {answer}", f"f({given})", answer)
    code = "def f(xs):\n    return sorted(xs, key=str.lower)"
    found = await inspected(f"{task}f({given}) == {answer}.", code, passed=(shown,))
    assert [one.standing for one in found if one.kind == "sorted"] == [standing], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("task", "result", "standing"),
    [
        ("f(s): whether s is a palindrome, ignoring case. f('racecar') == True", "s == s[::-1]", "open"),
        (
            "f(s): whether s is a palindrome, ignoring case. f('racecar') == True",
            "s.lower() == s.lower()[::-1]",
            "kept",
        ),
        ("f(s): how many words differ, ignoring case. f(['a', 'b', 'a']) == 2", "len(set(s))", "open"),
        ("f(s): how many words differ, ignoring case. f(['a', 'b']) == 2", "len(set(s))", "open"),
    ],
)
async def test_one_of_two_equal_letters_is_changed_alone(
    inspected: Inspect, task: str, result: str, standing: str
) -> None:
    found = await inspected(f"Write {task}", f"def f(s):\n    return {result}")
    assert [one.standing for one in found if one.kind == "any_case"] == [standing], found


LEAP = "Write f(y): True if the year is divisible by 4 but not by 100 unless divisible by 400. f(1996) == True. "
MEDIAN = "Write f(xs): for an even count the lower middle one. f([1, 2, 3]) == 2. "


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("task", "source", "kept"),
    [
        (LEAP, "assert f(2000)", {"400"}),
        (LEAP, "assert f(2000)\nassert not f(1900)\nassert f(2024)", {"4", "100", "400"}),
        ("Write f(n): True if n is not divisible by 0. f(2) == True. ", "assert f(3)", set[str]()),
        ("Write f(x, lo, hi). If x is negative return 0. f(1, 2, 3) == 2. ", "assert f(5, -1, 10) == 5", set[str]()),
        ("Write f(x, lo, hi). If x is negative return 0. f(1, 2, 3) == 2. ", "assert f(-5, 1, 10) == 0", {"negative"}),
        (MEDIAN, "def test_t():\n    pair = (1, 2)\n    xs = [3, 1, 2]\n    assert f(xs) == 2", set[str]()),
        (MEDIAN, "def test_t():\n    xs = [3, 1]\n    assert f(xs) == 1", {"even count"}),
        ("Write f(a, b). If the list is empty return 0. f([1], [2]) == 3. ", "assert f([], [1]) == 0", set[str]()),
        ("Write f(xs, k). If the list is empty return 0. f([1], 2) == 3. ", "assert f([], 1) == 0", {"empty"}),
    ],
)
async def test_a_case_is_shown_only_by_the_argument_and_number_that_it_names(
    sandbox: Sandbox, task: str, source: str, kept: set[str]
) -> None:
    parameters = task[task.index("(") : task.index(")") + 1]
    check = Check("task.t1", "t1", "task", source)
    bench = bench_for(sandbox, task, f"def f{parameters}:\n    return 0", (), passed=(check,))
    cases = [clause for clause in bench.brief.clauses if clause.kind == "case"]
    assert cases
    assert {clause.names[-1] for clause in cases if (await check_case(clause, bench)).standing == "kept"} == kept


@pytest.mark.asyncio(loop_scope="session")
async def test_what_a_frequency_ties_is_no_matter_of_case(inspected: Inspect) -> None:
    task = "Write f(xs): the words sorted by frequency, most frequent first, ignoring case; ties are alphabetical."
    check = Check("task.t1", "t1", "task", "", "f(['x', 'x', 'y', 'z'])", "['x', 'y', 'z']")
    found = await inspected(task, "def f(xs):\n    return ['x', 'y', 'z']", check.call, passed=(check,))
    assert [one.standing for one in found if "ties" in one.text] == ["kept"], found
