"""Tells a person who handed in code whether it changed, what else changed, and whose program is returned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.source.uses import in_words
from sandbox.types import CallOutput

from .agreement import CONFIRMING, Comparison, compare
from .blame import blame_in
from .facts import CandidateFacts, CheckFacts
from .reading import FactsView, fails, of_what_is_left, stands

_SHOWN = 3
"""How many differences are spelled out; the others are counted."""


@dataclass(frozen=True, slots=True)
class AboutGiven:
    """Sentences for the verdict, each from a count; all empty when no code was given."""

    counted: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Reasons, each of which rules out `verified`."""
    undecided: tuple[str, ...] = ()
    """Reasons, each of which rules out any pass, because nothing shows that the task was done."""
    confirms: bool = False
    """Whether the given program is a witness, because only its speed or its form was to change."""


def about_given(reading: FactsView, judged: CandidateFacts) -> AboutGiven:
    """Returns how the judged program compares with the given one."""
    given = reading.given
    if given is None:
        return AboutGiven()
    counted = [*_symptoms(reading, judged), *_behaviour(reading, given, judged)]
    counted += [finding.told for finding in judged.clauses if finding.kind == "faster" and finding.standing == "kept"]
    found = _compare_with_given(reading, given, judged)
    if found and found.answered:
        counted.append(f"no other behaviour is asked for, and {_alike(given, judged, found)}")
    undecided: list[str] = []
    if reading.is_unchanged(judged):
        undecided.append("it is the program as it was given, unchanged")
    elif not (told_apart(reading, given, judged) or _asks_form(judged)):
        undecided.append("nothing that was executed tells it from the program that was given")
    doubts = tuple(_doubts(reading, given, judged))
    return AboutGiven(
        tuple(counted),
        doubts,
        tuple(undecided),
        confirms=bool(found) and found.equal >= CONFIRMING and not found.different,
    )


def _compare_with_given(reading: FactsView, given: CandidateFacts, judged: CandidateFacts) -> Comparison | None:
    """Compares with the given program if only more speed (which was measured) or another form is asked for: its answers
    are then right. Returns None otherwise, and if anything speaks against the given program."""
    asked = {(finding.kind, finding.standing) for finding in judged.clauses}
    if not asked or asked - {("faster", "kept"), ("form", "open")} or reading.anchors or reading.failed(given):
        return None
    return compare(given, judged, reading.all_calls)


def _asks_form(judged: CandidateFacts) -> bool:
    return any(finding.kind == "form" for finding in judged.clauses)


def _alike(given: CandidateFacts, judged: CandidateFacts, found: Comparison) -> str:
    line = f"{found.equal} of {found.answered} inputs are answered as by the given program"
    if not found.different:
        return line
    call = found.different[0]
    return (
        f"{line}, {len(found.different)} otherwise, for instance {call}: {given.outputs[call]} / {judged.outputs[call]}"
    )


def _symptoms(reading: FactsView, judged: CandidateFacts) -> list[str]:
    checks = [check for check in reading.facts.checks if check.origin == "symptom" and stands(check)]
    gone = sum(judged.outcomes.get(check.id) == "P" for check in checks)
    return [f"{gone} of {len(checks)} reported faults no longer show"] if checks else []


def _behaviour(reading: FactsView, given: CandidateFacts, judged: CandidateFacts) -> list[str]:
    """Returns how much recorded behaviour is kept, and what changed; [] when nothing was recorded."""
    recorded = [check for check in reading.facts.checks if check.origin == "kept" and check.id in judged.outcomes]
    if not recorded:
        return []
    changed, unsettled = [check for check in recorded if fails(judged, check)], _unsettled(reading, judged)
    line = f"on {len(recorded) - len(changed)} of {len(recorded)} other inputs it behaves as the given program did"
    told = [check for check in changed if check not in unsettled]
    return [f"{line}; changed: {_listed(given, judged, told)}" if told else line]


def _unsettled(reading: FactsView, judged: CandidateFacts) -> list[CheckFacts]:
    """Returns recorded behaviour that the program changed when it is unsettled whether it may; told among the
    doubts."""
    open_checks = (check for check in reading.failed(judged) if check.origin == "kept")
    return [
        check for check in open_checks if of_what_is_left(check) or blame_in(reading, judged, check).fault == "unknown"
    ]


def _listed(given: CandidateFacts, judged: CandidateFacts, changed: list[CheckFacts]) -> str:
    shown = [_difference(given, judged, check) for check in changed[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else "")


def _difference(given: CandidateFacts, judged: CandidateFacts, check: CheckFacts) -> str:
    call = check.call or check.id
    before, after = given.outputs.get(call), judged.outputs.get(call)
    asked = in_words(call)
    return f"{asked}: {before} before, {after} now" if before is not None and after is not None else asked


def behaviour_lost(given: CandidateFacts, changed: CandidateFacts, calls: Sequence[str]) -> str:
    """Returns, in words, the first input that the given program answers with a value and the changed one answers
    otherwise."""
    different = (call for call in compare(given, changed, calls).different if given.outputs[call].kind == "value")
    call = next((call for call in different if _rounded(given.outputs[call]) != _rounded(changed.outputs[call])), None)
    return f"{call} gave {given.outputs[call]}, and now {_now(changed.outputs[call])}" if call is not None else ""


def _rounded(output: CallOutput) -> tuple[str, str]:
    """Rounds floats in an output to nine digits: another order of the same steps may change the last digits."""
    parts = _QUOTED.split(output.text)  # parts within quotes have odd indices and are left alone
    parts[::2] = [_FLOAT.sub(lambda found: f"{float(found.group()) + 0.0:.9g}", part) for part in parts[::2]]
    return output.kind, "".join(parts)


_QUOTED = re.compile(r"""('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")
_FLOAT = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


def _now(output: CallOutput) -> str:
    return str(output) if output.kind == "exception" else f"gives {output}"


def told_apart(reading: FactsView, given: CandidateFacts, judged: CandidateFacts) -> bool:
    """Returns whether some check, input or clause shows a difference between the two."""
    if any(given.outcomes.get(check.id) != judged.outcomes.get(check.id) for check in reading.facts.checks):
        return True
    if compare(given, judged, reading.all_calls).different or _held(judged) - _held(given):
        return True
    return any(
        given.outputs[call].kind == "timeout" and judged.outputs[call].comparable
        for call in reading.all_calls
        if call in given.outputs and call in judged.outputs
    )


def changes_the_report_alone(reading: FactsView, judged: CandidateFacts) -> bool:
    """Whether nothing shows that a repair does more than was reported: it behaves as the given program on every other
    input, of which there are some, and passes no further check that the given program fails."""
    given = reading.given
    if given is None or not reading.is_own(judged) or reading.is_unchanged(judged):
        return False
    righted = [check for check in reading.facts.checks if fails(given, check) and judged.outcomes.get(check.id) == "P"]
    found = compare(given, judged, reading.all_calls)
    alone = {check.call for check in righted if check.anchor}
    return bool(alone) and all(one.anchor for one in righted) and found.equal > 1 and alone >= {*found.different}


def _held(candidate: CandidateFacts) -> set[str]:
    """Returns the clauses that the program was seen to keep."""
    return {finding.text for finding in candidate.clauses if finding.standing == "kept"}


def _doubts(reading: FactsView, given: CandidateFacts, judged: CandidateFacts) -> list[str]:
    doubts: list[str] = []
    if not reading.is_own(judged):
        doubts.append(
            f"no repair of the given program passes every trusted check: this is another program, {judged.id}"
        )
    if unsettled := _unsettled(reading, judged):
        doubts.append(
            f"nothing settles whether it may behave otherwise than the given program on {len(unsettled)}"
            f" {'input' if len(unsettled) == 1 else 'inputs'}: {_listed(given, judged, unsettled)}"
        )
    if not _was_compared(reading, given, judged):
        doubts.append("nothing that was executed shows that it still does anything else that the given program did")
    return doubts


def _was_compared(reading: FactsView, given: CandidateFacts, judged: CandidateFacts) -> bool:
    """Returns whether the given program was seen to do something right that the judged one does as well, or was never
    seen to do anything."""
    does = [output for output in given.outputs.values() if output.kind == "value"]
    passed = {check.id for check in reading.facts.checks if given.outcomes.get(check.id) == "P"}
    if not (does or passed):
        return True
    alike = any(judged.outcomes.get(check) == "P" for check in passed)
    recorded = any(check.origin == "kept" and check.id in judged.outcomes for check in reading.facts.checks)
    return alike or recorded or compare(given, judged, reading.all_calls).equal > 0
