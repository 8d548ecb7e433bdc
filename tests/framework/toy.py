"""A small engine over a real graph: two working nodes in parallel, a question, and an end."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send, interrupt

from framework.engine import Pending, RunPort


@dataclass(frozen=True, slots=True)
class Happened:
    text: str
    kind: str = "happened"


@dataclass(frozen=True, slots=True)
class Note:
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToyState:
    rounds: int = 1
    ask: bool = False
    notes: Annotated[list[Note], operator.add] = field(default_factory=list[Note])


Step = Callable[["ToyContext", str, str], Awaitable[None]]


@dataclass(slots=True)
class ToyContext:
    port: RunPort[Happened]
    step: Step
    """Called inside every node with the node's name and task id: where tests wait, kill or fail."""

    async def work(self, node: str, task_id: str) -> str:
        self.port.emit(Happened(f"{node} began"), f"{task_id}:0")
        paid = self.port.recall(task_id)
        if paid is None:
            self.port.emit_live(Happened(f"{node} pays"))
            paid = f"reply for {node}"
            self.port.remember(task_id, paid)
            self.port.emit(Happened(f"{node} paid"), f"{task_id}:paid")
        await self.step(self, node, task_id)
        self.port.emit(Happened(f"{node} ended"), f"{task_id}:1")
        return paid


def _task_id(runtime: Runtime[ToyContext]) -> str:
    assert runtime.execution_info is not None
    return runtime.execution_info.task_id


async def plan(_state: ToyState, runtime: Runtime[ToyContext]) -> dict[str, Any]:
    return {"notes": [Note(await runtime.context.work("plan", _task_id(runtime)))]}


async def branch(state: dict[str, Any], runtime: Runtime[ToyContext]) -> dict[str, Any]:
    return {"notes": [Note(await runtime.context.work(f"branch {state['number']}", _task_id(runtime)))]}


async def join(state: ToyState, runtime: Runtime[ToyContext]) -> dict[str, Any]:
    return {"rounds": state.rounds - 1, "notes": [Note(await runtime.context.work("join", _task_id(runtime)))]}


async def review(state: ToyState, runtime: Runtime[ToyContext]) -> dict[str, Any]:
    answer = interrupt({"kind": "review", "payload": {"left": state.rounds}})
    await runtime.context.work("review", _task_id(runtime))
    return {"notes": [Note(answer)], "ask": False}


async def finish(state: ToyState, runtime: Runtime[ToyContext]) -> dict[str, Any]:
    await runtime.context.work("finish", _task_id(runtime))
    runtime.context.port.emit(Happened(", ".join(note.text for note in state.notes), "outcome"), _task_id(runtime))
    return {}


def fan_out(_state: ToyState) -> list[Send]:
    return [Send("branch", {"number": number}) for number in (1, 2)]


def after_join(state: ToyState) -> Literal["plan", "review", "finish"]:
    if state.rounds > 0:
        return "plan"
    return "review" if state.ask else "finish"


async def no_step(_context: ToyContext, _node: str, _task_id: str) -> None:
    await asyncio.sleep(0)


class ToyEngine:
    """plan -> two branches -> join -> (plan again) -> (review) -> finish."""

    recursion_limit = 50
    state_types = ((Note.__module__, "Note"), (ToyState.__module__, "ToyState"))

    def __init__(self, step: Step = no_step) -> None:
        self.step = step
        self.specs: list[Mapping[str, Any]] = []
        self.open_sessions = 0

    def compile(self, checkpointer: Any) -> Any:
        graph = StateGraph(ToyState, context_schema=ToyContext)
        for node in (plan, branch, join, review, finish):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "plan")
        graph.add_conditional_edges("plan", fan_out, ["branch"])
        graph.add_edge("branch", "join")
        graph.add_conditional_edges("join", after_join)
        graph.add_edge("review", "finish")
        graph.add_edge("finish", END)
        return graph.compile(checkpointer=checkpointer)

    def start(self, spec: Mapping[str, Any]) -> ToyState:
        return ToyState(rounds=spec.get("rounds", 1), ask=spec.get("ask", False))

    @asynccontextmanager
    async def session(self, port: RunPort[Happened], spec: Mapping[str, Any]) -> AsyncIterator[ToyContext]:
        self.specs.append(spec)
        self.open_sessions += 1
        try:
            yield ToyContext(port, self.step)
        finally:
            await asyncio.sleep(0)
            self.open_sessions -= 1

    def resume_value(self, pending: Pending, answer: Mapping[str, Any]) -> str:
        if "text" not in answer:
            raise ValueError("an answer needs a text")
        return f"{pending.kind}: {answer['text']}"

    def encode(self, event: Happened) -> tuple[str, Mapping[str, Any]]:
        return event.kind, {"text": event.text}

    def decode(self, kind: str, data: Mapping[str, Any]) -> Happened:
        return Happened(data["text"], kind)

    def failed(self, error: Exception) -> Happened:
        return Happened(f"{type(error).__name__}: {error}", "run_failed")

    def stopped(self) -> Happened:
        return Happened("stopped", "run_stopped")
