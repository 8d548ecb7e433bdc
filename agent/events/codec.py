"""Converts tasks, events, replies and executions to JSON and back. No other module knows their stored form."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, Generic, TypeVar, cast, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

from framework.engine import Envelope, Unreadable
from framework.errors import OtherVersion
from framework.storage.store import Store
from llm.asking import Draft
from llm.types import Answer
from sandbox.types import Execution, FileData, Linked

from ..config import AgentConfig
from ..state import AgentState, Mutation, Task
from . import AgentEvent

JsonObject = dict[str, Any]
T = TypeVar("T")

_event: TypeAdapter[AgentEvent] = TypeAdapter(Annotated[AgentEvent, Field(discriminator="kind")])
_task: TypeAdapter[Task] = TypeAdapter(Task)


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """Converts one type to plain JSON values and back."""

    _type: TypeAdapter[T]

    def encode(self, value: T) -> JsonObject:
        return self._type.dump_python(value, mode="json")

    def decode(self, data: Mapping[str, Any]) -> T:
        """Raises pydantic.ValidationError when `data` is no value of the type."""
        return self._type.validate_python(data)


executions = Codec(TypeAdapter(Execution))
mutations = Codec(TypeAdapter(Mutation))
answers = Codec(TypeAdapter(Answer))
drafts = Codec(TypeAdapter(Draft))
configs = Codec(TypeAdapter(AgentConfig))


def unreadable(values: Mapping[str, Any]) -> str:
    """Returns the name of the first field of the state whose value is not of the type that AgentState says, as another
    version may have stored it; "" if there is none."""
    for name, value in values.items():
        try:
            _state_field(name).validate_python(_plain(value))
        except ValidationError:
            return name
    return ""


@cache
def _state_field(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(AgentState)[name])


def _plain(value: Any) -> Any:
    """Returns the value with its dataclasses as mappings: pydantic takes an instance as it is, but validates a mapping
    in depth. What stands for an unreadable object stays, and then fails the validation."""
    if is_dataclass(value) and not isinstance(value, Unreadable | type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("Sequence[Any]", value)]
    return value


def encode_event(event: AgentEvent) -> tuple[str, JsonObject]:
    data = _event.dump_python(event, mode="json")
    return data.pop("kind"), data


def decode_event(kind: str, data: Mapping[str, Any]) -> AgentEvent:
    """Raises OtherVersion when `data` is no event of this kind, as this version knows it."""
    try:
        return _event.validate_python({**data, "kind": kind})
    except ValidationError:
        told = f"another version of this program stored the run; its event {kind!r} cannot be read here"
        raise OtherVersion(told) from None


def stored_events(store: Store, run_id: str) -> list[Envelope[AgentEvent]]:
    """Returns every stored event of a run, in order. Raises OtherVersion."""
    entries = store.journal.all(run_id)
    return [Envelope(run_id, one.seq, one.ts, one.kind, decode_event(one.kind, one.data)) for one in entries]


def encode_task(task: Task) -> JsonObject:
    plain = _task.dump_python(replace(task, files={}, originals={}), mode="json")
    return plain | {name: {path: _packed(one) for path, one in getattr(task, name).items()} for name in _OF_BYTES}


def decode_task(data: Mapping[str, Any]) -> Task:
    read = {name: {path: _unpacked(one) for path, one in data.get(name, {}).items()} for name in _OF_BYTES}
    return _task.validate_python({**data, **read})


_OF_BYTES = ("files", "originals")
"""The fields of a task that hold bytes by path."""


def _packed(data: FileData) -> str | JsonObject:
    """Encodes the bytes of a file in base64. A `Linked` file stays where it lies, so only its description is stored."""
    return base64.b64encode(data).decode("ascii") if isinstance(data, bytes) else asdict(data)


def _unpacked(packed: str | JsonObject) -> FileData:
    return base64.b64decode(packed) if isinstance(packed, str) else Linked(**packed)
