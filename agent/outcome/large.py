"""Finds whole numbers for which floating point gives a program's answer another value, by running the program beside
its exact twin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from math import inf

from agent.checks.execution import run_calls
from agent.checks.trial import refusals
from agent.context import Context
from agent.counting.comparing import known_calls
from agent.examples.clauses.quantities import numbers_in
from agent.source.changeable import unparse_call
from agent.source.exact import exact_twin
from agent.source.inputs import are_allowed, literal, parse_call, read_constraints
from agent.state import AgentState, Candidate

_SIDES = (2**27 + 1, 10**9 + 7, 10**20 + 39)
"""Sides of squares and cubes: the neighbours of such squares are told from them by no float."""
_TRIED = (
    125, 243, 1000, 94906267, 10**9 + 7, 10**15 - 1, 2**53 + 1, 2**60 - 1, 10**18 - 1, 3**40,
    *(side**2 + step for side in _SIDES for step in (0, -1)), (10**9 + 7) ** 3,
)  # fmt: skip
"""Whole numbers at which roots, logarithms, quotients and products in floating point go wrong."""
_CALL_SECONDS = 0.1
"""CPU seconds for each call. Programs that count up to such a number never end; those show nothing."""
_MAX_CALLS = 40
"""The most calls that are tried."""
_SMALLEST_LIMIT = 1000
"""From here on, the largest number of the task's text is taken for a limit of its inputs: none beyond it is tried."""


async def spoiled_by_floats(state: AgentState, context: Context, candidate: Candidate) -> list[str]:
    """Returns a sentence on one input for which the program and its exact twin give different values; [] when none was
    found. Answers that hold floats, inputs that the task does not allow, and expressions that the given code or the
    task itself holds are left out."""
    twin, replaced = exact_twin(candidate.code)
    known = exact_twin(state.task.code or "")[1]
    own = [one for one in replaced if one not in known and "".join(one.split()) not in "".join(state.task.text.split())]
    calls = await _allowed(state, context) if own else []
    if not calls:
        return []
    mine, exact = [
        (await run_calls(context, state.config, program, calls, seconds=_CALL_SECONDS)).outputs
        for program in (candidate, replace(candidate, code=twin))
    ]
    for call, rough, whole in ((call, mine[call], exact[call]) for call in calls):
        if rough.kind == whole.kind == "value" and rough != whole and not _holds_float(rough.text):
            said = f"`{own[0]}`" if len(own) == 1 else "each division, root and logarithm in it"
            return [f"{call} gives {rough}, but would give {whole} if {said} were computed without rounding"]
    return []


async def _allowed(state: AgentState, context: Context) -> list[str]:
    calls = list(dict.fromkeys(_large_calls(state)))[:_MAX_CALLS]
    if not state.domains:
        return calls
    domain = state.domains[-1]
    refused = await refusals(context, state.config, domain.source, domain.entry, calls)
    return [call for call in calls if not refused[call]]


def _large_calls(state: AgentState) -> Iterator[str]:
    """Yields known calls with one whole number, or all of them, replaced by a large one, smallest first."""
    constraints, highest = read_constraints(state.task.text), _highest(state)
    shapes: dict[object, tuple[str, list[object], dict[str, object]]] = {}
    for parsed in filter(None, map(parse_call, known_calls(state))):
        name, args, keywords = parsed
        shapes[name, *map(type, args), *keywords] = parsed
    for number in sorted(number for number in _TRIED if number <= highest):
        for name, args, keywords in shapes.values():
            places = [place for place, arg in enumerate(args) if type(arg) is int]
            for chosen in [[place] for place in places] + ([places] if places else []):
                made = [number if place in chosen else arg for place, arg in enumerate(args)]
                if are_allowed((made, keywords), constraints):
                    yield unparse_call(name, made, keywords)


def _highest(state: AgentState) -> float:
    """Returns the largest number that the task names, if it is large enough for a limit, or the end of a range that it
    states; infinity when neither is there."""
    text = state.task.text
    named = max((number for number, *_ in numbers_in(text, 0, len(text))), default=0.0)
    clauses = state.brief.clauses if state.brief else ()
    ends = [one.interval.high for one in clauses if one.interval and one.kind == "range"]
    stated = [end for end in ends if end is not None]
    return min([*stated, named if named >= _SMALLEST_LIMIT else inf])


def _holds_float(text: str) -> bool:
    """Returns whether the answer holds a float, or is no literal: exact arithmetic may then differ in the digits."""
    if literal(text) is None:
        return True
    return any(isinstance(n, ast.Constant) and isinstance(n.value, float | complex) for n in ast.walk(ast.parse(text)))
