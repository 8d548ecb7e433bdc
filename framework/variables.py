"""Reads single environment variables strictly.

An empty variable counts as unset. An unusable one raises SettingsError with one line that names the variable.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from .errors import SettingsError
from .secret import Secret

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
WEB = ("http", "https")


class Variables:
    """The variables of the environment. `asked` collects every name that was looked up."""

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
        """Returns a number from `low` to `high`; None if unset."""
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
        """Returns a whole number from `low` to `high`; None if unset."""
        number = self.number(name, low, high)
        if number is not None and number != int(number):
            raise SettingsError(f"{name}={self.text(name)!r} is not a whole number")
        return None if number is None else int(number)

    def pairs(self, name: str, heads: Collection[str]) -> tuple[tuple[str, str], ...]:
        """Reads a list "head:rest,head:rest", in which each head is one of `heads`. Returns () if unset."""
        value = self.text(name)
        parts = [part.strip().partition(":") for part in (value or "").split(",") if part.strip()]
        for head, _, rest in parts:
            if head.lower() not in heads or not rest:
                raise SettingsError(
                    f"{name}={value!r} is not provider:model, or several with commas between, with a provider of: "
                    f"{', '.join(sorted(heads))}"
                )
        return tuple((head.lower(), rest) for head, _, rest in parts)

    def addresses(self, ending: str) -> Mapping[str, str]:
        """Returns every variable with this ending that holds a web address. Variables of other programs may have the
        same ending, so those that hold no address are skipped."""
        named = [name for name in self._values if name.endswith(ending) and name.removesuffix(ending).isidentifier()]
        return {name: value for name in sorted(named) if (value := _address(self._values[name].strip(), WEB))}

    def suffixes(self, beginning: str, known: Collection[str]) -> Sequence[str]:
        """Returns what follows `beginning` in the names of variables, in lower case: the known endings, or all that are
        set if none is known. Raises SettingsError for a variable that is set and whose ending is not known."""
        found = [name.removeprefix(beginning).lower() for name in self._values if name.startswith(beginning)]
        for suffix in found:
            if known and suffix not in known and self.text(f"{beginning}{suffix.upper()}"):
                raise SettingsError(f"{beginning}{suffix.upper()} names nothing; there are: {', '.join(sorted(known))}")
        return tuple(known) or tuple(sorted(found))

    def secrets(self, ending: str) -> list[Secret]:
        """Returns the values of all variables with this ending, so that they can be masked, used or not."""
        return [Secret(value) for name, value in self._values.items() if name.endswith(ending) and value.strip()]

    def url(self, name: str, schemes: Sequence[str] = WEB) -> str | None:
        """Returns an address without a trailing slash; None if unset. The error does not repeat the address, because it
        may hold a password."""
        value = self.text(name)
        if value is None:
            return None
        address = _address(value, schemes)
        if not address:
            raise SettingsError(f"{name} is no address that starts with {' or '.join(f'{s}://' for s in schemes)}")
        return address


def _address(value: str, schemes: Sequence[str]) -> str:
    """Returns the address without a trailing slash; "" if the value is no address."""
    try:
        parts = urlsplit(value)
        # A `unix` address names a socket on this machine by its path.
        place = parts.path.strip("/") if parts.scheme == "unix" else parts.netloc
        valid = parts.scheme in schemes and bool(place) and parts.port != 0
    except ValueError:
        valid = False
    return value.rstrip("/") if valid else ""
