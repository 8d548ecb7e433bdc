"""Checks that an argument stays as it is, that the result is another object, or that it is changed in place."""

from __future__ import annotations

from typing import Any

from agent.examples.types import Clause
from agent.law.bench import KnownInput, LawBench, count_of, given_of
from agent.law.types import broken, kept, left_open
from agent.source.inputs import literal
from agent.state.findings import Finding

_MUTABLE = (list, dict, set, bytearray)


async def check_unchanged(clause: Clause, bench: LawBench) -> Finding:
    """Compares arguments before and after each call, on the known inputs and on those made from them. Where the task
    demands a new object, a result that is one of the arguments breaks the clause."""
    inputs, anew = _inputs(bench), clause.names == ("new",)
    if not inputs:
        return left_open(clause, "no input is known to try it on")
    seen = await _after(bench, inputs)
    if not any(_is_mutable(value) for given in inputs for value in given.named(bench.parameters).values()):
        return kept(clause, "no argument of the known inputs can be changed at all")
    changed = next(((given, after) for given, after, _ in seen if after != _values(given)), None)
    if changed:
        given, after = changed
        told = f"{given.shown(bench.entry)} changes its argument: it is {_shown(after)} afterwards"
        # A new list of the same items may rightly share them with the old one.
        shared = anew and any(map(_holds_mutable, given.named(bench.parameters).values()))
        return left_open(clause, told) if shared else broken(clause, told)
    if not seen:
        return left_open(clause, "no known input was answered")
    if anew and (same := next((given for given, _, returned in seen if returned), None)):
        return broken(clause, f"{same.shown(bench.entry)} returns its argument itself")
    compared = f"the arguments compared before and after {count_of(len(seen), 'call')}"
    return kept(clause, f"{compared}, none of which returns one" if anew else compared)


async def check_in_place(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a call that changes its argument. If none does, the clause stays open: not every input has to be
    changed."""
    inputs = [g for g in _inputs(bench) if any(map(_is_mutable, g.named(bench.parameters).values()))]
    seen = await _after(bench, inputs) if inputs else []
    if not seen:
        return left_open(clause, "no input with an argument that can be changed was answered")
    changed = [given for given, after, _ in seen if after != _values(given)]
    if changed:
        told = f"the argument is changed by {changed[0].shown(bench.entry)}"
        return kept(clause, f"the arguments compared before and after {count_of(len(seen), 'call')}: {told}")
    return left_open(clause, f"none of {count_of(len(seen), 'call')} changes its argument")


def _inputs(bench: LawBench) -> list[KnownInput]:
    made = (given_of(call, bench.entry, stated=False) for call in bench.tried)
    return [*bench.known, *(given for given in made if given is not None)]


async def _after(bench: LawBench, inputs: list[KnownInput]) -> list[tuple[KnownInput, Any, bool]]:
    """Returns each answered input with its arguments after the call, and whether the result is one of them that can be
    changed."""
    told = await bench.answers([_watched(bench.entry, given) for given in inputs])
    read = [literal(output.text) if output.kind == "value" else None for output in told]
    return [
        (given, value[0][0], True in value[0][1])
        for given, value in zip(inputs, read, strict=True)
        if value is not None
    ]


def _watched(entry: str, given: KnownInput) -> str:
    """Returns an expression that makes the call and gives the arguments behind it, and for each that can be changed
    whether it is the result."""
    places = [f"given[0][{place}]" for place, value in enumerate(given.args) if isinstance(value, _MUTABLE)]
    places += [f"given[1][{name!r}]" for name, value in given.keywords.items() if isinstance(value, _MUTABLE)]
    same = ", ".join(f"result is {place}" for place in places)
    looked = f"(lambda given, result: (given, [{same}]))"
    return f"(lambda given: {looked}(given, {entry}(*given[0], **given[1])))({_values(given)!r})"


def _values(given: KnownInput) -> list[Any]:
    return [list(given.args), dict(given.keywords)]


def _is_mutable(value: object) -> bool:
    return isinstance(value, _MUTABLE) or (isinstance(value, tuple) and any(map(_is_mutable, value)))  # pyright: ignore[reportUnknownArgumentType]


def _holds_mutable(value: Any) -> bool:
    inner: list[Any] = [*value.values()] if isinstance(value, dict) else [*value] if isinstance(value, list) else []
    return any(map(_is_mutable, inner))


def _shown(after: Any) -> str:
    values = [*after[0], *after[1].values()]
    text = ", ".join(map(repr, values))
    return text if len(text) <= 120 else f"{text[:120]}..."
