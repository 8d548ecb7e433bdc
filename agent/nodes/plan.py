"""A plan for a hard task, and the pause in which a person may change it."""

from __future__ import annotations

from typing import get_args

from agent.context import Context, node
from agent.events import PlanMade, QuestionAnswered, QuestionAsked
from agent.examples.bruteforce import Form
from agent.given.words import task_told
from agent.roles import PLANNER
from agent.state import AgentState, PersonAnswer, Update


@node
async def plan(state: AgentState, context: Context) -> Update:
    """Ask the planner."""
    brief = state.brief
    facts = [f"kind: {brief.kind}", f"signature: {brief.signature or 'not given'}"] if brief else []
    reply = await context.attempt(PLANNER, "plan", step="plan", task=task_told(state), brief="\n".join(facts))
    if reply is None:
        return {}
    steps = [f"{number}. {step}" for number, step in enumerate(reply.steps, 1)]
    proposed = [] if state.brief and state.brief.examples else list(reply.proposed_examples)
    examples = ["Examples the planner proposes, trusted by nobody until you give them as your own:", *proposed]
    text = "\n".join([reply.plan, *steps, *(examples if proposed else [])])
    context.emit(PlanMade(text))
    form: Form | None = reply.brute_force if reply.brute_force in get_args(Form) else None  # pyright: ignore[reportAssignmentType]
    return {"plan": text, "planned_form": form}


@node
async def review_plan(state: AgentState, context: Context) -> Update:
    """review_all: nothing is written before the person has seen what is going to be done."""
    examples = [example.source for example in state.brief.examples] if state.brief else []
    payload = {"task": state.task.text, "plan": state.plan or "", "examples": examples}
    context.emit(QuestionAsked("review_plan", payload))
    answer = context.pause("review_plan", payload)
    action, text = str(answer.get("action", "approve")), str(answer.get("text", ""))
    context.emit(QuestionAnswered("review_plan", action, text))
    update = Update(answers=[PersonAnswer("review_plan", action, text)])
    if action == "revise":
        update["plan"] = f"{state.plan or ''}\nThe person asks: {text}".strip()
    return update
