"""Plans how an object of a class is filled with items, by a method or its constructor, and used, so that its methods
can be measured."""

from __future__ import annotations

import ast
import re

from agent.examples.types import Clause

from .bench import LawBench
from .makers import Shape
from .shapes import Plan, Variant, usual_shape

_FILLS = re.compile(
    r"(?:put|push|add|insert|append|enqueue|set|update|offer|record|increment|hit|store|write)\w*", re.I
)
_ASKS = re.compile(
    r"(?:get|query|find|search|contains|has|is|can|peek|count|lookup|look_up|pop|remove|delete|discard|dequeue|undo|range|sum|min|max"
    r"|starts|ends|top|kth|rank|select|connected|same|size|len)(?![a-z])",
    re.I,
)
"""Matches the names of methods that ask an object or take something from it; any other one may fill it."""
_TEXTS = re.compile(
    r"(?:\w+_)?(?:word|prefix|suffix|text|name|string|s|pattern|url|path|sentence|line|token|email)", re.I
)
"""Names of parameters that are texts, if nothing else tells."""
_COUNTS = re.compile(r"capacity|size|n|k|limit|maxsize|max_size|maxlen|length|width", re.I)


def object_variant(clause: Clause, bench: LawBench) -> Variant | None:
    """Returns a plan for the class of the task; None when nothing could fill it. The methods that the clause names are
    measured, otherwise all public ones."""
    found = bench.source.entry(bench.entry)
    if not isinstance(found, ast.ClassDef):
        return None
    methods = {m.name: m for m in found.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("_")}
    plain = {name: _kinds(name, method, bench) for name, method in methods.items() if not method.decorator_list}
    fill = next((name for name in plain if _FILLS.fullmatch(name) and plain[name]), "")
    fill = fill or next((name for name in plain if plain[name] and not _ASKS.match(name)), "")
    shapes = _constructor(bench)
    if not (fill or any(shape[0] not in ("n", "value") for shape in shapes)):
        return None
    named = clause.named(plain)
    measured = [(name, plain[name]) for name in named or plain]
    plan: Plan = (shapes, (fill, plain.get(fill, [])), measured)
    filled = f"filled by {fill or bench.entry}()"
    return Variant(f"an object {filled}, the slowest of {', '.join(named or plain)}", (), True, False, plan=plan)


def _constructor(bench: LawBench) -> list[Shape]:
    """Returns shapes for the constructor: a number that bounds the object becomes its size, a collection grows, and
    other parameters without a default become small numbers."""
    spec = bench.source.signature(bench.entry)
    required = bench.parameters[: len(bench.parameters) - len(spec.defaults)] if spec else ()
    return [("n",) if _COUNTS.fullmatch(name) else usual_shape(bench, name) or ("value", 10) for name in required]


def _kinds(name: str, method: ast.FunctionDef, bench: LawBench) -> list[str]:
    """Returns the kind of each required argument, from the examples or else from its annotation."""
    required = method.args.args[1 : len(method.args.args) - len(method.args.defaults)]
    shown = [
        node
        for example in bench.brief.examples
        for node in ast.walk(ast.parse(example.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    ]
    literals = [type(arg.value).__name__ for arg in shown[0].args if isinstance(arg, ast.Constant)] if shown else []
    if len(literals) == len(required):
        return literals
    return [ast.unparse(arg.annotation) if arg.annotation else _usual_kind(arg.arg) for arg in required]


def _usual_kind(name: str) -> str:
    return "str" if _TEXTS.fullmatch(name) else "int"
