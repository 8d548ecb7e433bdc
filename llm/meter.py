"""The budget of one run: worst cases are reserved before a call, real costs settled after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .errors import BudgetExceeded
from .types import Usage


@dataclass(frozen=True, slots=True)
class Settled:
    """One paid call."""

    role: str
    step: str
    model: str
    """"provider:model"."""
    usage: Usage
    cost_usd: float | None
    """None: unknown."""

    def row(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Settled:
        """Raises TypeError or KeyError for a row of another shape."""
        return cls(row["role"], row["step"], row["model"], Usage(**row["usage"]), row["cost_usd"])


class Meter:
    """What one run may spend and has spent. `rows` are calls settled before a restart."""

    def __init__(
        self,
        max_usd: float | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        *,
        rows: Iterable[Mapping[str, Any]] = (),
        on_settle: Callable[[Settled], None] | None = None,
    ) -> None:
        self._max_usd = max_usd
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._on_settle = on_settle
        self._settled = [Settled.from_row(row) for row in rows]
        self._held_usd = 0.0
        self._held_calls = 0
        self._held_tokens = 0
        self._released = asyncio.Event()

    @property
    def settled(self) -> tuple[Settled, ...]:
        return tuple(self._settled)

    @property
    def known_usd(self) -> float:
        """Dollars spent on calls whose price is known."""
        return sum(call.cost_usd or 0.0 for call in self._settled)

    @property
    def tokens(self) -> int:
        """Read and written."""
        return sum((call.usage.input or 0) + (call.usage.output or 0) for call in self._settled)

    def exhausted(self) -> str:
        """Why no further call can be made, whatever it costs; "" while one can."""
        if self._max_calls is not None and len(self._settled) >= self._max_calls:
            return f"the budget of {self._max_calls} model calls is used up"
        if self._max_tokens is not None and self.tokens >= self._max_tokens:
            return f"the budget of {self._max_tokens} tokens is used up"
        if self._max_usd is not None and self.known_usd >= self._max_usd > 0:
            return f"the budget of ${self._max_usd:.2f} is used up"
        return ""

    async def hold(self, worst_usd: float | None, worst_tokens: int = 0) -> Reservation:
        """The same as `reserve`, after calls that are under way have shown what they really cost."""
        while True:
            try:
                return self.reserve(worst_usd, worst_tokens)
            except BudgetExceeded:
                if not self._held_calls:
                    raise
                self._released.clear()
            await self._released.wait()

    def reserve(self, worst_usd: float | None, worst_tokens: int = 0) -> Reservation:
        """Hold one call and its worst case (None: unknown price, held as nothing). Raises BudgetExceeded."""
        calls = len(self._settled) + self._held_calls
        if self._max_calls is not None and calls >= self._max_calls:
            raise BudgetExceeded(f"The budget of {self._max_calls} model calls is used up.")
        tokens = self.tokens
        if self._max_tokens is not None and tokens + self._held_tokens + worst_tokens > self._max_tokens:
            raise BudgetExceeded(
                f"The next call could take up to {worst_tokens} tokens; {tokens} of {self._max_tokens} are used."
            )
        worst = worst_usd or 0.0
        after = self.known_usd + self._held_usd + worst
        if self._max_usd is not None and after > self._max_usd + 1e-12:
            raise BudgetExceeded(
                f"The next call could cost up to ${worst:.4f}; ${self.known_usd:.4f} of ${self._max_usd:.2f} are spent."
            )
        self._held_usd += worst
        self._held_calls += 1
        self._held_tokens += worst_tokens
        return Reservation(self, worst, worst_tokens)

    def _release(self, worst: float, tokens: int, call: Settled | None) -> None:
        self._held_usd -= worst
        self._held_calls -= 1
        self._held_tokens -= tokens
        self._released.set()
        if call is not None:
            self._settled.append(call)
            if self._on_settle is not None:
                self._on_settle(call)


class Reservation:
    """A held call: settle it once, or leave the `with` block to give it back."""

    def __init__(self, meter: Meter, worst: float, tokens: int) -> None:
        self._meter: Meter | None = meter
        self._worst, self._tokens = worst, tokens

    def settle(self, call: Settled) -> None:
        self._end(call)

    def __enter__(self) -> Reservation:
        return self

    def __exit__(self, *details: object) -> None:
        self._end(None)

    def _end(self, call: Settled | None) -> None:
        meter, self._meter = self._meter, None
        if meter is not None:
            meter._release(self._worst, self._tokens, call)  # pyright: ignore[reportPrivateUsage]  two halves of one account
