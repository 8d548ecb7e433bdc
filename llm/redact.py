"""Keeps keys and prompts out of messages and logs."""

from __future__ import annotations

import logging
import re
import warnings

KEY_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{8,}|gsk_\w{8,}|AIza[\w-]{20,}|hf_\w{8,}|xai-[\w-]{8,}|tgp_v1_[\w-]{8,})|(?i:bearer)\s+[\w.~+/=-]{8,}"
)
"""The usual forms of keys."""
CHATTY = ("anthropic", "httpx", "httpx2", "httpcore", "httpcore2")
"""The loggers of client libraries that log prompts."""
KEY_PIECE, PROMPT_PIECE = 8, 20
"""The characters in a row that a text may not share with a key, and with a prompt."""


def scrub(text: str, *secrets: str, private: tuple[str, ...] = ()) -> str:
    """Returns the text without the given secrets, pieces of them, or anything that has the form of a key, and without
    what it repeats of `private` texts."""
    for secret in secrets:
        if len(secret) >= 4:
            text = _masked(text.replace(secret, "[secret]"), secret, KEY_PIECE, "[secret]")
    for source in private:
        text = _masked(text, source, PROMPT_PIECE, "[prompt]")
    return KEY_SHAPES.sub("[secret]", text)


def _masked(text: str, source: str, size: int, mark: str) -> str:
    """Returns the text with `mark` in place of every run of at least `size` characters that also stands in `source`."""
    place, kept = 0, ""
    while place < len(text):
        if text[place : place + size] in source and len(text) - place >= size:
            end = place + size
            while end < len(text) and text[place : end + 1] in source:
                end += 1
            kept, place = kept + mark, end
        else:
            kept, place = kept + text[place], place + 1
    return kept


def quiet_libraries() -> None:
    """Silences client libraries, which log whole prompts at level DEBUG, and which warn with the value that a service
    sent in place of a number."""
    warnings.filterwarnings("ignore", "Pydantic serializer warnings")
    for name in CHATTY:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))
