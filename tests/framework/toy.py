"""A small engine over a real graph: two working nodes in parallel, a question, and an end.

Its nodes do what nodes of an agent do, in the same order: tell that they began, pay for something once, tell what they
got. `tick` is called around each durable step, so that a test can let the process die exactly there.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send, interrupt

from framework.engine import Pending, Unreadable
from framework.port import StorePort


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


Tick = Callable[[], None]


@dataclass(slots=True)
class ToyContext:
    port: StorePort[Happened]
    step: Step
    """Called inside every node with the node's name and task id: where tests wait or fail."""
    tick: Tick
    pay: Callable[[str], str]
    """The paid call."""
    kept: Callable[[str], None] = lambda _: None
    """Told when what was paid for is stored."""

    async def work(self, node: str, task_id: str) -> str:
        self.emit(f"{node} began", f"{task_id}:0")
        paid = self.port.recall(task_id)
        if paid is None:
            self.port.emit_live(Happened(f"{node} pays"))

            async def pay() -> str:
                paid = self.pay(node)
                self.port.remember(task_id, paid)
                await self.port.settled()
                return paid

            paid = await self.port.pay(pay)
            self.kept(node)
            self.tick()
        self.emit(f"{node} paid", f"{task_id}:1")
        await self.step(self, node, task_id)
        self.emit(f"{node} ended", f"{task_id}:2")
        return paid

    def emit(self, text: str, identity: str, kind: str = "happened") -> None:
        self.tick()
        self.port.emit(Happened(text, kind), identity)
        self.tick()


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
    runtime.context.emit(", ".join(note.text for note in state.notes), _task_id(runtime), "outcome")
    return {}


def after_join(state: ToyState) -> Literal["plan", "review", "finish"]:
    if state.rounds > 0:
        return "plan"
    return "review" if state.ask else "finish"


async def no_step(_context: ToyContext, _node: str, _task_id: str) -> None:
    await asyncio.sleep(0)


def reply(node: str) -> str:
    return f"reply for {node}"


Kept = Callable[[str], None]


def nobody(_node: str) -> None: ...


class TickingSaver(BaseCheckpointSaver[str]):
    """Ticks around what the saver under it writes."""

    def __init__(self, saver: BaseCheckpointSaver[str], tick: Tick) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._tick = tick

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: Any) -> Any:
        return await self._saver.aget_tuple(config)

    async def alist(self, config: Any, **filters: Any) -> AsyncIterator[Any]:
        async for found in self._saver.alist(config, **filters):
            yield found

    async def aput(self, *arguments: Any) -> Any:
        self._tick()
        written = await self._saver.aput(*arguments)
        self._tick()
        return written

    async def aput_writes(self, *arguments: Any) -> None:
        self._tick()
        await self._saver.aput_writes(*arguments)
        self._tick()


class ToyEngine:
    """plan -> two branches -> join -> (plan again) -> (review) -> finish."""

    recursion_limit = 50
    state_types = ((Note.__module__, "Note"), (ToyState.__module__, "ToyState"))

    def __init__(
        self, step: Step = no_step, *, tick: Tick = lambda: None, pay: Callable[[str], str] = reply, kept: Kept = nobody
    ) -> None:
        self.step = step
        self.tick = tick
        self.pay, self.kept = pay, kept
        self.specs: list[Mapping[str, Any]] = []
        self.open_sessions = 0

    def compile(self, checkpointer: Any) -> Any:
        graph = StateGraph(ToyState, context_schema=ToyContext)
        for node in (plan, branch, join, review, finish):
            graph.add_node(node.__name__, cast(Any, node))
        graph.add_edge(START, "plan")
        graph.add_conditional_edges("plan", self.fan_out, ["branch"])
        graph.add_edge("branch", "join")
        graph.add_conditional_edges("join", after_join)
        graph.add_edge("review", "finish")
        graph.add_edge("finish", END)
        return graph.compile(checkpointer=TickingSaver(checkpointer, self.tick))

    def unreadable(self, values: Mapping[str, Any]) -> str:
        return "notes" if any(isinstance(note, Unreadable) for note in values["notes"]) else ""

    def fan_out(self, _state: ToyState) -> list[Send]:
        return [Send("branch", {"number": number}) for number in (1, 2)]

    def start(self, spec: Mapping[str, Any]) -> ToyState:
        return ToyState(rounds=spec.get("rounds", 1), ask=spec.get("ask", False))

    @asynccontextmanager
    async def session(self, port: StorePort[Happened], spec: Mapping[str, Any]) -> AsyncIterator[ToyContext]:
        self.specs.append(spec)
        self.open_sessions += 1
        try:
            yield ToyContext(port, self.step, self.tick, self.pay, self.kept)
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
