"""Counts facts from the state of a run. The policy in `agent.trust` decides on these facts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sandbox.types import CallOutput

from ..by_output.agreement import settled
from ..by_output.demand import demand_of, recomputable
from ..checks.asking import can_be_put
from ..checks.execution import PROBES, SCRIPT, alike_by_chance
from ..checks.splitting import things_said
from ..examples.bruteforce import Form, reference_form
from ..examples.conflicts import told_contradiction
from ..examples.types import AS_IT_IS, BY_OUTPUT, Brief
from ..examples.vocabulary import has
from ..given.difference import changed_lines
from ..given.form import held_to_the_given
from ..given.symptoms import crashes_on, given_program
from ..given.words import task_told
from ..session.fingerprints import fingerprint, form_of
from ..source.interface import breach
from ..source.values import alike, sentence_in
from ..state import AgentState, Candidate, Check, CheckOutcome, Run, Suite
from ..state.done import done_of
from ..trust import (
    CandidateFacts,
    CheckFacts,
    Facts,
    Letter,
    Spent,
    signature,
    tiers,
)
from ..trust.facts import ANCHORS, REPAIRS_PER_ROOT
from .broken import broken_by
from .comparing import by_output, corners_of, is_drawn, probes_of, valid_of

LETTERS: Mapping[str, Letter] = {"pass": "P", "fail": "F", "error": "E", "timeout": "T"}
ABORTED = "aborted by the person"
CONTRADICTION = "the debugger holds that the task contradicts itself"
READING = "reading:"
"""Prefix of the names of suites that state what another reading of the task gives."""


def facts_of(state: AgentState, exhausted: str = "") -> Facts:
    """Returns all that `agent.trust` decides on. `exhausted` says why no model may be called; "" while one may."""
    checks = tuple(_check_facts(state, check, suite) for suite in state.suites for check in suite.checks)
    blind = sum(suite.origin == "spec" for suite in state.suites)
    spent = spent_of(state, exhausted)
    bare = Facts(checks, (), probes_of(state), spent, valid_of(state), _tried(state), suites=max(1, blind))
    trusted = {key for key, tier in tiers(bare).items() if tier != "T2"}
    given = given_program(state)
    candidates = [_candidate_facts(state, candidate, trusted, given) for candidate in state.candidates]
    candidates = held_to_the_given(state, candidates, bare.valid)
    candidates, apart_from = settled(state, candidates, demand_of(state))
    if not apart_from:
        candidates, apart_from = _unified(state, candidates, given)
    brief = state.brief or Brief("function", False, None, None)
    return replace(
        bare,
        candidates=_one_root_a_text(candidates),
        apart_from=apart_from,
        ties_open=brief.ties_open,
        extends=brief.kind == "extend" and not _is_only_rewritten(state.task.text, brief),
        stays=brief.kind in AS_IT_IS,
        keeps_state=brief.form == "class",
        contradictions=tuple(contradictions_in(state)),
    )


def _is_only_rewritten(text: str, brief: Brief) -> bool:
    """Returns whether only more speed or another form of given code is asked for."""
    kinds = {clause.kind for clause in brief.clauses}
    return bool(kinds) and kinds <= {"faster", "form"} and not has(text, "extends")


def _tried(state: AgentState) -> tuple[str, ...]:
    return tuple(call for call in dict.fromkeys(state.inputs) if not state.admitted.get(call))


def _unified(
    state: AgentState, candidates: list[CandidateFacts], given: Candidate | None
) -> tuple[list[CandidateFacts], str]:
    """Replaces outputs that differ only in how a number is written or rounded, or in which error is raised where the
    task names none of them, by one and the same output; what the task says about types and errors is checked elsewhere.
    Outputs of given code and its repairs are kept to the letter, and so is how others write numbers there. Returns the
    candidates, and in words what was passed over."""
    own = given.root if given is not None else None
    told: dict[str, list[CallOutput]] = {}
    for one in reversed(candidates):
        for call, output in one.outputs.items() if one.root == own else ():
            told.setdefault(call, []).append(output)
    found, passed_over = list[CandidateFacts](), dict[str, None]()
    for one in candidates:
        outputs = dict(one.outputs)
        for call, output in one.outputs.items() if one.root != own else ():
            known = told.setdefault(call, [])
            first = next((other for other in known if _differ_in(state, other, output, own) is not None), None)
            if first is None:
                known.append(output)
            elif first != output:
                outputs[call] = first
                passed_over[_differ_in(state, first, output, own) or ""] = None
        found.append(replace(one, outputs=outputs))
    return found, " and ".join(passed_over)


def _differ_in(state: AgentState, one: CallOutput, other: CallOutput, own: str | None) -> str | None:
    """Returns in what two outputs differ that count as equal, "" for nothing; None for outputs that differ."""
    if one == other:
        return ""
    if one.kind == other.kind == "exception":
        named = {output.text for output in (one, other) if output.text in state.task.text}
        return None if named else _ERRORS
    return _SPELLING if own is None and one.kind == other.kind == "value" and alike(one.text, other.text) else None


_SPELLING = "how numbers are written (6 or 6.0) or rounded in their last digits"
_ERRORS = "which error is raised where the task names none of them"


def _one_root_a_text(candidates: list[CandidateFacts]) -> tuple[CandidateFacts, ...]:
    """Puts programs with equal text into one family, whoever wrote them: that of the given code, or of the first."""
    own = next((one.root for one in candidates if one.kind == "given"), None)
    roots = {one.fingerprint: one.root for one in candidates if own and one.root == own}
    return tuple(replace(one, root=roots.setdefault(one.fingerprint, one.root)) for one in candidates)


def spent_of(state: AgentState, exhausted: str) -> Spent:
    roots = {candidate.id: candidate.root for candidate in state.candidates}
    # Each diagnosis that blames the code leads to one repair, which counts once even if it fails or is parallel.
    repairs = Counter(roots[diagnosis.candidate] for diagnosis in state.diagnoses if diagnosis.fault == "code")
    config = state.config
    last = {diagnosis.candidate: diagnosis.fault for diagnosis in state.diagnoses}
    # What the author of a program may choose is no question to the person.
    asked = state.did("asked") or demand_of(state).by_chance
    return Spent(
        repairs=repairs,
        independents=sum(candidate.kind in ("independent", "reference") for candidate in state.candidates)
        + sum(question.startswith("independent") for question in state.about("failed")),
        rewrites=sum(candidate.kind == "rewrite" for candidate in state.candidates)
        + sum(question.startswith("rewrite") for question in state.about("failed")),
        arbitrated=frozenset(state.about("arbitrated")),
        left_open=frozenset(state.about("left open")),
        asked=asked,
        inputs_done=state.did("inputs"),
        adversary_done=state.did("adversary"),
        unattacked=config.adversary and not by_output(state) and not state.did("attacked"),
        inputs_tried=state.did("inputs tried"),
        tests_alone=state.did("attacked") and not state.did("inputs tried"),
        critic_done=state.did("critic"),
        diagnosed=frozenset(diagnosis.candidate for diagnosis in state.diagnoses),
        refused=frozenset(name for name, fault in last.items() if fault != "code"),
        chosen=Counter(decision.action for decision in state.decisions),
        judged=len(state.decisions),
        exhausted=exhausted or next(iter(reasons_to_stop(state)), ""),
        max_repairs=config.max_repairs,
        max_repairs_per_root=config.max_repairs if config.believe_tests else REPAIRS_PER_ROOT,
        max_independents=min(config.independent_attempts, recomputable(state)),
        max_rewrites=config.max_rewrites,
        use_inputs=config.valid_inputs and not by_output(state),
        hard=state.brief is not None and state.brief.hard and config.reference and brute_force_of(state) is not None,
        use_adversary=config.adversary and not by_output(state),
        use_critic=config.critic and _worth_a_critic(state),
        use_arbiter=config.arbiter,
    )


def brute_force_of(state: AgentState) -> Form | None:
    """Returns how brute force can decide small inputs: by the task's words, read by code, or else as the planner or the
    author of the input generator says. None when it cannot, or when there is nothing to call."""
    if state.brief is None or state.brief.form in ("class", *BY_OUTPUT):
        return None
    written: Form | None = next((domain.brute_force for domain in state.domains), None)
    form = reference_form(state.task.text) or state.planned_form or written
    return None if form == "checker" and state.brief.form == "program" else form


def reasons_to_stop(state: AgentState) -> list[str]:
    """Returns why no model can be asked any more: an abort by the person, "budget: ..." or "provider: ..."."""
    ended = [f"{one.about}: {one.word}" for one in done_of(state.done, "exhausted")]
    aborted = [ABORTED] if any(answer.action == "abort" for answer in state.answers) else []
    return aborted + ended


def _worth_a_critic(state: AgentState) -> bool:
    """Returns whether the critic is worth its price: for a hard task, without an example, after a dispute, or after a
    failed attempt. A program written for comparison is no failed attempt."""
    compared = ("independent", "reference")
    attempts = sum(candidate.kind not in compared for candidate in state.candidates)
    anchored = any(suite.origin in ANCHORS for suite in state.suites)
    hard = state.brief is not None and state.brief.hard
    return not by_output(state) and (hard or not anchored or bool(state.rulings) or attempts > 1)


def _check_facts(state: AgentState, check: Check, suite: Suite) -> CheckFacts:
    ruling = next((r for r in reversed(state.rulings) if r.check == check.id), None)
    roots = {candidate.id: candidate.root for candidate in state.candidates}
    return CheckFacts(
        id=check.id,
        origin=check.origin,
        anchor=check.origin in ANCHORS or state.config.believe_tests,
        claims=things_said(check.source) if check.origin == "person" else 1,
        votes=_votes(state, check),
        against=roots.get(suite.against) if suite.against else None,
        is_property=check.is_property,
        kills=sum(check.id in mutation.killed_by for mutation in state.mutations),
        call=check.call,
        expected=_expected(state, check),
        ruling=ruling.fault if ruling and ruling.fault != "unknown" else None,
        ruled_by=ruling.by if ruling else "",
        held_out=check.held_out,
        is_reading=check.id.startswith(READING),
        contradicts=contradicts_in(state, check.id),
        read_as=read_as(state, check.id),
        excluded=_excluded(state, check),
        is_quoted=can_be_put(check, suite.header, task_told(state)),
        drawn=is_drawn(state, check),
    )


def contradicts_in(state: AgentState, check: str) -> str:
    """Returns how the task contradicts itself, if the check states one of the two sides; "" for any other check."""
    told = (ruling.reason for ruling in state.rulings if ruling.check == check and ruling.is_contradiction)
    return next(told, "")


def read_as(state: AgentState, check: str) -> str:
    """Returns the value that the arbiter alone gives for the check's input; "" without one."""
    return next((ruling.value for ruling in state.rulings if ruling.check == check and ruling.value), "")


def _excluded(state: AgentState, check: Check) -> str:
    """Returns the task's sentence that forbids the check's input; "" if the validator quoted none of the task."""
    told = state.admitted.get(check.call or "", "")
    return told if told and check.origin not in ANCHORS and sentence_in(told, task_told(state)) else ""


def _votes(state: AgentState, check: Check) -> int:
    """Counts the blind suites that state the same call with an equal value, at least 1."""
    if check.call is None:
        return 1
    stating = {
        suite.id
        for suite in state.suites
        if suite.origin == "spec"
        for other in suite.checks
        if other.call == check.call and alike(other.expected or "", check.expected or "")
    }
    return max(1, len(stating))


def _expected(state: AgentState, check: Check) -> CallOutput | None:
    """Returns the expected value as the executor evaluated it in some candidate's run; None when no run did."""
    told = (run.outputs.get(check.expected or "") for run in state.runs)
    return next((output for output in told if output and output.comparable), None)


def runs_of(state: AgentState, candidate: str) -> Iterator[Run]:
    """Yields the candidate's runs, without those against suites that were taken away."""
    standing = {SCRIPT, PROBES, *(suite.id for suite in state.suites)}
    return (run for run in state.runs if run.candidate == candidate and run.suite in standing)


def outcomes_so_far(state: AgentState, candidate: str) -> dict[str, CheckOutcome]:
    """Returns the latest outcome of each check on the candidate, without checks that were taken away."""
    latest: dict[str, CheckOutcome] = {}
    for run in runs_of(state, candidate):
        latest.update(run.outcomes)
    return {check.id: latest[check.id] for suite in state.suites for check in suite.checks if check.id in latest}


def _candidate_facts(
    state: AgentState, candidate: Candidate, trusted: set[str], given: Candidate | None
) -> CandidateFacts:
    outcomes = outcomes_so_far(state, candidate.id)
    runs = list(runs_of(state, candidate.id))
    repaired = given.code if given is not None and candidate.root == given.root else None
    own = state.task.code if (brief := state.brief) is not None and brief.kind in AS_IT_IS else repaired
    takes_input = brief is not None and brief.form == "program"
    broken = broken_by(runs, takes_input=takes_input)
    lost = "" if repaired is None else breach(repaired, candidate.code, state.task.text)
    blamed = {key: outcome.message for key, outcome in outcomes.items() if outcome.failed and key in trusted}
    clauses = next((one.findings for one in reversed(state.inspections) if one.candidate == candidate.id), ())
    blamed |= {f"clause {one.text}": one.kind for one in clauses if one.standing == "broken"}
    outputs = alike_by_chance({call: output for run in runs for call, output in run.outputs.items()})
    return CandidateFacts(
        id=candidate.id,
        root=candidate.root,
        kind=candidate.kind,
        # A reference is slow by order: a timeout says nothing against it.
        outcomes={
            key: LETTERS[outcome.status]
            for key, outcome in outcomes.items()
            if outcome.status in LETTERS and not (candidate.kind == "reference" and outcome.status == "timeout")
        },
        outputs=outputs,
        broken=broken,
        lost=lost,
        size=len(candidate.code) if own is None else changed_lines(own, candidate.code),
        signature=signature({"broken": broken} if broken else {**blamed, "": lost} if lost else blamed),
        fingerprint=fingerprint(candidate.code),
        form=form_of(candidate.code),
        crashed=frozenset() if repaired is None else crashes_on(state.suites, candidate.code, outputs),
        breaks_off=_breaks_off(state, outputs),
        unpinned=next((one.unpinned for one in reversed(state.mutations) if one.candidate == candidate.id), ""),
        executed=any(run.suite != PROBES for run in runs),
        clauses=clauses,
    )


def _breaks_off(state: AgentState, outputs: Mapping[str, CallOutput]) -> str:
    """Returns the first call at a corner that raises an exception which the task does not name; "" if none does."""
    allowed = (call for call in corners_of(state) if call in outputs and not state.admitted.get(call))
    corners = ((call, outputs[call]) for call in allowed)
    return next((call for call, told in corners if told.kind == "exception" and told.text not in state.task.text), "")


def contradictions_in(state: AgentState) -> list[str]:
    """Returns sentences on how the task contradicts itself, as code reads it and as the debugger holds."""
    clauses = state.brief.clauses if state.brief else ()
    read = (told_contradiction(clause) for clause in clauses if clause.kind == "contradiction")
    held = {CONTRADICTION for told in state.problems if told.startswith(CONTRADICTION)}
    return [*(f"the task contradicts itself: {told}" for told in read), *held]
