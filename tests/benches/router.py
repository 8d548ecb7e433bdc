"""Measures what the router adds to a call: `python -m tests.benches.router`, as a ratio within one run."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator

from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.router import Router
from llm.types import Caps, Completion, Delta, Message, Provider, Request, Usage

CALLS = 300
PROGRAM = "\n\n".join(f"def times_{number}(x):\n    return x * {number}\n" for number in range(60))
TEXT = '{"note": "done"}\n```python\n' + PROGRAM + "```\n"
SCHEMA = {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}


class Instant(Provider):
    """A provider that answers at once, in pieces as small as a service's."""

    name = "instant"

    def caps(self, model: str) -> Caps:
        return Caps(tools=True)

    async def stream(self, request: Request, *, model: str) -> AsyncIterator[Delta | Completion]:
        for start in range(0, len(TEXT), 16):
            yield Delta(TEXT[start : start + 16])
        yield Completion(TEXT, "stop", Usage(1000, 500), self.name, model)


def _free(provider: str, model: str, usage: Usage) -> float:
    return 0.0


async def measure(calls: int = CALLS) -> dict[str, float]:
    """Milliseconds per call: the bare stream, the same call through the router, and what the router adds."""
    provider = Instant()
    router = Router(alone({"instant": provider}), Chains((Target("instant", "m"),)), prices=_free)
    request = Request("r", "t", "s", (Message("user", "hi"),), schema=SCHEMA, code="required")
    meter = Meter()
    await router.ask(request, meter)
    bare: list[float] = []
    routed: list[float] = []
    for _ in range(calls):
        began = time.perf_counter()
        async for _item in provider.stream(request, model="m"):
            pass
        between = time.perf_counter()
        await router.ask(request, meter)
        bare.append(between - began)
        routed.append(time.perf_counter() - between)
    plain, through = statistics.median(bare) * 1000, statistics.median(routed) * 1000
    return {"calls": calls, "bare_ms": plain, "routed_ms": through, "added_ms": through - plain}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure())))
