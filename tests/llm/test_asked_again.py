"""A reply that cannot be used is asked for once more, a refusal is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llm import errors
from llm.meter import Meter
from llm.types import Delta, Usage

from .conftest import ask
from .scripted import GOOD, QUESTION, SCHEMA, Scripted, outcomes, router_of, says


async def test_an_invalid_reply_is_asked_for_again_with_the_reason() -> None:
    provider, meter = Scripted("a", says('{"ok": "maybe"}'), GOOD), Meter()
    answer = await router_of(provider).ask(QUESTION, meter)
    assert outcomes(answer) == ["reask", "ok"]
    shown = provider.requests[1].messages[-2:]
    assert shown[0].content == '{"ok": "maybe"}'
    assert "ok: 'maybe' is not of type 'boolean'" in shown[1].content
    assert answer.usage == Usage(200, 100)
    assert len(meter.settled) == 2


async def test_a_reply_is_asked_for_again_only_once() -> None:
    provider, meter = Scripted("a", says("no json here")), Meter()
    other = Scripted("b", GOOD)
    with pytest.raises(errors.InvalidReply):
        await router_of(provider, other).ask(QUESTION, meter)
    assert (len(provider.requests), len(other.requests), len(meter.settled)) == (2, 0, 2)


async def test_a_reply_cut_by_its_limit_gets_more_room_once() -> None:
    provider = Scripted("a", says("{", finish="length"), GOOD)
    answer = await router_of(provider).ask(ask(schema=SCHEMA, max_tokens=100), Meter())
    assert [request.max_tokens for request in provider.requests] == [100, 200]
    assert any("asked for again" in note for note in answer.notes)


async def test_a_refusal_is_final() -> None:
    provider, other = Scripted("a", says("no", finish="refusal")), Scripted("b", GOOD)
    with pytest.raises(errors.Refusal):
        await router_of(provider, other).ask(QUESTION, Meter())
    assert (len(provider.requests), len(other.requests)) == (1, 0)


async def test_a_reply_that_runs_in_circles_is_stopped() -> None:
    class Endless(Scripted):
        given = 0

        async def stream(self, request, *, model):
            if self.requests:
                async for item in super().stream(request, model=model):
                    yield item
                return
            self.requests.append(request)
            for self.given in range(1, 5000):
                yield Delta("I will now think about it again. ")

    provider = Endless("a", GOOD)
    answer = await router_of(provider).ask(ask(schema=SCHEMA, max_tokens=16_000), Meter())
    assert outcomes(answer) == ["reask", "ok"]
    assert provider.given < 200
    assert answer.attempts[0].usage.estimated


async def test_words_in_place_of_a_program_are_asked_about_once_and_then_heard_as_a_refusal() -> None:
    """No pressing: the second question leaves the model free to decline, and its words are what the person reads."""
    words = "I won't write software that locks the files of other people."
    provider, meter = Scripted("a", says(words), says(words)), Meter()
    with pytest.raises(errors.Refusal, match="I won't write software"):
        await router_of(provider).ask(replace(QUESTION, code="required", schema=None), meter)
    assert len(provider.requests) == 2
    asked_again = provider.requests[1].messages[-1].content
    assert "decline" in asked_again
    assert "could not be used" not in asked_again
