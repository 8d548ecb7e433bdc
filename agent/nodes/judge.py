"""The judge: asks the policy what follows an executed program."""

from __future__ import annotations

from agent.context import Context, node
from agent.counting.counted import facts_of
from agent.events import Judged
from agent.state import AgentState, Update
from agent.trust import decide, rank, tiers


@node
async def judge(state: AgentState, context: Context) -> Update:
    """Asks the policy once. Its decision is stored, so that every node acts on the same decision."""
    facts = facts_of(state, context.session.exhausted())
    decision = decide(facts)
    best = rank(facts)[0] if facts.candidates else None
    context.emit(Judged(decision.action, decision.reason, best, tiers(facts)))
    return {"decisions": [decision]}
