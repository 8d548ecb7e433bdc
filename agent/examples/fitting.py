"""Decides whether a value fits a type given as an annotation."""

from __future__ import annotations

import ast
from collections import abc
from typing import Any

from agent.source.parsing import expression_of

PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (float, int), "complex": (complex, float, int), "str": (str,), "bool": (bool,),
    "bytes": (bytes,), "None": (type(None),), "list": (list,), "List": (list,), "tuple": (tuple,), "Tuple": (tuple,),
    "dict": (dict,), "Dict": (dict,), "set": (set,), "Set": (set,), "frozenset": (frozenset,), "object": (object,),
    "Any": (object,), "Sequence": (abc.Sequence,), "Iterable": (abc.Iterable,), "Iterator": (abc.Iterator,),
    "Generator": (abc.Iterator,), "Mapping": (abc.Mapping,), "Collection": (abc.Collection,),
    "Hashable": (abc.Hashable,), "MutableSequence": (abc.MutableSequence,), "FrozenSet": (frozenset,),
    "DefaultDict": (dict,), "Counter": (dict,), "Number": (int, float, complex),
}  # fmt: skip
KEYED = ("dict", "Dict", "Mapping", "DefaultDict", "defaultdict")
ITEMS = ("list", "List", "set", "Set", "frozenset", "FrozenSet", "Sequence", "Collection", "MutableSequence")
TUPLES = ("tuple", "Tuple")


def fits(value: Any, annotation: str) -> bool | None:
    """Returns whether a value fits a type; None when the annotation is not understood."""
    node = expression_of(annotation)
    return None if node is None else _fits(value, node)


def _fits(value: Any, node: ast.expr) -> bool | None:
    if isinstance(node, ast.Constant):
        return value is None if node.value is None else fits(value, node.value) if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _any([_fits(value, node.left), _fits(value, node.right)])
    if isinstance(node, ast.Attribute):
        return _plain(value, node.attr)
    if isinstance(node, ast.Name):
        return _plain(value, node.id)
    if isinstance(node, ast.Subscript):
        return _parametrised(value, node)
    return None


def _plain(value: Any, name: str) -> bool | None:
    if name == "Callable":
        return callable(value)
    kinds = PLAIN.get(name)
    if kinds is None:
        return True if any(kind.__name__ == name for kind in type(value).__mro__) else None
    if isinstance(value, bool) and name in ("float", "complex", "Number"):
        return False
    return isinstance(value, kinds)


def _parametrised(value: Any, node: ast.Subscript) -> bool | None:
    head = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head == "Optional":
        return True if value is None else _fits(value, inside[0])
    if head == "Union":
        return _any([_fits(value, each) for each in inside])
    outer = _plain(value, head)
    if not outer:
        return outer
    if head in KEYED and len(inside) == 2:
        return _all([_fits(key, inside[0]) for key in value] + [_fits(item, inside[1]) for item in value.values()])
    if head in ITEMS and len(inside) == 1:
        return _all([_fits(item, inside[0]) for item in value])
    if head in TUPLES:
        return _tuple(value, inside)
    return True


def _tuple(value: Any, inside: list[ast.expr]) -> bool | None:
    if len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is ...:
        return _all([_fits(item, inside[0]) for item in value])
    if len(value) != len(inside):
        return False
    return _all([_fits(item, each) for item, each in zip(value, inside, strict=True)])


def _any(answers: list[bool | None]) -> bool | None:
    return True if True in answers else None if None in answers else False


def _all(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True
