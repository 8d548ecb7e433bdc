"""Keeps secrets: a text that shows itself only on request, keys that survive a restart, and masks in texts, records and
logs.

Known secrets are masked exactly, unknown ones if they look like keys.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from .errors import StoreError

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


def kept_key(state_dir: Path, name: str) -> Secret:
    """Returns the key of that name. The first call makes it, in a file that only this user can read. Raises
    StoreError."""
    path = state_dir / f"{name}.key"
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        fresh = state_dir / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
        if not path.exists():
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(32))
            _publish(fresh, path)
        text = path.read_text()
    except OSError as error:
        raise StoreError(f"the state directory {state_dir} cannot be used: {error.strerror}") from error
    if not re.fullmatch(r"[\w-]{43}", text):
        raise StoreError(f"{path} is damaged; delete it to get a new key")
    return Secret(text)


def _publish(fresh: Path, path: Path) -> None:
    """Gives the file its name, unless another process was faster: then that process's key counts."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        return
    finally:
        fresh.unlink()


_MIN_LENGTH = 6
"""The characters of the shortest secret that is masked: masking a shorter one would garble ordinary words."""
_SHAPES = re.compile(
    r"""
      \b(?: sk-[A-Za-z0-9_-]{16,}
          | (?:hf|gsk|r8|pplx|xai|gh[pousr]|lsv2_[a-z]{2}|csk|nvapi|fw|tgp_v1)[_-][A-Za-z0-9_-]{16,}
          | github_pat_\w{20,} | glpat-[\w-]{16,} | AIza[\w-]{30,} | AKIA[A-Z0-9]{16} | xox[abprs]-[\w-]{10,}
          | eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,} )
    | (?<=[Bb]earer\s) [\w.~+/=-]{12,}
    | (?<=://) [^\s/:@]+ : [^\s/@]+ (?=@)
    """,
    re.VERBOSE,
)
"""The usual forms of keys and tokens, a word after "Bearer", and the user and password in an address."""


class Redactor:
    """Masks the secrets that it was given or has learned."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._texts: set[str] = set()
        self._known: re.Pattern[str] | None = None
        self.learn(*secrets)

    def learn(self, *secrets: Secret) -> None:
        """Adds secrets that become known later, e.g. a key that a visitor brings."""
        self._texts |= {secret.reveal() for secret in secrets if len(secret.reveal()) >= _MIN_LENGTH}
        longest_first = sorted(self._texts, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """Returns the text with known secrets and anything that looks like a key masked. This is for logs and error
        messages."""
        return _SHAPES.sub(MASK, self.known(text))

    def known(self, text: str) -> str:
        """Returns the text with only known secrets masked, so that a program about keys is not changed."""
        return self._known.sub(MASK, text) if self._known else text

    def data(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns a JSON object with known secrets masked in every string, keys included. Returns the same object if no
        secret is known."""
        return cast("Mapping[str, Any]", self._walk(data)) if self._known else data

    def _walk(self, value: object) -> object:
        if isinstance(value, str):
            return self.known(value)
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return {self._walk(key): self._walk(item) for key, item in items}
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return [self._walk(item) for item in cast("Sequence[object]", value)]
        return value


class RedactingFilter(logging.Filter):
    """Masks the message, the traceback and the stack of every log record."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor
        self._formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.text(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._formatter.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redactor.text(record.exc_text)
        record.exc_info = None
        if record.stack_info:
            record.stack_info = self._redactor.text(record.stack_info)
        return True
