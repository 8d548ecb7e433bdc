"""Asks for a generator and a validator of inputs when the evidence is thin, and tries them before anything relies on
them."""

from __future__ import annotations

from agent.checks.program_calls import HARNESS
from agent.checks.trial import Unusable, try_domain
from agent.context import Context, node
from agent.events import Noted
from agent.examples.types import BY_OUTPUT
from agent.given.words import task_told
from agent.programs import signature_of
from agent.session.roles import INPUT_WRITER
from agent.source.uses import asked_of, uses_in
from agent.state import AgentState, Update
from agent.state.domain import Domain, beyond_literals, calls_in
from agent.state.done import Done
from agent.trust.facts import ANCHORS
from llm.errors import BadReply

_TRIES = 2
"""How often a generator is asked for. The second time the model is told what was wrong with the first."""


@node
async def write_inputs(state: AgentState, context: Context) -> Update:
    """Asks for a generator and a validator. If none passes its trial, programs are compared on mutated inputs of
    tests."""
    domain = await ask_domain(state, context)
    return {"done": [Done("inputs")], "domains": [domain] if domain else []}


async def ask_domain(state: AgentState, context: Context) -> Domain | None:
    """Returns the run's generator and validator of inputs: the existing one, or a new one, which is paid for once
    however often this is called. Returns None when no usable one was written."""
    if state.domains or (entry := entry_of(state)) is None:
        return state.domains[-1] if state.domains else None
    tests = [check.source for suite in state.suites if suite.origin != "kept" for check in suite.checks]
    if _kind(state) == "function" and beyond_literals(tests, entry):
        context.emit(Noted(f"no inputs are generated: what {entry} takes cannot be written as literals"))
        return None
    refused = ""
    for number in range(1, _TRIES + 1):
        try:
            reply = await context.ask(
                INPUT_WRITER,
                "write",
                question=f"inputs:{number}",
                task=task_told(state),
                name=entry,
                signature=signature_of(state),
                kind=_kind(state),
                refused=refused,
            )
            examples, is_class = examples_of(state, entry), _kind(state) == "class"
            domain = await try_domain(context, state.config, reply, entry, examples, is_class=is_class)
        except Unusable as error:
            refused = str(error)
            continue
        except BadReply as error:
            context.emit(Noted(f"no generator of inputs was written: {error}"))
            return None
        context.emit(Noted(_domain_in_words(domain)))
        return domain
    context.emit(Noted(f"the generator of inputs was thrown away: {refused}"))
    return None


def _domain_in_words(domain: Domain) -> str:
    limits = f"; limits: {' '.join(domain.limits)}" if domain.limits else "; no limit was quoted"
    return f"{len(domain.calls)} inputs were generated that the task allows{limits}"


def _kind(state: AgentState) -> str:
    """Returns the form of what inputs call, for given code too."""
    return state.brief.form if state.brief else "function"


def entry_of(state: AgentState) -> str | None:
    """Returns the name that inputs call. None when nothing can be called: a script, a package that contains what is
    called, or an unknown name."""
    kind = _kind(state)
    if kind in BY_OUTPUT or state.brief is None:
        return None
    entry = state.brief.entry_point
    within = any(example.call and example.call.startswith(f"{entry}.") for example in state.brief.examples)
    return HARNESS if kind == "program" else None if kind == "function" and within else entry


def examples_of(state: AgentState, entry: str) -> list[str]:
    """Returns calls that the task or the person wrote down, which are allowed without doubt; of a class, uses of its
    objects."""
    checks = [check for suite in state.suites if suite.origin in ANCHORS for check in suite.checks]
    if _kind(state) == "class":
        told = [use.as_expression() for check in checks for use in uses_in(check.source, {entry: None})]
        return [use for use in dict.fromkeys(told) if asked_of(use, entry)]
    calls = [call for check in checks for call in (check.call, *calls_in(check.source, entry)) if call]
    return [call for call in dict.fromkeys(calls) if call.startswith(f"{entry}(")]
