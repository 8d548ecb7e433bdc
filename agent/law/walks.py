"""Counts how often a call goes through an argument. The text of this module goes into the sandbox in a folder beside
the program, so it imports only the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class WalkedList(list[Any]):
    """A list that counts how often all of it was read."""

    walks = 0

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()
        self.walks += 1


class WalkedText(str):
    """A text that counts how often all of it was read."""

    walks = 0

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        self.walks += 1


def walks(function: Any, args: list[Any], keywords: dict[str, Any]) -> list[int]:
    """Returns, for each list and text that is given, how often the call read all of it from first to last."""
    given = [_counting(value) for value in args]
    named = {key: _counting(value) for key, value in keywords.items()}
    function(*given, **named)
    return [value.walks for value in (*given, *named.values()) if isinstance(value, WalkedList | WalkedText)]


def _counting(value: Any) -> Any:
    if isinstance(value, list):
        return WalkedList(value)  # pyright: ignore[reportUnknownArgumentType]
    return WalkedText(value) if isinstance(value, str) else value
