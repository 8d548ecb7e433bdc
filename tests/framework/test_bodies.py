"""Checkpoints hold names; what is big is stored once for a run, and is there whenever a checkpoint names it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from framework.engine import Unreadable
from framework.storage.bodies import GROUP, KIND, LEAST_BYTES, Bodies
from framework.storage.records import RunRow
from framework.storage.store import Store

from .places import Place


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    inner: Part | None = None
    more: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class State:
    parts: Annotated[list[Part], operator.add] = field(default_factory=list)
    notes: Annotated[list[str], operator.add] = field(default_factory=list)
    plan: str = ""
    numbers: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stranger:
    text: str


TYPES = [(kind.__module__, kind.__qualname__) for kind in (Part, State)]
parts = st.recursive(
    st.builds(Part, st.text(max_size=200), st.none(), st.lists(st.text(max_size=9), max_size=40)),
    lambda inner: st.builds(Part, st.text(max_size=200), inner),
    max_leaves=4,
)


def serializer() -> tuple[Bodies, dict[bytes, bytes]]:
    kept: dict[bytes, bytes] = {}
    return Bodies(TYPES, kept.update, kept.__getitem__), kept


def grow(state: State) -> dict[str, Any]:
    number = len(state.parts)
    return {"parts": [Part(f"{number} " + "x" * 2000)], "notes": [f"step {number}: " + "n" * 100], "plan": "p" * 3000}


async def run(store: Store, run_id: str, steps: int, before: Callable[[int], object] = int) -> State:
    """`before`: called in each step with its number, before it gives its part."""

    def counted(state: State) -> dict[str, Any]:
        before(len(state.parts))
        return grow(state)

    graph = StateGraph(State)
    graph.add_node("grow", counted)
    graph.add_edge(START, "grow")
    graph.add_conditional_edges("grow", lambda state: "grow" if len(state.parts) < steps else END, ["grow", END])
    config: RunnableConfig = {"configurable": {"thread_id": run_id}, "recursion_limit": steps + 2}
    ended = await graph.compile(checkpointer=store.checkpointer).ainvoke(State(), config, durability="sync")
    await store.settled(run_id)
    return State(**ended)


async def test_a_run_does_not_wait_for_its_checkpoints_and_ends_when_they_are_stored(place: Place) -> None:
    store, busy = place.store(TYPES), Event()
    store.runs.add(RunRow("r", 1.0, "t", {}, False, "", ""))

    def hold_and_let_go(step: int) -> None:
        if step == 0:
            store.submit(busy.wait)
        if step == 4:
            busy.set()

    ended = await run(store, "r", 5, hold_and_let_go)
    newest = store.checkpointer.get_tuple({"configurable": {"thread_id": "r"}})
    assert newest is not None
    assert newest.checkpoint["channel_values"]["parts"] == ended.parts
    assert len(ended.parts) == 5


def total(store: Store, query: str) -> int:
    return int(store.database.execute(query)[0][0] or 0)


CHECKPOINTS = {
    None: (
        "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints",
        "SELECT sum(length(value)) FROM writes",
    ),
    "postgres": (
        "SELECT sum(length(CAST(checkpoint AS TEXT)) + length(CAST(metadata AS TEXT))) FROM checkpoints",
        "SELECT sum(length(blob)) FROM checkpoint_writes",
        "SELECT sum(length(blob)) FROM checkpoint_blobs",
    ),
}
BODIES = "SELECT sum(length(body)) FROM bodies"


@pytest.mark.slow
async def test_two_hundred_steps_take_less_than_a_megabyte_and_every_checkpoint_can_be_read_elsewhere(
    place: Place,
) -> None:
    store = place.store(TYPES)
    ended = await run(store, "r", 200)
    assert len(ended.parts) == 200
    assert sum(total(store, query) for query in (*CHECKPOINTS[place.url and "postgres"], BODIES)) < 1_000_000
    assert 200 * 2000 < total(store, BODIES) < 200 * 2600, "once each, and the groups that name them"
    store.close()
    store = place.store(TYPES)
    history = list(store.checkpointer.list({"configurable": {"thread_id": "r", "checkpoint_ns": ""}}))
    assert len(history) == 202
    for found in history[::50]:
        values = found.checkpoint["channel_values"]
        assert values["parts"] == ended.parts[: len(values["parts"])]
        assert values["notes"] == ended.notes[: len(values["notes"])]
    store.close()


async def test_bodies_go_with_their_run_and_another_has_its_own(place: Place) -> None:
    store = place.store(TYPES)
    ended = {run_id: await run(store, run_id, 20) for run_id in ("r", "other")}
    store.delete_run("r")
    assert total(store, "SELECT count(*) FROM bodies WHERE run_id = 'r'") == 0
    other = store.checkpointer.get_tuple({"configurable": {"thread_id": "other"}})
    assert other is not None
    assert other.checkpoint["channel_values"]["parts"] == ended["other"].parts
    store.delete_run("other")
    assert total(store, "SELECT count(*) FROM bodies") == 0
    await run(store, "r", 20)
    assert total(store, BODIES) > 20 * 2000, "a deleted run's bodies do not count as stored"
    store.close()


def test_after_a_write_that_failed_nothing_counts_as_stored(place: Place) -> None:
    store = place.store(TYPES)
    saver, part = store.checkpointer, Part("x" * 500)
    config: Any = {"configurable": {"thread_id": "r", "checkpoint_ns": "", "checkpoint_id": "1"}}
    with pytest.raises(Exception, match="'object'"):
        saver.put_writes(config, [("a", [part])], object())  # type: ignore[arg-type]
    assert total(store, "SELECT count(*) FROM bodies") == 0
    saver.put_writes(config, [("a", [part])], "task")
    assert total(store, "SELECT count(*) FROM bodies") == 1
    store.close()


@settings(max_examples=30, deadline=None)
@given(value=st.lists(parts, max_size=2 * GROUP + 3) | parts | st.text(max_size=300) | st.sets(st.integers(0, 9)))
def test_what_is_read_is_what_was_written(value: Any) -> None:
    bodies, _ = serializer()
    for _ in range(2):
        assert bodies.loads_typed(bodies.dumps_typed(value)) == value


@pytest.mark.parametrize("number", [2**64, -(2**64), 9**9999], ids=["big", "negative", "too_long_in_decimal"])
def test_numbers_of_any_size_are_read_as_they_were_written(number: int) -> None:
    serde, _ = serializer()
    state = State(numbers=[1, number])
    assert serde.loads_typed(serde.dumps_typed(state)) == state


def test_a_sent_state_is_stored_as_names() -> None:
    bodies, kept = serializer()
    state = State([Part("x" * 5000) for _ in range(40)], [], "p" * 3000)
    assert bodies.dumps_typed(state.parts)[0] == KIND
    before = sum(map(len, kept.values()))
    sent = bodies.dumps_typed(Send("node", state))
    assert len(sent[1]) < LEAST_BYTES
    assert sum(map(len, kept.values())) - before < 5000, "the plan, and names"
    assert bodies.loads_typed(sent) == Send("node", state)


def test_checkpoints_written_before_bodies_existed_are_still_read() -> None:
    bodies, kept = serializer()
    value = [Part("x" * 500), Part("y")]
    plain = JsonPlusSerializer(allowed_msgpack_modules=TYPES)
    assert bodies.loads_typed(plain.dumps_typed(value)) == value
    assert kept == {}


def test_only_named_classes_are_revived() -> None:
    kept: dict[bytes, bytes] = {}
    wide = Bodies([*TYPES, (Stranger.__module__, "Stranger")], kept.update, kept.__getitem__)
    written = wide.dumps_typed([Stranger("x" * 500)])
    narrow = Bodies(TYPES, kept.update, kept.__getitem__)
    assert narrow.loads_typed(written) == [Unreadable(f"{Stranger.__module__}.Stranger")]


def test_an_unchanged_object_is_named_without_being_written_again_but_not_for_another_run() -> None:
    bodies, kept = serializer()
    part = Part("x" * 500)
    bodies.turn_to("one")
    bodies.dumps_typed([part])
    kept.clear()
    bodies.dumps_typed([part, part])
    assert kept == {}
    bodies.turn_to("two")
    bodies.dumps_typed([part])
    assert len(kept) == 1
    bodies.turn_to("one")
    bodies.forget("one")
    kept.clear()
    bodies.dumps_typed([part])
    assert len(kept) == 1
