"""What a call gives is told apart from what calls before it have left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from agent.checks import execution
from agent.config import AgentConfig
from agent.source.structure import may_remember
from agent.state import Candidate, Run
from sandbox.types import CallOutput, Execution, Isolation

STATEFUL = "def add_tag(tag, tags=[]):\n    tags.append(tag)\n    return tags\n"
PLAIN = "def add_tag(tag, tags=()):\n    return [*tags, tag]\n"
CALLS = ("add_tag('a')", "add_tag('b')", "add_tag('c', ['x'])")


@pytest.mark.parametrize(
    ("code", "remembers"),
    [
        (STATEFUL, True),
        ("seen = {}\n\ndef f(x):\n    return seen.setdefault(x, len(seen))\n", True),
        ("count = 0\n\ndef f():\n    global count\n    count += 1\n    return count\n", True),
        ("class A:\n    items = []\n\n    def add(self, x):\n        self.items.append(x)\n", True),
        ("LIMIT = 3\n\ndef f(xs, k=2, *, sep=','):\n    return [x for x in xs if x > LIMIT][:k]\n", False),
        (PLAIN, False),
    ],
)
def test_a_program_may_remember_where_something_that_can_change_outlives_a_call(code: str, *, remembers: bool) -> None:
    assert may_remember(code) is remembers


def outputs_of(code: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, CallOutput]:
    async def run_calls(_context: Any, _config: Any, candidate: Candidate, calls: Sequence[str]) -> Run:
        space: dict[str, object] = {}
        exec(candidate.code, space)
        told = {call: CallOutput("value", repr(eval(call, space))) for call in calls}
        return Run(candidate.id, "probes", Execution("ok", Isolation("limits", *["open"] * 6)), outputs=told)

    monkeypatch.setattr(execution, "run_calls", run_calls)
    given = Candidate("c1", code, "given", None, "c1")
    run = asyncio.run(execution.run_each_alone(cast(Any, None), AgentConfig(), given, CALLS))
    return dict(run.outputs)


def test_what_depends_on_the_calls_before_is_opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outputs_of(STATEFUL, monkeypatch)
    assert [found[call].kind for call in CALLS] == ["opaque", "opaque", "value"]
    assert [found.kind for found in outputs_of(PLAIN, monkeypatch).values()] == ["value"] * 3
