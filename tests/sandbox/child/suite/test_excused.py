"""Whether what a suite did where it calls `met` may show in the statement that failed."""

# ruff: noqa: E501 - one statement of a suite a line
from __future__ import annotations

import threading

import pytest

from sandbox.child.load import TESTS
from sandbox.child.suite.excused import Failure, Lines, lines_now, note_starts
from sandbox.child.suite.plan import FILENAME
from tests.tables import in_one_test

START = """
import contextlib, threading
store, words = Store(), ['a']
def called(x): return f(x)
def compare(one, other): assert one == other
"""
SHOWS = {
    "one statement": "def test_a():\n    assert met() == 4",
    "one of several lines": "def test_a():\n    assert (\n        met()\n        == 4\n    )",
    "its result": "def test_a():\n    result = met()\n    assert result == 4",
    "a result of its result": "def test_a():\n    result = met()\n    twice = result, result\n    assert twice == 4",
    "what a thread collected": "def test_a():\n    found = []\n    thread = threading.Thread(target=lambda: found.append(met()))\n    thread.start()\n    thread.join()\n    assert found == [4]",
    "an object that a thread uses": "def test_a():\n    one = Store()\n    one.add = met\n    thread = threading.Thread(target=one.add)\n    thread.start()\n    thread.join()\n    assert one.find('x') == 4",
    "results of a pool": "def test_a():\n    from concurrent.futures import ThreadPoolExecutor\n    with ThreadPoolExecutor(1) as pool:\n        futures = [pool.submit(met) for _ in range(2)]\n    assert futures[0].result() == 4",
    "by a function inside": "def test_a():\n    found = []\n    def work():\n        value = met()\n        found.append(value)\n    work()\n    assert found == [4]",
    "a name that a function inside sets": "def test_a():\n    value = None\n    def work():\n        nonlocal value\n        value = met()\n    thread = threading.Thread(target=work)\n    thread.start()\n    thread.join()\n    assert value == 4",
    "what a function inside looks at": "def test_a():\n    found = []\n    thread = threading.Thread(target=lambda: found.append(met()))\n    thread.start()\n    thread.join()\n    last = lambda: found[-1]\n    value = last()\n    assert value == 4",
    "an object that is used again": "def test_a():\n    one = Store()\n    one.append(met())\n    assert one.find('x') == 4",
    "an object of the module": "def test_a():\n    store.append(met())\n    assert store.find('x') == 4",
    "memory under another name": "def test_a():\n    memory = bytearray(2)\n    view = memoryview(memory)\n    met(view)\n    assert bytes(memory) == b'ab'",
    "a helper that is called": "def made():\n    return met()\ndef test_a():\n    assert made() == 4",
    "a helper that compares": "def test_a():\n    result = met()\n    compare(result, 4)",
    "what is handed to a helper that compares": "def test_a():\n    compare(met(), 4)",
    "an attribute of the check": "class TestA:\n    def setup(self):\n        self.one = Store()\n        self.one.append(met())\n    def test_a(self):\n        self.setup()\n        assert self.one.find('x') == 4\ntest_a = TestA().test_a",
    "what was set as an attribute of the check": "class TestA:\n    def setup(self):\n        self.one = met()\n    def test_a(self):\n        self.setup()\n        assert self.one == 4\ntest_a = TestA().test_a",
    "what a function set for all": "one = 0\ndef setup():\n    global one\n    one = met()\ndef test_a():\n    setup()\n    assert one == 4",
    "a class made of it": "def test_a():\n    class Car:\n        wheel = met()\n    assert Car().wheel == 4",
    "a decorated class": "def test_a():\n    @met\n    class Car:\n        wheel = 5\n    assert Car == 4",
    "a block around it": "def test_a():\n    with contextlib.nullcontext(met()):\n        assert f(2) == 4",
    "a loop around it": "def test_a():\n    for number in [met()]:\n        assert f(number) == 4",
    "what a block noted": "def test_a():\n    with contextlib.nullcontext([]) as noted:\n        met()\n    assert noted == 4",
    "what was caught": "def test_a():\n    try:\n        met()\n        raise ValueError\n    except ValueError as problem:\n        assert problem.args == 4",
    "a fixture": "def thing():\n    return met()\ndef test_a(thing):\n    assert thing == 4",
}  # fmt: skip
MAY_SHOW = {
    "the check's own object": "class TestA:\n    def test_a(self):\n        self.one = met()\n        self.other = f(2)\n        assert self.other == 4\ntest_a = TestA().test_a",
}  # fmt: skip
"""Names lead nowhere, but an attribute of the check's own object may be set by anything."""
SHOWS_NOT = {
    "another object": "def test_a():\n    one, other = Store(), Store()\n    other.append(met())\n    assert one.find('x') == 4",
    "beside it in a block": "def test_a():\n    with threading.Lock():\n        met()\n        result = f(2)\n    assert result == 4",
    "another check": "def test_b():\n    value = met()\ndef test_a():\n    test_b()\n    value = f(2)\n    assert value == 4",
    "a name inside a helper": "def helper():\n    result = met()\n    found = [result]\ndef test_a():\n    helper()\n    found = [f(2)]\n    assert found == [4]",
    "a call before": "def test_a():\n    met()\n    assert f(2) == 4",
    "the same function in a thread": "def test_a():\n    found = []\n    thread = threading.Thread(target=lambda: found.append(met()))\n    thread.start()\n    thread.join()\n    assert f(2) == 4",
    "a thread without a line of its own": "def test_a():\n    thread = threading.Thread(target=met)\n    thread.start()\n    thread.join()\n    assert f(2) == 4",
    "what was called before": "def test_a():\n    result = f(2)\n    met()\n    assert result == 4",
    "what was made of it": "def test_a():\n    n = 2\n    met(n)\n    result = f(n)\n    both = [result, f(3)]\n    assert both == 4",
    "the same number": "def test_a():\n    n = 2\n    met(n)\n    assert f(n) == 4",
    "a list of the same numbers": "def test_a():\n    want = [4]\n    met()\n    assert f(2) == want",
    "numbers of a loop": "def test_a():\n    met()\n    for n, want in [(2, 4), (3, 6)]:\n        assert f(n) == want",
    "the same texts": "def test_a():\n    words = 'a', 'b'\n    met(words)\n    assert f(words) == 4",
    "a function of the module": "def test_a():\n    threading.local().x = met()\n    assert threading.active_count() == 40",
    "a helper that both use": "def test_a():\n    called(met)\n    assert called(2) == 4",
    "a method of the check's own object": "class TestA:\n    def equal(self, one, other): assert one == other\n    def test_a(self):\n        self.equal(met(), 0)\n        self.equal(f(2), 4)\ntest_a = TestA().test_a",
    "a name of a comprehension": "def test_a():\n    [met() for x in (1, 2)]\n    assert [f(x) for x in (1, 2)] == 4",
}  # fmt: skip


class Store(list[object]):
    """A class of the program."""

    def find(self, _: str) -> int:
        return 0


def failed(suite: str) -> tuple[Failure, list[Lines]]:
    """Returns the failure of `test_a`, and where it called `met`."""
    source, lines = START + suite, list[Lines]()

    def met(*_: object) -> int:
        lines.append(lines_now())
        return 0

    def f(given: object) -> object:
        return given() if callable(given) else 0

    space: dict[str, object] = {"__name__": TESTS, "met": met, "f": f, "Store": Store}
    exec(compile(source, FILENAME, "exec"), space)
    fixtures = [space[name]() for name in ("thing",) if name in space]  # pyright: ignore
    check = space["test_a"]
    assert callable(check)
    with pytest.raises(AssertionError) as ended:
        check(*fixtures)
    return Failure(ended.value, source), lines


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", threading.Thread.start)
    note_starts()


@in_one_test("name", SHOWS | MAY_SHOW)
def test_it_may_show_in_what_the_check_has_made(name: str) -> None:
    failure, lines = failed((SHOWS | MAY_SHOW)[name])
    assert lines
    assert any(map(failure.may_come_from, lines))


@pytest.mark.parametrize("name", SHOWS_NOT)
def test_it_does_not_show_elsewhere(name: str) -> None:
    failure, lines = failed(SHOWS_NOT[name])
    assert lines
    assert not any(map(failure.may_come_from, lines))


def test_what_another_check_did_shows_in_none() -> None:
    failure, _ = failed("def test_b():\n    store.append(1)\ndef test_a():\n    value = f(2)\n    assert value == 4")
    begins = START.count("\n")
    assert not failure.may_come_from((begins + 2,))
    assert failure.may_come_from((begins + 4,))


def test_what_one_object_is_asked_to_be_may_be_any_where_that_is_not_known() -> None:
    failure, _ = failed("def test_a():\n    assert all(f(2) is one for one in [store])")
    assert failure.looks_inside() == "a comparison by is"
    failure, _ = failed("def test_a():\n    want = True\n    assert f(2) is want")
    assert failure.looks_inside() == ""


def test_a_word_elsewhere_in_the_check_is_not_what_failed() -> None:
    start = "import time\ndef test_a():\n    start = time.time()\n"
    failure, _ = failed(f"{start}    result = f(2)\n    assert result == 4")
    assert failure.looks_inside() == ""
    failure, _ = failed(f"{start}    given = time.time()\n    result = f(given)\n    assert result == 4")
    assert failure.looks_inside() == "time.time"


def test_an_exception_of_no_suite_shows_nothing() -> None:
    failure = Failure(ValueError(), START)
    assert not failure.may_come_from((2,))
    assert failure.looks_inside() == ""
