"""Makes one streamed call of a model, the innermost layer of the router, and watches it while it runs.

A reply that runs away is stopped: one that repeats itself for ever, or that ignores its token limit.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from .chains import Target
from .errors import AlienReply, InvalidReply, LengthStop, LLMError
from .replies.toolcalls import emulate
from .services import MAX_SEARCHES
from .tokens import estimate_tokens, prompt_tokens
from .types import Caps, Completion, Delta, Note, Provider, Request, Usage

EVERY = 512
"""The characters of a reply between two searches for a loop."""
REPEATS = 8
"""How often a passage must repeat to count as a loop."""
MAX_PERIOD_CHARS = 400
"""The most characters that a repeated passage may have."""
MIN_RUN_CHARS = 1000
"""The characters that the repeated part must cover before it counts as a loop, so that a short table of equal rows does
not."""
PROBE = 24
"""How many of a reply's last characters are looked for at earlier places."""
TRIED = 12
"""How many earlier places of those characters are tried as the beginning of a period."""
CHARACTERS_PER_TOKEN = 12
"""The characters of a reply that are allowed for each token of its limit. Only a service that ignores `max_tokens`
writes more."""


class RunawayGuard:
    """Watches the pieces of a streamed reply and raises once the reply is not worth waiting for."""

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_PER_TOKEN + 2000
        self._length = 0
        self._next_look = EVERY
        self._tail = ""

    def feed(self, text: str) -> None:
        """Takes the next piece. Raises LengthStop past the limit and InvalidReply for a loop."""
        self._length += len(text)
        self._tail = (self._tail + text)[-MAX_PERIOD_CHARS * REPEATS :]
        if self._length > self._limit:
            raise LengthStop("The reply went on far past its token limit and was stopped.")
        if self._length >= self._next_look:
            self._next_look = self._length + EVERY
            if loops(self._tail):
                raise InvalidReply("The reply repeated the same words over and over and was stopped. Answer briefly.")


def loops(tail: str) -> bool:
    """Returns whether a text ends in the same passage again and again."""
    end, at = tail[-PROBE:], len(tail) - PROBE
    for _ in range(TRIED):
        at = tail.rfind(end, max(0, len(tail) - PROBE - MAX_PERIOD_CHARS), at + PROBE - 1)
        if at < 0:
            return False
        period = len(tail) - PROBE - at
        length = max(period * REPEATS, MIN_RUN_CHARS)
        if length <= len(tail) and tail[-length:-period] == tail[-length + period :]:
            return True
    return False


FOUND_TOKENS = 10_000
"""The tokens that one web search may add to what a model reads."""
NO_SEARCH = "has no web search of its own: nothing was looked up there"


@dataclass(slots=True)
class ModelCall:
    """One call of one model while it goes on: the request, the pieces of the reply, and how it ended."""

    provider: Provider
    target: Target
    request: Request
    on_text: Callable[[str], None] | None = None
    on_note: Callable[[str], None] | None = None
    done: Completion | None = None
    pieces: list[str] = field(default_factory=list[str])
    error: LLMError | None = None
    began: float = field(default_factory=time.monotonic)

    def waited(self) -> float:
        """Returns the seconds since the call began."""
        return time.monotonic() - self.began

    @property
    def _caps(self) -> Caps:
        return self.provider.caps(self.target.model)

    @property
    def text(self) -> str:
        return self.done.text if self.done else "".join(self.pieces)

    def worst_case(self) -> Usage:
        """Returns the most tokens that the call can take. A model's thoughts count as part of the reply."""
        written = self.request.max_tokens + self._caps.thoughts
        found = MAX_SEARCHES if self.request.search and self._caps.search else 0
        given = prompt_tokens(self.request) + found * FOUND_TOKENS
        return Usage(given, written, estimated=True, searches=found)

    def usage(self) -> Usage | None:
        """Returns the tokens to be paid for, estimated if the service reports none; None for a call that brought no
        reply at all."""
        told = self.done.usage if self.done else self.error.usage if self.error else Usage()
        if told.input is not None and told.output is not None and (self.done or told.output or not self.pieces):
            return told
        if self.done is None and not self.pieces and told.input is None and told.output is None:
            return None
        given = prompt_tokens(self.request) if told.input is None else told.input
        written = max(told.output or 0, estimate_tokens(self.text))
        return Usage(given, written, told.cached, told.cache_write, estimated=True)

    def notes(self) -> tuple[str, ...]:
        """Returns what a person should know of the reply: parts of the request that were not applied, another model's
        name."""
        if self.done is None:
            return ()
        unapplied = (f"{self.target} does not apply: {', '.join(self.done.ignored)}",) if self.done.ignored else ()
        if self.request.search and not self._caps.search:
            unapplied = (*unapplied, f"{self.target} {NO_SEARCH}")
        other = self.done.model_reported
        renamed = (
            (f"{self.target} answered as {other[:80]}",) if other and not same_model(other, self.target.model) else ()
        )
        return (*self.done.notes, *unapplied, *renamed)


async def call_once(call: ModelCall) -> Completion:
    """Streams one reply to its end and returns it. Raises LLMError. Closing the stream closes the connection."""
    caps = call.provider.caps(call.target.model)
    request = call.request if caps.tools else emulate(call.request)
    guard = RunawayGuard(request.max_tokens)
    call.pieces.clear()
    if call.on_text:
        call.on_text("")
    try:
        stream = cast(
            "AsyncGenerator[Note | Delta | Completion]", call.provider.stream(request, model=call.target.model)
        )
        async with aclosing(stream) as items:
            async for item in items:
                if isinstance(item, Delta):
                    call.pieces.append(item.text)
                    guard.feed(item.text)
                    if call.on_text and item.text:
                        call.on_text(item.text)
                elif isinstance(item, Note):
                    if call.on_note:
                        call.on_note(item.text)
                else:
                    call.done = item
                    return item
    except LLMError as error:
        call.error = error
        raise
    raise AlienReply(f"{call.target} ended its stream without a reply.")


def same_model(reported: str, asked: str) -> bool:
    """Returns whether two names mean one model. Services add dates ("claude-haiku-5-5-20261021") and drop owners."""
    a, b = reported.lower().rpartition("/")[2], asked.lower().rpartition("/")[2]
    return a.startswith(b) or b.startswith(a)
