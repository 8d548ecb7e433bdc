"""Drafts the next tokens from what the sequence already says: a repair repeats most of the program that it mends."""

from __future__ import annotations

from collections.abc import Sequence

MAX_MATCH_TOKENS, MIN_MATCH_TOKENS = 8, 2
"""The longest and the shortest run of last tokens that is looked for. Only runs of even length are: a longer run is
found almost as well by its last tokens, and each length costs an entry for every token."""
FIRST_DRAFT_TOKENS, MAX_DRAFT_TOKENS = 10, 32
"""The tokens of the first draft and of the longest draft."""


class PromptLookup:
    """Finds the longest earlier occurrence of the last tokens and proposes what followed it.

    A wrong draft costs one wider forward pass and nothing else, because the model's own choice decides.
    """

    def __init__(self, prompt: Sequence[int]) -> None:
        self._ids: list[int] = []
        self._last: dict[tuple[int, ...], int] = {}
        self._before: dict[tuple[int, ...], int] = {}
        self._width = FIRST_DRAFT_TOKENS
        for token in prompt:
            self.append(token)

    def append(self, token: int) -> None:
        """Takes the next token of prompt or reply, and remembers where each short run of last tokens ended, the last
        time and the time before."""
        self._ids.append(token)
        end = len(self._ids)
        for size in range(MIN_MATCH_TOKENS, min(MAX_MATCH_TOKENS, end) + 1, 2):
            run = tuple(self._ids[-size:])
            if run in self._last:
                self._before[run] = self._last[run]
            self._last[run] = end

    def draft(self, limit: int) -> list[int]:
        """Returns at most `limit` tokens; none if the last two tokens are new."""
        for size in range(MAX_MATCH_TOKENS, MIN_MATCH_TOKENS - 1, -2):
            at = self._before.get(tuple(self._ids[-size:])) if len(self._ids) >= size else None
            if at is not None:
                return self._ids[at : at + min(self._width, limit)]
        return []

    def learn(self, drafted: int, accepted: int) -> None:
        """Makes the next draft longer after a draft that was right to its end, and short again after a miss."""
        if drafted:
            self._width = min(MAX_DRAFT_TOKENS, self._width * 2) if accepted == drafted else FIRST_DRAFT_TOKENS
