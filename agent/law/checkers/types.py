"""Checks the types of the result and of arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent.examples.fitting import fits
from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of, parts, stated_by, stated_first
from agent.law.types import broken, kept, left_open
from agent.source.parsing import expression_of
from agent.source.standard import value_of
from agent.state.findings import Finding

_MAY_BE_NONE = re.compile(r"(?<!\w)(?:none|null|nothing|nichts)(?!\w)", re.I)


async def check_type(clause: Clause, bench: LawBench) -> Finding:
    """Checks a result by every answer to a known input, and an argument by the known inputs of that type."""
    answered = await bench.answered()
    method = re.search(r"(\w+)\(", clause.text)
    if clause.subject == "result" and bench.brief.form == "class" and method:
        return _method(clause, bench, method[1])
    if clause.subject != "result" and bench.brief.form == "class":
        return _given_to_objects(clause, bench)
    if not answered:
        stated = [value_of(text) or _shell(text) for text in stated_by(bench.passed, bench.entry)]
        fitting = [value for value in stated if value is not None and fits(value[0], clause.names[0])]
        if fitting and clause.subject == "result":
            return kept(clause, f"{_what(clause)} in {count_of(len(fitting), 'value')} that passed checks state")
        return left_open(clause, f"{_what(clause)}: no known input was answered")
    return _result(clause, bench, answered) if clause.subject == "result" else _argument(clause, bench, answered)


def _what(clause: Clause) -> str:
    return f"{clause.subject or 'an argument'} is {clause.names[0]}"


def _result(clause: Clause, bench: LawBench, answered: list[tuple[KnownInput, str]]) -> Finding:
    """Judges the type of results. A misfit is certain if the task annotates the result and states the input, or if no
    answer fits."""
    fitting: list[KnownInput] = []
    misfits: list[tuple[KnownInput, str]] = []
    for given, text in answered:
        value = value_of(text) or _shell(text)
        if value is None or (value[0] is None and _MAY_BE_NONE.search(bench.task.text)):
            continue
        answer = fits(value[0], clause.names[0])
        fitting += [given] if answer else []
        misfits += [(given, text)] if answer is False else []
    if misfits:
        given, text = stated_first(misfits)
        told = f"{given.shown(bench.entry)} gives {text[:80]}, which is no {clause.names[0]}"
        certain = not fitting or (given.stated and "->" in clause.text)
        return broken(clause, told) if certain else left_open(clause, told)
    if not fitting:
        return left_open(clause, f"{_what(clause)}: no answer could be compared with that type")
    return kept(clause, f"{_what(clause)} in {count_of(len(fitting), 'answer')} to known inputs")


def _shell(text: str) -> tuple[Any] | None:
    """Returns an empty value of the kind that is shown, for one that holds things which cannot be written as literals:
    a tuple of decimals."""
    kind = _SHELLS.get(type(expression_of(text)))
    return (kind(),) if kind is not None else None


_SHELLS: Mapping[type | None, type] = {ast.Tuple: tuple, ast.List: list, ast.Dict: dict, ast.Set: set}


def _method(clause: Clause, bench: LawBench, name: str) -> Finding:
    """Looks for a passed check that compares the method's result with a value of that type."""
    return _seen(clause, bench, f"{name}()") or left_open(
        clause, f"no passed check compares {name}() with a {clause.names[0]}"
    )


def _seen(clause: Clause, bench: LawBench, what: str) -> Finding | None:
    """Returns "kept" if a passed check compares a method's result, or an attribute, with a value of that type; None
    otherwise."""
    for check in bench.passed:
        for node in ast.walk(ast.parse(check.source)):
            left = ast.unparse(node.left).rpartition(".")[2] if isinstance(node, ast.Compare) else ""
            if left.startswith(what[:-1]) if what.endswith("()") else left == what:
                assert isinstance(node, ast.Compare)
                value = value_of(ast.unparse(node.comparators[0]))
                if value is not None and fits(value[0], clause.names[0]):
                    return kept(clause, f"the passed check {check.id} compares {what} with a {clause.names[0]}")
    return None


def _argument(clause: Clause, bench: LawBench, answered: list[tuple[KnownInput, str]]) -> Finding:
    """Looks at the parameter that the clause names; if it names none ("each row is a dict"), at anything inside the
    arguments."""
    inputs = [given.named(bench.parameters) for given, _ in answered]
    named = clause.subject in bench.parameters
    told = [[values[clause.subject]] if named and clause.subject in values else [*parts(values)] for values in inputs]
    count = sum(any(fits(value, clause.names[0]) for value in values) for values in told)
    if not count:
        return left_open(clause, f"{_what(clause)}: no known input is of that type")
    return kept(clause, f"{_what(clause)} in {count_of(count, 'known input')} that it answered")


def _given_to_objects(clause: Clause, bench: LawBench) -> Finding:
    """Looks for passed checks that give a parameter of a class or its methods a value of that type, or compare an
    attribute with one."""
    count = sum(any(fits(value, clause.names[0]) for value in values) for values in given_to(bench, clause.subject))
    if not count:
        return _seen(clause, bench, clause.subject) or left_open(
            clause, f"{_what(clause)}: no passed check gives one of that type"
        )
    return kept(clause, f"{_what(clause)} in {count_of(count, 'passed check')}")


def given_to(bench: LawBench, name: str) -> list[list[Any]]:
    """Returns, for each passed check, the values that it gives to the class or its methods for the parameter `name`;
    all arguments if nothing takes a parameter of that name."""
    taking: dict[str, int] = {}
    for made in (node for node in ast.walk(bench.source.tree) if isinstance(node, ast.ClassDef)):
        for method in (node for node in made.body if isinstance(node, ast.FunctionDef)):
            names = [argument.arg for argument in (*method.args.posonlyargs, *method.args.args)][1:]
            if name in names:
                taking[made.name if method.name == "__init__" else method.name] = names.index(name)
    return [[value[0] for value in _arguments(check.source, taking, name) if value] for check in bench.passed]


def _arguments(source: str, taking: Mapping[str, int], name: str) -> Iterator[tuple[Any, ...] | None]:
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func).rpartition(".")[2]
        place = taking.get(called)
        own = call.args if not taking else [] if place is None else call.args[place : place + 1]
        named = [
            keyword.value for keyword in call.keywords if not taking or (place is not None and keyword.arg == name)
        ]
        yield from (value_of(ast.unparse(node)) for node in (*own, *named))
