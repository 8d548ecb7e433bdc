"""One box's context without a run around it: the real sandbox, a journal in memory, and no model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from agent.context import Context
from agent.events import AgentEvent
from agent.examples import read_brief
from agent.programs import example_suite
from agent.session import Session
from agent.state import AgentState, Candidate, Task
from sandbox.types import Sandbox


@dataclass(slots=True)
class Memory:
    """What a run's keeper keeps, in two fields."""

    events: list[AgentEvent] = field(default_factory=list[AgentEvent])
    stored: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def emit(self, event: AgentEvent, identity: str) -> None:
        self.events.append(event)

    def emit_live(self, event: AgentEvent) -> None: ...

    def recall(self, key: str) -> dict[str, Any] | None:
        return self.stored.get(key)

    def remember(self, key: str, value: dict[str, Any]) -> None:
        self.stored[key] = value

    def record(self, key: str, value: Mapping[str, Any]) -> None: ...
    def save_blob(self, name: str, mime: str, data: bytes) -> None: ...


def alone(sandbox: Sandbox, task: Task) -> Context:
    """A context whose models must not be asked."""
    nobody, port = cast(Any, None), cast(Any, Memory())
    session = Session("alone", nobody, nobody, sandbox, port, "none", "none", False, time.monotonic() + 600)
    return Context(session, "box", task)


def written(text: str, code: str, given: str | None = None) -> tuple[AgentState, Candidate]:
    """The state of a run after its first program was written, with the examples of the text as checks."""
    brief = read_brief(text, None, ())
    suite = example_suite(brief.examples)
    assert suite is not None
    return AgentState(task=Task(text, code=given), brief=brief, suites=[suite]), Candidate(
        "c1", code, "first", None, "c1"
    )
