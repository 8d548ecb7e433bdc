"""Masks secrets in texts, records and log lines: the known ones exactly, others by the usual shapes of keys."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from .secret import MASK, Secret

_MIN_LENGTH = 6
"""Shorter secrets are not searched for: masking them would garble ordinary words."""
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


class Redactor:
    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._texts: set[str] = set()
        self._known: re.Pattern[str] | None = None
        self.learn(*secrets)

    def learn(self, *secrets: Secret) -> None:
        """Adds secrets that became known later, e.g. a key that a visitor brought."""
        self._texts |= {secret.reveal() for secret in secrets if len(secret.reveal()) >= _MIN_LENGTH}
        longest_first = sorted(self._texts, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        """Masks known secrets and whatever looks like a key: for logs and error messages."""
        return _SHAPES.sub(MASK, self.known(text))

    def known(self, text: str) -> str:
        """Masks known secrets only, so that a program about keys stays what it is."""
        return self._known.sub(MASK, text) if self._known else text

    def data(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """A JSON object with known secrets masked in every string, keys included; the same object if there is none."""
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
    """Masks the message and the traceback of every record that passes."""

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
