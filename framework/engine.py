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

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from .port import StorePort

E = TypeVar("E")
Status = Literal["new", "queued", "running", "waiting", "stopped", "done"]
"""new: never begun; `resume` starts it. queued: waits for a slot. waiting: waits for an answer. stopped: cancelled,
crashed, or its process died; `resume` continues it."""
Checkpointer = Any


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

    def compile(self, checkpointer: Checkpointer) -> Any:
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

    def session(self, port: StorePort[E], spec: Mapping[str, Any]) -> AbstractAsyncContextManager[Any]:
        """Yields the graph's `context=`, which reaches the outside through the port. It is entered for each drive, and
        left when the drive ends."""
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
