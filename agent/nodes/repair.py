"""From a diagnosis to a new program: lessons, the pause before a repair, and one or several repairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent.context import Ask, Context, node
from agent.edits import CannotApply, apply_edits
from agent.events import LessonsLearned, QuestionAnswered, QuestionAsked
from agent.failures import failing_checks, failure_report
from agent.given.words import task_told
from agent.programs import announce, candidate_of, is_of_given, make_candidate, own_candidate
from agent.roles import GENERATOR, HISTORIAN, CodeReply
from agent.state import AgentState, Candidate, Diagnosis, PersonAnswer, Task, Update
from agent.trace import trace_failure

STRATEGIES = ("minimal", "rethink", "rewrite")
LONG_PROGRAM = 60
"""Lines from which a repair is asked for as edits."""
LOW_CONFIDENCE = 0.4
MAX_LESSONS = 5


@node
async def learn(state: AgentState, context: Context) -> Update:
    """Keep at most five rolling lessons of what went wrong."""
    diagnosis = state.diagnoses[-1]
    evidence = [f"{diagnosis.category}: {diagnosis.explanation}", *failure_report(state, diagnosis.candidate)[:3]]
    step = f"lessons:{len(state.diagnoses)}"
    reply = await context.attempt(HISTORIAN, "summarise", step=step, lessons=state.lessons, new_evidence=evidence)
    if reply is None:
        return {}
    lessons = list(reply.lessons)[:MAX_LESSONS]
    context.emit(LessonsLearned(tuple(lessons)))
    return {"lessons": lessons}


@node
async def review_repair(state: AgentState, context: Context) -> Update:
    """The pause before a repair, unless the run is fully automatic."""
    if state.config.autonomy == "full_auto":
        return {}
    diagnosis = state.diagnoses[-1]
    payload = {
        "candidate": diagnosis.candidate,
        "code": candidate_of(state, diagnosis.candidate).code,
        "failures": failure_report(state, diagnosis.candidate),
        "fault": diagnosis.fault,
        "category": diagnosis.category,
        "confidence": diagnosis.confidence,
        "explanation": diagnosis.explanation,
        "repair_hint": diagnosis.repair_hint,
    }
    context.emit(QuestionAsked("review_repair", payload))
    answer = context.pause("review_repair", payload)
    action, text = str(answer.get("action", "approve")), str(answer.get("text", ""))
    context.emit(QuestionAnswered("review_repair", action, text))
    return {"answers": [PersonAnswer("review_repair", action, text)]}


@dataclass(frozen=True, slots=True)
class RepairOrder:
    """One repair to be written; several are written in parallel."""

    state: AgentState
    strategy: str
    place: int
    """Position among the repairs written together; keeps their candidates' ids apart."""

    @property
    def task(self) -> Task:
        return self.state.task


@node
async def repair(order: RepairOrder, context: Context) -> Update:
    """A changed program, written from the best so far and from trusted failures only; a debugger who was not sure
    leads to a program written anew instead of a targeted repair."""
    state = order.state
    diagnosis = state.diagnoses[-1]
    parent = candidate_of(state, diagnosis.candidate)
    number = sum(each.fault == "code" for each in state.diagnoses)
    rewrites = sum(candidate.kind == "rewrite" for candidate in state.candidates)
    unsure = diagnosis.confidence < LOW_CONFIDENCE and rewrites < state.config.max_rewrites
    unsure = unsure and not is_of_given(state, parent)
    strategy = "fresh" if unsure and order.place == 0 else order.strategy
    step = f"repair:{number}" if state.config.strategies == 1 else f"repair:{number}:{order.strategy}"
    reply = await _ask(state, context, parent, strategy, step)
    code = _code(reply, parent, context) if reply else None
    if reply is None or code is None:
        return {}
    written = replace(reply, code=code)
    if strategy == "fresh":
        candidate = make_candidate(state, written, "rewrite", parent=parent, strategy=strategy, offset=order.place)
    else:
        candidate = own_candidate(state, written, parent, strategy=strategy, offset=order.place)
    announce(context, state, candidate)
    return {"candidates": [candidate]}


async def _ask(state: AgentState, context: Context, parent: Candidate, strategy: str, step: str) -> CodeReply | None:
    diagnosis = state.diagnoses[-1]
    failures = failure_report(state, parent.id)
    written = len(state.candidates) + STRATEGIES.index(strategy) if strategy in STRATEGIES else len(state.candidates)
    options = Ask(data={"kind": "repair", "parent": parent.id, "code": parent.code, "written": written})
    if strategy == "fresh":
        approaches = [f"{c.id}: {c.note or c.kind}" for c in state.candidates]
        return await context.attempt(
            GENERATOR, "rewrite", step=step, options=options,
            task=task_told(state), failed_approaches=approaches, failure="\n".join(failures),
        )  # fmt: skip
    edits = len(parent.code.splitlines()) > LONG_PROGRAM and strategy == "minimal"
    return await context.attempt(
        GENERATOR,
        "repair",
        step=step,
        options=Ask(code="edits" if edits else None, data=options.data),
        task=task_told(state),
        code=parent.code,
        failure="\n".join(_first(state, parent, failures)),
        trace=await trace_failure(state, context, parent, failing_checks(state, parent.id)),
        diagnosis=_told(diagnosis, state),
        strategy=strategy,
        lessons=state.lessons,
        edits=edits,
        own=is_of_given(state, parent),
    )


def _first(state: AgentState, parent: Candidate, failures: list[str]) -> list[str]:
    """The first failure; a symptom only says what must not be, so the next one is told beside it."""
    first = next(iter(failing_checks(state, parent.id)), None)
    return failures[: 2 if first is not None and first.origin == "symptom" else 1]


def _told(diagnosis: Diagnosis, state: AgentState) -> str:
    asked = [answer.text for answer in state.answers if answer.question == "review_repair" and answer.text]
    lines = [f"{diagnosis.category}: {diagnosis.explanation}", diagnosis.repair_hint]
    return "\n".join([*lines, *(f"The person asks: {text}" for text in asked[-1:])]).strip()


def _code(reply: CodeReply, parent: Candidate, context: Context) -> str | None:
    if "<<<<<<< SEARCH" not in reply.code:
        return reply.code
    try:
        return apply_edits(parent.code, reply.code)
    except CannotApply as error:
        context.problems.append(f"a repair could not be applied: {error}")
        return None
