"""Tries what a model must be able to do for the agent, and reports each ability."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, cast

from .errors import (
    AlienReply,
    AuthFailed,
    ContextTooLong,
    LLMError,
    ModelMissing,
    NoProvider,
    NoScenario,
    PaymentRequired,
    TruncatedStream,
    Unreachable,
)
from .replies.structured import read_reply
from .replies.toolcalls import emulate
from .tokens import estimate_tokens
from .types import Completion, Delta, Message, Provider, Request, ToolSpec
from .wording import with_format

ENOUGH_TOKENS = 16_000
"""The tokens of context that repairs of longer programs need."""
HAYSTACK_TOKENS = 6_000
"""The tokens of the long prompt that is tried."""
LIMIT_S = 60.0
"""The most seconds of each attempt: a server that is silent for longer is of no use to a person who waits."""
_MARKS = {True: "ok  ", False: "FAIL", None: "?   "}
SCHEMA = {
    "type": "object",
    "properties": {"color": {"enum": ["red", "blue"]}},
    "required": ["color"],
    "additionalProperties": False,
}
ADD = ToolSpec(
    "add",
    "Adds two whole numbers.",
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class AbilityResult:
    """The outcome of trying one ability. `ok` is None if it could not be found out."""

    name: str
    ok: bool | None
    detail: str = ""

    @property
    def words(self) -> str:
        return f"{_MARKS[self.ok]} {self.name}  {self.detail}".rstrip()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What one model can do. `usable` says that the model was reached, took the key, is there and gave a structured
    reply. The offline demo model is always usable."""

    provider: str
    model: str
    usable: bool
    findings: tuple[AbilityResult, ...]
    first_token_s: float | None = None
    tokens_per_s: float | None = None
    context: int | None = None

    @property
    def words(self) -> str:
        """Whether the model can be used, in one line."""
        speed = f", {self.tokens_per_s:.1f} tokens/s" if self.tokens_per_s else ""
        return f"{self.provider}:{self.model}: {'usable' if self.usable else 'not usable'}{speed}"


async def check(
    provider: Provider,
    model: str,
    *,
    clock: Callable[[], float] = time.monotonic,
    limit_s: float = LIMIT_S,
    on_finding: Callable[[AbilityResult], None] = lambda _: None,
) -> CheckReport:
    """Tries a model with three or four calls. Each is given up after `limit_s` seconds, and `on_finding` gets its
    result when it ends. A failed call becomes a finding and raises nothing."""
    tester = _AbilityTester(provider, model, clock)
    report = CheckReport(provider.name, model, False, ())
    findings: list[AbilityResult] = []

    def found(*ended: AbilityResult) -> None:
        findings.extend(ended)
        for one in ended:
            on_finding(one)

    try:
        await provider.ready()  # the time for this is not part of the time to the model's first word
        async with asyncio.timeout(limit_s):
            reached, first, speed = await tester.reach()
        found(*reached)
    except NoScenario:
        found(AbilityResult("reach", True, "the offline demo model plays its own scenarios only"))
        return replace(report, usable=True, findings=tuple(findings))
    except TimeoutError:
        found(_silent("reach", limit_s))
        return replace(report, findings=tuple(findings))
    except LLMError as error:
        found(*_failed_reach(error))
        return replace(report, findings=tuple(findings))
    for name, attempt in (
        ("structured reply", tester.structured),
        ("tool call", tester.tools),
        ("context", tester.context),
    ):
        found(await _tried(name, attempt, limit_s))
    usable = any(one.ok for one in findings if one.name == "structured reply")
    return CheckReport(provider.name, model, usable, tuple(findings), first, speed, provider.caps(model).context)


def _failed_reach(error: LLMError) -> tuple[AbilityResult, ...]:
    """Returns how far a failed call went: to the network, the key, or the model."""
    steps = ("reach", "key", "model")
    failed = 2
    if isinstance(error, (Unreachable, AlienReply, TruncatedStream)):
        failed = 0
    elif isinstance(error, (AuthFailed, PaymentRequired, NoProvider)):
        failed = 1
    elif not isinstance(error, ModelMissing):
        return (*(AbilityResult(step, True) for step in steps), AbilityResult("reply", False, str(error)))
    return (*(AbilityResult(step, True) for step in steps[:failed]), AbilityResult(steps[failed], False, str(error)))


def _silent(name: str, limit_s: float) -> AbilityResult:
    return AbilityResult(name, False, f"no answer within {limit_s:g} s: it is down, or still loads the model")


async def _tried(name: str, attempt: Callable[[], Awaitable[AbilityResult]], limit_s: float) -> AbilityResult:
    try:
        async with asyncio.timeout(limit_s):
            return await attempt()
    except TimeoutError:
        return _silent(name, limit_s)
    except LLMError as error:
        return AbilityResult(name, False, str(error))


@dataclass(slots=True)
class _AbilityTester:
    """Tries the abilities of one model."""

    provider: Provider
    model: str
    clock: Callable[[], float]

    async def reach(self) -> tuple[tuple[AbilityResult, ...], float, float | None]:
        """Streams a short text and times it. Returns the findings, the seconds to the first word, and tokens per second
        (None: too quick to tell)."""
        request = _question("Count from 1 to 40 in digits, separated by spaces.", max_tokens=300)
        began = self.clock()
        first: float | None = None
        done: Completion | None = None
        async with aclosing(cast(Any, self.provider.stream(request, model=self.model))) as items:
            async for item in items:
                if isinstance(item, Delta) and item.text and first is None:
                    first = self.clock() - began
                done = item if isinstance(item, Completion) else done
        took = self.clock() - began
        if done is None:
            raise AlienReply(f"{self.provider.name}: the stream ended without a reply.")
        tokens = done.usage.output or estimate_tokens(done.text)
        writing = took - (first or 0.0)
        told = f"first word after {first or took:.2f} s"
        reached = (
            AbilityResult("reach", True, told),
            AbilityResult("key", True),
            AbilityResult("model", True, _named(done)),
        )
        return reached, first or took, tokens / writing if writing > 0 else None

    async def structured(self) -> AbilityResult:
        """Asks for a reply that fits a schema."""
        request = with_format(replace(_question("Which color has the sky by day?"), schema=SCHEMA))
        done = await self.provider.complete(request, model=self.model)
        reply = read_reply(done, request)
        how = {"native": "by the service", "object": "as a JSON object", "grammar": "by a grammar"}
        liberties = f"; read with liberties: {', '.join(reply.salvaged)}" if reply.salvaged else ""
        return AbilityResult("structured reply", True, how.get(done.schema_mode, "asked for in words") + liberties)

    async def tools(self) -> AbilityResult:
        """Asks for a call of a tool and checks its arguments."""
        request = replace(_question("Use the tool to add 19 and 23. Do not work it out yourself."), tools=(ADD,))
        native = self.provider.caps(self.model).tools
        done = await self.provider.complete(request if native else emulate(request), model=self.model)
        calls = read_reply(done, request).tool_calls
        if not calls:
            return AbilityResult("tool call", False, "the model answered without calling the tool")
        right = dict(calls[0].arguments) in ({"a": 19, "b": 23}, {"a": 23, "b": 19})
        how = "native" if self.provider.caps(self.model).tools else "in words"
        return AbilityResult("tool call", right, how if right else f"{how}, with wrong arguments")

    async def context(self) -> AbilityResult:
        """Tries whether the model still sees a word at the head of a long prompt."""
        known = self.provider.caps(self.model).context
        if known is not None and known < ENOUGH_TOKENS:
            return AbilityResult("context", False, f"{known} tokens; long programs need about {ENOUGH_TOKENS}")
        filler = "This line only takes up room in the prompt.\n" * (HAYSTACK_TOKENS // 10)
        text = f"The password is PELICAN.\n{filler}\nWhat is the password? Answer with the one word."
        try:
            done = await self.provider.complete(_question(text), model=self.model)
        except ContextTooLong as error:
            return AbilityResult("context", False, str(error))
        read = f"{done.usage.input} tokens were read" if done.usage.input else "the tokens read are not told"
        seen = "pelican" in done.text.lower()
        stated = f"{known} tokens" if known else "size not stated"
        return AbilityResult(
            "context", seen, f"{stated}; {read}" + ("" if seen else "; the head of a long prompt was lost")
        )


def _question(text: str, *, max_tokens: int = 200) -> Request:
    messages = (Message("system", "Answer briefly and exactly."), Message("user", text))
    return Request("check", text, "check", messages, max_tokens=max_tokens)


def _named(done: Completion) -> str:
    return f"answers as {done.model_reported[:80]}" if done.model_reported else ""
