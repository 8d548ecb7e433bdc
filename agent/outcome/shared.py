"""Finds results that are still in use elsewhere: whoever changes such a result changes later answers, or other parts of
the same one, without wanting to."""

from __future__ import annotations

from dataclasses import replace

from agent.checks.execution import run_calls
from agent.context import Context
from agent.counting.comparing import known_calls
from agent.source.inputs import literal, parse_call
from agent.state import AgentState, Candidate

_MAX_CALLS = 10
"""How many known calls are looked at."""
_LOOKING = """

def result_shared_here(call, given, named):
    from copy import deepcopy
    kinds = (list, dict, set)
    def parts(value):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        for one in inner:
            yield one
            yield from parts(one)
    def answer():
        held = deepcopy([given, named])
        return call(*held[0], **held[1]), {id(one) for one in parts(held)}, held
    first, own, held = answer()
    before = deepcopy(first)
    if not isinstance(first, kinds) or answer()[0] != before:
        return []
    inside = [id(one) for one in first if isinstance(one, kinds)] if isinstance(first, list) else []
    if len(set(inside)) < len(inside) and not own & set(inside):
        return ["twice"]
    for one in [first, *(part for part in parts(first) if isinstance(part, kinds))]:
        if isinstance(one, dict):
            one["new"] = "new"
        else:
            (one.append if isinstance(one, list) else one.add)("new")
    after = answer()[0]
    return [] if after == before else ["kept", repr(before), repr(after)]
"""


async def shared_results(state: AgentState, context: Context, candidate: Candidate) -> list[str]:
    """Returns a sentence on the first known call whose result is a list that holds one changeable thing several times,
    or whose result the program keeps and gives again; [] when there is none. What a result shares with the arguments
    is left out, and so are calls that differ from time to time by themselves. Given code decides this for its
    repairs."""
    parsed = [(call, read) for call in known_calls(state)[:_MAX_CALLS] if (read := parse_call(call)) is not None]
    if not parsed or state.task.code:
        return []
    asked = {f"result_shared_here({name}, {args!r}, {named!r})": call for call, (name, args, named) in parsed}
    watched = replace(candidate, code=candidate.code + _LOOKING)
    outputs = (await run_calls(context, state.config, watched, list(asked))).outputs
    for expression, call in asked.items():
        told = literal(outputs[expression].text) if outputs[expression].kind == "value" else None
        match told:
            case (["twice"],):
                return [f"{call} gives a list that holds one and the same thing several times: they change together"]
            case (["kept", before, after],):
                return [f"once 'new' is added to the result of {call}, that call gives {after} instead of {before}"]
            case _:
                continue
    return []
