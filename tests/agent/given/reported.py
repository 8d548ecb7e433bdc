"""Bug reports as whole runs: which of the ways of telling a bug are played, and models that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.examples.labelled import WAYS_OF_A_BUG, Report, bugs, reports_of
from tests.agent.model_server import Answer, ModelServer, fenced

DIAGNOSIS = json.dumps(
    {
        "fault": "code",
        "category": "other",
        "confidence": 0.9,
        "explanation": "it does what is reported",
        "repair_hint": "mend the line",
    }
)
ELSE = {
    "debugger": DIAGNOSIS,
    "arbiter": json.dumps({"expected": "", "quote": "", "ambiguous": True}),
    "critic": json.dumps({"objection": "", "input": "", "expected": ""}),
    "planner": json.dumps({"plan": "mend it", "outline": ["mend"]}),
    "reviewer": json.dumps({"findings": []}),
    "memory summariser": json.dumps({"lessons": ["mind the report"]}),
    "input writer": "```python\nwritten = 'nothing of use'\n```",
    "adversarial tester": json.dumps({"inputs": []}),
}
"""What the other roles say in every run."""


def chosen_reports() -> Iterator[tuple[dict[str, Any], Report]]:
    """Six ways of telling each bug, spread over all the ways there are."""
    for place, bug in enumerate(bugs()):
        every = reports_of(bug)
        for step in range(WAYS_OF_A_BUG):
            yield bug, every[(place * 5 + step * 17) % len(every)]


def repaired(bug: dict[str, Any]) -> str:
    return bug["code"].replace(*bug["repair"])


def test_of(bug: dict[str, Any]) -> str:
    """What a tester writes who understood the report."""
    if bug["right"].startswith("raises "):
        error = bug["right"].removeprefix("raises ")
        return f"import pytest\n\n\ndef test_it():\n    with pytest.raises({error}):\n        {bug['call']}"
    return f"def test_it():\n    assert {bug['call']} == {bug['right']}"


def able(server: ModelServer, bug: dict[str, Any]) -> Answer:
    """Repairs the line; a program written anew does the same in other words."""
    alone = repaired(bug) + "\n\ndef _written_anew():\n    return None\n"

    def answer(role: str, _times: int) -> str:
        if role == "spec tester":
            return fenced(test_of(bug))
        if role == "reference writer":
            return fenced(alone)
        if role == "generator":
            return fenced(repaired(bug) if "The module so far" in server.prompts[-1][1] else alone)
        return ELSE[role]

    return answer


def idle(bug: dict[str, Any]) -> Answer:
    """Hands back the given program for everything, each time with another comment."""

    def answer(role: str, times: int) -> str:
        if role == "spec tester":
            return fenced(test_of({**bug, "right": bug["does"]}))
        writes = role in ("generator", "reference writer")
        return fenced(f"# version {times}\n{bug['code']}") if writes else ELSE[role]

    return answer


async def play(live_runs: AgentRuns, report: Report, **options: object) -> Played:
    order = Order(Task(report.text, code=report.code), {"mutation_seconds": 0, **options})
    return await follow(live_runs, await live_runs.begin(order))
