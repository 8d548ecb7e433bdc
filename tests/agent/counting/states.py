"""States of a run, and what is counted of them."""

from __future__ import annotations

from agent.counting.counted import (
    facts_of,
)
from agent.examples.types import Brief
from agent.state import (
    AgentState,
    CheckOutcome,
    Diagnosis,
    Fault,
)
from agent.trust.facts import CandidateFacts
from tests.agent.nodes.scripted import check, suite

LAW, SPEC = suite(check("a", "task")), suite(check("a"), check("b", call="f(2)", expected="3"))
TIMED_OUT, NOT_RUN = CheckOutcome("timeout"), CheckOutcome("not_run")
ANSWER = Brief("function", False, "f", None)
OUTPUT, INPUT = Brief("script", False, None, None), Brief("program", False, None, None)


def blames(name: str, fault: Fault) -> Diagnosis:
    return Diagnosis(name, fault, "assertion", 0.9, "", "", "")


def counted(of: AgentState, name: str = "c1") -> CandidateFacts:
    return next(one for one in facts_of(of).candidates if one.id == name)
