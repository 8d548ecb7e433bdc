"""What `Runs` asks of an engine, what it gives to one, and what it shows of a run.

Identities. `runtime.execution_info.task_id` of LangGraph is a hash of the checkpoint, node and trigger it runs for, so
it stays the same when a node is executed again after a kill, a stop or an answered `interrupt`, differs between two
visits of a node and between parallel `Send` branches, and is kept by a fork (measured in tests/framework).
"{task_id}:{n}", n counting from 0 in each execution, is therefore a sound identity for the n-th event of a node, as
long as the node emits its events in the same order each time; `recall`/`remember` make its paid parts repeat exactly.
Each `interrupt` of a node has an id of its own, by its number: a node must ask in the same order each time.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

E = TypeVar("E")
R = TypeVar("R")
E_contra = TypeVar("E_contra", contravariant=True)
Status = Literal["new", "queued", "running", "waiting", "stopped", "done"]
"""new: never begun; `resume` starts it. queued: waits for a slot. stopped: cancelled, crashed, or its process died;
`resume` continues it."""
Graph = Any
"""A compiled LangGraph graph."""
Checkpointer = Any


class RunPort(Protocol[E_contra]):
    """A run's way to the outside, handed to the engine's session. What it writes is stored in the order in which it was
    written, while the run goes on; a write that fails ends the drive."""

    @property
    def run_id(self) -> str: ...

    @property
    def driven_before(self) -> float:
        """Seconds that the run was driven before this drive, killed drives included; pauses lie between them."""
        ...

    def emit(self, event: E_contra, identity: str) -> None:
        """Journals and publishes; an identity that the run already has is dropped."""
        ...

    def emit_live(self, event: E_contra) -> None:
        """Publishes only, e.g. streamed text; a slow viewer may miss it."""
        ...

    def recall(self, key: str) -> Any | None:
        """What `remember` kept under this key in this run, also before a crash; None if nothing."""
        ...

    def remember(self, key: str, value: Any) -> None:
        """Keeps a JSON value; the first one stays."""
        ...

    def record(self, key: str, value: Mapping[str, Any]) -> None:
        """Keeps a JSON value for a person to read later: redacted, and never recalled by a run."""
        ...

    async def recorded(self, key: str, most: int) -> Mapping[str, Any]:
        """What other runs of the same owner recorded under the key, by their ids, newest first. Raises StoreError."""
        ...

    async def save_blob(self, name: str, mime: str, data: bytes) -> None:
        """Raises StoreError beyond the size limits."""
        ...

    async def pay(self, act: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Does what is paid for, up to remembering what came of it. It goes on for a while where the node that asked
        for it ends for another reason than a person's word: to begin it again would be paid for, too."""
        ...

    async def settled(self) -> None:
        """Waits until all that was written is stored: what was paid for is used only then. Raises StoreError."""
        ...


class Engine(Protocol[E]):
    """Walks one kind of graph. Called on the loop that `Runs` lives on, but for `start`."""

    @property
    def recursion_limit(self) -> int:
        """Super-steps that one drive may take."""
        ...

    @property
    def state_types(self) -> tuple[tuple[str, str], ...]:
        """(module, class name) of each class that the graph's state holds."""
        ...

    def compile(self, checkpointer: Checkpointer) -> Graph:
        """Returns the compiled graph; called once."""
        ...

    def unreadable(self, values: Mapping[str, Any]) -> str:
        """Names the part of a stored state, by channel, that this version of the program cannot go on with; "" if it
        can go on with all of it."""
        ...

    def start(self, spec: Mapping[str, Any]) -> Any:
        """The graph's input for a new run; raises what the submitter should see if the spec is unusable. Called in a
        thread: to read a long task may take long."""
        ...

    def session(self, port: RunPort[E], spec: Mapping[str, Any]) -> AbstractAsyncContextManager[Any]:
        """Yields the graph's `context=`; entered for each drive, from start or resume to end, pause or stop."""
        ...

    def resume_value(self, pending: Pending, answer: Mapping[str, Any]) -> Any:
        """What `interrupt` returns for an answer; raises what the answering person should see if it is unusable."""
        ...

    def encode(self, event: E) -> tuple[str, Mapping[str, Any]]:
        """Returns the event as (kind, JSON data)."""
        ...

    def decode(self, kind: str, data: Mapping[str, Any]) -> E: ...

    def failed(self, error: Exception) -> E:
        """The event for a drive that ended with this exception."""
        ...

    def stopped(self) -> E:
        """The event for a drive that was cancelled."""
        ...


@dataclass(frozen=True, slots=True)
class Envelope(Generic[E]):
    """A journaled event."""

    run_id: str
    seq: int
    ts: float
    kind: str
    event: E


@dataclass(frozen=True, slots=True)
class Live(Generic[E]):
    """An event that was only published."""

    event: E


@dataclass(frozen=True, slots=True)
class Pending:
    """An open question: what a node passed to `interrupt({"kind": ..., "payload": {...}})`."""

    id: str
    kind: str
    payload: Mapping[str, Any]

    @classmethod
    def read(cls, question_id: str, asked: Any) -> Pending:
        return cls(question_id, asked["kind"], asked["payload"])

    def as_json(self) -> dict[str, Any]:
        """As every door shows it."""
        return {"id": self.id, "kind": self.kind, "payload": dict(self.payload)}


class Observer(Protocol):
    """Told what happens to runs, e.g. for tracing; must neither wait nor raise. What stands before the last colon of an
    event's identity is the same for all events of one step."""

    def on_start(self, run_id: str) -> None: ...

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any], identity: str) -> None: ...

    def on_end(self, run_id: str, error: BaseException | None) -> None: ...


Redact = Callable[[Mapping[str, Any]], Mapping[str, Any]]
