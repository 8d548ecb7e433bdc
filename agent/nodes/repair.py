"""Goes from a diagnosis to a new program: lessons, and one or several repairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent.checks.trace import trace_failure
from agent.config import AgentConfig
from agent.context import Context, node
from agent.dialogue.failures import failing_checks, failure_report
from agent.dialogue.telling import decided_told, failures_told, lessons_told, names_wanted, several_files
from agent.events import LessonsLearned
from agent.given.form import asks_for_form
from agent.given.words import task_told
from agent.programs import announce, asks_for_speed, candidate_of, is_of_given, make_candidate, own_candidate
from agent.session.fingerprints import fingerprint
from agent.session.question import Ask
from agent.session.roles import GENERATOR, HISTORIAN, CodeReply
from agent.source.edits import BLOCK, CannotApply, apply_edits
from agent.source.files import merged_files
from agent.source.focus import focused, merged
from agent.state import AgentState, Candidate, Task, Update
from llm.replies.files import split_files

from .hints import HINTED
from .repair_review import sent_back, wishes
from .write import asked_to_rewrite

STRATEGIES = ("minimal", "rethink", "rewrite")
STRATEGY_WORDS = {
    "minimal": "Change as little as possible.",
    "rethink": "Work the failing case out by hand first, then change the step that goes wrong.",
    "rewrite": "Write the function that fails anew, by another algorithm; leave the others as they are.",
}
MAX_FAILURES = 3
LONG_PROGRAM = 60
"""The number of lines from which a repair is asked for as edits."""
LOW_CONFIDENCE = 0.4
"""A diagnosis with less confidence than this (0 to 1) may lead to a rewrite instead of a repair."""
MAX_LESSONS = 5
FIRST_LESSON = 2
"""How many different programs must have failed before lessons are asked for; the first one's would only repeat its
diagnosis."""


@node
async def learn(state: AgentState, context: Context) -> Update:
    """Keeps at most five lessons of what went wrong, from the second failed program on. A repair that changed nothing
    teaches nothing."""
    if not has_more_to_learn(state):
        return {}
    diagnosis = state.diagnoses[-1]
    findings = [f"{each.candidate}: {each.category}: {each.explanation}" for each in state.diagnoses]
    evidence = [*findings, *failure_report(state, diagnosis.candidate)[:3]]
    question = f"lessons:{len(state.diagnoses)}"
    reply = await context.ask_or_none(
        HISTORIAN, "summarise", question=question, lessons=state.lessons, new_evidence=evidence
    )
    if reply is None:
        return {}
    lessons = list(reply.lessons)[:MAX_LESSONS]
    context.emit(LessonsLearned(tuple(lessons)))
    return {"lessons": lessons}


def has_more_to_learn(state: AgentState) -> bool:
    """Returns whether different programs failed by faults of their own, the last one among them."""
    failed = {fingerprint(candidate_of(state, each.candidate).code) for each in state.diagnoses if each.fault == "code"}
    return len(failed) >= FIRST_LESSON and state.diagnoses[-1].fault == "code"


def learned(state: AgentState) -> tuple[str, ...]:
    """Returns what another run should know: the lessons without hints on one program, or if only one program failed,
    what was wrong with it."""
    blamed = [f"{d.explanation} {d.repair_hint}".strip() for d in state.diagnoses if d.fault == "code" and d.confidence]
    return tuple(one for one in state.lessons if not one.startswith(HINTED)) or tuple(blamed[-1:])


@dataclass(frozen=True, slots=True)
class RepairOrder:
    """One repair to be written; several are written in parallel."""

    state: AgentState
    strategy: str
    place: int
    """Position among the repairs written together, which keeps their candidates' ids apart."""

    @property
    def task(self) -> Task:
        return self.state.task

    @property
    def config(self) -> AgentConfig:
        return self.state.config


@node
async def repair(order: RepairOrder, context: Context) -> Update:
    """Writes a changed program from the candidate that was diagnosed and from trusted failures only. If the debugger
    was unsure, a program is written anew instead. Under review the result is a proposal until the person agrees."""
    state = order.state
    diagnosis = state.diagnoses[-1]
    parent = candidate_of(state, diagnosis.candidate)
    number = sum(each.fault == "code" for each in state.diagnoses)
    rewrites = sum(candidate.kind == "rewrite" for candidate in state.candidates)
    unsure = diagnosis.confidence < LOW_CONFIDENCE and rewrites < state.config.max_rewrites
    unsure = unsure and not is_of_given(state, parent)
    strategy = "fresh" if unsure and order.place == 0 else order.strategy
    question = f"repair:{number}" if state.config.strategies == 1 else f"repair:{number}:{order.strategy}"
    question += f":again{rounds}" if (rounds := sent_back(state)) else ""
    reply = await _ask(state, context, parent, strategy, question)
    code = _code(reply, parent, context, strategy) if reply else None
    if reply is None or code is None:
        return {}
    written = replace(reply, code=code)
    if strategy == "fresh":
        candidate = make_candidate(state, written, "rewrite", parent=parent, strategy=strategy, offset=order.place)
    else:
        candidate = own_candidate(state, written, parent, strategy=strategy, offset=order.place)
    if state.config.autonomy != "full_auto":
        return {"proposals": [candidate]}
    announce(context, state, candidate)
    return {"candidates": [candidate]}


async def _ask(
    state: AgentState, context: Context, parent: Candidate, strategy: str, question: str
) -> CodeReply | None:
    diagnosis = state.diagnoses[-1]
    written = len(state.candidates) + STRATEGIES.index(strategy) if strategy in STRATEGIES else len(state.candidates)
    data = {"kind": "repair", "parent": parent.id, "code": parent.code, "written": written}
    options = Ask(names=names_wanted(state), data=data)
    if strategy == "fresh":
        asked = await asked_to_rewrite(state, context, parent.id)
        asked["decided"] = [*asked["decided"], *wishes(state)]
        return await context.ask_or_none(GENERATOR, "rewrite", question=question, options=options, **asked)
    failures = failures_told(state, parent.id)[:MAX_FAILURES]
    code = focused(parent.code, [*failures, diagnosis.explanation], context.room_for_code(GENERATOR))
    edits = code != parent.code or (len(parent.code.splitlines()) > LONG_PROGRAM and strategy == "minimal")
    return await context.ask_or_none(
        GENERATOR,
        "repair",
        question=question,
        options=replace(options, code="edits", names=()) if edits else replace(options, takes_edits=True),
        task=task_told(state),
        code=code,
        excerpt=code != parent.code,
        failures=failures,
        trace=await trace_failure(state, context, parent, failing_checks(state, parent.id)),
        diagnosis=f"{diagnosis.category}: {diagnosis.explanation}\n{diagnosis.repair_hint}".strip(),
        strategy=STRATEGY_WORDS[strategy],
        decided=[*decided_told(state), *wishes(state)],
        lessons=lessons_told(state),
        edits=edits,
        own=is_of_given(state, parent),
        speed=asks_for_speed(state),
        form=asks_for_form(state),
        several=several_files(state),
    )


def _code(reply: CodeReply, parent: Candidate, context: Context, strategy: str) -> str | None:
    """Returns the repaired program; None, told as a problem, when the reply cannot be applied to its parent."""
    if not BLOCK.search(reply.code):
        if (together := merged_files(parent.code, reply.code)) is not None and strategy != "fresh":
            return together
        if split_files(parent.code) is not None and strategy != "fresh":
            return _put_back(parent, reply.code, context)
        whole = strategy == "fresh" or len(parent.code) <= context.room_for_code(GENERATOR)
        return reply.code if whole else _put_back(parent, reply.code, context)
    try:
        return apply_edits(parent.code, reply.code)
    except CannotApply as error:
        context.problems.append(f"a repair could not be applied: {error}")
        return None


def _put_back(parent: Candidate, part: str, context: Context) -> str | None:
    """Puts a repair that was written from a part of the program back into the whole; None, told as a problem, if no
    definition matches."""
    whole = merged(parent.code, part)
    if whole is None:
        context.problems.append("a repair could not be applied: it changes no definition of the program")
    return whole
