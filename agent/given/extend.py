"""Reads a request to extend given code: the new signature, as far as code can read it from the task."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from agent.examples.types import Brief
from agent.source.parsing import expression_of, module_of

_NOUN = r"(?:parameters?|arguments?|params?|args?|options?|keywords?|flags?|paramètre|parámetro|parametro|параметр)"
_VALUE = r"`?(?P<%s>-?\d+(?:\.\d+)?|'[^'\n]*'|\"[^\"\n]*\"|True|False|None|\[\]|\(\))`?"
_ADDED = re.compile(
    rf"{_NOUN}\s+(?:called\s+|named\s+|namens\s+)?[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?(?:\s*=\s*{_VALUE % 'value'})?"
    rf"|`(?P<before>[A-Za-z_]\w*)(?:\s*=\s*{_VALUE % 'given'})?`\s+{_NOUN}",
    re.I,
)
_DEFAULT = re.compile(
    r"\b(?:default\w*|standard\w*|vorgabe\w*|voreingestellt|(?:par )?défaut|por (?:defecto|omisión)|predefinit\w+"
    r"|(?:por )?padrão|по умолчанию)"
    rf"(?:\s+(?:value|to|of|is|being|it|auf|ist|wert|à|est|es|è|é))*\s*[:=]?\s*{_VALUE % 'value'}",
    re.I,
)
_NO_NAME = {"to", "that", "which", "for", "with", "and", "is", "so", "in", "of", "by", "or", "as", "it", "on", "from"}


def new_signature(brief: Brief, code: str, task: str) -> str:
    """Returns the entry's signature as the task wants it: the given one with the parameters that the task adds, or else
    the given one with a remark that it is the old one. Returns the brief's signature if the entry is not found in the
    code."""
    old = _arguments(brief.entry_point, code)
    if old is None:
        return brief.signature or ""
    known = {each.arg for each in (*old.posonlyargs, *old.args, *old.kwonlyargs)}
    added: dict[str, str] = {}
    for name, default in (*_named_by_the_task(brief), *_parameters_in_words(task)):
        if name not in known and (name not in added or not added[name]):
            added[name] = default
    if not added:
        return f"def {brief.entry_point}({ast.unparse(old)})  # as it is now; the task may change it"
    new = [f"{name}={default}" if default else f"{name}=..." for name, default in added.items()]
    return f"def {brief.entry_point}({', '.join(filter(None, [ast.unparse(old), *new]))})"


def as_before(call: str, code: str) -> str:
    """A call of a function of given code as its author could make it, before there was more to hand over: without
    arguments that it does not take; "" where it is none, or takes them all."""
    node = expression_of(call)
    old = _arguments(node.func.id, code) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
    if old is None or not isinstance(node, ast.Call):
        return ""
    taken = [*old.posonlyargs, *old.args]
    names = {each.arg for each in (*old.args, *old.kwonlyargs)}
    plain = node.args if old.vararg else node.args[: len(taken)]
    named = [each for each in node.keywords if old.kwarg or each.arg in names]
    before = ast.unparse(ast.Call(node.func, plain, named))
    return before if before != ast.unparse(node) else ""


def _arguments(entry: str | None, code: str) -> ast.arguments | None:
    functions = (node for node in module_of(code).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return next((node.args for node in functions if node.name == entry), None)


def _named_by_the_task(brief: Brief) -> Iterator[tuple[str, str]]:
    """Yields (name, default or "") of the parameters that the task's clauses and its examples' keywords name."""
    for clause in brief.clauses:
        if clause.kind == "signature" and clause.subject in ("", brief.entry_point):
            yield from ((name.partition("=")[0], name.partition("=")[2]) for name in clause.names)
    for example in brief.examples:
        node = ast.parse(example.call, mode="eval").body if example.call else None
        if isinstance(node, ast.Call):
            yield from ((keyword.arg, "") for keyword in node.keywords if keyword.arg)


def _parameters_in_words(task: str) -> Iterator[tuple[str, str]]:
    """Yields (name, default or "") from words such as "a parameter step that defaults to 1", "the `sep` option", "third
    parameter step=1"."""
    for match in _ADDED.finditer(task):
        name, value = match["name"] or match["before"], match["value"] or match["given"]
        if name.lower() in _NO_NAME:
            continue
        rest = re.split(r"[.;!?]\s|\n", task[match.end() :], maxsplit=1)[0]
        default = _DEFAULT.search(rest) if value is None else None
        yield name, value or (default["value"] if default else "")
