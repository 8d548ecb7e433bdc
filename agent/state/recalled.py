"""What the state holds of earlier runs whose lessons come along."""

from __future__ import annotations

from dataclasses import dataclass

from .findings import VerdictWord


@dataclass(frozen=True, slots=True)
class Recalled:
    """What an earlier run on a similar task learned."""

    run: str
    task: str
    verdict: VerdictWord
    similarity: float
    lessons: tuple[str, ...]
