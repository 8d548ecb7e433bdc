"""What runs have paid for while the database was away."""

from __future__ import annotations

import logging
from collections.abc import Mapping

MOST_CHARACTERS = 32 * 2**20
"""Of all runs together."""
_logger = logging.getLogger(__name__)


class Unstored:
    """Kept in this process until a later drive of the run stores it. Beyond the limit what the runs paid for that have
    waited longest is forgotten, and paid for again; so is all of it where the process ends."""

    def __init__(self) -> None:
        self._by_run: dict[str, dict[str, str]] = {}

    def of(self, run_id: str) -> Mapping[str, str]:
        return self._by_run.get(run_id, {})

    def keep(self, run_id: str, memo: Mapping[str, str]) -> None:
        """Added to what is kept already: a drive that failed before it had read that knows nothing of it."""
        if memo:
            self._by_run[run_id] = {**self._by_run.pop(run_id, {}), **memo}
        while sum(len(k) + len(v) for kept in self._by_run.values() for k, v in kept.items()) > MOST_CHARACTERS:
            oldest = next(iter(self._by_run))
            _logger.warning("what run %s paid for while the database was away is forgotten: it is too much", oldest)
            self.forget(oldest)

    def forget(self, run_id: str) -> None:
        self._by_run.pop(run_id, None)
