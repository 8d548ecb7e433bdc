"""A context that answers as a test says, for one box at a time: no model, no sandbox, no graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getclosurevars
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

from agent.checks.execution import Run
from agent.context import Context
from agent.state import AgentState, Candidate, Check, CheckOutcome, Suite, Task
from agent.state.questions import Payload, QuestionKind
from sandbox.types import CallOutput, Execution, Isolation

TEXT = "Write f(n). It returns n plus one. For zero it returns one."
PASSED, FAILED = CheckOutcome("pass"), CheckOutcome("fail", "f(1) gave 3")
ENDED = Execution("pass", Isolation("limits", *["open"] * 6))


@dataclass
class Script:
    """Stands for the run's context: what roles reply and the person answers, and what was asked and told."""

    replies: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By role: its reply, or a list of the replies that it gives one after the other."""
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the person answers to any question."""
    refusals: Sequence[str] = ()
    """What the installations say, one after the other; "" for one that succeeds."""
    installs: bool = False
    may_install: bool = True
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list[tuple[str, str, dict[str, Any]]])
    """Role, name and variables of each question to a model."""
    questions: list[tuple[QuestionKind, Payload]] = field(default_factory=list[tuple[QuestionKind, Payload]])
    told: list[Any] = field(default_factory=list[Any])
    problems: list[str] = field(default_factory=list[str])
    done: list[Any] = field(default_factory=list[Any])
    task_id: str = "t"
    author: tuple[str, str] = ("", "")
    task: Task = field(default_factory=lambda: Task(TEXT))

    def __post_init__(self) -> None:
        install = AsyncMock(side_effect=[*self.refusals, *[""] * 9])
        sandbox = SimpleNamespace(packages=AsyncMock(return_value=[]), install=install)
        self.session: Any = SimpleNamespace(sandbox=sandbox, may_install=self.may_install, exhausted=lambda: "")

    def room_for_code(self, _role: Any) -> int:
        return 100_000

    async def ask_or_none(
        self, role: Any, template: str, *, question: str, options: Any = None, **variables: Any
    ) -> Any:
        self.asked.append((role.name, question, {"template": template, "options": options, **variables}))
        reply = self.replies.get(role.name)
        return reply.pop(0) if isinstance(reply, list) else reply

    ask = ask_or_none

    def pause(self, question: QuestionKind, payload: Payload) -> Mapping[str, Any]:
        self.questions.append((question, payload))
        return {"action": "approve", **self.answer}

    put = Context.put

    def emit(self, event: Any) -> None:
        self.told.append(event)

    def of(self, kind: type) -> list[Any]:
        """Returns the events of one kind."""
        return [event for event in self.told if isinstance(event, kind)]


async def step(box: Any, given: Any, script: Script) -> Any:
    """Runs what `node` wraps."""
    return await getclosurevars(box).nonlocals["act"](given, script)


def check(name: str = "a", origin: Any = "spec", suite: str = "", **more: Any) -> Check:
    more = {"call": "f(1)", "expected": "2"} | more
    return Check(f"{suite or origin}.{name}", name, origin, f"def {name}():\n    assert f(1) == 2", **more)


def suite(*checks: Check, **more: Any) -> Suite:
    return Suite(checks[0].id.rpartition(".")[0], checks[0].origin, "", checks, **more)


def candidate(name: str = "c1", code: str = "def f(n): return n + 2", kind: Any = "first", **more: Any) -> Candidate:
    return Candidate(name, code, kind, None, name, **more)


def ran(name: str, group: Suite, outcome: CheckOutcome) -> Run:
    """The run of a suite whose checks all end alike; the values that they state were evaluated beside them."""
    stated = {each.expected: CallOutput("value", each.expected) for each in group.checks if each.expected}
    return Run(name, group.id, ENDED, True, {each.id: outcome for each in group.checks}, stated)


def gives(name: str, **outputs: str) -> Run:
    """What a program gives for f(1), f(0) and so on: `gives("c1", f1="3")`; "raises E" for an error."""
    told = {
        f"{call[0]}({call[1:]})": CallOutput("exception", text.removeprefix("raises "))
        if text.startswith("raises ")
        else CallOutput("value", text)
        for call, text in outputs.items()
    }
    return Run(name, "probes", ENDED, outputs=told)


def state(*suites: Suite, **more: Any) -> AgentState:
    return AgentState(**{"task": Task(TEXT), "suites": list(suites), "candidates": [candidate()], **more})
