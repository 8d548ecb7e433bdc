"""Finds what others rely on in given code, the public names and their parameters, and checks whether a repair keeps
them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .parsing import UNREADABLE, Function, expression_of, module_of

_WANTS_OTHERS = re.compile(
    r"\b(?:renam\w+|remov\w+|delet\w+|drop\w*|rewrite|split|merge|replac\w+|get rid|signature|umbenenn\w+|entfern\w+"
    r"|supprim\w+|renomm\w+|elimin\w+|rimuov\w+|rinomin\w+|remova|renomeie|удал\w+|переимен\w+)|重命名|删除|削除|名前を変",
    re.I,
)


@lru_cache(maxsize=256)
def breach(given: str, code: str, task: str) -> str:
    """Returns, in words, which public name or way to call it the repair lost. Returns "" when none is lost, when the
    task itself speaks of renaming or removing, or when one of the programs does not parse."""
    if wants_others(task):
        return ""
    try:
        before, after = _interface(given), _interface(code)
    except UNREADABLE:
        return ""
    for name, node in before.items():
        if name not in after:
            return f"the public name {name} of the given program is gone"
        now = after[name]
        if isinstance(node, Function) and isinstance(now, Function) and not _takes_the_same(node.args, now.args):
            return f"{name}({ast.unparse(node.args)}) of the given program became {name}({ast.unparse(now.args)})"
    return ""


def wants_others(task: str) -> bool:
    """Returns whether the task itself speaks of renaming, removing or splitting."""
    return _WANTS_OTHERS.search(task) is not None


@lru_cache(maxsize=64)
def _interface(code: str) -> Mapping[str, ast.AST]:
    """Returns what others may use of a program, by dotted name. The nodes are cached and must not be changed. Raises
    SyntaxError."""
    return dict(_public(ast.parse(code)))


def _public(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yields public functions, classes and methods by dotted name; inherited ones are not known here."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and (not node.name.startswith("_") or node.name == "__init__"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node, f"{prefix}{node.name}.")


def _takes_the_same(before: ast.arguments, after: ast.arguments) -> bool:
    """Returns whether every call that was possible still is: the same names in the same places, and new ones only with
    a default."""
    old, new = [*before.posonlyargs, *before.args], [*after.posonlyargs, *after.args]
    if any(was.arg != now.arg for was, now in zip(old, new, strict=False)):
        return False
    missing = len(old) > len(new) and not after.vararg
    required_before, required_now = len(old) - len(before.defaults), len(new) - len(after.defaults)
    only_before, only_now = _keyword_only(before), _keyword_only(after)
    lost = [name for name in only_before if name not in only_now and name not in {arg.arg for arg in new}]
    demanded = [name for name, default in only_now.items() if not default and only_before.get(name) is not False]
    spread = (before.vararg and not after.vararg) or (before.kwarg and not after.kwarg)
    return not (missing or required_now > required_before or lost or demanded or spread)


def suits(call: str, code: str) -> bool:
    """Returns whether the arguments of a call fit the program's function; True when that cannot be told."""
    node = expression_of(call)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return True
    defined = _functions(code).get(node.func.id)
    return defined is None or _binds(node, defined)


@lru_cache(maxsize=64)
def _functions(code: str) -> Mapping[str, ast.arguments]:
    """Returns name -> parameters of the program's functions; for repeated names, of the first."""
    defined = [(node.name, node.args) for node in module_of(code).body if isinstance(node, Function)]
    return dict(reversed(defined))


def _binds(call: ast.Call, takes: ast.arguments) -> bool:
    """Returns whether a call would bind, by Python's own rules and without calling anything."""
    places, named = [*takes.posonlyargs, *takes.args], {keyword.arg for keyword in call.keywords}
    if len(call.args) > len(places) and not takes.vararg:
        return False
    only = _keyword_only(takes)
    by_name = {each.arg for each in takes.args[max(0, len(call.args) - len(takes.posonlyargs)) :]}
    if named - by_name - set(only) and not takes.kwarg:
        return False
    required = places[len(call.args) : len(places) - len(takes.defaults)]
    demanded = {each.arg for each in required} | {name for name, default in only.items() if not default}
    return demanded <= named


def _keyword_only(arguments: ast.arguments) -> dict[str, bool]:
    """Returns the keyword-only parameters: name -> whether it has a default."""
    found = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {argument.arg: default is not None for argument, default in found}
