"""Tells the doubts that a program's own text raises, in sentences: what checks cannot show, or did not."""

from __future__ import annotations

from collections.abc import Iterator

from ..given.difference import names_input
from ..given.symptoms import given_program
from ..state import AgentState
from ..trust import cheating_signs, inexact_signs, misplaced, undecided
from ..trust.agreement import compare
from ..trust.facts import ANCHORS
from ..trust.reading import FactsView, fails
from .counted import facts_of

BELIEVED = "tests that models wrote were believed, whatever else spoke for them"


def signs_in(state: AgentState, code: str) -> list[str]:
    """Returns sentences about code that seems written for the visible checks, floats that spoil whole numbers, limits
    that the program decides, and checks that were believed without doubt."""
    checks = [check for suite in state.suites for check in suite.checks if not check.held_out]
    visible = [(check.call, check.expected) for check in checks if check.call and check.expected]
    cheating = (sign.reason for sign in cheating_signs(code, visible, state.task.text))
    wrong = [*inexact_in(state, code), *misplaced_in(state, code), *_made_for_one(state, code)]
    return [*cheating, *wrong, *([BELIEVED] if state.config.believe_tests else [])]


def _made_for_one(state: AgentState, code: str) -> Iterator[str]:
    """Yields a sentence when a repair names the reported input and differs from the given program only on it."""
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
"""How many inputs with equal outputs make such a repair look made for the reported input alone."""


def misplaced_in(state: AgentState, code: str) -> list[str]:
    """Returns sentences on limits of the task that the program's comparisons contradict, or decide alone because no
    example lies at the limit."""
    shown = [check.source for suite in state.suites if suite.origin in ANCHORS for check in suite.checks]
    return [*misplaced(code, state.task.text, shown), *undecided(code, state.task.text, shown, state.task.code or "")]


def inexact_in(state: AgentState, code: str) -> list[str]:
    """Returns sentences on floats that are cut wrongly, unless the person's program or the task does so too."""
    return [sign.told for sign in inexact_signs(code, state.task.code or "", state.task.text)]
