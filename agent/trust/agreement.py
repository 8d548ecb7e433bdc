"""Compares how candidates behave on inputs. This costs no model call."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from .facts import WORDING, CandidateFacts, Facts
from .reading import FactsView, fails, stands

PROBE_WEIGHT = 0.25
"""Weight of mutated inputs; inputs of tests have weight 1. Right programs may differ on inputs that the task does not
allow: on the stored programs, disagreement on mutated inputs alone came from a right program in 2 of 3 cases."""
SAME = 0.95
"""The agreement from which two independent programs confirm each other: one input in twenty may be one that the task
does not allow."""

_FEWEST_CHECKS = 2
"""If outputs cannot be compared, two programs count as alike by the checks that both pass, from this many checks on."""
CONFIRMING = 20
"""A reference or a checker must agree with a program on this many allowed inputs to confirm it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two programs answer the same inputs. An input that one did not answer (a timeout, a value without canonical
    form, or never run) counts for neither side."""

    equal: int
    different: tuple[str, ...]
    """The inputs on which they differ."""
    silent: int

    @property
    def answered(self) -> int:
        return self.equal + len(self.different)

    @property
    def share(self) -> float:
        """The part of the answered inputs on which they are equal; 0.0 when nothing was answered."""
        return self.equal / self.answered if self.answered else 0.0


def compare(one: CandidateFacts, other: CandidateFacts, calls: Sequence[str]) -> Comparison:
    """Counts equal, different and unanswered inputs among `calls`."""
    equal, silent, different = 0, 0, list[str]()
    for call in calls:
        mine, theirs = one.outputs.get(call), other.outputs.get(call)
        if mine is None or theirs is None or not (mine.comparable and theirs.comparable):
            silent += 1
        elif mine == theirs:
            equal += 1
        else:
            different.append(call)
    return Comparison(equal, tuple(different), silent)


def compare_with(reading: FactsView, candidate: CandidateFacts, peers: Sequence[CandidateFacts]) -> Comparison:
    """Compares a program with several others on all inputs. An input is different if one of them differs, and equal if
    one is equal and none differs."""
    differ = {call for peer in peers for call in compare(candidate, peer, reading.all_calls).different}
    answered = sum(call in differ or any(_equal(candidate, peer, call) for peer in peers) for call in reading.all_calls)
    different = tuple(call for call in reading.all_calls if call in differ)
    return Comparison(answered - len(different), different, len(reading.all_calls) - answered)


def _equal(one: CandidateFacts, other: CandidateFacts, call: str) -> bool:
    mine = one.outputs.get(call)
    return mine is not None and mine.comparable and mine == other.outputs.get(call)


def agreement(reading: FactsView, one: CandidateFacts, other: CandidateFacts) -> float:
    """Returns how alike two candidates behave, 0.0 to 1.0: on inputs of tests, on generated inputs that the task
    allows, and with less weight on probes, without inputs that the arbiter found open. If no output can be compared, or
    refusals only, returns the share of model-written checks that both pass."""
    if reading.facts.apart_from == WORDING:
        compared = compare(one, other, reading.all_calls)
        passing = _both_pass(reading, one, other, least=_FEWEST_CHECKS)
        return min(passing, compared.share) if compared.answered else passing
    if all(_opaque(one, call) and _opaque(other, call) for call in reading.all_calls):
        return _both_pass(reading, one, other, least=1)
    left_open = _left_open(reading, one, other)
    allowed = dict.fromkeys((*reading.known_calls, *reading.facts.valid))
    weighed = [(1.0, allowed), (PROBE_WEIGHT, reading.facts.probes)]
    found = [(weight, compare(one, other, [c for c in calls if c not in left_open])) for weight, calls in weighed]
    parts = [(weight, comparison.share) for weight, comparison in found if comparison.answered]
    return sum(weight * share for weight, share in parts) / sum(weight for weight, _ in parts) if parts else 0.0


def _left_open(reading: FactsView, one: CandidateFacts, other: CandidateFacts) -> Set[str]:
    """Returns the inputs that the arbiter found open. Where neither an example nor a limit of the task speaks as well,
    they part no programs only if nothing else does."""
    found, speaks = reading.facts.spent.left_open, bool(reading.promises or reading.facts.valid)
    return found if speaks or found.issuperset(compare(one, other, reading.all_calls).different) else frozenset()


def _opaque(candidate: CandidateFacts, call: str) -> bool:
    """Returns whether the program answers with a value that cannot be compared, such as a random one."""
    told = candidate.outputs.get(call)
    return told is not None and told.kind == "opaque"


def confirming(reading: FactsView, candidate: CandidateFacts) -> tuple[CandidateFacts, ...]:
    """Returns the witnesses of other families that behave the same; a slow reference must do so on CONFIRMING allowed
    inputs."""
    alike = (peer for peer in reading.peers(candidate) if agreement(reading, candidate, peer) >= SAME)
    return tuple(peer for peer in alike if peer.kind != "reference" or _often(reading, candidate, peer))


def _often(reading: FactsView, one: CandidateFacts, other: CandidateFacts) -> bool:
    """Returns whether two programs are equal on CONFIRMING inputs. A script takes no input: its one output is all that
    can be compared."""
    calls = reading.facts.valid or reading.all_calls
    only = len(calls) == 1 and not (reading.facts.valid or reading.known_calls)
    return compare(one, other, calls).equal >= (1 if only else CONFIRMING)


def checked(reading: FactsView, candidate: CandidateFacts) -> int:
    """Returns on how many inputs a checker that tries every possibility found the candidate right; 0 if it found one
    answer wrong."""
    checks = [check for check in reading.facts.checks if check.origin == "reference" and stands(check)]
    if any(fails(candidate, check) for check in checks):
        return 0
    return sum(candidate.outcomes.get(check.id) == "P" for check in checks)


def clusters(facts: Facts) -> tuple[tuple[str, ...], ...]:
    """Groups candidates with equal outputs on every generated input, or on every known call if there is none; the group
    with the most families comes first. Candidates that could not run are in no group."""
    reading = FactsView(facts)
    calls = (*facts.valid, *facts.probes) or reading.known_calls
    groups: dict[tuple[object, ...], list[CandidateFacts]] = {}
    for candidate in facts.candidates:
        if not candidate.broken and candidate.executed:
            groups.setdefault(_behaviour(candidate, calls), []).append(candidate)
    ordered = sorted(groups.values(), key=lambda group: -len({c.root for c in group}))
    return tuple(tuple(c.id for c in group) for group in ordered)


def first_difference(reading: FactsView, one: CandidateFacts, others: Sequence[CandidateFacts]) -> str | None:
    """Returns an input on which some other candidate answers differently, inputs of tests first; None without one."""
    found = {call for other in others for call in compare(one, other, reading.all_calls).different}
    return next((call for call in reading.all_calls if call in found), None)


def _both_pass(reading: FactsView, one: CandidateFacts, other: CandidateFacts, least: int) -> float:
    novel = [check.id for check in reading.facts.checks if not check.anchor and check.id in reading.weights]
    both = sum(one.outcomes.get(i) == other.outcomes.get(i) == "P" for i in novel)
    return both / len(novel) if len(novel) >= least else 0.0


def _behaviour(candidate: CandidateFacts, calls: Sequence[str]) -> tuple[object, ...]:
    """Returns the outputs in order of the calls. A missing output is replaced by the candidate's id, so that it equals
    no other's."""
    if not calls:
        return (candidate.id,)
    told = (candidate.outputs.get(call) for call in calls)
    return tuple(output if output is not None and output.comparable else candidate.id for output in told)
