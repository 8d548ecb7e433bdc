"""Carries a person's answer for one input over to others: programs that give that answer read the task as the person
does."""

from __future__ import annotations

from sandbox.types import CallOutput

from .facts import CheckFacts
from .reading import FactsView

Voices = dict[str, CallOutput]
"""What each program (by id) and each suite (by name) says an input gives."""


def implied(reading: FactsView, call: str | None) -> CallOutput | None:
    """Returns what the person's answer to another input demands for this one; None if it demands nothing.

    It demands something if all who gave the person's answer there agree here, and all who gave another answer differ
    here. Both inputs then separate programs and suites into the same two readings of the task, of which the person
    chose one."""
    if call is None:
        return None
    for answer in (check for check in reading.anchors if check.origin == "answer"):
        if answer.call is None or answer.expected is None or answer.call == call:
            continue
        asked, here = _voices(reading, answer.call), _voices(reading, call)
        both = asked.keys() & here.keys()
        mine = {here[voice] for voice in both if asked[voice] == answer.expected}
        others = {here[voice] for voice in both if asked[voice] != answer.expected}
        if len(mine) == 1 and others and not mine & others:
            return mine.pop()
    return None


def _voices(reading: FactsView, call: str) -> Voices:
    said = {one.id: one.outputs[call] for one in reading.facts.candidates if call in one.outputs}
    stated = (check for check in reading.facts.checks if check.call == call and check.expected and not check.anchor)
    suites = {_suite(check): check.expected for check in stated if check.expected}
    return {voice: output for voice, output in {**said, **suites}.items() if output.comparable}


def _suite(check: CheckFacts) -> str:
    return check.id.partition(".")[0]


def unanswered(reading: FactsView) -> tuple[CheckFacts, ...]:
    """Returns the checks for which the task was found unclear and that are still open: no anchor for the same input,
    and no answer of the person that reaches it, has settled them since. If the task contradicts itself, only the person
    can settle a check, because an example may be one of the two sides."""
    settled = {check.call for check in reading.anchors if check.call is not None}
    answered = {check.call for check in reading.anchors if check.call is not None and check.origin == "answer"}
    unclear = (
        check
        for check in reading.facts.checks
        if check.ruling == "task" and check.call not in (answered if check.contradicts else settled)
    )
    return tuple(check for check in unclear if implied(reading, check.call) is None)
