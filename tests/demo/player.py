"""An engine over a real graph that plays recorded events: what the page sees is real but the thinking."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent.config import AgentConfig
from agent.events import AgentEvent, QuestionAnswered, QuestionAsked, RunFailed, RunStopped, TextStreamed, codec
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput, check_task
from agent.task.spec import RunSpec
from framework.engine import Pending
from framework.port import StorePort
from framework.runs import Runs
from framework.secret import Secret
from sandbox.types import Execution

from . import story

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    ask: bool = False
    answer: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    port: StorePort[AgentEvent]
    pace: float
    hold: asyncio.Event
    """The second half waits for it."""

    async def play(self, events: Sequence[AgentEvent], identity: str) -> None:
        for number, event in enumerate(events):
            await asyncio.sleep(self.pace)
            if isinstance(event, TextStreamed):
                self.port.emit_live(event)
            else:
                self.port.emit(event, f"{identity}:{number}")


async def begin(state: Played, runtime: Runtime[Stage]) -> dict[str, Any]:
    stage = runtime.context
    await stage.play([*story.beginning(task=state.task), *story.diagnosis()], "begin")
    if state.ask:
        await stage.play([QuestionAsked("review_repair", {"candidate": "c1"})], "ask")
    return {}


async def review(state: Played, runtime: Runtime[Stage]) -> dict[str, Any]:
    if not state.ask:
        return {}
    cause = {
        "fault": "code",
        "category": "assertion",
        "confidence": 0.9,
        "explanation": "Neighbours are never compared.",
    }
    answer: Any = interrupt({"kind": "review_repair", "payload": cause})
    await runtime.context.play([QuestionAnswered("review_repair", answer["action"], answer["text"])], "answered")
    return {"answer": answer["action"]}


async def finish(_state: Played, runtime: Runtime[Stage]) -> dict[str, Any]:
    stage = runtime.context
    await stage.hold.wait()
    await stage.port.save_blob("plot.png", "image/png", PIXEL)
    await stage.port.save_blob("report.html", "text/html", b"<script>alert(1)</script>")
    await stage.play(story.ending(), "finish")
    return {}


class Player:
    """begin -> (review) -> finish; the task's words choose: "hold" stops half-way, "refuse" is turned down."""

    recursion_limit = 10
    state_types = ((Played.__module__, "Played"),)

    def __init__(self, pace: float = 0.0) -> None:
        self.pace = pace
        self.hold = asyncio.Event()
        self.specs: list[Mapping[str, Any]] = []
        self.files: list[Mapping[str, Any]] = []

    def compile(self, checkpointer: Any) -> Any:
        graph = StateGraph(Played, context_schema=Stage)
        for node in (begin, review, finish):
            graph.add_node(node.__name__, cast(Any, node))
        graph.add_edge(START, "begin")
        graph.add_edge("begin", "review")
        graph.add_edge("review", "finish")
        graph.add_edge("finish", END)
        return graph.compile(checkpointer=checkpointer)

    def unreadable(self, values: Mapping[str, Any]) -> str:
        return ""

    def start(self, spec: Mapping[str, Any]) -> Played:
        if "refuse" in spec["text"]:
            raise BadInput("the demo model has no <script> for this task")
        return Played(ask=spec.get("autonomy", "full_auto") != "full_auto", task=spec["text"])

    @asynccontextmanager
    async def session(self, port: StorePort[AgentEvent], spec: Mapping[str, Any]) -> AsyncIterator[Stage]:
        self.specs.append(spec)
        open_gate = asyncio.Event()
        open_gate.set()
        yield Stage(port, self.pace, self.hold if "hold" in spec["text"] else open_gate)

    def resume_value(self, pending: Pending, answer: Mapping[str, Any]) -> Any:
        if answer["action"] not in ("approve", "revise", "abort"):
            raise BadInput(f"{pending.kind} takes approve, revise or abort")
        return dict(answer)

    def encode(self, event: AgentEvent) -> tuple[str, Mapping[str, Any]]:
        return codec.encode_event(event)

    def decode(self, kind: str, data: Mapping[str, Any]) -> AgentEvent:
        return codec.decode_event(kind, data)

    def failed(self, error: Exception) -> AgentEvent:
        return RunFailed(f"{type(error).__name__}: {error}", 3)

    def stopped(self) -> AgentEvent:
        return RunStopped()


class PlayedRuns(AgentRuns):
    """Runs of the player, which has a spec of its own and nothing to close."""

    orders: list[Order]

    async def spec(self, run_id: str) -> RunSpec:
        return RunSpec(Task(str((await self.known_row(run_id)).spec["text"])), AgentConfig())

    async def begin(self, order: Order, *, title: str = "") -> str:
        self.orders.append(order)
        check_task(order.task)
        cast(Player, self._engine).files.append(order.task.files)
        spec = {"text": order.task.text, **{key: value for key, value in order.options.items() if value is not None}}
        return await self.submit(spec, title=title or order.task.text[:60], scripted=True, owner=order.owner)

    async def again(self, run_id: str, owner: str) -> str:
        row = await self.known_row(run_id)
        return await self.submit(row.spec, title=row.title, scripted=True, owner=owner)

    async def aclose(self) -> None:
        await Runs[AgentEvent].aclose(self)


@dataclass(slots=True)
class PlayerWorkshop:
    runs: AgentRuns

    async def recheck(self, run_id: str, code: str) -> Execution:
        raise BadInput("nothing is executed here")

    async def run_code(self, code: str, tests: str) -> Mapping[str, Any]:
        raise BadInput("nothing is executed here")

    async def metrics(self) -> tuple[str, bytes] | None:
        return None

    async def health(self) -> Mapping[str, object]:
        part = {"ok": True, "detail": "played"}
        return {"status": "ok", "version": "1", "database": part, "sandbox": part, "models": part, "broker": None}

    async def check(self, provider: str, model: str, key: Secret | None) -> str:
        return f"{provider} {model} reached, {'own' if key else 'no'} key"

    async def aclose(self) -> None:
        await self.runs.aclose()


def opener(state_dir: Path, player: Player, orders: list[Order]) -> Callable[[], Awaitable[PlayerWorkshop]]:
    async def open_workshop() -> PlayerWorkshop:
        runs = await PlayedRuns.open(state_dir, player)
        runs.orders = orders
        return PlayerWorkshop(runs)

    return open_workshop
