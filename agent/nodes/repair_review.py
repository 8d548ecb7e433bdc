"""The pause in which a person sees what a repair would change, before it counts."""

from __future__ import annotations

from dataclasses import replace

from agent.context import Context, node
from agent.dialogue.failures import failure_report
from agent.given.difference import unified
from agent.programs import announce, candidate_of
from agent.state import AgentState, Candidate, Update
from agent.state.done import Done, done_of
from agent.state.questions import Payload, Proposal, QuestionKind

QUESTION: QuestionKind = "review_repair"
MAX_SENT_BACK = 8
"""How often repairs of one run may be sent back."""


@node
async def review_repair(state: AgentState, context: Context) -> Update:
    """Shows each proposed repair as a diff. The person approves it, edits it, has it written anew, or ends the run."""
    proposals = waiting(state)
    if not proposals:
        return Update(done=[Done("reviewed", str(len(state.proposals)), "nothing")])
    answer = context.put(QUESTION, _payload(state, proposals))
    reviewed = Done("reviewed", str(len(state.proposals)), answer.action)
    update = Update(answers=[answer], done=[reviewed])
    if answer.action in ("abort", "revise"):
        return update
    if answer.action == "edit":
        proposals = [replace(proposals[0], code=answer.text, note="as the person edited it")]
    for candidate in proposals:
        announce(context, state, candidate)
    update["candidates"] = proposals
    return update


def waiting(state: AgentState) -> list[Candidate]:
    """Returns the repairs that were written and not decided on yet."""
    seen = state.about("reviewed")
    return state.proposals[int(seen[-1]) if seen else 0 :]


def sent_back(state: AgentState) -> int:
    """Returns how often the person sent repairs back in this run; 0 if the last review ended in another way."""
    words = [one.word for one in done_of(state.done, "reviewed")]
    return words.count("revise") if words and words[-1] == "revise" else 0


def wishes(state: AgentState) -> list[str]:
    """Returns what the person asked for in the last two reviews, the latest last."""
    asked = [answer.text for answer in state.answers if answer.question == QUESTION and answer.action == "revise"]
    return [f"the person asks: {text}" for text in asked[-2:] if text]


def _payload(state: AgentState, proposals: list[Candidate]) -> Payload:
    """Returns what the person is shown. The first proposal's fields stand at the top level; `proposals` lists all."""
    diagnosis = state.diagnoses[-1]
    shown = [_proposal(state, candidate) for candidate in proposals]
    return {
        "candidate": diagnosis.candidate,
        **shown[0],
        "proposals": shown,
        "failures": failure_report(state, diagnosis.candidate),
        "fault": diagnosis.fault,
        "category": diagnosis.category,
        "confidence": diagnosis.confidence,
        "explanation": diagnosis.explanation,
        "repair_hint": diagnosis.repair_hint,
    }


def _proposal(state: AgentState, candidate: Candidate) -> Proposal:
    parent = candidate_of(state, candidate.parent)
    diff = unified(parent.code, candidate.code, parent.id, candidate.id)
    return {"code": candidate.code, "diff": diff, "strategy": candidate.strategy, "note": candidate.note}
