"""A provider that plays a list of outcomes, and a clock that only moves when told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.router import Router
from llm.types import Answer, Caps, Completion, Delta, Finish, Provider, Request, Usage

from .conftest import ask


def says(text: str, *, finish: Finish = "stop", usage: Usage | None = None, **more: Any) -> Completion:
    return Completion(text, finish, usage or Usage(100, 50), "set by the provider", "set by the provider", **more)


GOOD = says('{"ok": true}')
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
QUESTION = ask(schema=SCHEMA)


def outcomes(answer: Answer) -> list[str]:
    return [attempt.outcome for attempt in answer.attempts]


class Scripted(Provider):
    """Gives its outcomes one after the other, the last one again and again; "hang" never answers."""

    def __init__(self, name: str, *outcomes: Completion | Exception | str, caps: Caps | None = None) -> None:
        self.name = name
        self.outcomes = list(outcomes)
        self.requests: list[Request] = []
        self.models: list[str] = []
        self.active = self.most_active = 0
        self._caps = caps or Caps(tools=True)

    def caps(self, model: str) -> Caps:
        return self._caps

    async def stream(self, request: Request, *, model: str) -> AsyncIterator[Delta | Completion]:
        self.requests.append(request)
        self.models.append(model)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await asyncio.sleep(0)
            outcome = self.outcomes[0] if len(self.outcomes) == 1 else self.outcomes.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            if isinstance(outcome, str):
                yield Delta(outcome)
                await asyncio.Event().wait()
                return
            for piece in (outcome.text[:3], outcome.text[3:]):
                yield Delta(piece)
            yield Completion(**{**fields_of(outcome), "provider": self.name, "model": model})
        finally:
            self.active -= 1


def fields_of(completion: Completion) -> dict[str, Any]:
    return {name: getattr(completion, name) for name in Completion.__dataclass_fields__}


class Clock:
    """Time that passes only in `sleep`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def a_dollar_per_thousand(provider: str, model: str, usage: Usage) -> float | None:
    """A price that is easy to add up; the provider "free" costs nothing, "odd" has no known price."""
    if provider == "odd":
        return None
    return 0.0 if provider == "free" else ((usage.input or 0) + (usage.output or 0)) / 1000


def router_of(*providers: Scripted, clock: Clock | None = None, **chains: Any) -> Router:
    """A router whose chain asks the providers in order."""
    clock = clock or Clock()
    default = tuple(Target(provider.name, "m1") for provider in providers)
    return Router(
        alone({provider.name: provider for provider in providers}),
        Chains(**{"default": default, **chains}),
        prices=a_dollar_per_thousand,
        clock=clock,
        sleep=clock.sleep,
        random=lambda: 0.5,
    )


def meter() -> Meter:
    return Meter()
