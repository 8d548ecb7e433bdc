"""Follows names through a suite: which statements may have changed what a statement of it works with.

Names lead from a statement back to those that set them or change what they stand for. Modules, functions and the
program's classes stand for nothing that changes: all statements use the same ones, so they would connect everything
with everything."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

from ..load import TESTS
from .plan import Function, blocks

_FIXED = (ModuleType, FunctionType, BuiltinFunctionType, type)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), range, type(...))
_Whole = Function | ast.ClassDef
_SELF = ("self", "cls")
_Binding = ast.With | ast.AsyncWith | ast.Try


class Held:
    """What the names of a suite stood for when a check ended by an exception."""

    def __init__(self, frames: Iterable[FrameType]) -> None:
        spaces = [space for frame in reversed([*frames]) for space in (frame.f_locals, frame.f_globals)]
        self._spaces: list[Mapping[str, Any]] = [*spaces, builtins.__dict__]

    def value(self, variable: str) -> Any:
        """Returns what a variable stood for; this object itself if that is not known."""
        if variable.startswith("."):
            return self._of_self(variable[1:])
        return next((space[variable] for space in self._spaces if variable in space), self)

    def _of_self(self, attribute: str) -> Any:
        thing = next((value for value in map(self.value, _SELF) if value is not self), self)
        kind = cast(type, thing if type(thing) is type else type(thing))
        if kind.__module__ != TESTS:  # an object of the program would be asked
            return self
        return vars(thing)[attribute] if attribute in vars(thing) else getattr(kind, attribute, self)

    def may_change(self, variable: str) -> bool:
        """Returns whether what a variable stands for may be changed, which also holds if that is not known here."""
        return not _is_fixed(self.value(variable))


def _is_fixed(value: Any) -> bool:
    kind = cast(Any, type(value))
    if kind in (tuple, frozenset):
        return all(map(_is_fixed, value))
    if issubclass(kind, type) and value.__dict__.get("__module__") == TESTS:
        return False
    return kind in _PLAIN or issubclass(kind, _FIXED)


class _Known(NamedTuple):
    """A statement that one line of a suite may depend on. A function or class that does not hold that line counts as
    one statement."""

    node: ast.stmt
    sets: set[str]
    changes: set[str]
    """Variables whose value it changes, if that may be changed: `names` in `names.add(...)` and in `names[0] = ...`."""
    reads: set[str]


class SuiteFromLine:
    """The suite as one of its lines sees it. An attribute of a check's own object is a variable, written `.name`."""

    def __init__(self, tree: ast.Module, line: int) -> None:
        self.function = _function_at(tree.body, line)
        nodes = [*_visible(tree.body, line)]
        self._own = _own_names(self.function) if self.function else set[str]()
        self._functions = {node.name for node, _ in nodes if isinstance(node, Function)}
        holding = [node for node, _ in nodes if _holds(node, line)]
        last = max(map(_start, holding), default=0)
        self.begun = [node for node in holding if _start(node) == last]
        """The innermost statements of this line; several may share it."""
        self._around = [node for node in holding if _start(node) != last]
        self._known = [self._seen(node, more) for node, more in nodes]

    def behind(self, held: Held) -> tuple[list[ast.stmt], set[str]]:
        """Returns the statements on which those of this line depend, and all variables on the way."""
        begun = [*self.begun, *self._around]
        names = set[str]().union(*(one.reads for one in self._known if one.node in begun))
        reached = [*self._around]
        waiting = self._known
        while more := [one for one in waiting if self._leads(one, names, held)]:
            waiting = [one for one in waiting if one not in more]
            reached += [one.node for one in more]
            names.update(*(one.reads for one in more))
        return reached, names

    def _leads(self, known: _Known, names: set[str], held: Held) -> bool:
        return bool(known.sets & names) or any(map(held.may_change, known.changes & names))

    def _hidden(self, node: ast.stmt) -> set[str]:
        """Returns the variables of the function of this line that another statement, outside it, cannot know."""
        function = self.function
        return self.passing() if function and not function.lineno < node.lineno <= (function.end_lineno or 0) else set()

    def passing(self) -> set[str]:
        """Returns the variables that only the function of this line knows."""
        return self._own - self._functions

    def _seen(self, node: ast.stmt, more: set[str]) -> _Known:
        known, hidden = _known(node), self._hidden(node)
        # what a function takes as parameters may be fixtures, which are functions
        reads = known.reads | (_parameters(node) & self._functions)
        return _Known(node, (known.sets | more) - hidden, known.changes - hidden, reads)


@cache
def parsed(source: str) -> ast.Module:
    """Returns the tree of a suite, the same for each call: a process asks for each failure of one suite."""
    return ast.parse(source)


@cache
def _known(node: ast.stmt) -> _Known:
    inner = [*ast.walk(node)]
    own = _own_names(node) if isinstance(node, _Whole) else _passing(inner)
    stored = {_variable(part) for part in inner if _is_stored(part)} - own
    if isinstance(node, _Whole):
        declared = _declared(inner)
        stored = {node.name, f".{node.name}", *(name for name in stored if name[:1] == "." or name in declared)}
    targets = [part for part in inner if isinstance(part, ast.Attribute | ast.Subscript) and _is_stored(part)]
    roots = {_root(part) for part in (*targets, *(part.func for part in inner if isinstance(part, ast.Call)))}
    reads = {_variable(part) for part in parts(node) if not _is_stored(part)} - own
    return _Known(node, (stored | _imported(node)) - {""}, roots - own - {""}, reads - {""})


@cache
def _parameters(node: ast.stmt) -> set[str]:
    return {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


def parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields the nodes of a statement, without those of statements inside it; of a function or class, all of them."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inner = ast.iter_child_nodes(node)
        waiting += [one for one in inner if isinstance(statement, _Whole) or not isinstance(one, ast.stmt)]


def _visible(body: list[ast.stmt], line: int) -> Iterator[tuple[ast.stmt, set[str]]]:
    """Yields the statements that code at this line can depend on, with variables that each sets by standing where it
    does: what a block raised, printed or warned is held by the name that its `with` or `except` gives it."""
    for node in body:
        encloses = _encloses(node, line)
        if not (isinstance(node, _Whole) and encloses):
            yield node, set()
        if isinstance(node, _Whole) and not encloses:
            continue
        named = _named(node) if isinstance(node, _Binding) else set[str]()
        for block in blocks(node):
            watched = named if not any(_holds(inner, line) for inner in block) else set[str]()
            yield from ((inner, more | watched) for inner, more in _visible(block, line))


def _function_at(body: list[ast.stmt], line: int) -> ast.stmt | None:
    """Returns the innermost function whose body holds this line; None if there is none."""
    for node in body:
        if _encloses(node, line):
            inner = next(filter(None, (_function_at(block, line) for block in blocks(node))), None)
            return inner or (node if isinstance(node, Function) else None)
    return None


def _named(node: ast.With | ast.AsyncWith | ast.Try) -> set[str]:
    if isinstance(node, ast.Try):
        return {handler.name for handler in node.handlers if handler.name}
    return {
        part.id for item in node.items for part in ast.walk(item) if isinstance(part, ast.Name) and _is_stored(part)
    }


def _start(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _holds(node: ast.stmt, line: int) -> bool:
    return _start(node) <= line <= (node.end_lineno or node.lineno)


def _encloses(node: ast.stmt, line: int) -> bool:
    """Returns whether the line is in the body of this statement."""
    return _holds(node, line) and any(_start(inner) <= line for block in blocks(node) for inner in block[:1])


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _variable(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id if node.id not in _SELF else ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _SELF:
        return f".{node.attr}"
    return ""


def _root(node: ast.AST) -> str:
    """Returns the variable that an expression begins with; "" for one that is a variable itself."""
    inner = node
    while not _variable(inner) and isinstance(inner, ast.Attribute | ast.Subscript | ast.Starred):
        inner = inner.value
    return _variable(inner) if inner is not node else ""


def _passing(nodes: list[ast.AST]) -> set[str]:
    """Returns the names that comprehensions and functions bind for themselves."""
    targets = [node.target for node in nodes if isinstance(node, ast.comprehension)]
    names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _declared(nodes: list[ast.AST]) -> set[str]:
    return {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}


def _own_names(whole: ast.stmt) -> set[str]:
    inner = [*ast.walk(whole)]
    stored = {part.id for part in inner if isinstance(part, ast.Name) and _is_stored(part)}
    return (stored | _passing(inner)) - _declared(inner)


def _imported(node: ast.stmt) -> set[str]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
