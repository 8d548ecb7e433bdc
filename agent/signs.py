"""Doubts that the text of a program raises by itself, in sentences: what checks cannot show, or did not."""

from __future__ import annotations

from collections.abc import Iterator

from .counting import facts_of
from .given.single import names_input
from .given.symptoms import given_program
from .state import AgentState
from .trust import cheating_signs, inexact_signs, misplaced, undecided
from .trust.agreement import compare
from .trust.facts import ANCHORS
from .trust.reading import FactsView, fails

BELIEVED = "tests that models wrote were believed, whatever else spoke for them"


def signs_in(state: AgentState, code: str) -> list[str]:
    """Sentences about code that seems written for the visible checks, about whole numbers that floating point makes
    wrong, limits that it decides, and checks that nobody doubted."""
    checks = [check for suite in state.suites for check in suite.checks if not check.held_out]
    visible = [(check.call, check.expected) for check in checks if check.call and check.expected]
    cheating = (sign.reason for sign in cheating_signs(code, visible, state.task.text))
    wrong = [*inexact_in(state, code), *misplaced_in(state, code), *_made_for_one(state, code)]
    return [*cheating, *wrong, *([BELIEVED] if state.config.believe_tests else [])]


def _made_for_one(state: AgentState, code: str) -> Iterator[str]:
    """A repair that names the reported input and changes what the given program does there alone."""
    given, facts = given_program(state), facts_of(state)
    mine = next((one for one in state.candidates if one.code == code and one.kind != "given"), None)
    if given is None or mine is None:
        return
    before, after = (next(one for one in facts.candidates if one.id == name) for name in (given.id, mine.id))
    found = compare(before, after, FactsView(facts).all_calls)
    reported = {check.call for check in facts.checks if check.anchor and check.call and fails(before, check)}
    named = [call for call in found.different if call in reported and names_input(given.code, code, call)]
    if named and len(named) == len(found.different) and found.equal >= _OTHERS:
        only = f"of {found.answered} inputs it does otherwise than the given program on {' and '.join(named)} alone"
        yield f"{only}, which its text names: it may be made for this"


_OTHERS = 5
"""Other inputs on which the given program and the repair are the same, from which the repair looks made for one."""


def misplaced_in(state: AgentState, code: str) -> list[str]:
    """Sentences on limits of the task that the program's comparisons contradict, or alone decide, where no example lies
    at the limit."""
    shown = [check.source for suite in state.suites if suite.origin in ANCHORS for check in suite.checks]
    return [*misplaced(code, state.task.text, shown), *undecided(code, state.task.text, shown, state.task.code or "")]


def inexact_in(state: AgentState, code: str) -> list[str]:
    """Sentences on what cuts a float wrongly, but for what the person's own program does, or the task says, anyway."""
    return [sign.told for sign in inexact_signs(code, state.task.code or "", state.task.text)]
