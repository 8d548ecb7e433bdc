"""Asks a model through layers around one call: reply repair, fallback, breaker, retry, budget, and concurrency."""

from __future__ import annotations

import asyncio
import random as chance
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from .asking import ASK_S, FALLBACK, RETRIES, Asking, Drafts, TellWords, pause_before
from .calling import ModelCall, call_once
from .chains import Chains, Target
from .costs import Price, table_price
from .errors import (
    BadReply,
    InvalidReply,
    LengthStop,
    LLMError,
    NoAnswer,
    NobodyAnswered,
    NoProvider,
    NoTime,
    OnlyWords,
    ProviderError,
    Refusal,
)
from .meter import Meter
from .pool import SharedProvider
from .replies.structured import read_reply, refusal_of
from .types import Answer, Completion, Reply, Request, Usage
from .wording import with_complaint, with_format, with_question

WAITING_S = 1.0
"""The seconds after which a person is told that the first word is still awaited; after that, every LONG_WAIT_S
seconds."""
LONG_WAIT_S = 15.0
"""The seconds between two such notes after the first."""
MAX_REPLY_TOKENS = 16_000
"""The most tokens that any reply is asked for."""


class Router:
    """Asks the shared providers along the chains of one run. What the run may spend is in its Meter."""

    def __init__(
        self,
        providers: Mapping[str, SharedProvider],
        chains: Chains,
        *,
        prices: Price = table_price,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = chance.random,
    ) -> None:
        self.chains = chains
        self._providers = providers
        self._prices = prices
        self._clock, self._sleep, self._random = clock, sleep, random
        self._warm = False

    async def ask(  # noqa: PLR0913 - each belongs to one question
        self,
        request: Request,
        meter: Meter,
        *,
        on_text: TellWords | None = None,
        on_note: TellWords | None = None,
        escalate: int = 0,
        deadline: float | None = None,
        drafts: Drafts | None = None,
    ) -> Answer:
        """Returns a reply that is valid against the request's contract.

        `on_text` gets pieces as they are written; "" means that the reply begins, or begins anew. `on_note` is told
        what happens meanwhile: waiting, trying again, falling back. `escalate` counts steps up the role's ladder.
        `deadline` is the seconds for the whole answer. `drafts` keeps a reply that broke its form. Raises LLMError;
        what was paid is in the meter.
        """
        asking = Asking(
            request=with_format(request),
            chain=self.chains.chain(request.role, escalate),
            meter=meter,
            on_text=on_text,
            on_note=on_note,
            started=self._clock(),
            deadline=self._clock() + (ASK_S if deadline is None else deadline),
        )
        await self._warm_up(asking.chain[0])
        if escalate:
            asking.notes.append(_escalation(asking.chain, self.chains.chain(request.role)))
        completion, reply = await self._repaired(asking, drafts)
        return asking.answer(completion, reply, seconds=self._clock() - asking.started)

    async def ready(self) -> None:
        """Loads what the first calls need, because client libraries take seconds to load."""
        for shared in self._providers.values():
            await shared.provider.ready()

    def context(self, role: str) -> int | None:
        """Returns the tokens of prompt and reply together that the role's first model can hold; None if unknown."""
        target = self.chains.chain(role)[0]
        return self._shared(target).provider.caps(target.model).context

    async def _repaired(self, asking: Asking, drafts: Drafts | None) -> tuple[Completion, Reply]:
        """Returns a reply that keeps its form. A broken reply is shown to its author once, with the reason (reply
        repair)."""
        kept, completion = drafts.recall() if drafts else None, None
        try:
            completion = asking.go_on(kept) if kept else await self._fallen_back(asking)
            return completion, read_reply(completion, asking.request)
        except (InvalidReply, LengthStop) as error:
            if drafts and not kept and completion:
                await drafts.keep(asking.draft(completion))
            again = asking.again(_second_request(asking, error), error)
        completion = await self._fallen_back(again)
        try:
            return completion, read_reply(completion, again.request)
        except OnlyWords as error:
            raise refusal_of(error.words, completion) from None

    async def _fallen_back(self, asking: Asking) -> Completion:
        """Returns the first answer along the chain. If a service fails, the next one is asked (fallback)."""
        failed: list[LLMError] = []
        for place, target in enumerate(asking.chain):
            last = place + 1 == len(asking.chain)
            try:
                return await self._rested(asking, target, last=last)
            except FALLBACK as error:
                if isinstance(error, ProviderError):
                    error.lonely = len(asking.chain) == 1
                failed.append(error)
                if not last:
                    asking.fell_back(target, error)
        raise failed[0] if len(failed) == 1 else NobodyAnswered(failed)

    async def _rested(self, asking: Asking, target: Target, *, last: bool) -> Completion:
        """Asks unless the target's circuit breaker is open, and tells the breaker how it went. If nobody else can be
        asked, it waits for the end of a short pause."""
        breaker = self._shared(target).breaker(target.model)
        if pause := breaker.pause(self._clock()):
            if not last or not breaker.short() or self._clock() + pause >= asking.deadline:
                raise breaker.reason(self._clock())
            asking.note(f"waiting {pause:.0f} s: {breaker.reason(self._clock())}")
            await self._sleep(pause)
        try:
            completion = await self._retried(asking, target, last=last)
        except ProviderError as error:
            breaker.failed(error, self._clock())
            raise
        breaker.succeeded()
        return completion

    async def _retried(self, asking: Asking, target: Target, *, last: bool) -> Completion:
        """Asks the same target again after a pause, at most RETRIES times and only within the deadline."""
        for tried in range(RETRIES + 1):
            try:
                return await self._paid(asking, target, last=last)
            except ProviderError as error:
                error.tried = tried + 1
                pause = pause_before(tried, error, self._random, last=last) if error.transient else None
                if tried == RETRIES or pause is None or self._clock() + pause >= asking.deadline:
                    raise
                asking.retried(target, error, pause)
                await self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _paid(self, asking: Asking, target: Target, *, last: bool) -> Completion:
        """Reserves the worst case of a call in the budget, calls, and settles the real cost, even of a call that was
        cut off."""
        request = replace(asking.request, max_tokens=min(asking.request.max_tokens, MAX_REPLY_TOKENS))
        call = ModelCall(self._shared(target).provider, target, request, asking.on_text, asking.on_note)
        worst = call.worst_case()
        cost = self._prices(target.provider, target.model, worst)
        async with asking.meter.hold(cost, (worst.input or 0) + (worst.output or 0)) as settle:
            began = self._clock()
            try:
                return await self._limited(asking, call, last=last)
            finally:
                if (usage := call.usage()) is not None:
                    cost = self._prices(target.provider, target.model, usage)
                    settle(asking.settled(target, usage, cost))
                asking.took(target, call, self._clock() - began)

    async def _limited(self, asking: Asking, call: ModelCall, *, last: bool) -> Completion:
        """Calls once a slot of the provider is free, within this target's share of the time that is left. Raises
        NoTime, NoAnswer."""
        left = asking.deadline - self._clock()
        if left <= 0:
            raise NoTime(f"{call.target}: there is no time left to ask")
        share = left if last else left * 2 / 3
        slots = self._shared(call.target).slots
        try:
            async with asyncio.timeout(share):
                if slots.busy:
                    asking.tell(f"waiting for a place at {call.target.provider}")
                async with slots, _impatience(asking, call):
                    return await call_once(call)
        except TimeoutError:
            words = f"{call.target}: no answer in the {share:.0f} s there were for it"
            raise NoAnswer(words, usage=call.usage()) from None

    async def _warm_up(self, target: Target) -> None:
        """Loads the price table once, in a thread, because loading would block the event loop."""
        if not self._warm:
            await asyncio.to_thread(self._prices, target.provider, target.model, Usage(1, 1))
            self._warm = True

    def _shared(self, target: Target) -> SharedProvider:
        """Returns the provider of a target. Raises NoProvider."""
        try:
            return self._providers[target.provider]
        except KeyError:
            raise NoProvider(f"The provider {target.provider!r} is not configured.") from None


@asynccontextmanager
async def _impatience(asking: Asking, call: ModelCall) -> AsyncGenerator[None]:
    """Tells whoever watches that the first word is awaited, until it comes."""

    async def tell() -> None:
        waited = 0.0
        while not call.text:
            await asyncio.sleep(WAITING_S if not waited else LONG_WAIT_S)
            waited = call.waited()
            if not call.text:
                asking.tell(f"waiting for the first word of {call.target}: {waited:.0f} s")

    telling = asyncio.create_task(tell()) if asking.on_note else None
    try:
        yield
    finally:
        if telling is not None:
            telling.cancel()


def _second_request(asking: Asking, error: BadReply) -> Request:
    """Returns the request for a second reply, with what was wrong with the first. Raises a refusal as it came."""
    if isinstance(error, Refusal):
        raise error
    if isinstance(error, LengthStop):
        room = min(asking.request.max_tokens * 2, MAX_REPLY_TOKENS)
        request = replace(asking.request, max_tokens=room)
        return with_complaint(request, "", "It was cut because it grew too long. Be brief, and finish it.")
    if isinstance(error, OnlyWords):
        return with_question(asking.request, asking.last_text)
    return with_complaint(asking.request, asking.last_text, str(error))


def _escalation(chain: tuple[Target, ...], own: tuple[Target, ...]) -> str:
    """Returns a note on the step up the ladder."""
    if chain[0] == own[0]:
        return f"no stronger model than {own[0]} is configured"
    return f"escalated from {own[0]} to {chain[0]}"
