"""One question on its way through the router: what was tried, what it cost, and when patience ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from .calling import Call
from .chains import Target
from .errors import BadReply, LLMError, NoProvider, ProviderError
from .meter import Meter, Settled
from .types import Answer, Attempt, Completion, Reply, Request, Usage

Words = Callable[[str], None]
ASK_S = 600.0
RETRIES = 2
SHORTEST_S, LONGEST_S = 0.5, 8.0
MOST_PATIENCE_S = 20.0
"""The longest Retry-After that is waited for; beyond it the next in the chain is asked."""
LAST_PATIENCE_S = 65.0
"""The same where nobody is left to ask: limits by the minute are over then."""
FALLBACK = (ProviderError, NoProvider)

Ending = Literal["ok", "retry", "fallback", "reask", "failed"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply that broke its form, and what it took to get it."""

    completion: Completion
    attempts: tuple[Attempt, ...]
    costs: tuple[float | None, ...]
    notes: tuple[str, ...]


class Drafts(Protocol):
    """Where the first reply to a question is kept before it is shown to its author again: it was paid for."""

    def recall(self) -> Draft | None: ...

    async def keep(self, draft: Draft) -> None: ...


@dataclass(slots=True)
class Asking:
    """What the layers of the router share while they work on one question."""

    request: Request
    chain: tuple[Target, ...]
    meter: Meter
    on_text: Words | None
    on_note: Words | None
    started: float
    deadline: float
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    notes: list[str] = field(default_factory=list[str])
    costs: list[float | None] = field(default_factory=list[float | None])
    last_text: str = ""

    def took(self, target: Target, call: Call, seconds: float) -> None:
        """One call ended; how it counts is decided by the layers above."""
        outcome: Ending = "ok" if call.done else "failed"
        self.attempts.append(Attempt(target.provider, target.model, outcome, "", call.usage() or Usage(), seconds))
        self.last_text = call.text
        self.notes += [note for note in call.notes() if note not in self.notes]

    def settled(self, target: Target, usage: Usage, cost: float | None) -> Settled:
        self.costs.append(cost)
        return Settled(self.request.role, self.request.step, str(target), usage, cost)

    def draft(self, completion: Completion) -> Draft:
        return Draft(completion, tuple(self.attempts), tuple(self.costs), tuple(self.notes))

    def go_on(self, draft: Draft) -> Completion:
        """As if the draft had just been written."""
        self.attempts, self.costs, self.notes = [*draft.attempts], [*draft.costs], [*draft.notes]
        self.last_text = draft.completion.text
        return draft.completion

    def tell(self, words: str) -> None:
        """Say what happens while it happens."""
        if self.on_note:
            self.on_note(words)

    def note(self, words: str) -> None:
        """The same, and kept for the report."""
        self.notes.append(words)
        self.tell(words)

    def retried(self, target: Target, error: LLMError, pause: float) -> None:
        self._mark("retry", error)
        self.note(f"{target} is asked again in {pause:.1f} s: {error}")

    def fell_back(self, target: Target, error: LLMError, *, last: bool) -> None:
        self._mark("failed" if last else "fallback", error)
        if not last:
            self.note(f"{target} gave no answer, the next one is asked: {error}")

    def again(self, request: Request, error: BadReply) -> Asking:
        """The same question with another request; whoever answered is asked first. History is shared."""
        self._mark("reask", error)
        self.note(f"the reply was asked for again: {error}")
        author = Target(self.attempts[-1].provider, self.attempts[-1].model)
        return replace(self, request=request, chain=(author, *(target for target in self.chain if target != author)))

    def failed(self, error: LLMError) -> None:
        self._mark("failed", error)

    def answer(self, completion: Completion, reply: Reply, *, seconds: float) -> Answer:
        unknown = any(cost is None for cost in self.costs)
        return Answer(
            reply=reply,
            text=completion.text,
            provider=completion.provider,
            model=completion.model,
            usage=_sum([attempt.usage for attempt in self.attempts]),
            cost_usd=None if unknown else sum(cost or 0.0 for cost in self.costs),
            seconds=seconds,
            attempts=tuple(self.attempts),
            notes=(*self.notes, *(f"read with liberties: {liberty}" for liberty in reply.salvaged)),
        )

    def _mark(self, outcome: Ending, error: LLMError) -> None:
        if self.attempts:
            self.attempts[-1] = replace(self.attempts[-1], outcome=outcome, reason=str(error))


def pause_before(tried: int, error: ProviderError, random: Callable[[], float], *, last: bool) -> float | None:
    """Seconds to wait before the next try, with full jitter; None when the service asks for more than is reasonable.
    `last`: nobody else can be asked."""
    told = error.retry_after
    if told is not None:
        return told if told <= (LAST_PATIENCE_S if last else MOST_PATIENCE_S) else None
    return SHORTEST_S + random() * (min(LONGEST_S, SHORTEST_S * 2 ** (tried + 1)) - SHORTEST_S)


def _sum(usages: list[Usage]) -> Usage:
    known = [usage for usage in usages if usage.input is not None or usage.output is not None]
    return Usage(
        input=sum(usage.input or 0 for usage in known) if known else None,
        output=sum(usage.output or 0 for usage in known) if known else None,
        cached=sum(usage.cached for usage in known),
        cache_write=sum(usage.cache_write for usage in known),
        estimated=any(usage.estimated for usage in known),
    )
