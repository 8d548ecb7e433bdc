"""Defines what `Runs` asks of an engine, what it gives to an engine, and what it shows of a run.

Identities. LangGraph's `runtime.execution_info.task_id` is a hash of the checkpoint, node and trigger that a task runs
for. It stays the same when a node is executed again after a kill, a stop or an answered `interrupt`. It differs between
two visits of a node and between parallel `Send` branches, and a fork keeps it (tests/framework measures this).
"{task_id}:{n}", with n counted from 0 in each execution, is therefore a sound identity for the n-th event of a node, as
long as the node emits its events in the same order each time. `recall` and `remember` let its paid parts repeat
exactly. LangGraph numbers the `interrupt` calls of a node, and each has an id by its number, so a node must ask its
questions in the same order each time.
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
"""new: never begun; `resume` starts it. queued: waits for a slot. waiting: waits for an answer. stopped: cancelled,
crashed, or its process died; `resume` continues it."""
Graph = Any
"""A compiled LangGraph graph."""
Checkpointer = Any


class RunPort(Protocol[E_contra]):
    """The way of a driven run to the outside; the engine's session gets it. What the run writes is stored in the order
    in which it was written, while the run goes on. A write that fails ends the drive."""

    @property
    def run_id(self) -> str: ...

    @property
    def driven_before(self) -> float:
        """The seconds that the run was driven before this drive, killed drives included and pauses left out."""
        ...

    def emit(self, event: E_contra, identity: str) -> None:
        """Stores the event in the journal, then publishes it. An event whose identity the run already has is
        dropped."""
        ...

    def emit_live(self, event: E_contra) -> None:
        """Publishes the event without storing it, e.g. streamed text. A slow viewer may miss it."""
        ...

    def recall(self, key: str) -> Any | None:
        """Returns what `remember` kept under this key in this run, also before a crash; None if nothing."""
        ...

    def remember(self, key: str, value: Any) -> None:
        """Keeps a JSON value under a key. A later value for the same key is dropped."""
        ...

    def record(self, key: str, value: Mapping[str, Any]) -> None:
        """Keeps a JSON value for a person to read later. It is redacted, and the run itself must not recall it."""
        ...

    async def recorded(self, key: str, most: int) -> Mapping[str, Any]:
        """Returns what at most `most` runs of the same owner recorded under the key, by run id, newest first and
        without this run. Raises StoreError."""
        ...

    async def save_blob(self, name: str, mime: str, data: bytes) -> None:
        """Stores a file that the run produced. Raises StoreError beyond the size limits."""
        ...

    async def pay(self, act: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Runs a paid action, which must also remember its result. If the node that waits ends for any reason but a
        person's stop, the action goes on for a while, because the run would otherwise pay again."""
        ...

    async def settled(self) -> None:
        """Waits until all that the run wrote is stored; a paid result is used only after that. Raises StoreError."""
        ...


class Engine(Protocol[E]):
    """Walks one kind of graph. All methods but `start` are called on the loop that `Runs` is bound to."""

    @property
    def recursion_limit(self) -> int:
        """How many super-steps one drive may take."""
        ...

    @property
    def state_types(self) -> tuple[tuple[str, str], ...]:
        """The (module, class name) of each class that the graph's state holds."""
        ...

    def compile(self, checkpointer: Checkpointer) -> Graph:
        """Returns the compiled graph. It is called once."""
        ...

    def unreadable(self, values: Mapping[str, Any]) -> str:
        """Names the part of a stored state, by channel, that this version of the program cannot go on with; "" if it
        can go on with all of it."""
        ...

    def start(self, spec: Mapping[str, Any]) -> Any:
        """Returns the graph's input for a new run. Raises what the submitter should see if the spec is unusable. It is
        called in a thread, because reading a long task may take long."""
        ...

    def session(self, port: RunPort[E], spec: Mapping[str, Any]) -> AbstractAsyncContextManager[Any]:
        """Yields the graph's `context=`. It is entered for each drive, and left when the drive ends."""
        ...

    def resume_value(self, pending: Pending, answer: Mapping[str, Any]) -> Any:
        """Returns what `interrupt` returns for an answer. Raises what the answering person should see if the answer is
        unusable."""
        ...

    def encode(self, event: E) -> tuple[str, Mapping[str, Any]]:
        """Returns the event as (kind, JSON data)."""
        ...

    def decode(self, kind: str, data: Mapping[str, Any]) -> E: ...

    def failed(self, error: Exception) -> E:
        """Returns the event for a drive that ended with this exception."""
        ...

    def stopped(self) -> E:
        """Returns the event for a drive that was cancelled."""
        ...


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a stored object that this version of the program cannot make again: its class is gone, or has other
    fields. What else the run stored can still be read."""

    kind: str


@dataclass(frozen=True, slots=True)
class Envelope(Generic[E]):
    """An event of the journal: `seq` counts from 0 in its run, `ts` is Unix time, `kind` is its type's name."""

    run_id: str
    seq: int
    ts: float
    kind: str
    event: E


@dataclass(frozen=True, slots=True)
class Live(Generic[E]):
    """An event that was published and not stored."""

    event: E


@dataclass(frozen=True, slots=True)
class Pending:
    """An open question: what a node passed to `interrupt({"kind": ..., "payload": {...}})`, and the id of the
    interrupt."""

    id: str
    kind: str
    payload: Mapping[str, Any]

    @classmethod
    def read(cls, question_id: str, asked: Any) -> Pending:
        return cls(question_id, asked["kind"], asked["payload"])

    def as_json(self) -> dict[str, Any]:
        """Returns the question in the form in which every door shows it."""
        return {"id": self.id, "kind": self.kind, "payload": dict(self.payload)}


class Observer(Protocol):
    """Hears what happens to runs, e.g. for tracing. It must neither wait nor raise. The part of an event's identity
    before its last colon is the same for all events of one step."""

    def on_start(self, run_id: str) -> None: ...

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any], identity: str) -> None: ...

    def on_end(self, run_id: str, error: BaseException | None) -> None: ...


Redact = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns JSON data with its secrets masked."""
