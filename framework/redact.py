"""Masks secrets in texts, records and log lines: known secrets exactly, unknown ones if they look like keys."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from .secret import MASK, Secret

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
