"""Counts what speaks for a program besides the task's own examples, and decides whether that is enough."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from agent.source.parsing import expression_of

from .agreement import CONFIRMING, checked, confirming
from .facts import CandidateFacts, CheckFacts
from .reading import FactsView, of_given_code, stands

LEAST_CHECKS = 1
"""How many model-written checks must pass before several examples are enough for `verified`. The number was tested by
learn-then-test on stored runs (`python -m evaluation replay`; docs/evaluation.md shows the result)."""
FEWEST_EXAMPLES = 2
"""With fewer examples an independent program must agree, whatever else passes. Of stored programs cut down to one
example, between one in seven and one in twenty with no more than LEAST_CHECKS was wrong (`python -m evaluation replay
--examples 1`)."""
PASSING_FOR_EACH_SET_ASIDE = 2
"""With few examples, more than this many model-written checks must pass for each that was set aside: programs that
agree on a wrong answer set aside the very checks that show it."""
_ENDED_IN_ERROR = re.compile(r"\{'stdout': .*'exit_code': (?!0[,}])", re.DOTALL)
"""The output of a whole program (agent/checks/program_calls.py) with another exit code than 0."""


@dataclass(frozen=True, slots=True)
class Corroboration:
    """The counts for one candidate."""

    checks: int
    """How many it passes of these: model-written checks that still stand, inputs that the person answered, and
    behaviour of given code that is to be kept."""
    agrees: bool
    """Whether an independent program gives the same value for CONFIRMING inputs (all that there can be if there are
    fewer), or a checker that tries every possibility finds that many answers right. An error is no value, for every
    program raises on what is no input."""
    set_aside: int
    """How many model-written checks were found wrong or undecidable. Values of other readings of the task are not
    counted, since nobody held them to be right."""
    scarce: str
    """Which examples are too few, as the beginning of a sentence; "" when they are enough."""
    extends: bool = False
    """Whether given code is to do more: then only inputs that show something new count."""
    shown: bool = True
    """Whether some example shows what is asked for."""

    @property
    def few(self) -> bool:
        return bool(self.scarce)

    @property
    def lacks(self) -> str:
        """What is missing for `verified`, as a sentence; "" when nothing is."""
        if not self.few:
            alone = f"only the task's own checks speak for it: no further check passes, and {self._nobody}"
            return "" if self.checks >= LEAST_CHECKS or self.agrees else alone
        if not self.agrees:
            return f"{self.scarce}, and {self._nobody}"
        if not self.shown:
            return self.scarce
        if self.checks > PASSING_FOR_EACH_SET_ASIDE * self.set_aside:
            return ""
        counted = f"model-written checks: {self.checks} pass, {self.set_aside} set aside"
        return f"{self.scarce}, which is too little beside these {counted}"

    @property
    def _nobody(self) -> str:
        inputs = "inputs to which it applies" if self.extends else "inputs (or all that there can be)"
        return f"no independent program was found that answers {CONFIRMING} {inputs} with the same value"


def corroboration(reading: FactsView, candidate: CandidateFacts) -> Corroboration:
    """Counts what speaks for `candidate` besides the task's own examples."""
    further = [c for c in reading.facts.checks if not c.anchor or c.origin == "answer"]
    passed = (check for check in further if stands(check) and candidate.outcomes.get(check.id) == "P")
    checks = sum(not reading.echoes(check) for check in passed)
    theirs = (check for check in reading.facts.checks if not (check.anchor or of_given_code(check)))
    aside = sum(not stands(check) and not check.is_reading for check in theirs)
    scarce, friends = scarcity(reading), confirming(reading, candidate)
    calls = _new_calls(reading, candidate) if scarce else reading.all_calls
    same = sum(_same_value(candidate, friends, call) for call in calls)
    enough = same >= min(CONFIRMING, _most_inputs(reading))
    agrees = (bool(friends) and enough) or checked(reading, candidate) >= CONFIRMING
    shown = not reading.facts.extends or bool(_new_promises(reading))
    return Corroboration(checks, agrees, aside, scarce, reading.given is not None, shown)


def _new_calls(reading: FactsView, candidate: CandidateFacts) -> Sequence[str]:
    """Returns the inputs that show something new: all of them, or those that given code answers otherwise."""
    given = reading.given
    if given is None:
        return reading.all_calls
    return [call for call in reading.all_calls if given.outputs.get(call) != candidate.outputs.get(call)]


def _most_inputs(reading: FactsView) -> float:
    """Returns how many inputs there can be: one for a function without parameters, 2 to the power of n for n truth
    values, otherwise infinity."""
    found = [expression_of(check.call or "") for check in reading.promises]
    calls = [one for one in found if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    given = [[*one.args, *(keyword.value for keyword in one.keywords)] for one in calls]
    truths = all(isinstance(one, ast.Constant) and isinstance(one.value, bool) for values in given for one in values)
    return max(2 ** len(values) for values in given) if calls and truths and len(calls) == len(found) else inf


def _same_value(candidate: CandidateFacts, friends: Sequence[CandidateFacts], call: str) -> bool:
    """Returns whether the candidate and some friend give the same value. A whole program that ends with an error gives
    none."""
    mine = candidate.outputs.get(call)
    if mine is None or mine.kind != "value" or _ENDED_IN_ERROR.match(mine.text):
        return False
    return any(mine == friend.outputs.get(call) for friend in friends)


def scarcity(reading: FactsView) -> str:
    """Returns which examples are fewer than FEWEST_EXAMPLES different results, as the beginning of a sentence; "" when
    they are enough or there is none at all. When code was given, its kept behaviour says more than examples do, unless
    it is to do more than it did: then only examples that it does not pass count."""
    if not reading.promises or not (reading.given is None or reading.facts.extends):
        return ""
    new = _new_promises(reading)
    said = {check.call or check.id: check.claims for check in new}
    if sum(said.values()) >= FEWEST_EXAMPLES:
        return ""
    if not new:
        return "no example shows what is new: the given program passes them all"
    return f"the task gives only one example{' of what is new' if reading.given is not None else ''}"


def _new_promises(reading: FactsView) -> list[CheckFacts]:
    """Returns the promises that given code, if there is any, does not keep yet."""
    given = reading.given
    return [check for check in reading.promises if given is None or given.outcomes.get(check.id) != "P"]
