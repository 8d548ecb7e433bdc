"""Says whether a check may have failed by something that two processes cannot do. That explains only the statement that
it may show in: a value that is wrong apart from it stays wrong."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Set
from itertools import zip_longest
from traceback import walk_tb
from types import FrameType
from typing import Any

from .plan import FILENAME
from .statements import Held, SuiteFromLine, parsed, parts

Lines = tuple[int, ...]
"""The lines of a suite that a thread is in, those of callers first."""
_STARTED = "_suite_lines"
"""Attribute of a thread: the lines of the suite that started it."""
_SMALL = range(-5, 257)
"""Numbers of which Python keeps one object each."""
_WORDS = """
getsource getsourcelines getsourcefile getfile issubclass __new__ signature getfullargspec get_type_hints
__annotations__ __code__ __defaults__ __kwdefaults__ __closure__ __wrapped__ __globals__ __dict__ __slots__
isgeneratorfunction isasyncgenfunction getmembers getmro getrefcount getsizeof tracemalloc pickle weakref capfd
capfdbinary current_thread main_thread get_ident errstate getLogger copy_context Context settrace setprofile
get_objects getreferrers active_count doctest testmod run_docstring_examples DocTestSuite run_module run_path
perf_counter perf_counter_ns monotonic process_time timeit time.time
"""
INSIDE = frozenset(_WORDS.split())
"""Words of tests that look inside a process. Clocks are among them, because a call to another process takes longer."""
_IDENTITY = frozenset(("assertIs", "operator.is_", "is_", "id"))
"""Calls that ask which object something is, as `is` does."""


def lines_now() -> Lines:
    """Returns the lines of the suite that this thread is in, after those that started it."""
    lines: list[int] = []
    frame: FrameType | None = sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        lines += [frame.f_lineno] if _is_of_suite(frame) else []
        frame = frame.f_back
    thread = sys.modules["threading"].current_thread()  # the suite's module, of which this code may have a copy
    return (*getattr(thread, _STARTED, ()), *reversed(lines))


def note_starts() -> None:
    """Has each thread from now on know which lines of the suite started it."""
    theirs: Any = importlib.import_module("threading")
    start = theirs.Thread.start

    def started(thread: Any) -> None:
        setattr(thread, _STARTED, lines_now())
        start(thread)

    theirs.Thread.start = started


def import_lines(source: str, modules: Set[str]) -> list[Lines]:
    """Returns the lines at which a suite imports modules, or from modules, whose names end in one of these."""
    found: list[Lines] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            paths = [alias.name for alias in node.names]
            paths += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [] if modules.isdisjoint(path.rpartition(".")[2] for path in paths) else [(node.lineno,)]
    return found


class Failure:
    """An exception that ended a check, seen from the statements of the suite that it came out of."""

    def __init__(self, problem: BaseException, source: str) -> None:
        way = [(frame, line) for frame, line in walk_tb(problem.__traceback__) if _is_of_suite(frame)]
        self._source = source
        self._lines = tuple(line for _, line in way)
        self._held = Held([frame for frame, _ in way])

    def looks_inside(self) -> str:
        """Returns the word of INSIDE on which the failed statement depends; "" if there is none. The failed statement
        alone counts: a wrong value stays wrong, even in a test that also looks at the clock."""
        if not self._lines or not any(word in self._source for word in (*INSIDE, " is ", *_IDENTITY)):
            return ""
        failed = SuiteFromLine(parsed(self._source), self._lines[-1])
        if any(_asks_for_identity(node, self._held) for node in failed.begun):
            return "a comparison by is"
        reached = [*failed.begun, *failed.behind(self._held)[0]]
        return min(set[str]().union(*map(_words, reached)) & INSIDE, default="")

    def may_come_from(self, lines: Lines) -> bool:
        """Returns whether what the suite did at these lines may show in the statement that failed. Where both were
        called by one function, its two statements are compared."""
        if not (lines and self._lines):
            return False
        for line, met in zip_longest(self._lines, lines):
            if None in (line, met):
                return True  # one was called by the statement of the other
            failed, begun = SuiteFromLine(parsed(self._source), line), SuiteFromLine(parsed(self._source), met)
            if set(failed.begun).isdisjoint(begun.begun):
                return self._leads_back(failed, begun)
        return True

    def _leads_back(self, failed: SuiteFromLine, begun: SuiteFromLine) -> bool:
        reached, names = failed.behind(self._held)
        run = {part for node in reached for part in parts(node)}
        shared = names & begun.behind(self._held)[1]
        if failed.function is not begun.function:
            shared -= begun.passing() | failed.passing()
        return not run.isdisjoint(begun.begun) or any(map(self._held.may_change, shared))


def _is_of_suite(frame: FrameType) -> bool:
    return frame.f_code.co_filename.endswith(FILENAME)


def _words(statement: ast.stmt) -> set[str]:
    """Returns the names and attributes in a statement."""
    words: set[str] = set()
    for node in parts(statement):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words |= {node.attr, *([f"{node.value.id}.{node.attr}"] if isinstance(node.value, ast.Name) else [])}
    return words


def _asks_for_identity(statement: ast.stmt, held: Held) -> bool:
    """Returns whether the statement asks if two values are one object; text, a tuple or a large number that crossed is
    another object."""
    asked: list[tuple[ast.expr, ...]] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Compare):
            sides = zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False)
            asked += [(left, right) for op, left, right in sides if isinstance(op, ast.Is)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("self.") in _IDENTITY:
            asked.append(tuple(node.args[:2]))
    return not all(any(_is_one_everywhere(side, held) for side in sides) for sides in asked)


def _is_one_everywhere(side: ast.expr, held: Held) -> bool:
    """Returns whether this is known to be a value of which each process has one object only, so that what crosses is
    that object."""
    if isinstance(side, ast.Constant):
        return True  # nobody asks if text or a large number is the very constant
    value = held.value(side.id) if isinstance(side, ast.Name) else side
    return value is None or value is ... or type(value) is bool or (type(value) is int and value in _SMALL)
