"""Finds contradictions in a task: examples that promise different values for one call, and examples that break a
demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.source.inputs import literal
from agent.source.parsing import expression_of, module_of

from .clauses.errors import allowed_range
from .grammar.page import Page
from .types import Clause, Example
from .vocabulary import pattern

_CASES: tuple[tuple[re.Pattern[str], type | tuple[type, ...], Any], ...] = (
    (re.compile(r"(?<!\w)(?:is|are|be|an?|any|for) empty (?:list|string|text|input|tuple|dict|sequence)", re.I),
     (list, str, tuple, dict), 0),
    (re.compile(r"(?<!\w)(?:is|are|be|a|any|for) negative", re.I), (int, float), -1),
)  # fmt: skip
"""Words for inputs of one kind, the types that can be of that kind, and the length or the sign that such an input
has."""
_FAMILIES: Mapping[str, tuple[type, ...]] = {
    "list": (list, tuple), "List": (list, tuple), "tuple": (list, tuple), "str": (str,), "dict": (dict,),
    "int": (int, float), "float": (int, float),
}  # fmt: skip
"""Name of a type -> the types that a person may mean by it."""
_DIGITS = re.compile(r"digits|decimals|places|precision", re.I)


def told_contradiction(clause: Clause) -> str:
    """Returns a contradiction in one sentence: values that are promised for one call, or a demand and the example that
    breaks it."""
    call, *promised = clause.names
    if len(promised) > 1:
        return f"it promises {' and '.join(promised)} for {call}"
    return f"“{clause.text}”, and for {call} it promises {promised[0]}"


def broken_demands(page: Page, clauses: Sequence[Clause], examples: Sequence[Example]) -> Iterator[Clause]:
    """Yields the demands that an example of the same task breaks, each with the first such example. A sentence that may
    mean only a part of the inputs is left out: the example is then probably another case."""
    parameters = _parameters(page.names.signature)
    stated = [(one, given) for one in examples if (given := _given(one, parameters)) is not None]
    for clause in clauses:
        if not _is_general(page, clause) or not _is_alone(clause, clauses):
            continue
        found = next((one for one, given in stated if _breaks(clause, one, given, stated)), None)
        if found is not None and found.call is not None:
            yield replace(clause, kind="contradiction", names=(found.call, found.expected or ""))


def _is_general(page: Page, clause: Clause) -> bool:
    """Returns whether the clause's sentence is found and sets no cases apart. The condition of an error is the case
    that its sentence is about, so it sets none apart."""
    place = page.text.find(clause.text)
    told = page.reading.masked[slice(*page.reading.sentence(place, place + len(clause.text)))] if place >= 0 else ""
    parted = clause.kind != "raises" and pattern("condition").search(told)
    return bool(told) and not parted and pattern("sets_apart").search(told) is None


def _is_alone(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Returns whether the clause is the only one of its kind about its subject: of two, each may be about other
    inputs."""
    return sum((one.kind, one.subject) == (clause.kind, clause.subject) for one in clauses) == 1


def _parameters(signature: str | None) -> tuple[str, ...]:
    functions = [node for node in module_of(f"{signature}: ...").body if isinstance(node, ast.FunctionDef)]
    return tuple(one.arg for one in functions[0].args.args) if functions else ()


def _given(example: Example, parameters: Sequence[str]) -> dict[str, Any] | None:
    """Returns the literal arguments of the example's call by parameter; None if that is no plain call with a value."""
    node = expression_of(example.call or "")
    if not isinstance(node, ast.Call) or example.expected is None or len(node.args) > len(parameters):
        return None
    told = {name: literal(ast.unparse(arg)) for name, arg in zip(parameters, node.args, strict=False)}
    told |= {keyword.arg or "": literal(ast.unparse(keyword.value)) for keyword in node.keywords}
    return None if None in told.values() else {name: value[0] for name, value in told.items() if value is not None}


def _breaks(
    clause: Clause, example: Example, given: Mapping[str, Any], stated: Sequence[tuple[Example, Mapping[str, Any]]]
) -> bool:
    value = literal(example.expected or "")
    if value is None:
        return False
    if clause.kind == "output" and clause.decimals is not None:
        asked = any(_DIGITS.search(name) for name in given)
        return not asked and isinstance(value[0], float) and round(value[0], clause.decimals) != value[0]
    if clause.kind == "raises":
        return _is_meant(clause, given)
    if clause.kind == "range":
        return _is_outside(clause, given)
    if clause.kind == "type" and clause.subject == "result":
        values = [literal(one.expected or "") for one, _ in stated]
        return _is_alien(clause, value[0]) and any(one is not None and _fits(clause, one[0]) for one in values)
    return False


def _is_meant(clause: Clause, given: Mapping[str, Any]) -> bool:
    """Returns whether the only argument, or the one that the sentence names, is of the kind for which the sentence
    demands an error."""
    named = [name for name in given if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", clause.text)]
    meant = [given[name] for name in named or given] if len(named or given) == 1 else []
    if (ends := allowed_range(clause.text)) is not None:
        return any(isinstance(value, int | float) and not ends[0] <= value <= ends[1] for value in meant)
    for words, kinds, sign in _CASES:
        for value in meant if words.search(clause.text) else ():
            if isinstance(value, kinds) and not isinstance(value, bool):
                return value < 0 if sign < 0 else len(value) == 0
    return False


def _is_outside(clause: Clause, given: Mapping[str, Any]) -> bool:
    value, ends = given.get(clause.subject), clause.interval
    if ends is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    below = ends.low is not None and (value < ends.low or (value == ends.low and not ends.low_in))
    above = ends.high is not None and (value > ends.high or (value == ends.high and not ends.high_in))
    return below or above


def _family(clause: Clause) -> tuple[type, ...]:
    return _FAMILIES.get(re.split(r"\W", clause.names[0])[0], ())


def _fits(clause: Clause, value: Any) -> bool:
    return isinstance(value, _family(clause)) and not isinstance(value, bool)


def _is_alien(clause: Clause, value: Any) -> bool:
    """Returns whether the value is of another family than the clause's type. None and truth values are not, because
    they mean "there is none" in many tasks."""
    return bool(_family(clause)) and not (value is None or isinstance(value, bool) or _fits(clause, value))
