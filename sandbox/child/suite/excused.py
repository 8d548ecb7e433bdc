"""Says whether a check may have failed by something that two processes cannot do. That explains whatever fails in the
check that did it, except what rests on nothing that the check has made: a value that is wrong apart from it stays
wrong."""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from collections.abc import Iterable, Iterator, Set
from functools import cache
from traceback import walk_tb
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

from ..load import TESTS
from .plan import FILENAME, Function

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
_FIXED = (ModuleType, FunctionType, BuiltinFunctionType, MethodType, type)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), range, type(...))
_SELF = ("self", "cls")
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
        self._way = [(frame, line) for frame, line in walk_tb(problem.__traceback__) if _is_of_suite(frame)]
        self._source = source

    def looks_inside(self) -> str:
        """Returns the word of INSIDE on which the failed statement may depend; "" if there is none."""
        if not self._way or not any(word in self._source for word in (*INSIDE, " is ", *_IDENTITY)):
            return ""
        frame, line = self._way[-1]
        failed = _begun(self._source, line)
        if any(_asks_for_identity(node, frame) for node in failed):
            return "a comparison by is"
        check = _function_at(self._source, self._way[0][1])
        leading = _leading_to(_function_at(self._source, line) or _parsed(self._source), failed)
        reached = _beside(self._source, check) if self._rests_on_what_was_made() else _done_by(self._source, leading)
        return min(_words(reached) & INSIDE, default="")

    def may_come_from(self, lines: Lines) -> bool:
        """Returns whether what the suite did at these lines may show in the statement that failed: the same statement
        did it, or the same check, and the statement uses something that the check has made."""
        if not (lines and self._way):
            return False
        function = _function_at(self._source, lines[0])
        if _is_check(function) and function is not _function_at(self._source, self._way[0][1]):
            return False
        for (_, line), met in zip(self._way, lines, strict=False):
            begun = _begun(self._source, met)
            if set(begun).isdisjoint(_holding(self._source, line)):
                return self._rests_on_what_was_made(set[str]().union(*(_names(node, ast.Store) for node in begun)))
        return True  # one was called by the statement of the other

    def _rests_on_what_was_made(self, bound: Set[str] = frozenset()) -> bool:
        """Returns whether the failed statement, or one that called it, uses more than constants, modules, functions and
        classes: one of the `bound` names, what a fixture gave, or what its check has made or may have changed."""
        for depth, (frame, line) in enumerate(self._way):
            given = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]
            failed = _begun(self._source, line)
            check = _Check(self._source, frame, _function_at(self._source, line) or _parsed(self._source), bound)
            used = {name for node in failed for name in _names(node, ast.Load) - _names(node, ast.Store)}
            for name in used - {*_SELF}:
                if name in bound or (name in given and not depth):
                    return True
                if name not in given and check.has_made(name, failed):
                    return True
        return False


class _Check(NamedTuple):
    """A check, as far as it has come."""

    source: str
    frame: FrameType
    tree: ast.AST
    bound: Set[str]
    """Names that are known to be made by it."""

    def has_made(self, name: str, apart: list[ast.stmt]) -> bool:
        """Returns whether its statements, or functions that it may call, without those `apart`, bind this name to what
        they have made, or use what it stands for, which they may have changed."""
        may_change = not _is_fixed(_held(self.frame, name))
        inside = (node for place in (self.tree, *_setting(self.source, name)) for node in ast.walk(place))
        statements = (node for node in inside if isinstance(node, ast.stmt) and node not in apart)
        others = [node for node in statements if not _is_constant(node)]
        uses = may_change and any(name in _names(node, ast.Load) for node in others)
        binding = [node for node in others if name in _names(node, ast.Store)]
        made = name in self.bound or not all(self._only_calls(node, apart) for node in binding)
        return made or uses or (may_change and name[:1] == ".")

    def _only_calls(self, node: ast.stmt, apart: list[ast.stmt]) -> bool:
        """Returns whether a statement of the check itself binds names to what calls give that use nothing which was
        made: the failed statement might have called the same."""
        own = node in _assignments(self.tree)
        return own and not any(self.has_made(name, [*apart, node]) for name in _names(node, ast.Load))


def _assignments(tree: ast.AST) -> list[ast.stmt]:
    """Returns the assignments of a check that are in no function or class inside it."""
    found: list[ast.stmt] = []
    waiting = [*ast.iter_child_nodes(tree)]
    while waiting:
        node = waiting.pop()
        found += [node] if isinstance(node, ast.Assign | ast.AnnAssign) else []
        waiting += [] if isinstance(node, Function | ast.ClassDef) else ast.iter_child_nodes(node)
    return found


def _leading_to(tree: ast.AST, failed: list[ast.stmt]) -> list[ast.stmt]:
    """Returns statements of a check, and the assignments to names that they use, and that these use in turn."""
    found = [*failed]
    for node in found:
        used = _names(node, ast.Load)
        found += [one for one in _assignments(tree) if one not in found and not used.isdisjoint(_names(one, ast.Store))]
    return found


def _setting(source: str, name: str) -> list[ast.AST]:
    """Returns the functions of a suite that may set this name for others: any for an attribute of the check's own
    object, else those that declare it global."""
    functions = [node for node in ast.walk(_parsed(source)) if isinstance(node, Function)]
    return [node for node in functions if name[:1] == "." or name in _declared_global(node)]


def _declared_global(function: ast.AST) -> set[str]:
    return {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}


def _is_constant(node: ast.stmt) -> bool:
    """Returns whether a statement binds names to nothing but constants."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.For):
        return False
    value = node.iter if isinstance(node, ast.For) else node.value
    return value is not None and not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(value))


def _held(frame: FrameType, name: str) -> Any:
    """Returns what a name, or `.name` of the check's own object, stood for in a frame; the frame, which
    counts as something that can change, if that is not known."""
    spaces = (frame.f_locals, frame.f_globals, builtins.__dict__)
    if not name.startswith("."):
        return next((space[name] for space in spaces if name in space), frame)
    thing = next((frame.f_locals[one] for one in _SELF if one in frame.f_locals), frame)
    kind = cast(type, thing if type(thing) is type else type(thing))
    if kind.__module__ != TESTS:  # an object of the program would be asked
        return frame
    return vars(thing)[name[1:]] if name[1:] in vars(thing) else getattr(kind, name[1:], frame)


def _is_fixed(value: Any) -> bool:
    """Returns whether nothing can change this value. Modules, functions and the program's classes count as fixed: all
    statements use the same ones."""
    kind = cast(Any, type(value))
    if kind in (tuple, frozenset):
        return all(map(_is_fixed, value))
    if issubclass(kind, type) and value.__dict__.get("__module__") == TESTS:
        return False
    return kind in _PLAIN or issubclass(kind, _FIXED)


@cache
def _parsed(source: str) -> ast.Module:
    """Returns the tree of a suite, the same for each call: a process asks for each failure of one suite."""
    return ast.parse(source)


@cache
def _holding(source: str, line: int) -> list[ast.stmt]:
    """Returns the statements that hold a line, the outermost first."""
    statements = (node for node in ast.walk(_parsed(source)) if isinstance(node, ast.stmt))
    return [node for node in statements if _start(node) <= line <= (node.end_lineno or node.lineno)]


def _begun(source: str, line: int) -> list[ast.stmt]:
    """Returns the innermost statements of a line; several may share it."""
    holding = _holding(source, line)
    last = max(map(_start, holding), default=0)
    return [node for node in holding if _start(node) == last]


def _start(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _function_at(source: str, line: int) -> Any:
    """Returns the outermost function that holds a line; None if there is none."""
    return next((node for node in _holding(source, line) if isinstance(node, Function)), None)


def _is_check(node: ast.AST) -> bool:
    return isinstance(node, Function) and node.name.startswith("test")


@cache
def _names(statement: ast.stmt, used: type) -> set[str]:
    """Returns the names that a statement, without those inside it, loads or stores. An attribute of a check's own
    object is a name, written `.name`."""
    found = {getattr(statement, "name", "")} if used is ast.Store else set[str]()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        waiting += [inner for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.stmt)]
        if isinstance(node, ast.alias | ast.ExceptHandler):
            bound = str(getattr(node, "asname", None) or node.name).partition(".")[0]
            found |= {bound} if used is ast.Store else set()
        elif isinstance(getattr(node, "ctx", None), used):
            found |= {node.id} if isinstance(node, ast.Name) else set()
            found |= {f".{node.attr}"} if isinstance(node, ast.Attribute) and _is_self(node.value) else set()
    return found


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _SELF


def _done_by(source: str, statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yields the nodes of statements, and of the functions of the suite that they name."""
    functions = {node.name: node for node in ast.walk(_parsed(source)) if isinstance(node, Function)}
    waiting = [*statements]
    while waiting:
        node = waiting.pop()
        yield node
        named = functions.pop(getattr(node, "id", getattr(node, "attr", "")), None)
        waiting += [*ast.iter_child_nodes(node), *([named] if named else [])]


def _beside(source: str, check: ast.AST | None) -> Iterator[ast.AST]:
    """Yields the nodes of a suite, without those of other checks."""
    waiting: list[ast.AST] = [_parsed(source)]
    while waiting:
        node = waiting.pop()
        if node is check or not _is_check(node):
            yield node
            waiting += ast.iter_child_nodes(node)


def _is_of_suite(frame: FrameType) -> bool:
    return frame.f_code.co_filename.endswith(FILENAME)


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the names and attributes among these nodes."""
    words: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words |= {node.attr, *([f"{node.value.id}.{node.attr}"] if isinstance(node.value, ast.Name) else [])}
    return words


def _asks_for_identity(statement: ast.stmt, frame: FrameType) -> bool:
    """Returns whether the statement asks if two values are one object; text, a tuple or a large number that crossed is
    another object."""
    asked: list[tuple[ast.expr, ...]] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Compare):
            sides = zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False)
            asked += [(left, right) for op, left, right in sides if isinstance(op, ast.Is)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("self.") in _IDENTITY:
            asked.append(tuple(node.args[:2]))
    return not all(any(_is_one_everywhere(side, frame) for side in sides) for sides in asked)


def _is_one_everywhere(side: ast.expr, frame: FrameType) -> bool:
    """Returns whether this is known to be a value of which each process has one object only, so that what crosses is
    that object."""
    if isinstance(side, ast.Constant):
        return True  # nobody asks if text or a large number is the very constant
    value = _held(frame, side.id) if isinstance(side, ast.Name) else side
    return value is None or value is ... or type(value) is bool or (type(value) is int and value in _SMALL)
