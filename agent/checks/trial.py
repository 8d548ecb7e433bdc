"""Tries a model-written generator and validator of inputs in the sandbox, and later asks the validator about calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from agent.config import AgentConfig
from agent.context import Context
from agent.examples.bruteforce import said_form
from agent.session.roles import InputsReply
from agent.source.inputs import arguments_of, literal, parse_call
from agent.source.uses import asked_of
from agent.source.values import sentence_in
from agent.state.domain import SEED, Domain
from agent.trust.agreement import CONFIRMING
from sandbox.types import CallOutput, Limits, Program

SMALL_SIZES = (0, 1, 2, 3, 4, 5, 6)
LARGER_SIZES = (12, 40)
"""Sizes that the generator is asked for. Small ones can be solved by trying every possibility."""
_EACH = 8
"""How many inputs are asked for per size."""
_MAX_CALL_CHARS = 2000
"""The most characters of a call by which programs are compared."""

_MAKING = '''

def calls_made_here(entry, size, count, longest):
    """[call, refusal] for each input; of a class, the call makes an object and lists what its methods give."""
    import copy, itertools, random

    def written(arguments):
        return "(" + ", ".join(map(repr, arguments)) + ")"

    made = []
    for given in itertools.islice(inputs(random.Random(SEED + size), size), count):
        arguments = given if isinstance(given, tuple) else (given,)
        if CLASS:
            steps = ", ".join("it." + name + written(values) for name, values in arguments[1])
            call = "[[" + steps + "] for it in [" + entry + written(arguments[0]) + "]][0]"
        else:
            call = entry + written(arguments)
        if len(call) <= longest:
            try:
                made.append([call, allowed(*copy.deepcopy(arguments))])
            except Exception as problem:
                made.append([call, "allowed raises " + type(problem).__name__])
    return made
'''


class Unusable(ValueError):
    """The module cannot be used; the message says why, worded for its author."""


async def try_domain(
    context: Context, config: AgentConfig, reply: InputsReply, entry: str, examples: Sequence[str], *, is_class: bool
) -> Domain:
    """Tries the module in the sandbox and returns it as a Domain. `allowed` must accept every call of the task's own
    `examples`, and `inputs` must make enough different calls that `allowed` accepts and that look like the examples.
    Raises Unusable."""
    source = reply.code
    for call, why in (await refusals(context, config, source, entry, examples)).items():
        if why:
            raise Unusable(f"`allowed` refuses an example that the task itself gives, {call}: {why}")
    small, problem = await _made(context, config, source, entry, SMALL_SIZES, is_class=is_class)
    larger, _ = await _made(context, config, source, entry, LARGER_SIZES, is_class=is_class)
    if len(small) < CONFIRMING:
        few = f"`inputs` yields only {len(small)} different inputs of size 0 to 6 that `allowed` allows"
        needed = f"counting the first {_EACH} of each size; {CONFIRMING} are needed"
        raise Unusable(f"{few}, {needed}{f'; {problem}' if problem else ''}")
    if _unlike(small, examples):
        raise Unusable(f"`inputs` yields calls such as {small[-1]}, of another shape than the task's own")
    limits = tuple(sentence for sentence in dict.fromkeys(reply.limits) if sentence_in(sentence, context.task.text))
    others = tuple(call for call in larger if call not in set(small))
    return Domain(source, entry, limits, small, others, said_form(reply.brute_force))


async def refusals(
    context: Context, config: AgentConfig, source: str, entry: str, calls: Sequence[str]
) -> Mapping[str, str]:
    """Returns for each call "" when `allowed` accepts its arguments, otherwise the reason. A call that `allowed` cannot
    judge counts as refused: it is unknown whether the task allows it."""
    if not calls:
        return {}
    put = tuple(asked_of(call, entry) or call for call in calls)
    outputs = await _evaluated(context, config, f"{source}\n\n{entry} = allowed\n", put)
    return {call: _refusal(output) for call, output in zip(calls, outputs, strict=True)}


def _refusal(output: CallOutput) -> str:
    told = literal(output.text) if output.kind == "value" else None
    if told is None:
        return f"`allowed` gives no answer: {output}"
    return told[0] if isinstance(told[0], str) else f"`allowed` gives {output.text} instead of a sentence"


async def _made(
    context: Context, config: AgentConfig, source: str, entry: str, sizes: Sequence[int], *, is_class: bool
) -> tuple[tuple[str, ...], str]:
    """Returns the different calls that `inputs` makes and `allowed` accepts, smallest first, and the first problem with
    another call; "" without one."""
    program = f"{source}{_MAKING}\nSEED, CLASS = {SEED}, {is_class}\n"
    asked = tuple(f"calls_made_here({entry!r}, {size}, {_EACH}, {_MAX_CALL_CHARS})" for size in sizes)
    found: dict[str, None] = {}
    problem = ""
    for size, output in zip(sizes, await _evaluated(context, config, program, asked), strict=True):
        told = literal(output.text) if output.kind == "value" else None
        problem = problem or ("" if told else f"`inputs(draw, {size})` gives nothing usable: {output}")
        for call, refusal in cast("list[Any]", told[0]) if told else ():
            if refusal == "":
                found[call] = None
            elif not isinstance(refusal, str):
                problem = problem or f"for {call} `allowed` gives {refusal!r} instead of a sentence"
    return tuple(found), problem


async def _evaluated(
    context: Context, config: AgentConfig, source: str, calls: tuple[str, ...]
) -> tuple[CallOutput, ...]:
    """Evaluates calls in the module. Raises Unusable when the module cannot even be loaded."""
    limits = Limits(timeout=max(config.execution_timeout, 0.25 * len(calls)), memory_mb=config.memory_mb)
    execution = await context.execute(
        Program(solution=source, calls=calls, call_timeout=1.0, limits=limits, mode="inprocess")
    )
    if all(output.kind == "not_run" for output in execution.outputs):
        raise Unusable(f"the module cannot be run: {execution.error or execution.status}")
    return execution.outputs


def _unlike(made: Sequence[str], examples: Sequence[str]) -> bool:
    """Returns whether most calls have arguments of types that no example has in that place."""
    known: dict[str, list[Types]] = {}
    for name, types in (part for call in examples for part in _parts(call)):
        known.setdefault(name, []).append(types)
    fitting = sum(_fits(known, _parts(call)) for call in made)
    return bool(known) and fitting * 2 < len(made)


Types = tuple[type, ...]


def _parts(call: str) -> list[tuple[str, Types]]:
    """Returns the types of a call's arguments, under the name "", and of named ones under "name="; of a use of an
    object also those of each method's arguments, under its name. Returns [] when they cannot be read."""
    use = asked_of(call, "made")
    if use is None:
        parsed = parse_call(call)
        if parsed is None:
            return []
        return [("", _types(parsed[1])), *((f"{name}=", _types([value])) for name, value in parsed[2].items())]
    arguments = arguments_of(use)
    if arguments is None:
        return []
    start, steps = arguments
    return [("", _types(start)), *((name, _types(values)) for name, values in steps)]


def _types(values: Sequence[Any]) -> Types:
    return tuple(float if type(one) is int else one.__class__ for one in values)


def _fits(known: Mapping[str, Sequence[Types]], parts: Sequence[tuple[str, Types]]) -> bool:
    """Returns whether each part has the types of some example of the same name, if there is one."""
    return bool(parts) and all(
        name not in known or any(_alike(types, one) for one in known[name]) for name, types in parts
    )


def _alike(one: Types, other: Types) -> bool:
    """Returns whether both have equal types in the places that both have. None fits every type, because it may stand
    for any optional argument."""
    return all(a is b or type(None) in (a, b) for a, b in zip(one, other, strict=False))
