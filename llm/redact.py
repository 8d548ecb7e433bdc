"""Keeps keys and prompts out of messages and logs."""

from __future__ import annotations

import logging
import re

KEY_SHAPES = re.compile(
    r"\b(?:sk-[\w-]{8,}|gsk_\w{8,}|AIza[\w-]{20,}|hf_\w{8,}|xai-[\w-]{8,}|tgp_v1_[\w-]{8,})|(?i:bearer)\s+[\w.~+/=-]{8,}"
)
CHATTY = ("anthropic", "openai", "httpx", "httpx2", "httpcore", "httpcore2")
IDENTIFIER = re.compile(r"[A-Za-z_][\w.\[\]-]{0,59}")


def scrub(text: str, *secrets: str) -> str:
    """The text without the given secrets and without anything that has the shape of a key."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[secret]")
    return KEY_SHAPES.sub("[secret]", text)


def identifier(value: object) -> str:
    """A code word from a service, or nothing: free text of a service may repeat the prompt."""
    return value if isinstance(value, str) and IDENTIFIER.fullmatch(value) else ""


def quiet_libraries() -> None:
    """Client libraries log whole prompts when somebody turns on DEBUG; that is never wanted."""
    for name in CHATTY:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))
