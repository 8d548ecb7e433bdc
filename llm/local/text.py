"""Turns tokens into text as they come, and never sends half a character."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

BROKEN = "\ufffd"
WINDOW_TOKENS = 16
"""The tokens that are decoded again with each new one. They are enough context for tokenizers that join words by what
stands before."""
PATIENCE_TOKENS = 8
"""The tokens after which bytes that never became a character are shown as broken."""


class TextPieces:
    """The text that has been generated so far. `emit` gets each new piece; all pieces together are `text`."""

    def __init__(self, tokenizer: Any, ends: Sequence[int], emit: Callable[[str], None]) -> None:
        self._tokenizer, self._ends, self._emit = tokenizer, frozenset(ends), emit
        self._ids: list[int] = []
        self._sent = 0
        """The number of tokens whose text was emitted."""
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, token: int) -> None:
        if token not in self._ends:
            self._ids.append(token)
            self._send(patience=PATIENCE_TOKENS)

    def end(self) -> None:
        self._send(patience=0)

    def _send(self, patience: int) -> None:
        context = self._ids[max(0, self._sent - WINDOW_TOKENS) : self._sent]
        fresh = self._ids[self._sent :]
        before = self._decode(context)
        piece = self._decode([*context, *fresh])[len(before) :]
        if piece.endswith(BROKEN) and len(fresh) < patience:
            return
        self._sent = len(self._ids)
        if piece:
            self._pieces.append(piece)
            self._emit(piece)

    def _decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
