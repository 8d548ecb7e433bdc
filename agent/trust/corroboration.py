"""What speaks for a program besides the task's own examples, and whether that is enough."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from agent.source.parsing import expression_of

from .agreement import CONFIRMING, checked, compare_with, confirming
from .facts import CandidateFacts
from .reading import FactsView, of_given_code, stands

LEAST_CHECKS = 1
"""Model-written checks that must pass before several examples are enough for `verified`. Tested by learn-then-test on
stored runs (`python -m evaluation replay`; docs/evaluation.md says what that shows)."""
FEWEST_EXAMPLES = 2
"""With fewer an independent program must agree, whatever else passes: of stored programs cut down to one example one in
seven to twenty that had no more than LEAST_CHECKS was wrong (`python -m evaluation replay --examples 1`)."""
PASSING_FOR_EACH_SET_ASIDE = 2
"""There more than so many model-written checks must pass for each that was set aside, for programs that agree on a
wrong answer set aside the very checks that show it."""
_ENDED_IN_ERROR = re.compile(r"\{'stdout': .*'exit_code': (?!0[,}])", re.DOTALL)
"""What a run of a whole program gave (agent/checks/program_calls.py), with another exit code than 0."""


@dataclass(frozen=True, slots=True)
class Corroboration:
    """Counts of one candidate."""

    checks: int
    """Model-written checks that still stand, inputs that the person answered, and behaviour of given code that is to
    be kept: as many as it passes."""
    agrees: bool
    """An independent program answers CONFIRMING inputs as it does (all, where there are fewer, and one at least; beside
    a single example all that there can be, each with a value, for what is no input makes all programs raise), or a
    checker that tries every possibility finds as many of its answers right."""
    set_aside: int
    """Model-written checks that were found to be wrong or undecidable; what another reading of the task gives was never
    held to be right."""
    few: bool
    """The task itself says less than FEWEST_EXAMPLES times what is right."""

    @property
    def lacks(self) -> str:
        """What is missing for `verified`, as a sentence; "" when nothing is."""
        if not self.few:
            alone = "only the task's own checks speak for it: no further check and no independent program does"
            return "" if self.checks >= LEAST_CHECKS or self.agrees else alone
        if not self.agrees:
            alike = f"found that answers {CONFIRMING} inputs (or all that there can be) with the same value"
            return f"the task gives only one example, and no independent program was {alike}"
        if self.checks > PASSING_FOR_EACH_SET_ASIDE * self.set_aside:
            return ""
        counted = f"model-written checks: {self.checks} pass, {self.set_aside} set aside"
        return f"the task gives only one example, which is too little beside these {counted}"


def corroboration(reading: FactsView, candidate: CandidateFacts) -> Corroboration:
    """Counts what speaks for `candidate` besides the task's own examples."""
    further = [c for c in reading.facts.checks if not c.anchor or c.origin == "answer"]
    checks = sum(stands(check) and candidate.outcomes.get(check.id) == "P" for check in further)
    theirs = (check for check in reading.facts.checks if not (check.anchor or of_given_code(check)))
    aside = sum(not stands(check) and not check.is_reading for check in theirs)
    few, friends = has_few_examples(reading), confirming(reading, candidate)
    agreed = compare_with(reading, candidate, friends).equal if friends else 0
    enough = agreed >= max(1, min(CONFIRMING, len(reading.all_calls)))
    if few:
        same = sum(_same_value(candidate, friends, call) for call in reading.all_calls)
        enough = same >= min(CONFIRMING, _most_inputs(reading))
    agrees = (bool(friends) and enough) or checked(reading, candidate) >= CONFIRMING
    return Corroboration(checks, agrees, aside, few)


def _most_inputs(reading: FactsView) -> float:
    """How many there can be: one of a function that takes nothing, two for each truth value that it takes; else, or
    where no call is told, without end."""
    found = [expression_of(check.call or "") for check in reading.promises]
    calls = [one for one in found if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    given = [[*one.args, *(keyword.value for keyword in one.keywords)] for one in calls]
    truths = all(isinstance(one, ast.Constant) and isinstance(one.value, bool) for values in given for one in values)
    return max(2 ** len(values) for values in given) if calls and truths and len(calls) == len(found) else inf


def _same_value(candidate: CandidateFacts, friends: Sequence[CandidateFacts], call: str) -> bool:
    """A whole program that ends with an error gives no value, either."""
    mine = candidate.outputs.get(call)
    if mine is None or mine.kind != "value" or _ENDED_IN_ERROR.match(mine.text):
        return False
    return any(mine == friend.outputs.get(call) for friend in friends)


def has_few_examples(reading: FactsView) -> bool:
    """The task promises something, but less than FEWEST_EXAMPLES different things; never where code was given, whose
    kept behaviour says more than examples do."""
    said = {check.call or check.id: check.claims for check in reading.promises}
    return reading.given is None and 0 < sum(said.values()) < FEWEST_EXAMPLES
