"""Says what calls cost by the offline price table, and logs the cost of each call.

It also estimates what a run will cost at most. An unknown price stays unknown.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from .chains import Chains, Target
from .meter import PaidCall
from .services import SERVICES
from .types import Usage

Price = Callable[[str, str, Usage], float | None]
"""Returns the dollars for (provider, model, usage); None if the price is unknown."""


def table_price(provider: str, model: str, usage: Usage) -> float | None:
    """Returns the dollars for one request, with price tiers and cached tokens. Returns None if its tokens are unknown
    or the table has no price for them."""
    service = SERVICES.get(provider)
    if service is not None and service.free:
        return 0.0
    if usage.input is None or usage.output is None or service is None or service.price_id is None:
        return None
    tokens = (usage.input, usage.cached, usage.cache_write, usage.output)
    total = _calculated(service.price_id, model, tokens, usage.searches)
    # If searches change nothing, the table has no price for them, and the total would be too low.
    unknown = usage.searches and total == _calculated(service.price_id, model, tokens, 0)
    return None if unknown else total


@cache
def _calculated(price_id: str, model: str, tokens: tuple[int, int, int, int], searches: int) -> float | None:
    table: Any = importlib.import_module("genai_prices")
    given, cached, written, output = tokens
    usage = table.Usage(
        input_tokens=given,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        web_searches=searches,
    )
    try:
        total: Decimal = table.calc_price(usage, model, provider_id=price_id).total_price
    except LookupError:
        return None
    return float(total)


@dataclass(frozen=True, slots=True)
class Expected:
    """A call that a run is expected to make."""

    role: str
    input: int
    output: int
    """The most tokens that the model writes."""


def estimate(calls: Sequence[Expected], chains: Chains, prices: Price = table_price) -> float | None:
    """Returns the dollars that the calls cost if the first model of each role's chain answers; None if the price of one
    of them is unknown."""
    firsts = [(chains.chain(call.role)[0], Usage(call.input, call.output, estimated=True)) for call in calls]
    costs = [prices(target.provider, target.model, usage) for target, usage in firsts]
    return None if None in costs else sum(cost or 0.0 for cost in costs)


def unpriced(chains: Chains, prices: Price = table_price) -> tuple[Target, ...]:
    """Returns the models that may be asked and whose price is unknown. No limit in dollars holds for them."""
    return tuple(each for each in chains.targets() if prices(each.provider, each.model, Usage(1, 1)) is None)


class CostLog:
    """Appends one JSON line for each settled call. A Meter takes `write` as its `on_settle`."""

    def __init__(self, path: Path, run_id: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._run_id = run_id
        self._now = now

    def write(self, call: PaidCall) -> None:
        """Writes the line of one call. Raises OSError if the file cannot be written."""
        line = {"time": self._now().isoformat(timespec="seconds"), "run_id": self._run_id, **call.row()}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
