"""Does on the tests' side what a `__post_init__` does that only checks fields and fills in those that were not given.

Its source comes from the other process and is never run, but read statement by statement. So an object that the
tests make holds the values that they gave, and no earlier answer of the program can depend on these. Whatever else it
would do, or a check that fails, is left to the other process."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType, FunctionType, MemberDescriptorType
from typing import Any, cast

from .plainly import Expressions, Unclear, plain

METHOD = "__post_init__"


def told(cls: type) -> Any:
    """Returns the sources of the methods METHOD of a class, its own first; False if they have none, or if they use more
    than fields, builtins, `math` and exceptions: what else a program defines may be another thing at another time."""
    methods: list[Any] = [vars(owner)[METHOD] for owner in cls.__mro__ if METHOD in vars(owner)]
    sources = [_source(method, cls) for method in methods]
    used = ((name, method) for method in methods for name in _names(method.__code__))
    return all(sources) and not any(_means_more(cls, *one) for one in used) and sources


def known(described: Any) -> Any:
    """Returns what `told` gave, on the other side."""
    kind = cast(Any, type(described))
    return described if kind is list else bool(described)


def _source(function: Any, cls: type) -> str:
    """Returns the source of a method; "" if it has none of which it is made, or if this is something else."""
    if type(function) is not FunctionType:
        return ""
    try:
        inspect: Any = sys.modules["inspect"]  # `dataclasses` brought that module
        source: str = inspect.getsource(function)
        # the compiler takes notice of what is an imported module
        made = compile(f"import math\nclass {cls.__name__}:\n{source}", "", "exec", dont_inherit=True)
    except (OSError, SyntaxError):
        return ""
    return source if _does(function.__code__) in map(_does, _inner(_inner(made)[0])) else ""


def _does(code: CodeType) -> Any:
    inner = [_does(const) if isinstance(const, CodeType) else const for const in code.co_consts]
    return code.co_code, repr(inner), code.co_names, code.co_varnames, code.co_freevars


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _names(code: CodeType) -> set[str]:
    """Returns the names that code looks up outside itself, also in its comprehensions."""
    return {*code.co_names, *code.co_freevars}.union(*map(_names, _inner(code))) - {METHOD, "__class__", "__setattr__"}


def _means_more(cls: Any, name: str, method: FunctionType) -> bool:
    """Returns whether a name in this method stands for something of the program's own that may change, or do more when
    it is set."""
    held: list[Any] = [vars(owner)[name] for owner in cls.__mro__ if name in vars(owner)]
    if held and name not in cls.__dataclass_fields__:
        return True
    kinds: list[Any] = [*map(type, held)]
    if any(hasattr(kind, "__set__") and kind is not MemberDescriptorType for kind in kinds):
        return True
    value = method.__globals__.get(name, ValueError)
    is_error = isinstance(value, type) and issubclass(value, BaseException)
    return not is_error and not (name == "math" and value is sys.modules.get(name))


def fill(twin: Any, given: set[str], described: Any) -> None:
    """Fills in fields of a twin as `described` by `told`; those in `given` the tests gave, so they have to keep their
    values. Raises Unclear where the other process has to say what happens."""
    try:
        _Filling(twin, given, described).go_through(0)
    except Exception as problem:
        raise Unclear from problem


class _Returned(Exception):
    """Ends a method early."""


class _Filling:
    def __init__(self, twin: Any, given: set[str], sources: list[str]) -> None:
        self._twin, self._given, self._sources = twin, given, sources
        self._more: dict[str, Any] = {}
        """Attributes of the object that are no fields, so nobody compares them."""

    def go_through(self, at: int) -> None:
        """Goes through one of the methods METHOD."""
        (function,) = ast.parse(textwrap.dedent(self._sources[at])).body
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            raise Unclear
        (itself,) = [arg.arg for arg in function.args.args]
        values = Expressions(self._twin, {itself: self._twin}, self._attribute)
        with suppress(_Returned):
            self._goes_through(function.body, values, at)

    def _goes_through(self, body: Sequence[ast.stmt], values: Expressions, at: int) -> None:
        for statement in body:
            self._does(statement, values, at)

    def _does(self, statement: ast.stmt, values: Expressions, at: int) -> None:
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case ast.Return(None):
                raise _Returned
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
            case _:
                raise Unclear

    def _set(self, name: str, value: Any) -> None:
        if name in self._given and plain(value) != plain(getattr(self._twin, name)):
            raise Unclear
        (vars(self._twin) if name in self._twin.__dataclass_fields__ else self._more)[name] = value

    def _attribute(self, name: str) -> Any:
        return {**self._more, **self._twin.__dict__}[name]
