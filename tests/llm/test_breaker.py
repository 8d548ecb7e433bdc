"""A model that fails again and again is left alone, and nobody is kept in the dark about why."""

from __future__ import annotations

import asyncio

import pytest

from llm import errors
from llm.meter import Meter
from llm.router import Router

from .scripted import GOOD, QUESTION, Clock, Scripted, router_of, says


async def test_a_refused_key_is_not_shown_to_the_service_again() -> None:
    first, second = Scripted("a", errors.AuthFailed("x")), Scripted("b", GOOD)
    router = router_of(first, second)
    for _ in range(3):
        assert (await router.ask(QUESTION, Meter())).provider == "b"
    assert len(first.requests) == 1


async def test_failed_questions_and_not_tries_open_the_breaker() -> None:
    """Four questions at the same moment meet one blip: each tries again, and all are answered."""
    clock, provider = Clock(), Scripted("a", *[errors.Overloaded("x")] * 4, GOOD)
    router = router_of(provider, clock=clock)
    answers = await asyncio.gather(*(router.ask(QUESTION, Meter()) for _ in range(4)))
    assert all(answer.reply.header["ok"] for answer in answers)


async def test_a_model_that_fails_again_and_again_is_left_alone_and_the_cause_is_told() -> None:
    clock, provider, other = Clock(), Scripted("a", errors.Overloaded("a is down")), Scripted("b", GOOD)
    router = router_of(provider, other, clock=clock)
    for _ in range(3):
        assert (await router.ask(QUESTION, Meter())).provider == "b"
    answer = await router.ask(QUESTION, Meter())
    assert len(provider.requests) == 9
    assert any("a is down" in note and "left alone for 30 s" in note for note in answer.notes)
    clock.now += 31
    provider.outcomes[:] = [GOOD]
    assert (await router.ask(QUESTION, Meter())).provider == "a"


async def test_a_short_pause_is_waited_out_where_nobody_else_can_be_asked() -> None:
    clock, provider = Clock(), Scripted("a", *[errors.Overloaded("a is down")] * 9, GOOD)
    router, told = router_of(provider, clock=clock), []
    for _ in range(3):
        with pytest.raises(errors.Overloaded, match="a is down"):
            await router.ask(QUESTION, Meter())
    answer = await router.ask(QUESTION, Meter(), on_note=told.append)
    assert answer.reply.header["ok"]
    assert clock.slept[-1] == 30
    assert told[0].startswith("waiting 30 s: a is down, tried 3 times. It is left alone")
    with pytest.raises(errors.Resting, match="a is down"):
        await give_up(router, provider)


async def give_up(router: Router, provider: Scripted) -> None:
    """Fail until the breaker is open, then ask with too little time for its pause."""
    provider.outcomes[:] = [errors.Overloaded("a is down")]
    for _ in range(3):
        with pytest.raises(errors.Overloaded):
            await router.ask(QUESTION, Meter())
    await router.ask(QUESTION, Meter(), deadline=20)


async def test_a_refused_key_is_told_again_without_asking() -> None:
    provider = Scripted("a", errors.AuthFailed("bad key", helps="set A"))
    router = router_of(provider)
    for _ in range(3):
        with pytest.raises(errors.AuthFailed, match="bad key; set A"):
            await router.ask(QUESTION, Meter())
    assert len(provider.requests) == 1


async def test_bad_replies_do_not_open_the_breaker() -> None:
    provider = Scripted("a", *[says("no")] * 8, GOOD)
    router = router_of(provider)
    for _ in range(4):
        with pytest.raises(errors.InvalidReply):
            await router.ask(QUESTION, Meter())
    assert (await router.ask(QUESTION, Meter())).reply.header["ok"]
