"""Asks a model: an onion of reply repair, fallback, retry, budget, concurrency, breaker, and at its core one call."""

from __future__ import annotations

import asyncio
import random as chance
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from .asking import ASK_S, FALLBACK, RETRIES, RETRY, Asking, Words, pause_before
from .breaker import Breaker, NotAgain
from .calling import Call, call_once
from .chains import Chains, Target
from .errors import BadReply, InvalidReply, LengthStop, LLMError, NoProvider, Refusal
from .meter import Meter
from .prices import Price, table_price
from .services import SERVICES
from .structured import read_reply
from .types import Answer, Completion, Provider, Reply, Request, Usage
from .wording import with_complaint, with_format

CONCURRENT = 4
MOST_TOKENS = 16_000


class Router:
    """Joins providers and chains. One router serves many runs at once; what one run may spend is in its Meter."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
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
        self._breakers: dict[Target, Breaker] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._warm = False

    async def ask(
        self,
        request: Request,
        meter: Meter,
        *,
        on_text: Words | None = None,
        escalate: int = 0,
        deadline: float | None = None,
    ) -> Answer:
        """The reply, valid against the request's contract.

        `on_text` gets pieces as they are written; "" means that the reply begins (anew). `escalate` counts steps up the
        role's ladder. `deadline`: seconds the whole answer may take. Raises LLMError; what was paid is in the meter.
        """
        asking = Asking(
            request=with_format(request),
            chain=self.chains.chain(request.role, escalate),
            meter=meter,
            on_text=on_text,
            started=self._clock(),
            deadline=self._clock() + (ASK_S if deadline is None else deadline),
        )
        await self._warm_up(asking.chain[0])
        if escalate:
            asking.notes.append(_escalation(asking.chain, self.chains.chain(request.role)))
        completion, reply = await self._repaired(asking)
        return asking.answer(completion, reply, seconds=self._clock() - asking.started)

    def context(self, role: str) -> int | None:
        """Tokens of prompt and reply together that the role's first model can hold; None: unknown."""
        target = self.chains.chain(role)[0]
        return self._provider(target).caps(target.model).context

    async def aclose(self) -> None:
        """Close every provider."""
        for provider in self._providers.values():
            await provider.aclose()

    async def _repaired(self, asking: Asking) -> tuple[Completion, Reply]:
        """A reply that keeps its form; a broken one is shown to its author once, with the reason."""
        try:
            completion = await self._fallen_back(asking)
            return completion, read_reply(completion, asking.request)
        except (InvalidReply, LengthStop) as error:
            again = asking.again(_second_request(asking, error), error)
        completion = await self._fallen_back(again)
        try:
            return completion, read_reply(completion, again.request)
        except BadReply as error:
            again.failed(error)
            raise

    async def _fallen_back(self, asking: Asking) -> Completion:
        """The first answer along the chain; only faults of a service or its configuration lead on."""
        last: LLMError | None = None
        for place, target in enumerate(asking.chain):
            try:
                return await self._retried(asking, target, behind=len(asking.chain) - place - 1)
            except FALLBACK as error:
                last = error
                asking.fell_back(target, error, last=place + 1 == len(asking.chain))
        raise last or NoProvider("No model is configured.")

    async def _retried(self, asking: Asking, target: Target, *, behind: int) -> Completion:
        """The same target again after a pause, as long as time and patience last."""
        for tried in range(RETRIES + 1):
            try:
                return await self._paid(asking, target, behind=behind)
            except RETRY as error:
                pause = pause_before(tried, error, self._random)
                spent = isinstance(error, NotAgain) or tried == RETRIES
                if spent or pause is None or self._clock() + pause >= asking.deadline:
                    raise
                asking.retried(target, error)
                await self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _paid(self, asking: Asking, target: Target, *, behind: int) -> Completion:
        """Reserved before and settled after, also when the call fails or is cancelled half-way."""
        call = Call(self._provider(target), target, self._fitting(asking.request), asking.on_text)
        worst = self._prices(target.provider, target.model, call.worst_case())
        with asking.meter.reserve(worst) as reservation:
            began = self._clock()
            try:
                return await self._limited(asking, call, behind=behind)
            finally:
                if (usage := call.usage()) is not None:
                    cost = self._prices(target.provider, target.model, usage)
                    reservation.settle(asking.settled(target, usage, cost))
                asking.took(target, call, self._clock() - began)

    async def _limited(self, asking: Asking, call: Call, *, behind: int) -> Completion:
        """At most so many calls to one provider at a time, each in its share of what time is left."""
        left = asking.deadline - self._clock()
        if left <= 0:
            raise NotAgain("There is no time left to ask a model.")
        try:
            async with asyncio.timeout(left * 2 / 3 if behind else left), self._slot(call):
                return await self._guarded(call)
        except TimeoutError:
            raise NotAgain(f"{call.target} gave no answer in time.", usage=call.usage()) from None

    async def _guarded(self, call: Call) -> Completion:
        """Not at all while the target's breaker is open."""
        breaker = self._breakers.setdefault(call.target, Breaker(str(call.target), self._clock))
        breaker.enter()
        try:
            completion = await call_once(call)
        except LLMError as error:
            breaker.failed(error)
            raise
        except BaseException:
            breaker.gave_up()
            raise
        breaker.succeeded()
        return completion

    async def _warm_up(self, target: Target) -> None:
        """The first look at the price table loads it, which takes too long for the event loop."""
        if not self._warm:
            await asyncio.to_thread(self._prices, target.provider, target.model, Usage(1, 1))
            self._warm = True

    def _provider(self, target: Target) -> Provider:
        try:
            return self._providers[target.provider]
        except KeyError:
            raise NoProvider(f"The provider {target.provider!r} is not configured.") from None

    def _slot(self, call: Call) -> asyncio.Semaphore:
        name = call.target.provider
        if name not in self._slots:
            self._slots[name] = asyncio.Semaphore(SERVICES[name].concurrent if name in SERVICES else CONCURRENT)
        return self._slots[name]

    def _fitting(self, request: Request) -> Request:
        return replace(request, max_tokens=min(request.max_tokens, MOST_TOKENS))


def _second_request(asking: Asking, error: BadReply) -> Request:
    if isinstance(error, Refusal):
        raise error
    if isinstance(error, LengthStop):
        room = min(asking.request.max_tokens * 2, MOST_TOKENS)
        request = replace(asking.request, max_tokens=room)
        return with_complaint(request, "", "It was cut because it grew too long. Be brief, and finish it.")
    return with_complaint(asking.request, asking.last_text, str(error))


def _escalation(chain: tuple[Target, ...], own: tuple[Target, ...]) -> str:
    if chain[0] == own[0]:
        return f"no stronger model than {own[0]} is configured"
    return f"escalated from {own[0]} to {chain[0]}"
