"""Plans before anything is written, with the one question that the planner may ask, and the pauses for both."""

from __future__ import annotations

from dataclasses import replace

from agent.context import Context, node
from agent.events import Noted, PlanMade
from agent.examples.bruteforce import said_form
from agent.examples.types import Brief
from agent.given.words import task_told
from agent.session.roles import PLANNER, PlanReply
from agent.source.focus import focused
from agent.state import AgentState, Task, Update
from agent.state.questions import Payload
from agent.state.steps import Steps
from agent.task.steps import ASK_FOR_STEPS, in_words, may_have_steps, steps_of

from .intake import brief_of, kinds_for

MAX_PLANS = 4
"""The most plans of one run: the first, and those after the person sent one back."""


@node
async def plan(state: AgentState, context: Context) -> Update:
    """Asks the planner. Its question becomes a pause, or in full_auto an assumption that is told."""
    brief, number = state.brief, 1 + _revisions(state)
    assert brief is not None
    facts = [kind_told(state.task, brief), f"signature: {brief.signature or 'not given'}"]
    facts += [ASK_FOR_STEPS] if may_have_steps(state) else []
    wishes = [answer.text for answer in state.answers if answer.question == "review_plan" and answer.text]
    reply = await context.ask_or_none(
        PLANNER,
        "plan",
        question="plan" if number == 1 else f"plan:{number}",
        task=task_told(state),
        code=focused(state.task.code or "", [task_told(state)], context.room_for_code(PLANNER)),
        brief="\n".join(facts),
        plan=(state.plan or "") if wishes else "",
        wish=wishes[-1] if wishes else "",
    )
    if reply is None:
        return Update(brief=brief_of(state.task, brief.kind)) if not brief.sure else Update()
    if not brief.sure:
        kind = reply.kind if reply.kind in kinds_for(state.task) else brief.kind
        brief = brief_of(state.task, kind)
        state = replace(state, brief=brief)
    steps = steps_of(state, reply.steps)
    text = _text(state, reply, steps)
    context.emit(PlanMade(text))
    update = Update(plan=text, planned_form=said_form(reply.brute_force), steps=steps, brief=brief)
    if reply.question and number == 1:
        return _clarified(state, context, reply, update)
    return update


def kind_told(task: Task, brief: Brief) -> str:
    """Returns the kind that code read; if that is a guess, with the question which of the possible kinds it is."""
    unsure = f" (code is unsure: say which it is of {', '.join(kinds_for(task))})"
    return f"kind: {brief.kind}{'' if brief.sure else unsure}"


def _text(state: AgentState, reply: PlanReply, found: Steps | None) -> str:
    told = [in_words(step) for step in found.parts] if found else reply.outline
    steps = [f"{number}. {step}" for number, step in enumerate(told, 1)]
    proposed = [] if state.brief and state.brief.examples else list(reply.proposed_examples)
    examples = ["Examples the planner proposes, trusted by nobody until you give them as your own:", *proposed]
    return "\n".join([reply.plan, *steps, *(examples if proposed else [])])


def _clarified(state: AgentState, context: Context, reply: PlanReply, update: Update) -> Update:
    """Asks the person the planner's question. In full_auto takes the planner's first choice; since that is a model's
    opinion, it is told as an assumption, and only to the program's author."""
    choices = list(dict.fromkeys(reply.choices))
    if state.config.autonomy == "full_auto":
        if choices:
            assumed = f"the task leaves open: {reply.question} It was assumed: {choices[0]}"
            update["plan"] = f"{update.get('plan', '')}\nAssumed: {reply.question} {choices[0]}"
            update["problems"] = [assumed.rstrip(".")]
            context.emit(Noted(assumed))
        return update
    payload: Payload = {"question": reply.question, "options": choices, "plan": update.get("plan", "")}
    answer = context.put("clarify", payload)
    taken = choices[0] if choices and answer.action == "approve" else ""
    said = answer.text if answer.action in ("tick", "revise") else taken
    update["answers"] = [replace(answer, text=f"{reply.question} {said}" if said else "")]
    return update


@node
async def review_plan(state: AgentState, context: Context) -> Update:
    """Shows the person the plan before anything is written (review_all). A plan that is sent back is made anew and
    shown again."""
    if not state.plan:
        return {}
    examples = [example.source for example in state.brief.examples] if state.brief else []
    payload: Payload = {"task": task_told(state), "plan": state.plan, "examples": examples}
    return Update(answers=[context.put("review_plan", payload)])


def to_be_revised(state: AgentState) -> bool:
    """Returns whether the person sent the plan back and it may still be changed."""
    last = state.answers[-1] if state.answers else None
    sent_back = last is not None and (last.question, last.action) == ("review_plan", "revise")
    return sent_back and _revisions(state) < MAX_PLANS


def _revisions(state: AgentState) -> int:
    return sum((answer.question, answer.action) == ("review_plan", "revise") for answer in state.answers)
