"""The debugger: a role that uses tools on the failing program until it can say who is at fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast, get_args

from agent.checks.trace import trace_failure
from agent.context import NO_REPLY, Context, node
from agent.counting.counted import CONTRADICTION, outcomes_so_far, runs_of
from agent.dialogue.failures import breaches_of, failing_checks, failure_report
from agent.dialogue.telling import decided_told, failures_told, is_law, lessons_told
from agent.events import Diagnosed
from agent.given.difference import unified
from agent.given.words import task_told
from agent.programs import candidate_of
from agent.session.roles import DEBUGGER, DiagnosisReply
from agent.source.focus import focused
from agent.state import AgentState, Candidate, Category, Diagnosis, Fault, Update
from agent.tools import TOOLS, Workbench, with_tools
from agent.trust import signature


@node
async def diagnose(state: AgentState, context: Context) -> Update:
    """Asks the debugger about the candidate that the judge named."""
    candidate = candidate_of(state, state.decisions[-1].candidate)
    if found := _diagnose_missing_package(state, candidate):
        return {"diagnoses": [_announced(context, found)]}
    try:
        reply = await _converse(state, context, candidate)
    except NO_REPLY as error:
        context.go_without(DEBUGGER, error)
        return {"diagnoses": [_announced(context, _diagnose_by_counting(state, candidate))]}
    law = _only_law(state, candidate)
    diagnosis = Diagnosis(
        candidate=candidate.id,
        fault="code" if law else _fault(reply.fault),
        category=_category(reply.category),
        confidence=reply.confidence,
        explanation=reply.explanation,
        repair_hint=reply.repair_hint,
        signature=_signature(state, candidate),
    )
    update = Update(diagnoses=[_announced(context, diagnosis)])
    if law and reply.fault == "task":
        update["problems"] = [f"{CONTRADICTION}: {reply.explanation}"]
    return update


async def _converse(state: AgentState, context: Context, candidate: Candidate) -> DiagnosisReply:
    tools = with_tools(Workbench(state, context, candidate), TOOLS)
    options = replace(tools, search=True, data={"candidate": candidate.id})
    question = f"debug:{len(state.diagnoses) + 1}"
    variables = await _variables(state, context, candidate)
    return await context.ask(DEBUGGER, "diagnose", question=question, options=options, **variables)


async def _variables(state: AgentState, context: Context, candidate: Candidate) -> Mapping[str, Any]:
    parent = next((c for c in state.candidates if c.id == candidate.parent), None)
    failures = failures_told(state, candidate.id)
    code = focused(candidate.code, failures, context.room_for_code(DEBUGGER))
    return {
        "task": task_told(state),
        "code": code,
        "excerpt": code != candidate.code,
        "failures": failures,
        "law": _only_law(state, candidate),
        "trace": await trace_failure(state, context, candidate, failing_checks(state, candidate.id)),
        "previous_diagnoses": [f"{d.candidate}: {d.fault}, {d.category}: {d.explanation}" for d in state.diagnoses],
        "diff": unified(parent.code, candidate.code, parent.id, candidate.id) if parent else "",
        "lessons": lessons_told(state),
        "decided": decided_told(state),
    }


def _only_law(state: AgentState, candidate: Candidate) -> bool:
    """Returns whether only checks that nobody may doubt, and measured clauses of the task, speak against the program.
    The debugger is then not asked who is at fault."""
    failing = failing_checks(state, candidate.id)
    accused = failing or breaches_of(state, candidate.id)
    return bool(accused) and all(is_law(state, check) for check in failing)


def _diagnose_by_counting(state: AgentState, candidate: Candidate) -> Diagnosis:
    """Returns the diagnosis that counting alone can give when no debugger did. Its confidence is 0, so no targeted
    repair follows."""
    execution = next((run.execution for run in runs_of(state, candidate.id) if not run.execution.passed), None)
    status = execution.status if execution else "error"
    return Diagnosis(
        candidate=candidate.id,
        fault="code",
        category="timeout" if status == "timeout" else "memory" if status == "memory" else "other",
        confidence=0.0,
        explanation=(execution.error if execution else "") or "; ".join(failure_report(state, candidate.id))[:500],
        repair_hint="",
        signature=_signature(state, candidate),
    )


def _diagnose_missing_package(state: AgentState, candidate: Candidate) -> Diagnosis | None:
    """Returns the diagnosis of a program that must do without a package. Its cause is known, so no model is asked."""
    gone = {name for run in runs_of(state, candidate.id) for name in run.execution.missing_packages}
    if not gone or not state.did("without"):
        return None
    hint = f"Do without {' and '.join(sorted(gone))}: not installed here, and the task does not ask for it."
    return replace(_diagnose_by_counting(state, candidate), category="import", confidence=0.9, repair_hint=hint)


def _announced(context: Context, diagnosis: Diagnosis) -> Diagnosis:
    context.emit(
        Diagnosed(
            candidate=diagnosis.candidate,
            fault=diagnosis.fault,
            category=diagnosis.category,
            confidence=diagnosis.confidence,
            explanation=diagnosis.explanation,
            repair_hint=diagnosis.repair_hint,
        )
    )
    return diagnosis


def _signature(state: AgentState, candidate: Candidate) -> str:
    outcomes = outcomes_so_far(state, candidate.id)
    return signature({check.id: outcomes[check.id].message for check in failing_checks(state, candidate.id)})


def _fault(word: str) -> Fault:
    return cast(Fault, word) if word in get_args(Fault) else "unknown"


def _category(word: str) -> Category:
    return cast(Category, word) if word in get_args(Category) else "other"
