"""Reads arguments that a text spells out beside a function, by name or in order."""

from __future__ import annotations

from agent.examples.vocabulary import Phrase

from .names import Names
from .values import balanced, literal_call, value_at

_ASSIGNED = Phrase(r"\s*(?:{and_word}\s+)?`?([A-Za-z_]\w*)`?\s*[=:]\s*`?")


def call_of(names: Names, given: str) -> str | None:
    """Returns the call that `given` spells out, or whose arguments it spells out; None for anything else."""
    given = given.strip().strip("`").strip()
    name, bracket, _ = given.partition("(")
    if bracket and name in names.known:
        return literal_call(given, names.known) if balanced(given, len(name)) == len(given) else None
    arguments = arguments_of(given, names) if names.required else None
    return f"{names.entry}({arguments})" if arguments is not None else None


def arguments_of(given: str, names: Names) -> str | None:
    """Returns the arguments that `given` spells out, as the inside of a call's brackets; None unless all required ones
    are there and nothing else."""
    given = given.strip().rstrip(",;.")
    named = named_values(given)
    parameters, required = names.parameters or (), names.required or 0
    if named is not None:
        fits = set(named) <= set(parameters) and set(parameters[:required]) <= set(named)
        in_order = all(name in named for name in parameters[: len(named)])
        return ", ".join(named[name] for name in parameters if name in named) if fits and in_order else None
    values = _values(given)
    return ", ".join(values) if values and required <= len(values) <= len(parameters) else None


def named_values(given: str) -> dict[str, str] | None:
    """Reads `a = 1, b = 2`; returns None when anything else stands there."""
    end, values = assignments(given, 0)
    return values if values and end >= len(given) else None


def assignments(text: str, place: int) -> tuple[int, dict[str, str]]:
    """Returns where a row of assignments that begins at `place` ends, and what it assigns."""
    values: dict[str, str] = {}
    end = place
    while True:
        label = _ASSIGNED.match(text, place)
        value = value_at(text, label.end()) if label else None
        if label is None or value is None:
            return (end if end < place else place), values
        values[label.group(1)] = value[0]
        end = value[1]
        place = _skip(text, end)


def _values(given: str) -> list[str] | None:
    values: list[str] = []
    place = _skip(given, 0)
    while place < len(given):
        value = value_at(given, place)
        if value is None:
            return None
        values.append(value[0])
        after = _skip(given, value[1])
        if after < len(given) and not {",", "\n"} & set(given[value[1] : after]):
            return None
        place = after
    return values


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\n,`;":
        place += 1
    return place
