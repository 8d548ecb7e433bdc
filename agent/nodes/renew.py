"""Replaces tests that cannot run whatever the program does, before anybody doubts the program because of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from agent.checks.own_faults import own_faults, told_of
from agent.context import Context, node
from agent.events import CheckRuled
from agent.state import AgentState, Suite, Update
from agent.state.done import Done

from .write import joined, last_blind, tell_suites, write_suite

SECOND = "spec:2"
"""The second of two blind suites, which is another sample."""


@node
async def renew_tests(state: AgentState, context: Context) -> Update:
    """Asks once more, with the reason, for each blind suite with checks that cannot run. Where that brings nothing, and
    for tests of any other author, takes these checks away."""
    faults, number = own_faults(state), last_blind(state)
    updates: list[Update] = []
    for suite in state.suites:
        why = told_of(suite, faults)
        if not why:
            continue
        written = Update()
        if suite.origin == "spec" and suite.id not in state.about("renewed"):
            number += 1
            written = await _asked_again(state, context, suite, why, number)
        renewed = bool(written.get("suites"))
        left = _without(context, suite, [check.id for check in suite.checks if renewed or check.id in faults], why)
        told = f"some tests of {suite.id} were taken away" if left.checks else f"{suite.id} was dropped"
        dropped = [] if renewed else [f"{told}: {why}"]
        updates += [Update(suites=[left], problems=dropped), written]
    return joined(updates)


async def _asked_again(state: AgentState, context: Context, suite: Suite, why: str, number: int) -> Update:
    form = state.brief.form if state.brief else "function"
    written = await write_suite(state, context, form, number, second=suite.id == SECOND, refused=why)
    tell_suites(context, written)
    return {**written, "done": [*written.get("done", []), Done("renewed", f"spec:{number}")]}


def _without(context: Context, suite: Suite, gone: Collection[str], why: str) -> Suite:
    """Returns the suite without these checks, and tells of each that it was set aside."""
    for name in gone:
        context.emit(CheckRuled(name, "test", "trust", why))
    return replace(suite, checks=tuple(check for check in suite.checks if check.id not in gone))
