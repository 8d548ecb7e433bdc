"""Checks what the program must not use, by a look at its syntax tree."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import dataclass

from agent.examples.types import Clause
from agent.law.bench import LawBench
from agent.law.types import broken, kept, left_open
from agent.source.structure import Source
from agent.state.findings import Finding

_HARMLESS = frozenset(("len", "range", "print", "int", "str", "list", "dict", "set", "tuple", "float", "bool", "super"))
"""Built-ins that a task which forbids built-in functions hardly means."""
_TYPING = ("typing", "collections.abc", "dataclasses", "__future__")
_METHODS = frozenset(name for kind in (str, list, dict, set, bytes, tuple) for name in dir(kind))


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look found. `certain` means a breach beyond doubt; otherwise it may be one."""

    told: str
    certain: bool = True


Look = Callable[[Source, str], Sight | None]
"""Takes the source and the clause's words; returns None when nothing of the kind is used."""


async def check_forbidden(clause: Clause, bench: LawBench) -> Finding:
    sights = [(name, _LOOKS.get(name, _look_for(name))(bench.source, clause.text.lower())) for name in clause.names]
    seen = [(name, sight) for name, sight in sights if sight is not None]
    certain = next((sight for _, sight in seen if sight.certain), None)
    if certain:
        return broken(clause, f"a look at its syntax tree: {certain.told}")
    if seen:
        return left_open(clause, f"a look at its syntax tree does not decide it: {seen[0][1].told}")
    if bench.source.dynamic is not None:
        use = bench.source.dynamic
        return left_open(clause, f"line {use.line} uses {use.name}, by which anything can be reached")
    return kept(clause, f"a look at its syntax tree finds no {' and no '.join(clause.names)}")


def _look_for(name: str) -> Look:
    """Returns a look for a function, method or module by its name."""

    def look(source: Source, _words: str) -> Sight | None:
        plain = name.lower() if name.lower() in source_names(source) else name
        last = plain.rpartition(".")[2]
        is_method = last in _METHODS and (plain.count(".") == 0 or plain.partition(".")[0] in _BUILTIN_TYPES)
        for use in source.uses:
            parts = use.name.split(".")
            if use.name in (plain, f"builtins.{plain}") or use.name.startswith(f"{plain}.") or parts[1:] == [plain]:
                return Sight(f"line {use.line} uses {use.name.strip('.')}", is_method or not use.name.startswith("."))
            if is_method and use.name == f".{last}":
                return Sight(f"line {use.line} uses .{last}")
        found = next((line for what, line in source.imports.items() if plain in (what, what.partition(".")[0])), None)
        return Sight(f"line {found} imports {plain}") if found else None

    return look


_BUILTIN_TYPES = ("str", "list", "dict", "set", "bytes", "tuple", "s", "string")


def source_names(source: Source) -> set[str]:
    return {use.name for use in source.uses} | set(source.imports)


def _recursion(source: Source, _words: str) -> Sight | None:
    found = source.recursion
    return Sight(f"{found.name} in line {found.line} calls itself") if found else None


def _loops(source: Source, words: str) -> Sight | None:
    kinds: tuple[type[ast.AST], ...] = (ast.For, ast.While, ast.AsyncFor)
    kinds = (ast.For,) if "for" in words.split("loop")[0][-6:] else (ast.While,) if "while" in words else kinds
    line = source.first(*kinds)
    if line:
        return Sight(f"line {line} is a loop")
    hidden = source.first(ast.comprehension, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
    return Sight(f"line {hidden} loops in a comprehension", certain=False) if hidden else None


def _imports(source: Source, _words: str) -> Sight | None:
    told = next(iter(source.imports.items()), None)
    return Sight(f"line {told[1]} imports {told[0]}", certain=not told[0].startswith(_TYPING)) if told else None


def _third_party(source: Source, _words: str) -> Sight | None:
    for name, line in source.imports.items():
        top = name.partition(".")[0]
        if top and top not in sys.stdlib_module_names and top != "solution":
            return Sight(f"line {line} imports {top}, which is not in the standard library")
    return None


def _names(*names: str) -> Look:
    def look(source: Source, _words: str) -> Sight | None:
        use = source.names_used(*names)
        return Sight(f"line {use.line} uses {use.name}") if use else None

    return look


def _operators(certain: tuple[type[ast.operator], ...], doubtful: tuple[type[ast.operator], ...], *names: str) -> Look:
    def look(source: Source, _words: str) -> Sight | None:
        for node in source.nodes:
            if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, certain):
                return Sight(f"line {node.lineno} uses the operator", certain=not _repeats(node))
        use = source.names_used(*names)
        if use:
            return Sight(f"line {use.line} uses {use.name}")
        for node in source.nodes:
            if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, doubtful):
                return Sight(f"line {node.lineno} uses a related operator", certain=False)
        return None

    return look


def _repeats(node: ast.BinOp | ast.AugAssign) -> bool:
    """Returns whether a product repeats a list or text (`[0] * n`) rather than multiplying numbers."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
    texts = (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes) for side in sides)
    return any(isinstance(side, ast.List | ast.Tuple | ast.JoinedStr) for side in sides) or any(texts)


def _node(kind: type[ast.AST], told: str) -> Look:
    def look(source: Source, _words: str) -> Sight | None:
        line = source.first(kind)
        return Sight(f"line {line} {told}") if line else None

    return look


def _any_of(*looks: Look | str) -> Look:
    """Returns a look that gives the first finding of several looks; a look given as a string searches for that name."""

    def look(source: Source, words: str) -> Sight | None:
        for each in looks:
            seen = (_look_for(each) if isinstance(each, str) else each)(source, words)
            if seen:
                return seen
        return None

    return look


def _globals(source: Source, _words: str) -> Sight | None:
    line = source.first(ast.Global)
    if line:
        return Sight(f"line {line} declares a global variable")
    kept_values = [node for node in source.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    mutable = next((n for n in kept_values if isinstance(n.value, ast.List | ast.Dict | ast.Set | ast.Call)), None)
    return Sight(f"line {mutable.lineno} keeps a value in the module", certain=False) if mutable else None


def _whole_files(source: Source, _words: str) -> Sight | None:
    """Looks for `read()` without a number, and for calls that read all lines at once."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name in ("readlines", "read_text", "read_bytes") or (name == "read" and not node.args):
                return Sight(f"line {node.lineno} calls .{name}()")
    return None


def _builtins(source: Source, words: str) -> Sight | None:
    """Looks for sorting, if that is what is forbidden; otherwise for any built-in function except the harmless ones."""
    if "sort" in words:
        return next((found for name in ("sorted", "sort") if (found := _look_for(name)(source, words))), None)
    used = [use for use in source.uses if hasattr(builtins, use.name) and use.name[:1].islower()]
    telling = [use for use in used if use.name not in _HARMLESS]
    return Sight(f"line {telling[0].line} uses {telling[0].name}", certain=False) if telling else None


_LOOKS: dict[str, Look] = {
    "whole files": _whole_files,
    "recursion": _recursion,
    "loops": _loops,
    "imports": _imports,
    "third-party packages": _third_party,
    "regular expressions": _names("re", "regex"),
    "division": _operators((ast.Div, ast.FloorDiv), (ast.Mod,), "divmod", "operator.truediv", "operator.floordiv"),
    "multiplication": _operators((ast.Mult,), (ast.Pow, ast.LShift), "operator.mul", "math.prod", "pow"),
    "slicing": _node(ast.Slice, "takes a slice"),
    "global variables": _globals,
    "eval": _names("eval", "builtins.eval"),
    "list comprehensions": _node(ast.ListComp, "is a list comprehension"),
    "sets": _any_of(_node(ast.Set, "makes a set"), _node(ast.SetComp, "makes a set"), "set", "frozenset"),
    "dictionaries": _any_of(
        _node(ast.Dict, "makes a dictionary"), _node(ast.DictComp, "makes a dictionary"), "dict", "collections"
    ),
    "classes": _node(ast.ClassDef, "is a class"),
    "if statements": _any_of(_node(ast.If, "is an if statement"), _node(ast.IfExp, "is a condition")),
    "sorting": _any_of("sorted", "sort"),
    "lambda": _node(ast.Lambda, "is a lambda"),
    "built-in functions": _builtins,
}
"""Features of the language, as the reader of clauses names them; anything else is taken for a name."""
