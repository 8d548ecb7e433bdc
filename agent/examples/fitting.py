"""Decides whether a value fits a type given as an annotation, and an example the signature."""

from __future__ import annotations

import ast
import re
from collections import abc
from collections.abc import Iterator
from typing import Any

from agent.source.inputs import literal
from agent.source.parsing import expression_of, module_of

from .types import Example

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


_LAZY = re.compile(r"(?:\w+\.)*(?:Async)?(?:Iterator|Generator|Iterable)(?!\w)")


def is_of_signature(example: Example, signature: str, text: str) -> bool:
    """Returns whether the example shows what a function of that signature takes and gives. One that gives None or items
    one by one, gives no value that is shown. A class that is not of Python's own, such as a node of a tree, is taken or
    given in another form than a list of its values; a name that the text sets is an alias."""
    function = next(iter(module_of(f"{signature.rstrip(': ')}: pass").body), None)
    call = expression_of(example.call or "")
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Call) or example.expected is None:
        return True
    if isinstance(function.returns, ast.Constant) and function.returns.value is None:
        return example.expected == "None"
    if function.returns and _LAZY.match(ast.unparse(function.returns)):
        return False
    shown = [*_arguments(function, call), (function.returns, expression_of(example.expected))]
    return not any(annotation and node and _is_of_another_class(annotation, node, text) for annotation, node in shown)


def _arguments(function: ast.FunctionDef, call: ast.Call) -> Iterator[tuple[ast.expr | None, ast.expr | None]]:
    parameters = [one for one in function.args.args if one.arg not in ("self", "cls")]
    yield from ((one.annotation, value) for one, value in zip(parameters, call.args, strict=False))
    named = {one.arg: one.annotation for one in (*parameters, *function.args.kwonlyargs)}
    yield from ((named.get(each.arg or ""), each.value) for each in call.keywords)


def _is_of_another_class(annotation: ast.expr, node: ast.expr, text: str) -> bool:
    value = literal(ast.unparse(node))
    if value is None or _fits(value[0], annotation) is not None:
        return False
    nodes = [*ast.walk(annotation)]
    names = {each.id for each in nodes if isinstance(each, ast.Name)} - PLAIN.keys()
    names |= {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    classes = (name for name in names if re.fullmatch(r"(?:[A-Z][a-z]+){2,}|Node", name))
    return any(re.search(rf"^[ \t>]*{name}\s*=", text, re.M) is None for name in classes)


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
