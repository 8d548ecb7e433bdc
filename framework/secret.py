"""Defines a text that shows itself only on request."""

from __future__ import annotations

import hmac
from typing import Any

MASK = "***"


class Secret(str):
    """Prints, formats, serialises and pickles as "***", and stays a Secret when copied. Only `reveal` gives the
    text."""

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str) -> Secret:
        secret = super().__new__(cls, MASK)
        secret._text = text
        return secret

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> tuple[type[str], tuple[str]]:
        return (str, (MASK,))
