"""Keeps the state of one question on its way through the router: what was tried, what it cost, and when time is up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from .calling import ModelCall
from .chains import Target
from .errors import BadReply, LLMError, NoProvider, ProviderError
from .meter import Meter, PaidCall
from .types import Answer, Completion, Reply, Request, RouterAttempt, Search, Usage

TellWords = Callable[[str], None]
"""Takes a text for whoever watches: a piece of the reply, or a note on what happens."""
ASK_S = 600.0
"""The seconds that a question may take in all, unless its caller says otherwise."""
RETRIES = 2
"""The tries of one target after its first."""
MIN_PAUSE_S, MAX_PAUSE_S = 0.5, 8.0
"""The shortest and the longest pause before a try, in seconds, if the service names none."""
MAX_WAIT_S = 20.0
"""The longest Retry-After, in seconds, that the router waits for if somebody else can be asked."""
LAST_MAX_WAIT_S = 65.0
"""The longest Retry-After, in seconds, that the router waits for if nobody else can be asked. A limit per minute is
over by then."""
FALLBACK = (ProviderError, NoProvider)
"""The errors after which the next target of the chain is asked."""

AttemptOutcome = Literal["ok", "retry", "fallback", "reask", "failed"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply that broke its form, with the tries, costs and notes that led to it."""

    completion: Completion
    attempts: tuple[RouterAttempt, ...]
    costs: tuple[float | None, ...]
    notes: tuple[str, ...]


class Drafts(Protocol):
    """Keeps the malformed first reply to a question until the second has come, so that a restart in between does not
    pay for the first again."""

    def recall(self) -> Draft | None: ...

    async def keep(self, draft: Draft) -> None: ...


@dataclass(slots=True)
class Asking:
    """The state of one question while the layers of `Router` work on it."""

    request: Request
    chain: tuple[Target, ...]
    meter: Meter
    on_text: TellWords | None
    on_note: TellWords | None
    started: float
    deadline: float
    attempts: list[RouterAttempt] = field(default_factory=list[RouterAttempt])
    notes: list[str] = field(default_factory=list[str])
    costs: list[float | None] = field(default_factory=list[float | None])
    last_text: str = ""
    searches: list[Search] = field(default_factory=list[Search])

    def took(self, target: Target, call: ModelCall, seconds: float) -> None:
        """Records a call that ended. The layers above may mark it as tried or asked again, or as a fallback."""
        outcome: AttemptOutcome = "ok" if call.done else "failed"
        self.attempts.append(
            RouterAttempt(target.provider, target.model, outcome, "", call.usage() or Usage(), seconds)
        )
        self.last_text = call.text
        self.searches += call.done.searches if call.done else ()
        self.notes += [note for note in call.notes() if note not in self.notes]

    def settled(self, target: Target, usage: Usage, cost: float | None) -> PaidCall:
        """Records the cost of a call (None: unknown) and returns the call for the meter."""
        self.costs.append(cost)
        return PaidCall(self.request.role, self.request.question, str(target), usage, cost)

    def draft(self, completion: Completion) -> Draft:
        return Draft(completion, tuple(self.attempts), tuple(self.costs), tuple(self.notes))

    def go_on(self, draft: Draft) -> Completion:
        """Takes over a kept draft with its tries, costs and notes. Returns its completion as if it had just been
        written."""
        self.attempts, self.costs, self.notes = [*draft.attempts], [*draft.costs], [*draft.notes]
        self.last_text, self.searches = draft.completion.text, [*draft.completion.searches]
        return draft.completion

    def tell(self, words: str) -> None:
        """Tells whoever watches what happens now."""
        if self.on_note:
            self.on_note(words)

    def note(self, words: str) -> None:
        """Tells whoever watches what happens now, and keeps the words for the answer's notes."""
        self.notes.append(words)
        self.tell(words)

    def retried(self, target: Target, error: LLMError, pause: float) -> None:
        self._mark("retry", error)
        self.note(f"{target} is asked again in {pause:.1f} s: {error}")

    def fell_back(self, target: Target, error: LLMError) -> None:
        self._mark("fallback", error)
        self.note(f"{target} gave no answer, the next one is asked: {error}")

    def again(self, request: Request, error: BadReply) -> Asking:
        """Returns the same question with another request. The author of the last reply is asked first; tries and costs
        continue."""
        self._mark("reask", error)
        self.note(f"the reply was asked for again: {error}")
        author = Target(self.attempts[-1].provider, self.attempts[-1].model)
        return replace(self, request=request, chain=(author, *(target for target in self.chain if target != author)))

    def answer(self, completion: Completion, reply: Reply, *, seconds: float) -> Answer:
        """Returns the answer with what all tries of the question took."""
        unknown = any(cost is None for cost in self.costs)
        return Answer(
            reply=reply,
            text=completion.text,
            provider=completion.provider,
            model=completion.model,
            usage=sum_of([attempt.usage for attempt in self.attempts]),
            cost_usd=None if unknown else sum(cost or 0.0 for cost in self.costs),
            seconds=seconds,
            attempts=tuple(self.attempts),
            notes=(*self.notes, *(f"read with liberties: {liberty}" for liberty in reply.salvaged)),
            searches=tuple(self.searches),
        )

    def _mark(self, outcome: AttemptOutcome, error: LLMError) -> None:
        if self.attempts:
            self.attempts[-1] = replace(self.attempts[-1], outcome=outcome, reason=str(error))


def pause_before(tried: int, error: ProviderError, random: Callable[[], float], *, last: bool) -> float | None:
    """Returns the seconds to wait before the next try, with full jitter. Returns None if the service asks for a longer
    wait than the router accepts. `tried` counts the tries before this one from 0; `last` says that nobody else can be
    asked."""
    told = error.retry_after
    if told is not None:
        return told if told <= (LAST_MAX_WAIT_S if last else MAX_WAIT_S) else None
    return MIN_PAUSE_S + random() * (min(MAX_PAUSE_S, MIN_PAUSE_S * 2 ** (tried + 1)) - MIN_PAUSE_S)


def sum_of(usages: list[Usage]) -> Usage:
    """Returns what several calls took together. Tokens that no call reports stay unknown."""
    known = [usage for usage in usages if usage.input is not None or usage.output is not None]
    return Usage(
        input=sum(usage.input or 0 for usage in known) if known else None,
        output=sum(usage.output or 0 for usage in known) if known else None,
        cached=sum(usage.cached for usage in known),
        cache_write=sum(usage.cache_write for usage in known),
        estimated=any(usage.estimated for usage in known),
        searches=sum(usage.searches for usage in known),
    )
