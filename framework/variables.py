"""Reads single variables strictly: empty means unset, and an unusable value is one line that names its variable."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from .errors import SettingsError
from .secret import Secret

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
WEB = ("http", "https")


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

    def pairs(self, name: str, heads: Collection[str]) -> tuple[tuple[str, str], ...]:
        """A list "head:rest,head:rest", each with one of the heads; () for none."""
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
        """Every variable with this ending that holds an address; other programs have such variables, too, so that one
        that holds none is passed over."""
        named = [name for name in self._values if name.endswith(ending) and name.removesuffix(ending).isidentifier()]
        return {name: value for name in sorted(named) if (value := _address(self._values[name].strip(), WEB))}

    def suffixes(self, beginning: str, known: Collection[str]) -> Sequence[str]:
        """What follows `beginning` in the names of variables, in lower case: the known ones, and all that are set where
        none is known. Raises SettingsError for one that is set and not known."""
        found = [name.removeprefix(beginning).lower() for name in self._values if name.startswith(beginning)]
        for suffix in found:
            if known and suffix not in known and self.text(f"{beginning}{suffix.upper()}"):
                raise SettingsError(f"{beginning}{suffix.upper()} names nothing; there are: {', '.join(sorted(known))}")
        return tuple(known) or tuple(sorted(found))

    def secrets(self, ending: str) -> list[Secret]:
        """Whatever the variables with this ending hold: to be masked, whether it is used or not."""
        return [Secret(value) for name, value in self._values.items() if name.endswith(ending) and value.strip()]

    def url(self, name: str, schemes: Sequence[str] = WEB) -> str | None:
        """An address, without a trailing slash. It is not repeated in errors: it may hold a password."""
        value = self.text(name)
        if value is None:
            return None
        address = _address(value, schemes)
        if not address:
            raise SettingsError(f"{name} is no address that starts with {' or '.join(f'{s}://' for s in schemes)}")
        return address


def _address(value: str, schemes: Sequence[str]) -> str:
    """The address without a trailing slash; "" where it is none."""
    try:
        parts = urlsplit(value)
        # The address of a socket of this machine is a path.
        place = parts.path.strip("/") if parts.scheme == "unix" else parts.netloc
        valid = parts.scheme in schemes and bool(place) and parts.port != 0
    except ValueError:
        valid = False
    return value.rstrip("/") if valid else ""
