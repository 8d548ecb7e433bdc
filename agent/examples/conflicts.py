"""Finds contradictions in a task: examples that promise different values for one call, and examples that break a
demand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.source.inputs import literal
from agent.source.parsing import expression_of

from .clauses.errors import KINDS, allowed_range
from .grammar.page import Page
from .types import Clause, Example
from .vocabulary import pattern

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
    stated = [(one, given) for one in examples if (given := _given(one, page.names.parameters or ())) is not None]
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
    named = clause.named(given) or [*given]
    meant = [given[name] for name in named] if len(named) == 1 else []
    if (ends := allowed_range(clause.text)) is not None:
        return any(isinstance(value, int | float) and not ends[0] <= value <= ends[1] for value in meant)
    told = [(kinds, shown) for words, kinds, shown in KINDS if words.search(clause.text)]
    return any(_is_like(value, shown) for kinds, shown in told for value in meant if _is_of(value, kinds))


def _is_of(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _is_like(value: Any, shown: int | None) -> bool:
    """Returns whether the value is empty, for None, and otherwise whether it is as negative as the one shown."""
    return not value if shown is None else (value < 0 if shown < 0 else value == shown)


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
    return _is_of(value, _family(clause))


def _is_alien(clause: Clause, value: Any) -> bool:
    """Returns whether the value is of another family than the clause's type. None and truth values are not, because
    they mean "there is none" in many tasks."""
    return bool(_family(clause)) and not (value is None or isinstance(value, bool) or _fits(clause, value))
