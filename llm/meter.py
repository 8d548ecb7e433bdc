"""Keeps the budget of one run: the worst case is reserved before a call, and the real cost is settled after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

from .errors import BudgetExceeded
from .types import Usage


@dataclass(frozen=True, slots=True)
class PaidCall:
    """One call of a model, and what it cost."""

    role: str
    question: str
    model: str
    """The model, as "provider:model"."""
    usage: Usage
    cost_usd: float | None
    """The dollars; None if the price is unknown."""

    def row(self) -> dict[str, Any]:
        """Returns the call as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> PaidCall:
        """Returns the call of a stored row. Raises TypeError or KeyError for a row of another shape."""
        return cls(row["role"], row["question"], row["model"], Usage(**row["usage"]), row["cost_usd"])


class Meter:
    """Knows what one run may spend and has spent. `rows` are the calls that were settled before a restart."""

    def __init__(
        self,
        max_usd: float | None = None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        *,
        rows: Iterable[Mapping[str, Any]] = (),
        on_settle: Callable[[PaidCall], None] | None = None,
    ) -> None:
        self._max_usd = max_usd
        self._max_calls = max_calls
        self._max_tokens = max_tokens
        self._on_settle = on_settle
        self._settled = [PaidCall.from_row(row) for row in rows]
        self._held: list[tuple[float, int]] = []
        """The dollars and tokens of the worst case of each call that is under way."""
        self._released = asyncio.Event()

    @property
    def settled(self) -> tuple[PaidCall, ...]:
        return tuple(self._settled)

    @property
    def known_usd(self) -> float:
        """The dollars spent on calls whose price is known."""
        return sum(call.cost_usd or 0.0 for call in self._settled)

    @property
    def tokens(self) -> int:
        return sum((call.usage.input or 0) + (call.usage.output or 0) for call in self._settled)

    def exhausted(self) -> str:
        """Returns why no further call can be made, whatever it costs; "" if one can be made."""
        if self._max_calls is not None and len(self._settled) >= self._max_calls:
            return f"the budget of {self._max_calls} model calls is used up"
        if self._max_tokens is not None and self.tokens >= self._max_tokens:
            return f"the budget of {self._max_tokens} tokens is used up"
        if self._max_usd is not None and self.known_usd >= self._max_usd > 0:
            return f"the budget of ${self._max_usd:.2f} is used up"
        return ""

    @asynccontextmanager
    async def hold(self, worst_usd: float | None, worst_tokens: int = 0) -> AsyncGenerator[Callable[[PaidCall], None]]:
        """Reserves one call with its worst case and yields the function that settles it. If `worst_usd` is None, the
        price is unknown and no dollars are reserved. If the call does not fit, this waits for calls under way, which
        may cost less than their worst case. Raises BudgetExceeded when it does not fit and no call is under way."""
        held = (worst_usd or 0.0, worst_tokens)
        while missing := self._missing(*held):
            if not self._held:
                raise BudgetExceeded(missing)
            self._released.clear()
            await self._released.wait()
        self._held.append(held)
        try:
            yield self._settle
        finally:
            self._held.remove(held)
            self._released.set()

    def _missing(self, usd: float, tokens: int) -> str:
        """Returns why a call of this cost does not fit beside those that are reserved; "" if it fits."""
        if self._max_calls is not None and len(self._settled) + len(self._held) >= self._max_calls:
            return f"The budget of {self._max_calls} model calls is used up."
        used = self.tokens
        if self._max_tokens is not None and used + sum(held for _, held in self._held) + tokens > self._max_tokens:
            return f"The next call could take up to {tokens} tokens; {used} of {self._max_tokens} are used."
        after = self.known_usd + sum(held for held, _ in self._held) + usd
        if self._max_usd is not None and after > self._max_usd + 1e-12:
            return (
                f"The next call could cost up to ${usd:.4f}; ${self.known_usd:.4f} of ${self._max_usd:.2f} are spent."
            )
        return ""

    def _settle(self, call: PaidCall) -> None:
        self._settled.append(call)
        if self._on_settle is not None:
            self._on_settle(call)
