"""Shared by the tests of this room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from llm.providers import open_provider
from llm.types import Message, Provider, ProviderSettings, Request

from .protocols import CORE, KEY, SPEAKERS, Speaker
from .servers import Server

SECRET_PROMPT = "the-prompt-nobody-may-log"


@pytest.fixture(params=CORE, ids=lambda speaker: speaker.provider)
def speaker(request: pytest.FixtureRequest) -> Speaker:
    return request.param


@pytest.fixture(params=SPEAKERS, ids=lambda speaker: speaker.provider)
def any_speaker(request: pytest.FixtureRequest) -> Speaker:
    return request.param


@pytest.fixture
def connect() -> Callable[..., Provider]:
    """Opens providers for a server."""

    def make(speaker: Speaker, server: Server, **options: Any) -> Provider:
        settings = ProviderSettings(key=KEY, base_url=server.url + speaker.path, options=options)
        return open_provider(speaker.provider, settings)

    return make


def ask(**changes: Any) -> Request:
    """A request with sensible parts."""
    messages = (Message("system", "You help."), Message("user", SECRET_PROMPT))
    return Request(**{"role": "planner", "task": "t", "question": "first", "messages": messages, **changes})
