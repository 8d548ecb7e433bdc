"""Keeps keys and prompts out of messages and logs."""

from __future__ import annotations

import logging
import re
import warnings

KEY_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{8,}|gsk_\w{8,}|AIza[\w-]{20,}|hf_\w{8,}|xai-[\w-]{8,}|tgp_v1_[\w-]{8,})|(?i:bearer)\s+[\w.~+/=-]{8,}"
)
CHATTY = ("anthropic", "httpx", "httpx2", "httpcore", "httpcore2")
KEY_PIECE, PROMPT_PIECE = 8, 20
"""Characters in a row that a text may not share with a key, and with a prompt."""


def scrub(text: str, *secrets: str, private: tuple[str, ...] = ()) -> str:
    """The text without the given secrets, without pieces of them, and without anything that has the shape of a key;
    and without what it repeats of private texts."""
    for secret in secrets:
        if len(secret) >= 4:
            text = _masked(text.replace(secret, "[secret]"), secret, KEY_PIECE, "[secret]")
    for source in private:
        text = _masked(text, source, PROMPT_PIECE, "[prompt]")
    return KEY_SHAPES.sub("[secret]", text)


def _masked(text: str, source: str, size: int, mark: str) -> str:
    """The text with every run of `size` or more characters that also stands in `source` replaced."""
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
    """Client libraries log whole prompts when somebody turns on DEBUG, and warn with what a service sent in the place
    of a number; neither is ever wanted."""
    warnings.filterwarnings("ignore", "Pydantic serializer warnings")
    for name in CHATTY:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))
