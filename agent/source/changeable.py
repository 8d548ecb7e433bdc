"""Calls by what can be changed in them: literals, values of the standard library, objects that the program makes of
such, and texts with a form."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .layouts import Laid, formed, layout_of
from .parsing import expression_of
from .standard import value_of


@dataclass(frozen=True)
class Named:
    """A value that is known by its name only, such as `timezone.utc` or a member of an enumeration."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Made:
    """An object that the program makes of arguments. As a value it is written as the call that makes it."""

    name: str
    args: list[Any]
    named: dict[str, Any]

    def __repr__(self) -> str:
        return unparse_call(self.name, self.args, self.named)


def unparse_call(name: str, args: list[Any], keywords: dict[str, Any]) -> str:
    return f"{name}({', '.join([*map(repr, args), *(f'{key}={value!r}' for key, value in keywords.items())])})"


def changeable_calls(calls: Collection[str]) -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Splits calls into names and arguments that can be changed, without those that have others: literals, values of
    the standard library, objects that a call makes of such, and texts by the layout that all known ones share."""
    parsed = [found for found in map(_parse_changeable, calls) if found is not None]
    for place in {(name, place) for name, args, named in parsed for place in (*range(len(args)), *named)}:
        held = [args if isinstance(place[1], int) else named for name, args, named in parsed if name == place[0]]
        _lay_out([one for one in held if _holds_text(one, place[1])], place[1])
    return parsed


def _holds_text(arguments: Any, place: int | str) -> bool:
    there = place < len(arguments) if isinstance(place, int) else place in arguments
    return there and isinstance(arguments[place], str)


def _lay_out(held: Sequence[Any], place: int | str) -> None:
    """Puts texts by their parts or with their form in the place of the texts, if all share a layout or a form."""
    texts = {arguments[place] for arguments in held}
    layout, forms = layout_of(texts) if held else None, formed(texts)
    for arguments in held:
        text: str = arguments[place]
        arguments[place] = Laid(layout, layout.read(text) or ()) if layout is not None else forms.get(text, text)


def _parse_changeable(call: str) -> tuple[str, list[Any], dict[str, Any]] | None:
    node = expression_of(call)
    if not isinstance(node, ast.Call) or not (node.args or node.keywords) or _is_of_python(node.func):
        return None
    args = [_changeable(arg) for arg in node.args]
    named = {keyword.arg: _changeable(keyword.value) for keyword in node.keywords if keyword.arg is not None}
    if None in args or None in named.values() or len(named) != len(node.keywords):
        return None
    return ast.unparse(node.func), [arg[0] for arg in args if arg], {key: one[0] for key, one in named.items() if one}


def _is_of_python(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and hasattr(builtins, function.id)


def _changeable(node: ast.expr) -> tuple[Any] | None:
    """Returns the value of an argument in a tuple of one; None for one that cannot be changed."""
    if (told := value_of(ast.unparse(node))) is not None:
        return told
    match node:
        case ast.List(items) | ast.Tuple(items):
            read = [_changeable(item) for item in items]
            made = [one[0] for one in read if one]
            return None if None in read else (made if isinstance(node, ast.List) else tuple(made),)
        case ast.Call(ast.Name()):
            parsed = _parse_changeable(ast.unparse(node))
            return (Made(*parsed),) if parsed else None
        case ast.Attribute(ast.Name()):
            return (Named(ast.unparse(node)),)
        case _:
            return None
