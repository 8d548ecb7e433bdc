"""Whoever watches a run while the database is away."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from framework.engine import Envelope
from framework.errors import StoreError
from framework.follow import past_outages

from .steps import OUTCOME, Gate, Open, still_away, texts
from .toy import ToyEngine


async def test_whoever_watches_stays_while_the_database_is_away_and_misses_nothing(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    gate = Gate("join")
    runs = await opened(ToyEngine(gate))
    run_id = await runs.submit({}, title="t")
    await gate.reached.wait()
    looks, events = 0, runs.store.journal.events

    def now_and_then(*asked: Any, **more: Any) -> Any:
        nonlocal looks
        looks += 1
        return still_away() if looks % 2 else events(*asked, **more)

    monkeypatch.setattr(runs.store.journal, "events", now_and_then)
    gate.open.set()
    told = [item async for item in runs.follow(run_id) if isinstance(item, Envelope)]
    assert [item.seq for item in told] == list(range(16))
    assert told[-1].event.text == OUTCOME


async def test_a_database_that_stays_away_is_told_to_whoever_watches(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    monkeypatch.setattr("framework.follow._TRIES", 3)
    runs = await opened()
    run_id = await runs.submit({}, title="t")
    await texts(runs, run_id)
    monkeypatch.setattr(runs.store.journal, "events", still_away)
    with pytest.raises(StoreError, match=r"^still away$"):
        [item async for item in runs.follow(run_id)]


async def test_a_source_that_says_nothing_of_the_run_between_two_errors_is_not_asked_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("framework.follow._AWAY_S", 0.0)
    monkeypatch.setattr("framework.follow._TRIES", 3)

    looks = 0

    async def nothing_new(_: int) -> AsyncGenerator[None]:
        nonlocal looks
        looks += 1
        assert looks < 9
        yield None
        raise StoreError("still away")

    with pytest.raises(StoreError, match=r"^still away$"):
        [item async for item in past_outages(nothing_new)]
