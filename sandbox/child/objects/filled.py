"""Does on the tests' side what a `__post_init__` does that only checks fields and fills in those that were not given.

Its source comes from the other process and is never run, but read statement by statement. So an object that the
tests make holds the values that they gave, and no earlier answer of the program can depend on these. Whatever else it
would do, or a check that fails, is left to the other process."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from enum import EnumMeta
from types import FunctionType, MemberDescriptorType
from typing import Any

from .plainly import COMPUTED, MANY, SIMPLE, Expressions, Unclear, plain

METHOD = "__post_init__"


def told(cls: type, encode: Callable[[Any], Any]) -> Any:
    """Returns [sources of the methods METHOD of a class, its own first, sources of the functions that they call, {name:
    text of the constant of that name}, {name: the enum of that name}]; False if they have no source."""
    methods: list[Any] = [vars(owner)[METHOD] for owner in cls.__mro__ if METHOD in vars(owner)]
    sources = [_source(method) for method in methods]
    if not all(sources) or any(_is_ambiguous(cls, *one) for one in _used(cls, methods)):
        return False
    functions: dict[str, str] = {}
    constants: dict[str, str] = {}
    enums: dict[str, Any] = {}
    for name, _, value in _used(cls, methods):
        if source := _source(value):
            functions[name] = source
        elif isinstance(value, EnumMeta):
            enums[name] = encode(value)
        elif type(value) in (*SIMPLE, *MANY, dict) and _reads_as(repr(value), value):
            constants[name] = repr(value)
    return [sources, functions, constants, enums]


def known(described: Any, decode: Callable[[Any], Any]) -> Any:
    """Returns what `told` gave, on the other side."""
    if not isinstance(described, list):
        return bool(described)
    told: list[Any] = [*described]
    return [*told[:-1], {name: decode(enum) for name, enum in told[-1].items()}]


def _source(function: Any) -> str:
    """Returns the source of a function; "" if it has none, or if this is something else."""
    try:
        inspect: Any = sys.modules["inspect"]  # `dataclasses` brought that module
        return inspect.getsource(function) if type(function) is FunctionType else ""
    except OSError:
        return ""


def _used(cls: Any, methods: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yields each name in these methods and in what they call, with the globals there and what it stands for."""
    waiting, seen = [*methods], set[tuple[str, int]]()
    for function in waiting:
        known = function.__globals__
        for name in {*function.__code__.co_names} - {name for name, space in seen if space == id(known)}:
            value = next((place[name] for place in (known, *map(vars, cls.__mro__)) if name in place), cls)
            seen.add((name, id(known)))
            yield name, known, value
            waiting += [value] if type(value) is FunctionType else []


def _is_ambiguous(cls: type, name: str, known: Any, value: Any) -> bool:
    """Returns whether reading this name could mean something else than running it: the program calls something of its
    own like what is computed here, or a global and an attribute alike."""
    held: list[Any] = [vars(owner)[name] for owner in cls.__mro__ if name in vars(owner)]
    kinds: list[Any] = [*map(type, held)]
    if any(hasattr(kind, "__set__") and kind is not MemberDescriptorType for kind in kinds):
        return True  # to set it may do more
    if name not in known:
        return False
    module = name == "math" and value is sys.modules.get(name)
    return bool(held) or (name in COMPUTED and not module) or (name == cls.__name__ and value is not cls)


def _reads_as(text: str, value: Any) -> bool:
    try:
        return bool(ast.literal_eval(text) == value)
    except (ValueError, SyntaxError):
        return False


def fill(twin: Any, given: set[str], described: Any) -> None:
    """Fills in fields of a twin as `described` by `told`; those in `given` the tests gave, so they have to keep their
    values. Raises Unclear where the other process has to say what happens."""
    try:
        _Filling(twin, given, *described).go_through(0)
    except Exception as problem:
        raise Unclear from problem


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Filling:
    def __init__(self, twin: Any, given: set[str], sources: list[str], *known: dict[str, Any]) -> None:
        functions, constants, enums = known
        self._twin, self._given, self._sources, self._functions = twin, given, sources, functions
        self._known = {name: ast.literal_eval(text) for name, text in constants.items()} | enums
        self._more: dict[str, Any] = {}
        """Attributes of the object that are no fields, so nobody compares them."""

    def go_through(self, at: int) -> None:
        """Goes through one of the methods METHOD."""
        self._run(self._sources[at], at, [self._twin])

    def _called(self, name: str, args: list[Any]) -> Any:
        """Returns what a function returns; a method gets the twin as its first argument."""
        return self._run(self._functions[name], len(self._sources), args)

    def _run(self, source: str, at: int, args: list[Any]) -> Any:
        (function,) = ast.parse(textwrap.dedent(source)).body
        if not isinstance(function, ast.FunctionDef) or function.decorator_list or function.args.defaults:
            raise Unclear
        names = dict(zip([arg.arg for arg in function.args.args], args, strict=True))
        values = Expressions(self._twin, {**self._known, **names}, self._attribute, self._called)
        try:
            self._goes_through(function.body, values, at)
        except _Returned as returned:
            return returned.value

    def _goes_through(self, body: Sequence[ast.stmt], values: Expressions, at: int) -> None:
        for statement in body:
            self._does(statement, values, at)

    def _does(self, statement: ast.stmt, values: Expressions, at: int) -> None:
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case ast.Return(value):
                raise _Returned(value and values.visit(value))
            case ast.If(test, body, otherwise):
                self._goes_through(body if values.holds(test) else otherwise, values, at)
            case ast.Assert(test) if values.holds(test):
                pass
            case ast.For(ast.Name(name), items, body, []):
                for one in values.items(items):
                    values.names[name] = one
                    self._goes_through(body, values, at)
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super"), []), "__post_init__"), [], [])):
                self.go_through(at + 1)
            case _:
                self._sets(statement, values)

    def _sets(self, statement: ast.stmt, values: Expressions) -> None:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                values.names[name] = values.visit(value)
            case (
                ast.Assign([ast.Attribute(owner, name)], value)
                | ast.AnnAssign(ast.Attribute(owner, name), _, ast.expr() as value)
                | ast.Expr(
                    ast.Call(
                        ast.Attribute(ast.Name("object"), "__setattr__"),
                        [owner, ast.Constant(str() as name), value],
                        [],
                    )
                )
            ) if values.visit(owner) is self._twin:
                if not isinstance(statement, ast.Expr) and self._twin.__dataclass_params__.frozen:
                    raise Unclear
                self._set(name, values.visit(value))
            case ast.Expr(ast.Call() as call):
                values.visit(call)
            case _:
                raise Unclear

    def _set(self, name: str, value: Any) -> None:
        if name in self._known and name not in self._twin.__dataclass_fields__:
            raise Unclear
        if name in self._given and plain(value) != plain(getattr(self._twin, name)):
            raise Unclear
        (vars(self._twin) if name in self._twin.__dataclass_fields__ else self._more)[name] = value

    def _attribute(self, name: str) -> Any:
        return {**self._known, **self._more, **self._twin.__dict__}[name]
