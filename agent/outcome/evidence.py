"""Builds the outcome of a finished run: the verdict with its reasons, as others decided it, the answer to the person,
the program, its tests and the evidence. Everything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from agent.by_output.running import Shown
from agent.checks.handover import write_module
from agent.counting.comparing import by_output
from agent.counting.counted import ABORTED, outcomes_so_far
from agent.events.conclusion import (
    CheckEvidence,
    ClauseEvidence,
    Compared,
    Conclusion,
    Evidence,
    MadeFile,
    MutationScore,
    SetAside,
)
from agent.examples.types import AS_IT_IS
from agent.given.difference import changed_lines, unified
from agent.given.symptoms import given_program
from agent.law.kept import KEPT
from agent.programs import is_of_given
from agent.session.memory import brought
from agent.session.packages import lacks
from agent.state import AgentState, Candidate, Mutation
from agent.state.findings import Finding
from agent.trust import Chance, Facts, Verdict, overfit, tiers
from llm.replies.files import split_files
from sandbox.types import Coverage, Isolation

from .final import ENDED, evidence_of_steps
from .printed import SHOWN_CHARS, said_of, script_evidence
from .smallest import SMALLEST


@dataclass(frozen=True, slots=True)
class Closing:
    """What is known only when the run concludes."""

    best: Candidate | None
    verdict: Verdict
    confirmed: bool
    mutation: Mutation | None
    coverage: Coverage | None
    isolation: Isolation
    exhausted: str
    """Why no further model could be called; "" when the run ended by its own decision."""
    chance: Chance | None = None
    """How often programs with this kind of evidence were right in stored runs."""
    style: str = ""
    """What the formatter did, in one sentence."""
    unnamed: Sequence[str] = ()
    """Sentences of the task that nothing is known to cover."""
    shown: Shown | None = None
    """The last run of the best candidate as a script, if it is one or starts something."""


def conclusion_of(state: AgentState, facts: Facts, closing: Closing) -> Conclusion:
    """Returns what the run concludes with, for the page, --json and the bundle."""
    best = closing.best
    evidence = _evidence(state, facts, closing)
    return Conclusion(
        verdict=closing.verdict.word,
        verdict_reason="; ".join(closing.verdict.reasons),
        stop_reason=_stop_reason(state, closing),
        budget_reached=bool(closing.exhausted) and not closing.exhausted.startswith(("provider", ABORTED)),
        answer=_answer(state, closing, evidence),
        explanation=state.explanation,
        candidate=best.id if best else None,
        code=best.code if best else "",
        files=split_files(best.code) if best else None,
        diff=_diff(state, best) if best else "",
        tests=_tests(state, closing, evidence) if best else "",
        artifacts=_artifacts(closing.shown),
        evidence=evidence,
    )


def _evidence(state: AgentState, facts: Facts, closing: Closing) -> Evidence:
    judged = next((one for one in facts.candidates if closing.best is not None and one.id == closing.best.id), None)
    findings = judged.clauses if judged else ()
    return Evidence(
        checks=_checks(state, facts, closing.best),
        quarantined=tuple(SetAside(name=name, reason=reason) for name, reason in _quarantined(state).items()),
        compared=Compared(**closing.verdict.compared) if closing.verdict.compared else None,
        clauses=_clauses(state, findings),
        scaling=next((finding.scaling for finding in findings if finding.scaling), None),
        unnamed=tuple(closing.unnamed),
        chance=closing.chance,
        mutation=_score(closing.mutation) if closing.mutation else None,
        coverage=closing.coverage,
        isolation=asdict(closing.isolation),
        confirmed=closing.confirmed,
        overfit=overfit(facts, closing.best.id) if closing.best else "",
        style=closing.style,
        packages=tuple(sorted({one for run in state.runs for one in run.execution.installed})),
        assumptions=tuple(dict.fromkeys(state.problems)),
        script_output=closing.shown.execution.stdout[:SHOWN_CHARS] if closing.shown else "",
        memory=brought(state.recalled),
        steps=evidence_of_steps(state.steps) if state.steps else (),
        script=script_evidence(state, closing.best, closing.shown) if closing.best and closing.shown else None,
    )


def _checks(state: AgentState, facts: Facts, best: Candidate | None) -> tuple[CheckEvidence, ...]:
    """Returns the checks that count, each with how it ended on the returned program."""
    tier, set_aside = tiers(facts), _quarantined(state)
    outcomes = outcomes_so_far(state, best.id) if best else {}
    return tuple(
        CheckEvidence(
            name=check.id,
            tier=tier[check.id],
            origin=check.origin,
            outcome=outcomes[check.id].status if check.id in outcomes else "not executed",
            message=outcomes[check.id].message if check.id in outcomes else "",
            held_out=check.held_out,
            sentence=check.sentence,
        )
        for suite in state.suites
        for check in suite.checks
        if check.id not in set_aside
    )


def _clauses(state: AgentState, findings: Sequence[Finding]) -> tuple[ClauseEvidence, ...]:
    """Returns the finding on each clause of the task. Without an accepted candidate every clause is open."""
    untouched = state.brief.clauses if state.brief and not findings else ()
    looked_at = (
        ClauseEvidence(
            text=finding.text,
            kind=finding.kind,
            standing=finding.standing,
            checked_by=None if finding.standing == "open" else finding.told,
            note=finding.told if finding.standing == "open" else "",
        )
        for finding in findings
    )
    open_ones = (
        ClauseEvidence(text=clause.text, kind=clause.kind, standing="open", checked_by=None, note=_UNTOUCHED)
        for clause in untouched
    )
    return (*looked_at, *open_ones)


_UNTOUCHED = "no program passes what the task itself checks, so that nothing was looked at"


def _quarantined(state: AgentState) -> dict[str, str]:
    """Returns check id -> reason, for checks found wrong or undecidable; the latest ruling counts."""
    latest = {ruling.check: ruling for ruling in state.rulings}
    said = {key: r for key, r in latest.items() if r.fault in ("test", "task")}
    return {key: r.reason if r.is_contradiction else f"{r.by}: {r.reason}" for key, r in said.items()}


def _score(found: Mutation) -> MutationScore:
    return MutationScore(killed=found.killed, total=found.total, survivors=found.survivors, alike=found.alike)


def _stop_reason(state: AgentState, closing: Closing) -> str:
    if gone := lacks(state):
        return gone
    if closing.exhausted:
        return closing.exhausted
    if state.decisions:
        return state.decisions[-1].reason
    return "no program was written" if closing.best is None else "nothing is left to do"


def _tests(state: AgentState, closing: Closing, evidence: Evidence) -> str:
    """Returns the test module with all checks. Checks that were set aside, and T2 checks that the program fails, are
    skipped with the reason."""
    failing = [check for check in evidence.checks if check.outcome != "pass" and check.tier == "T2"]
    reasons = {check.name: f"not passed ({check.outcome}), and not settled who is at fault" for check in failing}
    reasons |= {entry.name: f"set aside: {entry.reason}" for entry in evidence.quarantined}
    return write_module(state, reasons, closing.best.code if closing.best else "")


def _artifacts(shown: Shown | None) -> tuple[MadeFile, ...]:
    return tuple(MadeFile(name=one.name, mime=one.mime) for one in shown.artifacts) if shown else ()


def _answer(state: AgentState, closing: Closing, evidence: Evidence) -> str:
    """Returns a few sentences for the person, each from a count."""
    best = closing.best
    if best is None and ENDED in closing.verdict.reasons:
        return "The person ended the run before a program was written."
    if best is None:
        reasons = "; ".join(state.problems) or "no model gave a usable program"
        return f"No program could be written: {reasons}."
    said = [{
        "verified": "The program does what the task's own checks demand.",
        "partly_verified": "The program passes what could be checked; not everything could be checked or confirmed.",
        "unverified": "The person ended the run; the program is the best found until then, and it is not right yet."
        if ENDED in closing.verdict.reasons
        else "Whether the program is right is not settled.",
        "failed": "The program fails a check, and it stays as it is."
        if state.brief is not None and state.brief.kind in AS_IT_IS
        else "The program is the best found, and it still fails.",
    }[closing.verdict.word]]  # fmt: skip
    reasons = "; ".join(closing.verdict.reasons)
    first = reasons[:1].upper() if reasons.split(" ")[0].isalpha() else reasons[:1]  # a check's name stays as it is
    said.append(f"{first}{reasons[1:]}.")
    said += _about_programs(state, best)
    said += _about_memory(state)
    said += _about_set_aside([entry.name for entry in evidence.quarantined])
    said += [f"Note: {problem.rstrip('.')}." for problem in dict.fromkeys(state.problems)]
    if state.explanation:
        said = [f"{state.explanation}\n\n{said[0]}", *said[1:]]
    told = said_of(evidence.script, evidence.script_output) if evidence.script else []
    return " ".join([*told, *said] if by_output(state) else [*said, *told])


def _about_programs(state: AgentState, best: Candidate) -> list[str]:
    """Tells how many programs models wrote, and which of them this is. The given program and its smallest change are
    not counted, because no model wrote them."""
    if len(state.candidates) < 2:
        return []
    count = sum(one.kind != "given" and one.strategy != SMALLEST for one in state.candidates)
    written = "1 program was written" if count == 1 else f"{count} programs were written"
    return [f"{written}; this is {best.id}, {_how(state, best)}."]


def _about_memory(state: AgentState) -> list[str]:
    count, runs = sum(len(one.lessons) for one in state.recalled), len(state.recalled)
    if not count:
        return []
    lessons = "1 lesson" if count == 1 else f"{count} lessons"
    return [f"{lessons} of {'1 earlier run' if runs == 1 else f'{runs} earlier runs'} came along as hints."]


def _about_set_aside(names: Sequence[str]) -> list[str]:
    """Tells how many recorded behaviours of the given program were set aside. They are no tests that an author got
    wrong; the verdict tells those."""
    kept = sum(name.startswith(f"{KEPT}.") for name in names)
    others = "another input" if kept == 1 else f"{kept} other inputs"
    aside = f"What the given program did on {others} was found wrong or undecidable, and is not kept."
    return [aside] if kept else []


def _how(state: AgentState, best: Candidate) -> str:
    if state.steps:
        return "the programs of the steps, one after the other"
    given = given_program(state) if is_of_given(state, best) else None
    return {
        "given": "the code that came with the task",
        "first": "the first attempt",
        "independent": "written independently of the first",
        "reference": "a slow and obvious program",
        "repair": _changed(given, best) if given else f"a repair of {best.parent}",
        "rewrite": "written anew after a failure",
    }[best.kind]


def _changed(given: Candidate, best: Candidate) -> str:
    count, before, after = changed_lines(given.code, best.code), split_files(given.code), split_files(best.code)
    where = [path for path in after or () if before is not None and after and after[path] != before.get(path)]
    places = f" in {' and '.join(where)}" if where else ""
    return f"the code that came with the task with {count} lines removed or added{places}"


def _diff(state: AgentState, best: Candidate) -> str:
    """Returns the diff to the program that came with the task; "" if none came or another program is returned."""
    given = given_program(state) if is_of_given(state, best) else None
    return unified(given.code, best.code, "given", best.id) if given else ""
