"""What a call costs, from the offline price table; unknown stays unknown."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

from .services import SERVICES
from .types import Usage

Price = Callable[[str, str, Usage], float | None]
"""(provider, model, usage) -> dollars; None: unknown."""


def table_price(provider: str, model: str, usage: Usage) -> float | None:
    """Dollars for one request, tiers and cache tokens included; None for a model that the table does not know."""
    service = SERVICES.get(provider)
    if service is not None and service.free:
        return 0.0
    if usage.input is None or usage.output is None or service is None or service.price_id is None:
        return None
    return _calculated(service.price_id, model, (usage.input, usage.cached, usage.cache_write, usage.output))


@cache
def _calculated(price_id: str, model: str, tokens: tuple[int, int, int, int]) -> float | None:
    table: Any = importlib.import_module("genai_prices")
    given, cached, written, output = tokens
    usage = table.Usage(input_tokens=given, cache_read_tokens=cached, cache_write_tokens=written, output_tokens=output)
    try:
        total: Decimal = table.calc_price(usage, model, provider_id=price_id).total_price
    except LookupError:
        return None
    return float(total)
