"""A model's first reply that broke its form, kept in the run's memory before it is asked again."""

from __future__ import annotations

from dataclasses import dataclass

from llm.asking import Draft

from . import codec
from .session import Port


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """Keeps the malformed first reply to one question in the run's memory, under the question's key."""

    port: Port
    key: str

    def recall(self) -> Draft | None:
        stored = self.port.recall(f"draft:{self.key}")
        return None if stored is None else codec.drafts.decode(stored)

    async def keep(self, draft: Draft) -> None:
        """Returns when it is stored."""
        self.port.remember(f"draft:{self.key}", codec.drafts.encode(draft))
        await self.port.settled()
