"""Shortens a variable when a prompt is too long, and always leaves a mark where text is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Cut = Literal["head", "middle", "tail", "oldest"]


@dataclass(frozen=True, slots=True)
class TrimRule:
    variable: str
    cut: Cut
    """Which part of a text is cut: its head, middle or tail (`oldest`: its head). Of a list, `tail` cuts the last
    items, every other word the first."""
    at_least: int = 0
    """The value keeps at least this many characters of a text, or items of a list."""


def size(value: str | Sequence[str]) -> int:
    """Returns the characters of a text, or the items of a list."""
    return len(value)


def shorten(value: str | Sequence[str], cut: Cut, keep: int) -> str | Sequence[str]:
    """Returns about `keep` characters of a text, or items of a list; a text is cut at line ends if possible."""
    if size(value) <= keep:
        return value
    if not isinstance(value, str):
        return list(value)[:keep] if cut == "tail" else list(value)[len(value) - keep :]
    if cut == "tail":
        return _mark(_head(value, keep), "", len(value))
    if cut in ("head", "oldest"):
        return _mark("", _tail(value, keep), len(value))
    return _mark(_head(value, keep - keep // 2), _tail(value, keep // 2), len(value))


def _head(text: str, keep: int) -> str:
    part = text[:keep]
    line_end = part.rfind("\n")
    return part[: line_end + 1] if line_end >= keep // 2 else part


def _tail(text: str, keep: int) -> str:
    part = text[len(text) - keep :] if keep else ""
    line_end = part.find("\n")
    return part[line_end + 1 :] if 0 <= line_end < keep // 2 else part


def _mark(head: str, tail: str, total: int) -> str:
    note = f"[... {total - len(head) - len(tail)} characters cut ...]"
    return "\n".join(part.strip("\n") for part in (head, note, tail) if part)
