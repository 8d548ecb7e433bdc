"""Each kind of clause on a program that keeps it, one that breaks it, and one of which nothing can be said."""

from __future__ import annotations

import pytest

from agent.law import inspect
from agent.law.inspecting import _tried_again
from agent.state import Check
from sandbox.types import Sandbox

from .conftest import Inspect, bench_for, stated

SORTED = "`tidy(xs)` returns the numbers in order. For example tidy([3, 1, 2]) == [1, 2, 3]. "

CASES = [
    ("Do not modify the input list.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("Do not modify the input list.", "def tidy(xs):\n    xs.sort()\n    return xs", "broken"),
    ("Do not modify the input list.", "def tidy(xs):\n    return xs if len(xs) < 9 else sorted(xs)", "kept"),
    ("Sort the list in place.", "def tidy(xs):\n    xs.sort()\n    return xs", "kept"),
    ("Sort the list in place.", "def tidy(xs):\n    return sorted(xs)", "open"),
    ("Do not use `sorted`.", "def tidy(xs):\n    return sorted(xs)", "broken"),
    ("Do not use `sorted`.", "def tidy(xs):\n    ys = list(xs)\n    ys.sort()\n    return ys", "kept"),
    ("Do not use `sorted`.", "def tidy(xs):\n    return eval('sorted(xs)')", "open"),
    ("Do not use `sort`.", "def tidy(xs):\n    ys = list(xs)\n    ys.sort()\n    return ys", "broken"),
    ("Do not use `sort`.", "def sort(xs):\n    return sorted(xs)\ndef tidy(xs):\n    return sort(xs)", "kept"),
    ("Without recursion.", "def tidy(xs):\n    return xs and tidy(xs[1:]) and sorted(xs)", "broken"),
    ("Without recursion.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("Do not use loops.", "def tidy(xs):\n    for x in xs:\n        pass\n    return sorted(xs)", "broken"),
    ("Do not use loops.", "def tidy(xs):\n    return sorted(x for x in xs)", "open"),
    ("No imports are allowed.", "import heapq\ndef tidy(xs):\n    return sorted(xs)", "broken"),
    ("Only the standard library may be used.", "import heapq\ndef tidy(xs):\n    return sorted(xs)", "kept"),
    ("Only the standard library may be used.", "import numpy\ndef tidy(xs):\n    return sorted(xs)", "broken"),
    ("Without using dictionaries or sets.", "def tidy(xs):\n    return sorted({x for x in xs})", "broken"),
    ("Without using sets.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("Use recursion.", "def tidy(xs):\n    return sorted(xs)", "broken"),
    ("Do not print anything.", "def tidy(xs):\n    print(xs)\n    return sorted(xs)", "broken"),
    ("Do not print anything.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("Raise a ValueError if the list is empty.", "def tidy(xs):\n    xs[0]\n    return xs", "open"),
    ("Raise an IndexError if the list is empty.", "def tidy(xs):\n    xs[0]\n    return xs", "kept"),
    ("Raise a ValueError if the list is empty.", "def tidy(xs):\n    return sorted(xs)", "open"),
    ("No exception may be raised.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("No exception may be raised.", "def tidy(xs):\n    raise KeyError", "broken"),
    ("The list has between 1 and 100 elements.", "def tidy(xs):\n    return sorted(xs)", "kept"),
    ("Work without reading the whole file into memory.", "def tidy(xs):\n    return open(xs).read()", "broken"),
    ("Work without reading the whole file into memory.", "def tidy(xs):\n    return sum(1 for _ in open(xs))", "kept"),
    ("In a single pass over the list.", "def tidy(xs):\n    return sorted(xs)", "open"),
    ("In a single pass over the list.", "def tidy(xs):\n    return sorted(x for x in xs if x in xs)", "open"),
    ("In a single pass over the list.", "def tidy(xs):\n    return [min(xs), 2, max(xs)]", "broken"),
    ("In a single pass over the list.", "def tidy(xs):\n    for n in xs:\n        pass\n    return [1, n, 3]", "kept"),
    ("The list has between 1 and 5000 elements.", "def tidy(xs):\n    return tidy(xs[1:]) if xs else []", "open"),
]  # fmt: skip


ONE = "def tidy(xs):\n    return sorted(xs)"
SEEN = [
    ("Avoid using regular expressions.", "import re\ndef tidy(xs):\n    re.sub('a', 'b', '')\n    return sorted(xs)",
     "line 3 uses re.sub"),
    ("Do not use global variables.", "n = 0\ndef tidy(xs):\n    global n\n    n = 1\n    return sorted(xs)",
     "line 3 declares a global variable"),
    ("Do not use lambda.", "def tidy(xs):\n    return sorted(xs, key=lambda x: x)", "line 2 is a lambda"),
    ("Do not use multiplication.", "def tidy(xs):\n    return sorted(x * 1 for x in xs)", "line 2 uses the operator"),
    ("Do not use division.", "def tidy(xs):\n    return sorted(divmod(x, 1)[0] for x in xs)", "line 2 uses divmod"),
    ("Do not use classes.", "class A:\n    pass\n" + ONE, "line 1 is a class"),
    ("Do not use slicing.", "def tidy(xs):\n    return sorted(xs[:])", "line 2 takes a slice"),
    ("Use memoization.", "from functools import cache\n@cache\ndef f(n):\n    return n\n" + ONE,
     "line 2 uses functools.cache"),
    ("Use memoization.", "memo = {}\n" + ONE, "line 1 keeps values in memo"),
    ("Use dynamic programming.", "def tidy(xs):\n    t = [0, 1]\n    for i in range(2):\n        t[i] = t[i - 1] + 1\n"
     "    return sorted(xs)", "line 4 fills t from its other cells"),
    ("Use binary search.", "import bisect\ndef tidy(xs):\n    ys = []\n    for x in xs:\n        bisect.insort(ys, x)\n"
     "    return ys", "line 5 uses bisect.insort"),
    ("Use binary search.", "def tidy(xs):\n    return sorted(xs) if len(xs) // 2 else xs", "line 2 halves an interval"),
    ("Use bubble sort.", "def tidy(xs):\n    for a in xs:\n        for b in xs: pass\n    return sorted(xs)",
     "2 loops inside each other"),
    ("Use Euclid's algorithm.", "from math import gcd\ndef tidy(xs):\n    gcd(1, 2)\n    return sorted(xs)",
     "line 3 uses math.gcd"),
    ("Use Euclid's algorithm.", "def tidy(xs):\n    return sorted(x % 99 for x in xs)", "line 2 takes a remainder"),
    ("Use the sieve of Eratosthenes.", "def tidy(xs):\n    for i in range(4, 9, 2): pass\n    return sorted(xs)",
     "line 2 walks through multiples"),
    ("Use breadth-first search.", "from collections import deque\ndef tidy(xs):\n    return sorted(deque(xs))",
     "line 3 uses collections.deque"),
]  # fmt: skip
"""What is forbidden or wanted, a program in which it is found, and where."""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("clause", "code", "told"), SEEN)
async def test_what_is_forbidden_or_wanted_is_found_in_the_program_and_not_in_another(
    inspected: Inspect, clause: str, code: str, told: str
) -> None:
    found, missed = ("kept", "open") if clause.startswith("Use ") else ("broken", "kept")
    for program, standing in ((code, found), (ONE, missed)):
        own = [finding for finding in await inspected(SORTED + clause, program) if finding.text in clause]
        assert [finding.standing for finding in own] == [standing], own
        assert (told in own[0].told) is (program == code), own


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("clause", "code", "standing"), CASES)
async def test_a_clause_is_kept_broken_or_left_open(inspected: Inspect, clause: str, code: str, standing: str) -> None:
    findings = await inspected(SORTED + clause, code)
    own = [finding for finding in findings if finding.text in clause]
    assert [finding.standing for finding in own] == [standing], findings
    assert own[0].told


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("clause", ["It returns a new list.", "Return them as a new list."])
@pytest.mark.parametrize(
    ("result", "standing", "told"),
    [
        ("sorted(xs)", "kept", "the arguments compared before and after 2 calls, none of which returns one"),
        ("xs if xs == sorted(xs) else sorted(xs)", "broken", "tidy([1, 2]) returns its argument itself"),
    ],
)
async def test_a_result_that_is_the_argument_is_no_new_one(
    inspected: Inspect, clause: str, result: str, standing: str, told: str
) -> None:
    findings = await inspected(SORTED + clause, f"def tidy(xs):\n    return {result}", "tidy([1, 2])")
    own = [(finding.standing, finding.told) for finding in findings if finding.kind == "unchanged"]
    assert own == [(standing, told)]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("clause", "result", "standing"),
    [
        ("Round the result to 2 decimal places.", "round(sum(xs) / 3, 2)", "kept"),
        ("Round the result to 2 decimal places.", "sum(xs) / 3", "broken"),
        ("The function returns a float.", "sum(xs) / 3", "kept"),
        ("The function returns a float.", "str(sum(xs) / 3)", "broken"),
    ],
)
async def test_results_have_the_type_and_the_digits(
    inspected: Inspect, clause: str, result: str, standing: str
) -> None:
    task = f"Write a function `third(xs)` that gives a third of the sum. {clause}"
    findings = await inspected(task, f"def third(xs):\n    return {result}", "third([1, 2, 4])")
    assert {finding.standing for finding in findings if finding.text in clause} == {standing}


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "standing"),
    [("f'{sum(xs) / 3:.2f} EUR'", "kept"), ("f'{sum(xs) / 3:.3f}'", "open"), ("'none'", "open")],
)
async def test_digits_are_counted_in_texts_too_which_refute_nothing(
    inspected: Inspect, result: str, standing: str
) -> None:
    task = "Write a function `third(xs)` that gives a third of the sum as a text. Round the result to 2 decimal places."
    findings = await inspected(task, f"def third(xs):\n    return {result}", "third([1, 2, 4])")
    assert [finding.standing for finding in findings if finding.kind == "output"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("steps", "standing"),
    [
        ("gate.allow(1.5)", "kept"), ("gate.allow(now=2.0)", "kept"), ("gate.allow('x')", "open"),
        ("gate.other(1.5)", "open"),
    ],
)  # fmt: skip
async def test_the_type_of_what_a_method_takes_is_seen_where_a_passed_check_gives_it(
    inspected: Inspect, steps: str, standing: str
) -> None:
    task = "Write a class `Gate(limit)` with a method `allow(now)`. `now` is a float that never decreases."
    code = "class Gate:\n    def __init__(self, limit): ...\n    def allow(self, now): ...\n    def other(self, x): ..."
    check = Check("spec.t", "t", "spec", f"def t():\n    gate = Gate(1)\n    assert {steps} is None")
    findings = await inspected(task, code, passed=(check,))
    assert [finding.standing for finding in findings if finding.kind == "type"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("stated", "standing"), [("gate.log == [1]", "kept"), ("gate.log == 'a'", "open")])
async def test_the_type_of_an_attribute_is_seen_where_a_passed_check_compares_it(
    inspected: Inspect, stated: str, standing: str
) -> None:
    task = "Write a class `Gate(limit)` with a method `allow(now)`. The attribute log is a list of what was allowed."
    code = "class Gate:\n    def __init__(self, limit): ...\n    def allow(self, now): ..."
    check = Check("spec.t", "t", "spec", f"def t():\n    gate = Gate(1)\n    gate.allow(1)\n    assert {stated}")
    findings = await inspected(task, code, passed=(check,))
    assert [finding.standing for finding in findings if finding.kind == "type"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("made", "standing"), [("Gate(1)", "kept"), ("Gate(limit=1)", "kept"), ("Gate(2)", "open")])
async def test_the_end_of_a_range_is_seen_where_a_passed_check_makes_an_object_with_it(
    inspected: Inspect, made: str, standing: str
) -> None:
    task = "Write a class `Gate(limit)` with a method `allow(now)`. limit is a positive int."
    code = "class Gate:\n    def __init__(self, limit): ...\n    def allow(self, now): ..."
    check = Check("spec.t", "t", "spec", f"def t():\n    gate = {made}\n    assert gate.allow(1) is None")
    findings = await inspected(task, code, passed=(check,))
    assert [finding.standing for finding in findings if finding.kind == "range"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "standings"),
    [("net * 2", ["kept", "kept"]), ("str(net)", ["kept", "open"])],
)
async def test_types_are_looked_at_in_values_of_the_library_too(
    inspected: Inspect, result: str, standings: list[str]
) -> None:
    task = "Write gross(net: Decimal) -> Decimal.\n\n>>> gross(Decimal('1.5'))\nDecimal('3.0')\n"
    findings = await inspected(task, f"from decimal import Decimal\ndef gross(net):\n    return {result}")
    assert [finding.standing for finding in findings if finding.kind == "type"] == standings


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("sentence", "standing"), [("n (1 <= n <= 100)", "kept"), ("It prints the sum.", "open")])
async def test_the_range_of_what_a_program_reads_is_seen_in_a_passed_check_of_that_sentence(
    inspected: Inspect, sentence: str, standing: str
) -> None:
    task = "Write a program that reads from standard input: n (1 <= n <= 100), then n numbers. It prints the sum."
    source = 'def t():\n    assert run_program([], "1\\n7\\n", {}).stdout == "7\\n"'
    check = Check("spec.t", "t", "spec", source, sentence=sentence)
    findings = await inspected(task, "print(sum(map(int, open(0).read().split()[1:])))", passed=(check,))
    assert [finding.standing for finding in findings if finding.kind == "range"] == [standing]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_signature_is_looked_at(inspected: Inspect) -> None:
    task = "def scale(xs: list[int], factor: int = 2) -> list[int]:\n    '''Multiply. scale([1]) == [2]'''"
    good = "def scale(xs, factor=2):\n    return [x * factor for x in xs]"
    assert {finding.standing for finding in await inspected(task, good, "scale([1], 3)")} == {"kept"}
    short = await inspected(task, "def scale(xs):\n    return [2 * x for x in xs]")
    assert "broken" in {finding.standing for finding in short if finding.kind == "signature"}
    renamed = await inspected(task, "def scale(values, factor=2):\n    return [x * factor for x in values]")
    assert {finding.standing for finding in renamed if finding.kind == "signature"} == {"open"}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_type_that_an_example_contradicts_is_no_demand(inspected: Inspect) -> None:
    task = "Write `words(s)`: return a list of words, but their number for one word. words('a b') == ['a', 'b']; "
    findings = await inspected(task + "words('a') == 1. Do not use `eval`.", "def words(s):\n    return 1")
    assert [finding.kind for finding in findings] == ["forbidden"]


@pytest.mark.asyncio(loop_scope="session")
async def test_two_values_for_one_call_stay_open(inspected: Inspect) -> None:
    (finding,) = await inspected("Write double(n): double(2) == 4, double(2) == 5", "def double(n): return 2 * n")
    assert (finding.standing, finding.told) == (
        "open",
        "the task contradicts itself: it promises 4 and 5 for double(2)",
    )


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("result", "standing"),
    [("list(dict.fromkeys(xs))", "kept"), ("sorted(set(xs), reverse=True)", "open"), ("[0, 7]", "open")],
)
async def test_the_order_of_the_input_is_compared(inspected: Inspect, result: str, standing: str) -> None:
    task = "`once(xs)` removes duplicates, keeping the original order. once([3, 1, 2, 3]) == [3, 1, 2]"
    (finding,) = await inspected(task, f"def once(xs):\n    return {result}")
    assert finding.standing == standing, finding


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("task", "code"),
    [
        (
            "`tail(xs)` moves the zeros to the end; the others keep their relative order. tail([0, 2]) == [2, 0]",
            "def tail(xs):\n    return sorted(xs, key=lambda x: x == 0)",
        ),
        (
            "`share(a, b)` returns the percentage rounded to 1 decimal place. share(1, 3) == 33.33",
            "def share(a, b):\n    return round(100 * a / b, 2)",
        ),
    ],
)
async def test_what_the_task_itself_states_breaks_no_demand_of_it(inspected: Inspect, task: str, code: str) -> None:
    assert "broken" not in {finding.standing for finding in await inspected(task, code)}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_letter_that_stands_alone_in_a_form_is_any_number_of_digits(inspected: Inspect) -> None:
    task = "Write `clock(s)`: format seconds in the format H:MM:SS. clock(59) == '0:00:59'"
    code = "def clock(s):\n    return f'{s // 3600}:{s // 60 % 60:02}:{s % 60:02}'"
    findings = await inspected(task, code, "clock(36000)")
    assert {finding.standing for finding in findings if finding.kind == "output"} == {"kept"}, findings


@pytest.mark.asyncio(loop_scope="session")
async def test_that_some_items_keep_their_order_is_shown_by_a_check_of_the_task(inspected: Inspect) -> None:
    task = (
        "`tail(xs)` moves zeros to the end; the other numbers keep their relative order. tail([0, 3, 2]) == [3, 2, 0]"
    )
    shown = stated("test_one", "tail([0, 3, 2])", "[3, 2, 0]", "the other numbers keep their relative order")
    code = "def tail(xs):\n    return sorted(xs, key=lambda x: x == 0)"
    found = [one for one in await inspected(task, code, passed=(shown,)) if one.kind == "sorted"]
    assert [one.standing for one in found] == ["kept"], found


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("example", "said"),
    [("a b a", "size 2000 (a text of 5000 letters)"), ("aab", "no input of size 2000 could be made for it")],
)
async def test_a_limit_for_so_many_words_is_measured_on_so_many_words(
    inspected: Inspect, example: str, said: str
) -> None:
    task = "`count(text)` counts words and must handle 2000 words within 1 s. "
    task += f"count({example!r}) == {len(example.split())}"
    (finding,) = await inspected(task, "def count(text):\n    return len(text.split())")
    assert said in finding.told


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("body", "standing", "told"),
    [
        ("int(x / 2)", "kept", "1 number in known inputs with the other sign: so has the answer"),
        ("x // 2", "open", "half(7) gives 3, and half(-7) -4"),
        ("'3' if x < 0 else x // 2", "open", "half(7) gives 3, and half(-7) '3'"),
    ],
)
async def test_rounding_toward_zero_is_alike_on_both_sides(
    inspected: Inspect, body: str, standing: str, told: str
) -> None:
    task = "`half(x)` is half of x, rounded toward zero, for example half(7) == 3."
    (found,) = await inspected(task, f"def half(x):\n    return {body}")
    assert (found.standing, found.told) == (standing, told)


@pytest.mark.asyncio(loop_scope="session")
async def test_demands_that_share_their_words_are_tried_again_each_by_itself(sandbox: Sandbox) -> None:
    task = "Write price(net), which returns the price rounded half up to cents."
    bench = bench_for(sandbox, task, "def price(net):\n    return None", ["price(1)"])
    first = await inspect(bench, "c1")
    told = [finding.told for finding in first.findings if finding.kind == "output"]
    assert len(set(told)) == 2, told
    assert await _tried_again(bench, first) == first
