"""What a run will cost at most, before it starts, and a log of what each call did cost."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .chains import Chains, Target
from .meter import PaidCall
from .prices import Price, table_price
from .types import Usage


@dataclass(frozen=True, slots=True)
class Expected:
    """A call that a run is expected to make, with its tokens."""

    role: str
    input: int
    output: int
    """Tokens, at most."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`usd` None: the price of one of the models is unknown. `by_model`: "provider:model" -> dollars."""

    calls: int
    usd: float | None
    by_model: dict[str, float | None]


def estimate(calls: Sequence[Expected], chains: Chains, prices: Price = table_price) -> Estimate:
    """Returns what the calls cost if the first model of each role's chain answers."""
    by_model: dict[str, float | None] = {}
    for call in calls:
        target = chains.chain(call.role)[0]
        cost = prices(target.provider, target.model, Usage(call.input, call.output, estimated=True))
        before = by_model.get(str(target), 0.0)
        by_model[str(target)] = None if cost is None or before is None else before + cost
    known = [cost for cost in by_model.values() if cost is not None]
    return Estimate(len(calls), sum(known) if len(known) == len(by_model) else None, by_model)


def unpriced(chains: Chains, prices: Price = table_price) -> tuple[Target, ...]:
    """The models that can be asked and whose price nobody knows: no ceiling in dollars holds for them."""
    return tuple(each for each in chains.targets() if prices(each.provider, each.model, Usage(1, 1)) is None)


class CostLog:
    """Appends one JSON line per settled call; hand `write` to a Meter as `on_settle`."""

    def __init__(self, path: Path, run_id: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._run_id = run_id
        self._now = now

    def write(self, call: PaidCall) -> None:
        """Raises OSError when the file cannot be written."""
        line = {"time": self._now().isoformat(timespec="seconds"), "run_id": self._run_id, **call.row()}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
