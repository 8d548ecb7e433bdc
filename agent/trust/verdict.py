"""Decides the verdict: one of four words, with reasons that can be counted again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from agent.state.findings import Finding, VerdictWord

from .agreement import CONFIRMING, Comparison, checked, compare_with, confirming
from .answers import unanswered
from .blame import blame_in, convicting, difference_on, refuted_on, set_aside_by_chance, standing_peers, unattacked
from .chance import Grounds
from .choice import chosen_otherwise, is_choice
from .corroboration import Corroboration, corroboration
from .facts import CandidateFacts, CheckFacts, Facts
from .given import about_given
from .overfit import overfit_in
from .ranking import guilty_of, rank_in
from .reading import FactsView, contradicting, fails, stands
from .telling import assumed_told, checks_were, compared_told, otherwise_told, programs_told, renamed_told
from .tiers import tier_of, trustworthy
from .word import is_word_alone, outvoted


@dataclass(frozen=True, slots=True)
class Verdict:
    word: VerdictWord
    reasons: tuple[str, ...]
    compared: Mapping[str, int] | None = None
    """How independent programs answered the same inputs; None without such a program."""
    grounds: Grounds | None = None
    """What was counted about the judged program; None when no program could run."""


@dataclass(frozen=True, slots=True)
class _Tally:
    """What was executed on the judged candidate, by tier."""

    t0: int
    t0_passed: int
    symptoms: int
    """How many symptom checks were executed. They say nothing about what is right."""
    t1: int
    t1_passed: int
    t2: int
    t2_passed: int
    blamed: tuple[str, ...]
    open: tuple[str, ...]
    contested: tuple[str, ...]
    unclear: tuple[str, ...]
    kept: int
    """How many model-written checks the program passes."""
    agreeing: int
    differing: int
    chance: tuple[str, ...]
    """Sentences on examples that decide nothing, because chance decides what they call."""
    refuted: str
    """The sentence on independent programs that some check, which this one passes, has shown to be wrong."""
    checked: int
    """On how many inputs a checker that tries every possibility found its answers right; 0 if they are too few."""
    beside: int
    """How many independent programs it is compared with."""
    repeated: int
    """How many authors who had not seen it wrote the same program."""
    renamed: int
    """How many of the programs that it is compared with are this one under other names."""
    compared: Comparison
    apart_from: str
    example: str
    """An input on which an unrefuted independent program differs, with both answers."""
    corroboration: Corroboration

    @property
    def undecided(self) -> bool:
        """Whether something is open, or there is neither an example nor agreement."""
        return bool(self.open or (not self.t0 and (self.differing or not (self.agreeing or self.checked))))

    @property
    def counts(self) -> Mapping[str, int] | None:
        if not self.beside:
            return None
        found = self.compared
        return {"equal": found.equal, "different": len(found.different), "no_answer": found.silent}

    def grounds(self, *, clear: bool = False, failed: bool = False) -> Grounds:
        return Grounds(
            clear=clear,
            failed=failed,
            examples=self.t0_passed,
            checks=self.corroboration.checks,
            agrees=self.corroboration.agrees,
            set_aside=self.corroboration.set_aside,
            few=self.corroboration.few,
            differs=bool(self.example),
            disputed=bool(self.open or self.contested or self.unclear or self.corroboration.set_aside),
        )


def verdict(
    facts: Facts,
    *,
    confirmed: bool,
    candidate: str | None = None,
    unconfirmed_reason: str = "",
    signs: Sequence[str] = (),
    self_judged: bool = False,
) -> Verdict:
    """Decides the verdict on `candidate` (default: the best). `confirmed` says that the split runner repeated the pass.
    `signs` are sentences about cheating found in the code; any of them rules out `verified`. `self_judged` says that
    objects of the program's own classes answered the comparisons although the task asks for no class: nothing that can
    be trusted was then executed."""
    reading = FactsView(facts)
    if not facts.candidates:
        return Verdict("failed", ("no program was written",))
    judged = reading.candidates[candidate or rank_in(reading)[0]]
    if unusable := judged.lost or (judged.broken and f"the program {judged.unusable}"):
        return Verdict("unverified" if judged.untried and not judged.lost else "failed", (unusable,))
    tally = _count(reading, judged)
    given = about_given(reading, judged)
    decisive = (*tally.open, *given.undecided)
    attack = [told] if judged.executed and (told := unattacked(reading, judged)) else []
    lowers = reading.given is None and (facts.passed_over or not tally.corroboration.agrees)
    untried, told_only = (attack, []) if lowers else ([], attack)
    counted = (*_sentences(tally), *told_only, *given.counted, *given.doubts, *_clauses(judged.clauses))
    if tally.blamed or judged.breaches:
        blames = (f"{name} fails and the code is at fault" for name in tally.blamed)
        grounds = tally.grounds(failed=True) if tally.blamed else None  # stored runs hold no breach of a clause
        told = (
            *blames,
            *facts.contradictions,
            *_against_examples(reading, judged, tally.blamed),
            *judged.breaches,
            *(() if facts.stays else untried),
        )
        return Verdict("failed", (*told, *decisive, *counted, *unchecked(judged.clauses)), tally.counts, grounds)
    signs = [*facts.contradictions, *signs]
    decided = given.confirms and not (tally.open or tally.differing)
    if self_judged or given.undecided or (tally.undecided and not decided):
        unsure = [unconfirmed_reason] if unconfirmed_reason else []
        said = (*decisive, *_undecided(tally), *counted, *untried, *signs, *unchecked(judged.clauses), *unsure)
        return Verdict("unverified", said, tally.counts, tally.grounds())
    doubts = [*signs, *_doubts(reading, judged, tally), *untried]
    doubts += [] if confirmed else [unconfirmed_reason or "the pass could not be confirmed"]
    grounds = tally.grounds(clear=not (doubts or given.doubts))
    if tally.t0 and tally.corroboration.lacks and not tally.example:
        doubts.append(tally.corroboration.lacks)
    word = "partly_verified" if doubts or given.doubts else "verified"
    return Verdict(word, (*counted, *doubts), tally.counts, grounds)


def _against_examples(reading: FactsView, judged: CandidateFacts, blamed: Sequence[str]) -> list[str]:
    """Returns sentences on examples for which several programs give one other value, so the example may be wrong."""
    told: list[str] = []
    for check in map(reading.checks.__getitem__, blamed):
        call = check.call or ""
        mine = judged.outputs.get(call) if check.anchor and check.expected else None
        if mine is None or mine.kind != "value":
            continue
        alike = {one.root for one in reading.candidates.values() if one.outputs.get(call) == mine}
        if len(alike) > 1:
            said = f"give {mine} for {call}, where {check.expected} is stated"
            told.append(f"{len(alike)} programs, none a repair of another, {said}")
    return told


def _undecided(tally: _Tally) -> list[str]:
    """Returns why nothing that can be trusted decided, when no open question says so."""
    if tally.t0 or tally.open:
        return []
    if tally.example:
        return [f"programs differ, for instance on {tally.example}, and no example of the task says which is right"]
    if tally.agreeing or tally.checked:
        return []
    return ["neither an example of the task nor an independent program speaks for it"]


def _doubts(reading: FactsView, judged: CandidateFacts, tally: _Tally) -> list[str]:
    """Returns sentences on what rules out `verified` although everything trusted passes."""
    doubts = [*(_contested(reading, judged, name) for name in tally.contested), *tally.unclear]
    doubts += outvoted(reading, judged)
    if against := contradicting(reading, judged):
        doubts.append(f"checks of several roles contradict it: {', '.join(check.id for check in against)}")
    alarm = overfit_in(reading, judged)
    doubts += [alarm] if alarm else []
    if tally.corroboration.set_aside > tally.kept:
        doubts.append(f"more model-written checks were set aside than the {tally.kept} that it passes")
    if tally.example:
        doubts.append(f"independent programs differ, for instance on {tally.example}: the task may leave that open")
    if chosen := chosen_otherwise(reading, judged):
        doubts.append(f"the task does not say which of these is meant, {chosen}: the returned program decides it")
    doubts += unchecked(judged.clauses)
    return doubts if tally.t0 else [*doubts, "no example to check against was read from the task"]


def _contested(reading: FactsView, judged: CandidateFacts, name: str) -> str:
    others = {one.root for one in standing_peers(reading, judged) if fails(one, reading.checks[name])}
    if not others:
        return f"{name} fails and nobody has settled it"
    return f"{name} fails in {programs_told(len(others))} as well, so that it may be wrong; nobody has settled it"


def _count(reading: FactsView, judged: CandidateFacts) -> _Tally:
    by_tier: dict[str, list[bool]] = {"T0": [], "T1": [], "T2": []}
    for check in reading.facts.checks:
        if reading.counts(check) and check.id in judged.outcomes:
            by_tier[tier_of(reading, check)].append(judged.outcomes[check.id] == "P")
    missing = [f"{c.id} was not executed" for c in _expected_to_run(reading) if c.id not in judged.outcomes]
    guilty = guilty_of(reading, judged)
    held = [i for i in guilty if is_word_alone(reading, judged, reading.checks[i])]
    blamed = tuple(i for i in guilty if i not in held)
    contested = [c.id for c in reading.failed(judged) if c.id not in guilty and _stands_against(reading, judged, c)]
    weighty = [i for i in contested if _weighs(reading, judged, i)]
    peers = standing_peers(reading, judged)
    alike = confirming(reading, judged)
    roots, same = {peer.root for peer in peers}, {peer.root for peer in alike}
    beside = peers or alike
    compared = compare_with(reading, judged, beside)
    split, agreed = _unclear(reading, judged)
    word = [f"the arbiter holds {i} against it, which nothing that was executed confirms" for i in held]
    shared = bool(by_tier["T0"] and same)
    return _Tally(
        t0=len(by_tier["T0"]),
        t0_passed=sum(by_tier["T0"]),
        symptoms=sum(c.origin == "symptom" and c.id in judged.outcomes for c in reading.facts.checks),
        t1=len(by_tier["T1"]),
        t1_passed=sum(by_tier["T1"]),
        t2=len(by_tier["T2"]),
        t2_passed=sum(by_tier["T2"]),
        blamed=blamed,
        open=(
            *missing,
            *([] if shared else word),
            *(f"{i} is not settled" for i in weighty),
            *split,
        ),
        contested=tuple(i for i in contested if i not in weighty),
        unclear=(*(word if shared else []), *agreed),
        kept=sum(by_tier["T1"]) + sum(by_tier["T2"]),
        agreeing=len(same),
        differing=len({peer.root for peer in peers if not convicting(reading, judged, peer)} - same),
        chance=set_aside_by_chance(reading),
        refuted=_refuted(reading, judged, roots, same),
        checked=sure if (sure := checked(reading, judged)) >= CONFIRMING else 0,
        beside=len({peer.root for peer in beside}),
        repeated=reading.repeats(judged),
        renamed=len({peer.root for peer in beside if peer.form == judged.form != ""}),
        compared=compared,
        apart_from=reading.facts.apart_from,
        example=difference_on(reading, judged, peers, compared),
        corroboration=corroboration(reading, judged),
    )


def _refuted(reading: FactsView, judged: CandidateFacts, standing: set[str], alike: set[str]) -> str:
    """Returns a sentence, with an input, on the programs that fail checks which this one passes. They are called "it"
    or "they" when they are the ones that this program was compared with."""
    found = {peer.root for peer in reading.peers(judged)} - standing
    who = programs_told(len(found)) if standing or found != alike else "it" if len(found) == 1 else "they"
    return f"{who} failed checks that this one passes{refuted_on(reading, judged)}" if found else ""


def _expected_to_run(reading: FactsView) -> tuple[CheckFacts, ...]:
    """Returns the checks that must be executed before anything is verified."""
    return tuple(check for check in reading.facts.checks if stands(check) and trustworthy(check))


def _unclear(reading: FactsView, judged: CandidateFacts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns sentences on inputs for which the task was found unclear: first those on which programs differ, then
    those on which they agree or only choose among equal things."""
    split: list[str] = []
    agreed: list[str] = []
    for check in unanswered(reading):
        what = check.call or check.id
        if check.contradicts or (check.is_reading and fails(judged, check)):
            told = check.contradicts or otherwise_told(judged, check, what)
            agreed += [told] if fails(judged, check) else []
            continue
        given = {c.outputs[what] for c in reading.witnesses if what in c.outputs}
        said, several = f"nothing settles what {what} gives", len(given) > 1 and check.origin != "kept"
        among_equals = reading.facts.ties_open and all(is_choice(what, *pair) for pair in combinations(given, 2))
        stated = [check.expected] if check.expected is not None else []
        told = (
            f"{said}: {' or '.join(sorted({*map(str, given), *map(str, stated)}))}"
            if several
            else f"{said}; {assumed_told(judged, what)}"
        )
        if check.read_as:
            told = f"the arbiter reads the task so that {what} gives {check.read_as}; {assumed_told(judged, what)}"
        (split if several and not among_equals else agreed).append(told)
    return tuple(split), tuple(dict.fromkeys(agreed))


def _stands_against(reading: FactsView, judged: CandidateFacts, check: CheckFacts) -> bool:
    """Returns whether no fault of the test explains the failure. Given code's behaviour is told elsewhere."""
    return check.origin != "kept" and blame_in(reading, judged, check).fault != "test"


def _weighs(reading: FactsView, judged: CandidateFacts, check_id: str) -> bool:
    """Returns whether a dispute leaves the program itself in doubt: two suites state the check, or another program
    passes it. If the debugger found nothing wrong with a repair of given code, another program that does more than was
    asked is no such doubt."""
    peers = reading.peers(judged)
    cleared = reading.given is not None and reading.is_own(judged) and judged.id in reading.facts.spent.refused
    passed = any(peer.outcomes.get(check_id) == "P" for peer in peers)
    return trustworthy(reading.checks[check_id]) or (passed and not cleared)


def _sentences(tally: _Tally) -> tuple[str, ...]:
    lines = [f"{tally.t0_passed} of {tally.t0} checks of the task itself pass"] if tally.t0 else []
    lines += tally.chance
    lines += [] if tally.t0 or tally.symptoms else ["no check of the task itself was executed"]
    if tally.t1:
        lines.append(f"{tally.t1_passed} of {tally.t1} confirmed checks pass")
    if tally.t2:
        lines.append(f"{tally.t2_passed} of {tally.t2} further checks pass")
    lines += [compared_told(tally.beside, tally.compared, tally.apart_from)] if tally.beside else []
    lines += [renamed_told(tally.renamed, tally.beside)] if tally.renamed else []
    if tally.repeated:
        authors = "another author" if tally.repeated == 1 else f"{tally.repeated} other authors"
        lines.append(f"{authors} wrote this very program without having seen it, which is no second opinion")
    lines += [tally.refuted] if tally.refuted else []
    if tally.checked:
        lines.append(f"a checker that tries every possibility finds its answers right on {tally.checked} inputs")
    if aside := tally.corroboration.set_aside:
        lines.append(f"{aside} model-written {checks_were(aside)} set aside as wrong or undecidable")
    return tuple(lines)


def _clauses(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Tells how many of the task's other demands hold, of those that could be tried. The others are told one by one."""
    tried = [finding.standing == "kept" for finding in findings if finding.standing != "open"]
    return (f"{sum(tried)} of {len(tried)} other demands that could be tried hold",) if tried else ()


def unchecked(findings: Sequence[Finding]) -> list[str]:
    """Returns a sentence on each clause that nothing has decided, in the task's own words."""
    said = {"faster": "not shown"}
    return [
        f"{said.get(finding.kind, 'not checked')}: {' '.join(finding.text.split())!r} ({finding.told})"
        for finding in findings
        if finding.standing == "open" and finding.kind != "contradiction"
    ]
