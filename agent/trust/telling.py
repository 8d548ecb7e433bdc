"""Puts counts of a verdict into words."""

from __future__ import annotations

from .agreement import Comparison
from .facts import OUTPUT, WORDING, CandidateFacts, CheckFacts


def compared_told(programs: int, found: Comparison, apart_from: str) -> str:
    """Tells how many inputs are equal, how many differ, and how many have no answer."""
    if not found.answered + found.silent:
        return f"no input is known by which it could be compared with {programs_told(programs)}"
    if not found.answered and apart_from == WORDING:
        return (
            f"compared with {programs_told(programs)} by the checks that both pass: {apart_from} is left to the author"
        )
    if not found.answered:
        return f"{programs_told(programs)} answered no input that could be compared"
    if found.answered == 1 and found.different == (OUTPUT,):
        return f"compared with {programs_told(programs)}: what they put out is not equal"
    line = f"compared with {programs_told(programs)}: {found.equal} of {found.answered} inputs equal"
    line += f" apart from {apart_from}" if apart_from and apart_from != WORDING else ""
    line += (
        f", {len(found.different)} {'differs' if len(found.different) == 1 else 'differ'}" if found.different else ""
    )
    silent = "worded otherwise, which is left to the author" if apart_from == WORDING else "without an answer"
    return line + (f", {found.silent} {silent}" if found.silent else "")


def renamed_told(count: int, programs: int) -> str:
    """Tells that programs which were compared differ from each other in what says little of the work."""
    some = "all of them do" if count == programs else f"{count} of them {'does' if count == 1 else 'do'}"
    who = "it does" if programs == 1 else some
    return f"{who} the same step by step as this one, under other names"


def by_chance_told(call: str) -> str:
    return f"chance decides what {call} gives, so the value that is stated decides nothing"


def assumed_told(judged: CandidateFacts, what: str) -> str:
    return f"the program gives {judged.outputs[what]}" if what in judged.outputs else "the program decides it"


def otherwise_told(judged: CandidateFacts, check: CheckFacts, what: str) -> str:
    """Tells a reading that only one reader has. It refutes nothing, but no example decides it either."""
    mine = f"this program gives {judged.outputs[what]}" if what in judged.outputs else "this program does otherwise"
    other = f"another reading of the task {check.expected or 'something else'}"
    return f"no example says what {what} gives: {mine}, {other}"


def checks_were(count: int) -> str:
    return "check was" if count == 1 else "checks were"


def programs_told(count: int) -> str:
    return "1 independent program" if count == 1 else f"{count} independent programs"
