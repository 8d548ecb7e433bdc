"""Reads single variables strictly: empty means unset, and an unusable value is one line that names its variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from .errors import SettingsError
from .secret import Secret

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class Variables:
    """`asked` collects every name that was looked up."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.asked: set[str] = set()

    def text(self, name: str) -> str | None:
        self.asked.add(name)
        value = self._values.get(name, "").strip()
        if any(ord(letter) < 32 for letter in value):
            raise SettingsError(f"{name} contains a control character")
        return value or None

    def secret(self, name: str) -> Secret | None:
        value = self.text(name)
        if value is not None and (not value.isascii() or " " in value):
            raise SettingsError(f"{name} is no key: keys have neither spaces nor letters beyond ASCII")
        return Secret(value) if value else None

    def choice(self, name: str, words: Sequence[str]) -> str | None:
        value = self.text(name)
        if value is not None and value.lower() not in words:
            raise SettingsError(f"{name}={value!r} is not one of: {', '.join(words)}")
        return value.lower() if value else None

    def flag(self, name: str) -> bool | None:
        value = self.choice(name, _TRUE + _FALSE)
        return value in _TRUE if value else None

    def number(self, name: str, low: float, high: float) -> float | None:
        """A number from `low` to `high`."""
        value = self.text(name)
        if value is None:
            return None
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise SettingsError(f"{name}={value!r} is not a number from {low:g} to {high:g}")
        return number

    def whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number from `low` to `high`."""
        number = self.number(name, low, high)
        if number is not None and number != int(number):
            raise SettingsError(f"{name}={self.text(name)!r} is not a whole number")
        return None if number is None else int(number)

    def url(self, name: str, schemes: Sequence[str] = ("http", "https")) -> str | None:
        """An address, without a trailing slash. It is not repeated in errors: it may hold a password."""
        value = self.text(name)
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            valid = parts.scheme in schemes and bool(parts.netloc) and parts.port != 0
        except ValueError:
            valid = False
        if not valid:
            raise SettingsError(f"{name} is no address that starts with {' or '.join(f'{s}://' for s in schemes)}")
        return value.rstrip("/")
